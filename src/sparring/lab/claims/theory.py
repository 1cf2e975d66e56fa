"""What theorems and errata predict for the further panels, as data."""

from functools import partial

from sparring.lab.claims.claim import THEORY, Claim
from sparring.lab.claims.decisions import AboveBound, Below, Grows, GrowsAtMost

claim = partial(Claim, origin=THEORY)
WHERE_IT_HOLDS, BORDA = "Thm 4.4, errata E5", "Thm 6.1, errata E10"

OF_THEORY = (
    claim(
        "rotating-dex3s-T",
        "Where an arm dominates in every round, the regret of DEX3.S grows like T^(2/3)",
        WHERE_IT_HOLDS,
        "rotating-vs-T",
        Grows("DEX3.S", 2 / 3),
    ),
    claim(
        "rotating-dex3s-T-at-most",
        "There, the regret of DEX3.S grows no faster than T^(2/3)",
        WHERE_IT_HOLDS,
        "rotating-vs-T",
        GrowsAtMost("DEX3.S", 2 / 3),
    ),
    claim(
        "rotating-dex3s-K",
        "There, the regret of DEX3.S as printed grows like K^(1/3)",
        WHERE_IT_HOLDS,
        "rotating-vs-K",
        Grows("DEX3.S", 1 / 3),
    ),
    claim(
        "rotating-corrected-K-at-most",
        "There, the regret of DEX3.S corrected grows no faster than K^(1/3)",
        WHERE_IT_HOLDS,
        "rotating-vs-K",
        GrowsAtMost("DEX3.S corrected", 1 / 3),
    ),
    claim(
        "rotating-corrected-V_T-at-most",
        "There, the regret of DEX3.S corrected grows no faster than V_T^(1/3)",
        WHERE_IT_HOLDS,
        "rotating-vs-V_T",
        GrowsAtMost("DEX3.S corrected", 1 / 3),
    ),
    claim(
        "forced-linear",
        "On the printed drift the regret that no learner avoids grows linearly in T",
        "errata E6",
        "forced-vs-T",
        Grows("irreducible", 1),
    ),
    claim(
        "fresh-dex3s-T-at-most",
        "Where switches change the winner, the regret of DEX3.S grows like √T at most",
        "Thm 4.1",
        "fresh-vs-T",
        GrowsAtMost("DEX3.S", 1 / 2),
    ),
    claim(
        "fresh-corrected-T-at-most",
        "There, the regret of DEX3.S corrected grows like √T at most",
        "Thm 4.1, errata E1",
        "fresh-vs-T",
        GrowsAtMost("DEX3.S corrected", 1 / 2),
    ),
    claim(
        "fresh-dex3s-S-at-most",
        "There, the regret of DEX3.S as printed grows like √S at most",
        "Thm 4.1, errata E1",
        "fresh-vs-S",
        GrowsAtMost("DEX3.S", 1 / 2),
    ),
    claim(
        "fresh-dex3s-K-at-most",
        "There, the regret of DEX3.S as printed grows like √K at most",
        "Thm 4.1, errata E1",
        "fresh-vs-K",
        GrowsAtMost("DEX3.S", 1 / 2),
    ),
    claim(
        "fresh-corrected-S-at-most",
        "There, the regret of DEX3.S corrected grows like √S at most",
        "Thm 4.1, errata E1",
        "fresh-vs-S",
        GrowsAtMost("DEX3.S corrected", 1 / 2),
    ),
    claim(
        "fresh-corrected-K-at-most",
        "There, the regret of DEX3.S corrected grows like √K at most",
        "Thm 4.1, errata E1",
        "fresh-vs-K",
        GrowsAtMost("DEX3.S corrected", 1 / 2),
    ),
    claim(
        "fresh-dex3s-below-dex3p",
        "There, DEX3.S is better than DEX3.P",
        "expected, errata U3",
        "fresh-vs-T",
        Below("DEX3.S", "DEX3.P"),
    ),
    claim(
        "fresh-dex3s-below-rex3",
        "There, DEX3.S is better than REX3",
        "expected, errata U3",
        "fresh-vs-T",
        Below("DEX3.S", "REX3"),
    ),
    claim(
        "fresh-correction-helps",
        "There, the corrected share of DEX3.S is better than the printed one",
        "errata E1",
        "fresh-vs-T",
        Below("DEX3.S corrected", "DEX3.S"),
    ),
    claim(
        "known-S-helps",
        "Who knows S, with the corrected share, is better than who does not",
        "Thm 4.1",
        "known-vs-unknown-S",
        Below("S known, corrected", "S unknown, corrected"),
    ),
    *(
        claim(
            f"{family}-{kind}-above-bound",
            f"On {whose} hard instance of {theorem} no learner is below the lower bound",
            f"{theorem}, errata {erratum}",
            f"{family}-{kind}-vs-T",
            AboveBound(),
        )
        for family, whose in (("hard", "the paper's"), ("simple", "the simple"))
        for kind, theorem, erratum in (
            ("switching", "Thm 5.1", "E7"),
            ("continuous", "Thm 5.2", "E9"),
        )
    ),
    claim(
        "borda-T-at-most",
        "The Borda regret of Borda-DEX3.S grows like T^(2/3) at most",
        BORDA,
        "borda-vs-T",
        GrowsAtMost("Borda-DEX3.S", 2 / 3),
    ),
    claim(
        "borda-corrected-T-at-most",
        "The Borda regret of Borda-DEX3.S corrected grows like T^(2/3) at most",
        BORDA,
        "borda-vs-T",
        GrowsAtMost("Borda-DEX3.S corrected", 2 / 3),
    ),
    claim(
        "borda-corrected-K-at-most",
        "The Borda regret of Borda-DEX3.S corrected grows like K^(1/3) at most",
        BORDA,
        "borda-vs-K",
        GrowsAtMost("Borda-DEX3.S corrected", 1 / 3),
    ),
    claim(
        "borda-corrected-S-at-most",
        "The Borda regret of Borda-DEX3.S corrected grows like S^(1/3) at most",
        BORDA,
        "borda-vs-S",
        GrowsAtMost("Borda-DEX3.S corrected", 1 / 3),
    ),
    claim(
        "borda-correction-helps",
        "The corrected Borda-DEX3.S is better than the printed one",
        "errata E1, E10",
        "borda-vs-T",
        Below("Borda-DEX3.S corrected", "Borda-DEX3.S"),
    ),
)
