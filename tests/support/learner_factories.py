"""Every learner by name, made from a seed: a new learner needs one line in SIZES, here only.

FACTORIES has each entry of `sparring.LEARNERS` once; VARIANTS has what else is worth the tests that
all learners undergo. Sizes are small, so that the tests are cheap.
"""

import sparring

SIZES = {
    "rand": {"K": 5},
    "rex3": {"K": 5, "T": 2_000},
    "dex3p": {"K": 5, "T": 2_000},
    "dex3s": {"K": 5, "T": 2_000, "S": 4},
    "borda_dex3s": {"K": 5, "T": 2_000, "S": 2},
    "sym_exp3s": {"K": 5, "T": 2_000, "S": 4},
    "sym_exp3six": {"K": 5, "T": 2_000, "S": 4},
    "sparring_exp3": {"K": 5, "T": 2_000},
    "sparring_exp3ix": {"K": 5, "T": 2_000},
    "sparring_exp3six": {"K": 5, "T": 2_000, "S": 4},
    "versatile_db": {"K": 5},
    "d_exp3": {"K": 5, "T": 2_000},
    "rucb": {"K": 5},
    "rmed1": {"K": 5},
    "double_thompson": {"K": 5},
    "elo": {"K": 5},
    "glicko2": {"K": 5},
    "trueskill": {"K": 5},
    "bradley_terry": {"K": 5, "half": 300.0},
    "seasoned": {"K": 5, "states": 3},
    "btwr": {"K": 5},
    "monitored_db": {"K": 5, "T": 2_000, "change": 1.0, "scale": 0.1},
    "anaconda": {"K": 5, "T": 2_000},
    "metaswift": {"K": 5, "T": 2_000},
    "tracker": {"K": 5},
    "steady": {"K": 5},
    "sturdy": {"K": 5},
    "periodic_restarts": {"K": 5, "T": 2_000, "S": 5},
}
FACTORIES = {
    name: lambda seed, name=name, sizes=sizes: sparring.LEARNERS[name](**sizes, seed=seed)
    for name, sizes in SIZES.items()
}
FORGETFUL = {
    f"{name}, {forget}": lambda seed, name=name, forget=forget: sparring.LEARNERS[name](
        4, 2_000, forget=forget, S=60, seed=seed
    )
    for name in ("rucb", "rmed1", "double_thompson")
    for forget in ("window", "discount")
}
RATERS = {
    f"{name}, {pairing}": lambda seed, name=name, pairing=pairing: sparring.LEARNERS[name](
        4, pairing=pairing, seed=seed
    )
    for name, pairing in (
        ("elo", "random"),
        ("elo", "near"),
        ("glicko2", "near"),
        ("trueskill", "top two"),
        ("bradley_terry", "greedy"),
        ("bradley_terry", "top two"),
    )
}
VARIANTS = {
    "tracker, differ": lambda seed: sparring.tracker(4, differ=True, oldest=30, seed=seed),
    "steady, differ": lambda seed: sparring.steady(4, differ=True, seed=seed),
    "sym_exp3s, differ": lambda seed: sparring.sym_exp3s(20, 2_000, S=4, differ=True, seed=seed),
    "sym_exp3s, two arms that differ": lambda seed: sparring.sym_exp3s(
        2, 2_000, S=1, differ=True, seed=seed
    ),
    "differ, arms asleep": lambda seed: sparring.sym_exp3s(
        4, tuning=sparring.Tuning(20.0, 0.5), differ=True, seed=seed
    ),
    "periodic restarts, differ": lambda seed: sparring.learners.Restarting(
        3, "sym_exp3s", options={"differ": True}, every=100, seed=seed
    ),
    "restarts at changes": lambda seed: sparring.learners.Restarting(
        5, "double_thompson", changes=(40, 150, 250), T=2_000, seed=seed
    ),
    **FORGETFUL,
    **RATERS,
    "dex3s, S unknown": lambda seed: sparring.dex3s(40, 2_000, seed=seed),
    "dex3s, continuous": lambda seed: sparring.dex3s(2, 2_000, V_T=3.0, corrected=True, seed=seed),
    "dex3s, corrected": lambda seed: sparring.dex3s(3, 2_000, S=4, corrected=True, seed=seed),
    "borda, corrected": lambda seed: sparring.borda_dex3s(3, 9_000, S=2, corrected=True, seed=seed),
    "sym_exp3s, S unknown": lambda seed: sparring.sym_exp3s(40, 2_000, seed=seed),
    "arms asleep": lambda seed: sparring.dex3p(17, tuning=sparring.Tuning(5.0, 0.5), seed=seed),
    "anaconda, arms dropped": lambda seed: sparring.learners.anaconda(
        4, 2_000, scale=0.1, seed=seed
    ),
    "metaswift, arms dropped": lambda seed: sparring.learners.metaswift(
        4, 2_000, scale=0.1, seed=seed
    ),
    "rex3, arms asleep": lambda seed: sparring.rex3(
        4, tuning=sparring.Tuning(20.0, 0.5), seed=seed
    ),
}
ALL = {**FACTORIES, **VARIANTS}


def coupled(learner):
    """Whether it chooses its two arms together, and so has no distributions to show."""
    return len(learner.p) == 0
