"""Crowds of simulated voters, honest and not, as answers in turn."""

import numpy as np

FAN = "fan"  # the voter that tests look at


def chances(K, gap=0.15):
    """P[i, j] of a ladder: neighbours differ by about twice the gap on the logit scale."""
    utilities = np.linspace(2 * gap * K, 0, K)
    return 1 / (1 + np.exp(utilities[None, :] - utilities[:, None]))


def answers(rng, K, votes, *, voters=40, share=0.1, fan=None, P=None, lean=0.5):
    """Answers (voter, first, second, outcome) on uniform pairs; a share of them are the fan's.

    Parameters
    ----------
    fan
        Called with (rng, P, first, second): the fan's outcome; None for an honest one.
    lean
        The crowd's chance to click the first side if it does not look.
    """
    P = chances(K) if P is None else P
    for _ in range(votes):
        first, other = int(rng.integers(K)), int(rng.integers(1, K))
        second = (first + other) % K
        is_fan = rng.random() < share
        voter = FAN if is_fan else f"v{rng.integers(voters)}"
        if is_fan and fan is not None:
            outcome = fan(rng, P, first, second)
        else:
            outcome = float(rng.random() < P[first, second])
        yield voter, f"arm{first}", f"arm{second}", outcome
