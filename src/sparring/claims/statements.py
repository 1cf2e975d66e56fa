"""What the paper says of its experiments, and what theory says where it applies, as data."""

from dataclasses import asdict, dataclass
from typing import Any

from sparring.claims.tests import (
    AboveBound,
    Below,
    CanBeNegative,
    Close,
    Falls,
    GapNarrows,
    Grows,
    GrowsAtMost,
    Test,
)

PAPER, THEORY = "paper", "theory"
LARGE = 10**6  # the T of the paper's statements about large T


@dataclass(frozen=True)
class Claim:
    """A statement about a panel that can turn out true or false.

    Parameters
    ----------
    name
        What a program calls it.
    says
        The statement.
    source
        Where it stands.
    panel
        Which panel decides it.
    test
        How.
    origin
        "paper" for what Sec. 7 says of its figures, "theory" for what theorems and our errata make
        one expect of the further panels.
    """

    name: str
    says: str
    source: str
    panel: str
    test: Test
    origin: str = PAPER

    def to_json(self) -> dict[str, Any]:
        """The claim as a dictionary for `json.dumps`."""
        kind = type(self.test).__name__
        test = {"kind": kind, **asdict(self.test)}  # type: ignore[call-overload]
        return {name: test if name == "test" else value for name, value in vars(self).items()}


STATIC_T, STATIC_K = "Sec. 7.1, Fig. 2 (a)", "Sec. 7.1, Fig. 2 (b)"
SWITCHING_T, SWITCHING_K = "Sec. 7.2, Fig. 3 (a)", "Sec. 7.2, Fig. 3 (b)"
CONTINUOUS_T, CONTINUOUS_K = "Sec. 7.2, Fig. 4 (a)", "Sec. 7.2, Fig. 4 (b)"

OF_THE_PAPER = (
    Claim(
        "static-dex3p-T",
        "The static regret of DEX3.P grows like √T",
        STATIC_T,
        "static-vs-T",
        Grows("DEX3.P", 1 / 2),
    ),
    Claim(
        "static-rex3-T",
        "The static regret of REX3 grows like √T",
        STATIC_T,
        "static-vs-T",
        Grows("REX3", 1 / 2),
    ),
    Claim(
        "static-dex3p-below-rex3",
        "DEX3.P has less static regret than REX3 when T is large",
        STATIC_T,
        "static-vs-T",
        Below("DEX3.P", "REX3", T=LARGE),
    ),
    Claim(
        "static-negative",
        "Static regret can be negative",
        STATIC_T,
        "static-vs-T",
        CanBeNegative(("REX3", "DEX3.P")),
    ),
    Claim(
        "static-dex3p-K",
        "The static regret of DEX3.P grows like √K",
        STATIC_K,
        "static-vs-K",
        Grows("DEX3.P", 1 / 2),
    ),
    Claim(
        "static-rex3-K",
        "The static regret of REX3 grows like √K",
        STATIC_K,
        "static-vs-K",
        Grows("REX3", 1 / 2),
    ),
    Claim(
        "static-rand-falls",
        "The static regret of RAND falls slightly as K grows",
        STATIC_K,
        "static-vs-K",
        Falls("RAND"),
    ),
    Claim(
        "static-gap-dex3p",
        "The gap between RAND and DEX3.P shrinks as K grows",
        STATIC_K,
        "static-vs-K",
        GapNarrows("DEX3.P", "RAND"),
    ),
    Claim(
        "static-gap-rex3",
        "The gap between RAND and REX3 shrinks as K grows",
        STATIC_K,
        "static-vs-K",
        GapNarrows("REX3", "RAND"),
    ),
    Claim(
        "switching-dex3s-T",
        "Under switches the dynamic regret of DEX3.S grows like √T",
        SWITCHING_T,
        "switching-vs-T",
        Grows("DEX3.S", 1 / 2),
    ),
    Claim(
        "switching-dex3s-below-dex3p",
        "Under switches DEX3.S is slightly better than DEX3.P when T is large",
        SWITCHING_T,
        "switching-vs-T",
        Below("DEX3.S", "DEX3.P", T=LARGE),
    ),
    Claim(
        "switching-dex3s-below-rex3",
        "Under switches DEX3.S is slightly better than REX3 when T is large",
        SWITCHING_T,
        "switching-vs-T",
        Below("DEX3.S", "REX3", T=LARGE),
    ),
    Claim(
        "switching-dex3s-K",
        "Under switches the dynamic regret of DEX3.S grows like √K",
        SWITCHING_K,
        "switching-vs-K",
        Grows("DEX3.S", 1 / 2),
    ),
    Claim(
        "continuous-dex3s-T",
        "Under continuous variation the dynamic regret of DEX3.S grows like T^(2/3)",
        CONTINUOUS_T,
        "continuous-vs-T",
        Grows("DEX3.S", 2 / 3),
    ),
    Claim(
        "continuous-dex3s-K",
        "Under continuous variation the dynamic regret of DEX3.S grows like K^(1/3)",
        CONTINUOUS_K,
        "continuous-vs-K",
        Grows("DEX3.S", 1 / 3),
    ),
    Claim(
        "continuous-rex3-close-T",
        "Under continuous variation REX3 is close to DEX3.S",
        CONTINUOUS_T,
        "continuous-vs-T",
        Close("REX3", "DEX3.S"),
    ),
    Claim(
        "continuous-rex3-close-K",
        "Under continuous variation REX3 is close to DEX3.S, whatever K",
        CONTINUOUS_K,
        "continuous-vs-K",
        Close("REX3", "DEX3.S"),
    ),
)

WHERE_IT_HOLDS, BORDA = "Thm 4.4, errata E5", "Thm 6.1, errata E10"

