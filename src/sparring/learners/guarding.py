"""guarded: the tracker under audit, with a bound on its regret and a certificate."""

from typing import Any, ClassVar

import numpy as np

from sparring._kernels import ages
from sparring._kernels import guard as kernels
from sparring.learners.adapter import distributions
from sparring.learners.adaptive import Adaptive
from sparring.learners.auditing import Audited, certified
from sparring.learners.compiled import Built, Kernels
from sparring.learners.frame import Frame
from sparring.learners.registry import register_unplanned
from sparring.problem import LONGEST, Duel, Problem
from sparring.streams import Seed
from sparring.tunings.auditing import epochs

KINDS_OF_ROUNDS = (kernels.PLAIN, kernels.AUDIT, kernels.SAFE)


class Guarded(Adaptive):
    """The learner behind `guarded`; see there what it does.

    Parameters
    ----------
    K, seed
        As for `guarded`.

    Examples
    --------
    >>> learner = Guarded(3, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    >>> learner.alarms
    ()
    """

    KIND = "guarded"
    ARMS = None  # its epochs are planned for K arms
    KERNELS: ClassVar[Kernels] = kernels

    def __init__(self, K: int, *, seed: Seed = None) -> None:
        super().__init__(K, seed=seed)
        self._options = {}

    def _build(self, *_: Any, **options: Any) -> Built:
        tracker = super()._build(differ=False, oldest=None)
        K, plan = self.K, _plan(self.K)
        audits = kernels.Audits(
            auditor=np.full(K, 1.0 / K),
            keeper=np.full(K, 1.0 / K),
            wins=np.zeros(1),
            clock=np.zeros(3, np.int64),
            alarms=np.zeros(len(plan), np.int64),
            estimate=np.zeros(K),
            charges=np.zeros((len(kernels.RATES), K)),
            tally=np.zeros(3, np.int64),
        )
        memory = kernels.GuardMemory._make((*audits, *tracker.memory))
        return Built(memory, (*tracker.numbers, plan), players=0, note=kernels.DRAWN + K)

    def _note_of(self, row: int, col: int, p: Any) -> Any:
        return Frame._note_of(self, row, col, p)  # whether it was an audit nobody else knows

    def _known(self) -> tuple[ages.Ages, Any]:
        return ages.Ages(*self._memory[kernels.FIRST :]), self._numbers[: kernels.TRACKER]

    def _possible(self) -> bool:
        m, plan = self._memory, self._numbers[kernels.TRACKER]
        epoch, told, handed_over = (int(number) for number in m.clock)
        if not 0 <= epoch < len(plan):
            return False
        rounds, audits, waiting = (int(number) for number in m.tally)
        fits = [
            *((w > 0) & (np.abs(w.sum() - 1) < 1e-6) for w in (m.auditor, m.keeper)),
            np.array(0 <= told < plan[epoch, kernels.LENGTH] and handed_over in (0, 1)),
            np.array(0 <= audits <= rounds <= LONGEST and 0 <= waiting <= rounds),
            (m.alarms >= 0) & ((np.arange(len(plan)) <= epoch) | (m.alarms == 0)),
            m.charges >= 0,
        ]
        return bool(all(part.all() for part in fits)) and super()._possible()

    def _fits(self, row: int, col: int, note: np.ndarray[Any, np.dtype[np.float64]]) -> bool:
        plan, (kind, epoch, eps) = self._numbers[kernels.TRACKER], note[kernels.KIND :][:3]
        if kind not in KINDS_OF_ROUNDS or epoch not in range(int(self._memory.clock[0]) + 1):
            return False
        column = kernels.SAFE_GAMMA if kind == kernels.SAFE else kernels.GAMMA
        least = 0.99 * plan[int(epoch), column] / self.K
        fits = distributions(note[None, kernels.DRAWN :], least)
        fits &= bool(eps == plan[int(epoch), kernels.EPS])
        return fits and super()._fits(row, col, note)

    @property
    def alarms(self) -> tuple[int, ...]:
        """After how many duels told SYM-EXP3.S took over: at most once in each epoch."""
        with self._turn:
            rounds = self._memory.alarms
            return tuple(rounds[rounds > 0].tolist())

    def audit(self, duel: Duel) -> dict[str, Any] | None:
        """What `certify_audits` needs about an open duel, for the log; see `guarded`.

        `eps` is the chance of an audit in its round, `q` what the auditor would draw from, and
        `drawn` whether it is an audit, whose column arm was drawn from q. None if SYM-EXP3.S was
        playing.
        """
        with self._turn:
            note = self._book.notes[self._book.find(duel).t]
        if note[kernels.KIND] == kernels.SAFE:
            return None
        return {
            "eps": float(note[kernels.CHANCE]),
            "q": note[kernels.DRAWN :].tolist(),
            "drawn": bool(note[kernels.KIND] == kernels.AUDIT),
        }

    def certified(self, delta: float = 0.05) -> Audited:
        """An upper bound on the regret so far to the best arm in hindsight, from its own audits.

        It holds with probability 1 - delta, at all moments at once (docs/theory.md, Theorem 10),
        for the rounds that SYM-EXP3.S did not play. An audit without an answer counts as won by its
        challenger, so late and lost answers make the bound larger, never wrong.

        Parameters
        ----------
        delta
            How often the certificate may fail.
        """
        with self._turn:
            scratch = self._memory._make(part.copy() for part in self._memory)
        kernels.settle(tuple(scratch), self._numbers)
        rounds, audits, _ = (int(number) for number in scratch.tally)
        return certified(scratch.estimate, scratch.charges, rounds, audits, delta)


