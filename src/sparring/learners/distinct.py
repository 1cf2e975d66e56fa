"""Two different arms from a learner that also lets arms meet themselves."""

from typing import Any

from sparring.problem import Duel

MOST = 10_000  # rounds in one ask
REMEDY = "tracker(K, differ=True) and steady(K, differ=True) show two different arms in every round"


def demand_distinct(learner: Any) -> None:
    """Refuse a learner whose asks may never show two different arms.

    A learner that couples its arms may show an arm against itself forever, once it is sure.
    """
    if not (learner.differ or len(learner.p)):
        raise ValueError(
            f"{type(learner).__name__} couples its arms, and once it is sure it may show one "
            f"against itself forever, so it has no ask(distinct=True). {REMEDY}"
        )


def ask_distinct(learner: Any) -> Duel:
    """The next duel of two different arms; self-duels before it are told as ties.

    They are rounds like all others, so the learner keeps its law. `Duel.selves` lists them.
    """
    if learner.differ:
        duel: Duel = learner.ask()
        return duel
    demand_distinct(learner)
    selves: list[Duel] = []
    for _ in range(MOST):
        duel = learner.ask()
        if duel.row != duel.col:
            return duel._replace(selves=tuple(selves))
        learner.tell(duel, 0.5)
        selves.append(duel)
    raise RuntimeError(
        f"the learner has not shown two different arms in {MOST:,} rounds, which have passed: one "
        f"arm has nearly all of its p. {REMEDY}"
    )
