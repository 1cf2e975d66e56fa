"""No overflow, underflow or drift: one-sided streams and their reverse, against log-space."""

import numpy as np
import pytest

import sparring
from compiled_twin import exact_play
from sparring.streams import generator
from worlds import ladder

pytestmark = pytest.mark.compiled
PIECE = 1_000_000


def run_both(name, learner, P, rounds, streams, high, low):
    """Play learner and twin side by side; arms must agree in every round."""
    tuning = learner.tuning
    uniforms, coins = streams
    for start in range(0, rounds, PIECE):
        n = min(PIECE, rounds - start)
        rows, cols = np.empty(n, np.int64), np.empty(n, np.int64)
        u, c = uniforms.random((n, 2)), coins.random(n)
        plays = learner.play(sparring.Block(P[None], np.array([n])), c)
        exact_play(name, P, u, c, tuning.eta, tuning.gamma, tuning.beta, high, low, rows, cols)
        np.testing.assert_array_equal(plays.rows, rows)
        np.testing.assert_array_equal(plays.cols, cols)


def log_weights(learner):
    saved = learner.snapshot()
    weights, depths = (np.array(saved[name], np.longdouble) for name in ("weights", "depths"))
    return np.log(weights) - 256 * np.log(np.longdouble(2)) * depths


def assert_same_log_weights(learner, high, low):
    """ln W relative to arm 0's, to 1e-9: what probabilities to 1e-9 mean for arms asleep too."""
    ours = log_weights(learner)
    exact = high.astype(np.longdouble) + low
    np.testing.assert_allclose(ours - ours[:, :1], exact - exact[:, :1], rtol=0, atol=1e-9)


PRINTED = sparring.tunings.dex3p(sparring.Problem(2, 100_000_000))


@pytest.mark.parametrize(
    ("name", "K", "tuning", "rounds", "nats"),
    [
        # The printed tuning for 1e8 rounds: the bias keeps every arm within ten nats early on.
        ("dex3p", 2, PRINTED, 20_000_000, 5),
        # No bias: arms sink by thousands of nats, where plain doubles die at 745. With the way back
        # 1e8 rounds, which is as far as rounding errors are followed.
        ("dex3p", 2, sparring.Tuning(eta=0.00125, gamma=0.3), 40_000_000, 20_000),
        ("dex3p", 3, sparring.Tuning(eta=0.01, gamma=0.3), 10_000_000, 50_000),
        ("dex3p", 10, sparring.Tuning(eta=0.02, gamma=0.3, beta=0.001), 2_000_000, 20_000),
        ("dex3p", 40, sparring.Tuning(eta=0.02, gamma=0.3, beta=0.0001), 200_000, 1_000),
        ("borda_dex3s", 5, sparring.Tuning(eta=0.005, gamma=0.4, beta=0.001), 2_000_000, 1_000),
        # Losers shrink as winners grow: the sum of the weights leaves its range both ways.
        ("rex3", 2, sparring.Tuning(eta=0.05, gamma=0.2), 1_000_000, 1_000),
        ("rex3", 4, sparring.Tuning(eta=0.05, gamma=0.2), 1_000_000, 1_000),
        ("rex3", 10, sparring.Tuning(eta=0.02, gamma=0.3), 2_000_000, 1_000),
    ],
)
def test_a_one_sided_stream_and_its_reverse_agree_with_log_space(name, K, tuning, rounds, nats):
    """Arm 0 beats all, surely; then it loses to all, which brings the others back."""
    learner = sparring.LEARNERS[name](K, tuning=tuning, seed=1)
    high, low = np.zeros((2, *learner.p.shape))
    streams = generator(1), generator(2)
    run_both(name, learner, ladder(K), rounds, streams, high, low)
    assert np.ptp(high, axis=1).min() > nats, "the stream was not one-sided enough to test anything"
    assert_same_log_weights(learner, high, low)
    run_both(name, learner, ladder(K).T.copy(), rounds * 3 // 2, streams, high, low)
    assert learner.p[:, -1].min() > learner.p[:, 0].max(), "the reverse did not turn the order"
    assert_same_log_weights(learner, high, low)


@pytest.mark.parametrize("name", ["dex3p", "borda_dex3s", "rex3"])
def test_late_answers_reach_sleepers_too(name):
    """Duels asked before an arm fell asleep and told when it sleeps, against exact logarithms."""
    K, tuning = 3, sparring.Tuning(eta=0.5, gamma=0.3)
    learner = sparring.LEARNERS[name](K, tuning=tuning, seed=2)
    late = [learner.ask() for _ in range(200)]
    coins = generator(3).random(20_000)
    learner.play(sparring.Block(ladder(K)[None], np.array([20_000])), coins)
    assert np.max(learner.snapshot()["depths"]) > 1, "nobody sleeps"
    before = log_weights(learner)
    exponents = np.zeros_like(before)
    for duel in late:
        row, col, p, q = duel.row, duel.col, duel.p[0], duel.p[-1]
        learner.tell(duel, 0.75)
        if name == "rex3":
            if row != col:
                exponents[0, row] += 0.5 * 0.5 / (2 * p[row])
                exponents[0, col] -= 0.5 * 0.5 / (2 * q[col])
        else:
            scale = 1 / (K * p[row] * q[col]) if name == "borda_dex3s" else None
            exponents[0, row] += 0.5 * 0.75 * (scale or 1 / p[row])
            exponents[1, col] += 0.5 * 0.25 * (scale or 1 / q[col])
    moved = log_weights(learner) - before
    expected = exponents - exponents[:, :1]
    np.testing.assert_allclose((moved - moved[:, :1]).astype(float), expected, rtol=0, atol=1e-9)