@register_unplanned
def guarded(K: int, *, T: int | None = None, seed: Seed = None) -> Guarded:
    """`tracker` under audit: its regret is bounded whatever the preferences, and can be certified.

    Rounds are cut into epochs of n = 1024, 2048, 4096, ... In an epoch, with chance eps = min(0.1,
    (K / n)^(1/3) / 2), a round is an audit: one of the two arms the tracker chose, by a fair coin,
    meets an arm b drawn from q = (1 - gamma) w + gamma / K, the exponential weights with share of
    an auditor. With g = 1/2 if b won, -1/2 if it lost and 0 for a tie,

        x(k) = 1{audit, b = k} g / (eps q(k))   has the mean   (P(k, row) + P(k, col) - 1) / 2,

    what k would have won against the tracker's pair: the tracker's regret to k in that round. So if
    some arm, or some sequence of arms, beats what the tracker shows, the auditor wins; and when its
    wins, the sum of w(k) x(k), exceed what chance explains, SYM-EXP3.S plays the rest of the epoch.
    If no arm ever beats the tracker's pairs, that happens with a total chance of 1/512. The mean of
    the dynamic regret is then O(S K^(1/3) T^(2/3)) up to logarithms, without T or S
    (`sparring.bounds.guarded`; docs/theory.md, Theorem 9). Without the guard nothing is proved
    about `tracker`. The audits cost some regret; docs/adr/0049-guarded.md has how much.

    `certified` bounds the regret so far, from the audits alone. To certify from a log, write the
    `audit` of each duel beside it; `sparring.certificates.certify_audits` reads that.

    The tracker learns from all duels, audits included. Answers to duels of an earlier epoch teach
    only the tracker. The bound needs answers that come at once; the certificate also holds for late
    ones.

    Parameters
    ----------
    K
        Number of arms.
    T
        Not used; accepted because the other learners take it.
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = guarded(K=4, seed=7)
    >>> for _ in range(20_000):  # a crowd that likes arm 2
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.row == duel.col else float(duel.row == 2))
    >>> learner.favourite, learner.alarms
    (2, ())
    >>> found = learner.certified(delta=0.05)
    >>> found.regret < 4_000, found.rounds, found.vacuous
    (True, 20000, False)
    """
    if T is not None:
        Problem(K, T)
    return Guarded(K, seed=seed)


def _plan(K: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The epochs as the kernels have them."""
    rows = []
    for epoch in epochs(K):
        auditor, keeper = epoch.auditor, epoch.keeper
        tuned = (auditor.eta, auditor.gamma, auditor.alpha, epoch.limit)
        rows.append((epoch.n, epoch.eps, *tuned, keeper.eta, keeper.gamma, keeper.alpha))
    return np.array(rows, np.float64)
