"""No overflow, underflow or drift: one-sided streams and their reverse, against log-space."""

import numpy as np
import pytest

import sparring
from compiled_twin import exact_play
from sparring.streams import generator
from worlds import ladder

pytestmark = pytest.mark.compiled
PIECE = 1_000_000


def run_both(learner, P, rounds, seeds, high, low):
    """Play learner and twin side by side; arms must agree in every round."""
    tuning = learner.tuning
    uniforms, coins = (generator(seed) for seed in seeds)
    rows, cols = np.empty(PIECE, np.int64), np.empty(PIECE, np.int64)
    for _ in range(rounds // PIECE):
        u, c = uniforms.random((PIECE, 2)), coins.random(PIECE)
        plays = learner.play(sparring.Block(P[None], np.array([PIECE])), c)
        exact_play(P, u, c, tuning.eta, tuning.gamma, tuning.beta, high, low, rows, cols)
        np.testing.assert_array_equal(plays.rows, rows)
        np.testing.assert_array_equal(plays.cols, cols)


def assert_same_log_weights(learner, high, low):
    """ln W relative to arm 0's, to 1e-9: what probabilities to 1e-9 mean for arms asleep too."""
    saved = learner.snapshot()
    weights, depths = (np.array(saved[name], np.longdouble) for name in ("weights", "depths"))
    ours = np.log(weights) - 256 * np.log(np.longdouble(2)) * depths
    exact = high.astype(np.longdouble) + low
    np.testing.assert_allclose(ours - ours[:, :1], exact - exact[:, :1], rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("K", "tuning", "rounds", "nats"),
    [
        # The printed tuning for 1e8 rounds: the bias keeps every arm within ten nats.
        (2, sparring.tunings.dex3p(sparring.Problem(2, 100_000_000)), 100_000_000, 5),
        # No bias: arms sink by thousands of nats, where plain doubles die at 745.
        (2, sparring.Tuning(eta=0.0005, gamma=0.3, beta=0.0), 100_000_000, 20_000),
        (3, sparring.Tuning(eta=0.01, gamma=0.3, beta=0.0), 10_000_000, 50_000),
        (10, sparring.Tuning(eta=0.02, gamma=0.3, beta=0.001), 2_000_000, 20_000),
    ],
)
def test_a_one_sided_stream_and_its_reverse_agree_with_log_space(K, tuning, rounds, nats):
    """Arm 0 beats all, surely; then it loses to all, which brings the others back."""
    learner = sparring.dex3p(K, tuning=tuning, seed=1)
    high, low = np.zeros((2, K)), np.zeros((2, K))
    seeds = generator(1), generator(2)
    run_both(learner, ladder(K), rounds, seeds, high, low)
    assert np.ptp(high, axis=1).min() > nats, "the stream was not one-sided enough to test anything"
    assert_same_log_weights(learner, high, low)
    run_both(learner, ladder(K).T.copy(), rounds * 3 // 2, seeds, high, low)
    assert learner.p[:, -1].min() > learner.p[:, 0].max(), "the reverse did not turn the order"
    assert_same_log_weights(learner, high, low)


def test_rex3_over_thousands_of_nats_goes_to_sleep_and_wakes():
    """REX3's losers shrink as its winners grow: the sum leaves its range both ways."""
    learner = sparring.rex3(4, tuning=sparring.Tuning(eta=0.05, gamma=0.2), seed=3)
    coins = generator(4).random(400_000)
    learner.play(sparring.Block(ladder(4)[None], np.array([400_000])), coins)
    deepest = np.max(learner.snapshot()["depths"])
    assert deepest > 10, "nobody fell deeply asleep"
    assert learner.p[0].argmax() == 0
    learner.play(sparring.Block(ladder(4).T[None], np.array([800_000])), np.tile(coins, 2))
    assert learner.p[0].argmax() == 3
