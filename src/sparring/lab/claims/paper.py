"""What the paper says about its experiments (Sec. 7), as data."""

from functools import partial

from sparring.lab.claims.claim import Claim
from sparring.lab.claims.decisions import Below, CanBeNegative, Close, Falls, GapNarrows, Grows

claim = partial(Claim, T=10**6)  # which all figures of the paper go to

STATIC_T, STATIC_K = "Sec. 7.1, Fig. 2 (a)", "Sec. 7.1, Fig. 2 (b)"
SWITCHING_T, SWITCHING_K = "Sec. 7.2, Fig. 3 (a)", "Sec. 7.2, Fig. 3 (b)"
CONTINUOUS_T, CONTINUOUS_K = "Sec. 7.2, Fig. 4 (a)", "Sec. 7.2, Fig. 4 (b)"

OF_THE_PAPER = (
    claim(
        "static-dex3p-T",
        "The static regret of DEX3.P grows as O(√T), along the dotted line",
        STATIC_T,
        "static-vs-T",
        Grows("DEX3.P", 1 / 2),
    ),
    claim(
        "static-rex3-T",
        "The static regret of REX3 grows as O(√T), along the dotted line",
        STATIC_T,
        "static-vs-T",
        Grows("REX3", 1 / 2),
    ),
    claim(
        "static-dex3p-below-rex3",
        "DEX3.P has less static regret than REX3 when T is large",
        STATIC_T,
        "static-vs-T",
        Below("DEX3.P", "REX3"),
    ),
    claim(
        "static-negative",
        "Static regret can be negative",
        STATIC_T,
        "static-vs-T",
        CanBeNegative(("REX3", "DEX3.P")),
    ),
    claim(
        "static-dex3p-K",
        "The static regret of DEX3.P grows as O(√K), along the dotted line",
        STATIC_K,
        "static-vs-K",
        Grows("DEX3.P", 1 / 2),
    ),
    claim(
        "static-rex3-K",
        "The static regret of REX3 grows as O(√K), along the dotted line",
        STATIC_K,
        "static-vs-K",
        Grows("REX3", 1 / 2),
    ),
    claim(
        "static-rand-falls",
        "The static regret of RAND falls slightly as K grows",
        STATIC_K,
        "static-vs-K",
        Falls("RAND"),
    ),
    claim(
        "static-gap-dex3p",
        "The gap between RAND and DEX3.P shrinks as K grows",
        STATIC_K,
        "static-vs-K",
        GapNarrows("DEX3.P", "RAND"),
    ),
    claim(
        "static-gap-rex3",
        "The gap between RAND and REX3 shrinks as K grows",
        STATIC_K,
        "static-vs-K",
        GapNarrows("REX3", "RAND"),
    ),
    claim(
        "switching-dex3s-T",
        "Under switches the regret of DEX3.S grows as O(√T), along the dotted line",
        SWITCHING_T,
        "switching-vs-T",
        Grows("DEX3.S", 1 / 2),
    ),
    claim(
        "switching-dex3s-below-dex3p",
        "Under switches DEX3.S is slightly better than DEX3.P when T is large",
        SWITCHING_T,
        "switching-vs-T",
        Below("DEX3.S", "DEX3.P"),
    ),
    claim(
        "switching-dex3s-below-rex3",
        "Under switches DEX3.S is slightly better than REX3 when T is large",
        SWITCHING_T,
        "switching-vs-T",
        Below("DEX3.S", "REX3"),
    ),
    claim(
        "switching-dex3s-K",
        "Under switches the regret of DEX3.S grows as O(√K), along the dotted line",
        SWITCHING_K,
        "switching-vs-K",
        Grows("DEX3.S", 1 / 2),
    ),
    claim(
        "continuous-dex3s-T",
        "Under continuous variation DEX3.S grows as O(T^(2/3)), along the dotted line",
        CONTINUOUS_T,
        "continuous-vs-T",
        Grows("DEX3.S", 2 / 3),
    ),
    claim(
        "continuous-dex3s-K",
        "Under continuous variation DEX3.S grows as O(K^(1/3)), along the dotted line",
        CONTINUOUS_K,
        "continuous-vs-K",
        Grows("DEX3.S", 1 / 3),
    ),
    claim(
        "continuous-rex3-close-T",
        "Under continuous variation REX3 is close to DEX3.S",
        CONTINUOUS_T,
        "continuous-vs-T",
        Close("REX3", "DEX3.S"),
    ),
    claim(
        "continuous-rex3-close-K",
        "Under continuous variation REX3 is close to DEX3.S, whatever K",
        CONTINUOUS_K,
        "continuous-vs-K",
        Close("REX3", "DEX3.S"),
    ),
)