OF_THEORY = (
    Claim(
        "rotating-dex3s-T",
        "Where an arm dominates in every round, the regret of DEX3.S grows like T^(2/3)",
        WHERE_IT_HOLDS,
        "rotating-vs-T",
        Grows("DEX3.S", 2 / 3),
        THEORY,
    ),
    Claim(
        "rotating-dex3s-T-at-most",
        "There, the regret of DEX3.S ends up growing no faster than T^(2/3)",
        WHERE_IT_HOLDS,
        "rotating-vs-T",
        GrowsAtMost("DEX3.S", 2 / 3),
        THEORY,
    ),
    Claim(
        "rotating-corrected-K-at-most",
        "There, the regret of DEX3.S corrected ends up growing no faster than K^(1/3)",
        WHERE_IT_HOLDS,
        "rotating-vs-K",
        GrowsAtMost("DEX3.S corrected", 1 / 3),
        THEORY,
    ),
    Claim(
        "rotating-corrected-V_T-at-most",
        "There, the regret of DEX3.S corrected ends up growing no faster than V_T^(1/3)",
        WHERE_IT_HOLDS,
        "rotating-vs-V_T",
        GrowsAtMost("DEX3.S corrected", 1 / 3),
        THEORY,
    ),
    Claim(
        "forced-linear",
        "On the printed drift the regret that nobody avoids grows linearly in T",
        "errata E6",
        "forced-vs-T",
        Grows("irreducible", 1),
        THEORY,
    ),
    Claim(
        "fresh-dex3s-T-at-most",
        "Where switches change the winner, the regret of DEX3.S ends up growing like √T at most",
        "Thm 4.1",
        "fresh-vs-T",
        GrowsAtMost("DEX3.S", 1 / 2),
        THEORY,
    ),
    Claim(
        "fresh-corrected-T-at-most",
        "There, the regret of DEX3.S corrected ends up growing like √T at most",
        "Thm 4.1, errata E1",
        "fresh-vs-T",
        GrowsAtMost("DEX3.S corrected", 1 / 2),
        THEORY,
    ),
    Claim(
        "fresh-corrected-S-at-most",
        "There, the regret of DEX3.S corrected ends up growing like √S at most",
        "Thm 4.1, errata E1",
        "fresh-vs-S",
        GrowsAtMost("DEX3.S corrected", 1 / 2),
        THEORY,
    ),
    Claim(
        "fresh-corrected-K-at-most",
        "There, the regret of DEX3.S corrected ends up growing like √K at most",
        "Thm 4.1, errata E1",
        "fresh-vs-K",
        GrowsAtMost("DEX3.S corrected", 1 / 2),
        THEORY,
    ),
    Claim(
        "fresh-dex3s-below-dex3p",
        "There, DEX3.S is better than DEX3.P",
        "Thm 4.1",
        "fresh-vs-T",
        Below("DEX3.S", "DEX3.P"),
        THEORY,
    ),
    Claim(
        "fresh-dex3s-below-rex3",
        "There, DEX3.S is better than REX3",
        "Thm 4.1",
        "fresh-vs-T",
        Below("DEX3.S", "REX3"),
        THEORY,
    ),
    Claim(
        "fresh-correction-helps",
        "There, the corrected share of DEX3.S is better than the printed one",
        "errata E1",
        "fresh-vs-T",
        Below("DEX3.S corrected", "DEX3.S"),
        THEORY,
    ),
    Claim(
        "known-S-helps",
        "Who knows S, with the corrected share, is better than who does not",
        "Thm 4.1",
        "known-vs-unknown-S",
        Below("S known, corrected", "S unknown, corrected"),
        THEORY,
    ),
    *(
        Claim(
            f"{family}-{kind}-above-bound",
            f"On {whose} hard instance of {theorem} nobody is below the lower bound",
            f"{theorem}, errata {erratum}",
            f"{family}-{kind}-vs-T",
            AboveBound(),
            THEORY,
        )
        for family, whose in (("hard", "the paper's"), ("simple", "the simple"))
        for kind, theorem, erratum in (
            ("switching", "Thm 5.1", "E7"),
            ("continuous", "Thm 5.2", "E9"),
        )
    ),
    Claim(
        "borda-T-at-most",
        "The Borda regret of Borda-DEX3.S ends up growing like T^(2/3) at most",
        BORDA,
        "borda-vs-T",
        GrowsAtMost("Borda-DEX3.S", 2 / 3),
        THEORY,
    ),
    Claim(
        "borda-corrected-T-at-most",
        "The Borda regret of Borda-DEX3.S corrected ends up growing like T^(2/3) at most",
        BORDA,
        "borda-vs-T",
        GrowsAtMost("Borda-DEX3.S corrected", 2 / 3),
        THEORY,
    ),
    Claim(
        "borda-corrected-K-at-most",
        "The Borda regret of Borda-DEX3.S corrected ends up growing like K^(1/3) at most",
        BORDA,
        "borda-vs-K",
        GrowsAtMost("Borda-DEX3.S corrected", 1 / 3),
        THEORY,
    ),
    Claim(
        "borda-corrected-S-at-most",
        "The Borda regret of Borda-DEX3.S corrected ends up growing like S^(1/3) at most",
        BORDA,
        "borda-vs-S",
        GrowsAtMost("Borda-DEX3.S corrected", 1 / 3),
        THEORY,
    ),
    Claim(
        "borda-correction-helps",
        "The corrected Borda-DEX3.S is better than the printed one",
        "errata E1, E10",
        "borda-vs-T",
        Below("Borda-DEX3.S corrected", "Borda-DEX3.S"),
        THEORY,
    ),
)

CLAIMS = (*OF_THE_PAPER, *OF_THEORY)
