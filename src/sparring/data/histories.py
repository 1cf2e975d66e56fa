"""Preferences that change: the year behind the example of votes, and a league of many seasons."""

import numpy as np

from sparring import streams
from sparring.data.matrices import bradley_terry
from sparring.data.values import Dataset
from sparring.votes.data import CHANGES, DAYS, MODELS, STRENGTHS

EVERY = 5  # days of a period of the year: its changes fall between two
TEAMS = (
    "Amber",
    "Bronze",
    "Cobalt",
    "Denim",
    "Ebony",
    "Fawn",
    "Garnet",
    "Hazel",
    "Indigo",
    "Jade",
    "Khaki",
    "Lilac",
)
SEASONS = 40
KEPT = 0.9  # of a team's worth from one season to the next


def models8() -> Dataset:
    """The preferences behind the votes of `sparring votes --example`."""
    part = np.searchsorted(CHANGES, np.arange(0, DAYS, EVERY), side="right")
    return Dataset(
        "models8",
        bradley_terry(np.array(STRENGTHS))[part],
        MODELS,
        "a year of eight models, in periods of five days; aster leads, then cedar, then fern",
        "generated: the preferences behind `sparring votes --example`",
    )


def league12() -> Dataset:
    """Teams whose worth wanders: each season a tenth of it fades, and chance adds as much."""
    K = len(TEAMS)
    rng = streams.keyed(0, "worths", experiment="data league12", K=K, T=SEASONS, run=0)
    steps = rng.standard_normal((SEASONS, K))
    worths = steps.copy()
    for season in range(1, SEASONS):
        worths[season] = KEPT * worths[season - 1] + np.sqrt(1 - KEPT**2) * steps[season]
    return Dataset(
        "league12",
        bradley_terry(worths),
        TEAMS,
        "forty seasons of twelve teams whose worths wander; the best team changes often",
        "generated: Bradley-Terry, with worths that keep nine tenths from season to season",
    )
