"""How `simulate` brings answers back: late, silent and spoiled ones, against a slow twin."""

import numpy as np
import pytest

import answer_twins as twins
import sparring
from entrants import LEARNERS, SOME_REGRETS, STRETCH, in_threads
from learner_factories import SIZES
from regret_definitions import Asked, Made
from sparring import Entrant, simulate
from sparring.checks import SimulationError
from sparring.worlds import Late, Rigged, Silent, Spoiled

pytestmark = pytest.mark.compiled  # with the JIT off, others cross every line of the kernels

K, T = 4, 400
INSIDE = sparring.FreshWinner(K, T, S=3)


class Diary(Asked):
    """Writes down what it is told, after which round, and what it is to forget."""

    def __init__(self, problem, rng):
        super().__init__(problem, rng)
        self.told, self.forgotten, self.leaders = [], [], []

    @property
    def favourite(self):
        return self.leaders[-1]

    def ask(self):
        self.leaders.append(int(self.rng.integers(self.K)))
        return super().ask()

    def tell(self, duel, outcome):
        self.told.append((len(self.rows) - 1, duel.t - 1, outcome))

    def forget(self, duel):
        self.forgotten.append(duel.t - 1)


def played(world, kind=Diary, run=0):
    """What a learner has written down."""
    entrant = Made(kind)
    simulate(world, {"diary": entrant}, STRETCH, runs=[run])
    return entrant.learners[0]


WORLDS = {
    "late": (Late(INSIDE, 5), ["Late"]),
    "by arm": (Late(INSIDE, (0, 1, 30, 4), law="heavy"), ["Late"]),
    "fixed": (Late(INSIDE, 3, law="fixed"), ["Late"]),
    "twice": (Late(Late(INSIDE, 4), 3, law="heavy"), ["Late", "Late 2"]),
    "silent": (Silent(INSIDE, 0.4), ["Silent"]),
    "majority": (Silent(INSIDE, 0.6, of="majority"), ["Silent"]),
    "minority": (Silent(INSIDE, 0.6, of="minority"), ["Silent"]),
    "for an arm": (Silent(INSIDE, 0.9, of=2), ["Silent"]),
    "flipped": (Spoiled(INSIDE, 0.2), ["Spoiled"]),
    "bought": (Spoiled(INSIDE, 0.5, aim=1), ["Spoiled"]),
    "leader": (Spoiled(INSIDE, 0.15, aim="leader"), ["Spoiled"]),
    "bursts": (Rigged(INSIDE, 0.15, plan="bursts"), ["Rigged"]),
    "newcomers": (Rigged(INSIDE, 0.15, plan="newcomers"), ["Rigged"]),
    "promoted": (Rigged(INSIDE, 0.15, plan=1), ["Rigged"]),
    "bursts of what comes": (
        Rigged(Late(Silent(INSIDE, 0.3), 4), 0.2, plan="bursts"),
        ["Silent", "Late", "Rigged"],
    ),
    "all": (
        Silent(Spoiled(Late(INSIDE, 6), 0.1, aim="leader"), 0.3, of="majority"),
        ["Late", "Spoiled", "Silent"],
    ),
    "the other way": (
        Spoiled(Late(Silent(INSIDE, 0.3), 9, law="heavy"), 0.2, aim="leader"),
        ["Silent", "Late", "Spoiled"],
    ),
}


@pytest.mark.parametrize("name", WORLDS)
def test_what_is_told_and_when_is_what_the_twin_says(name):
    world, names = WORLDS[name]
    found = played(world, run=2)
    duels = list(zip(found.rows, found.cols, strict=True))
    days, _ = twins.told(world, names, duels, found.leaders, run=2)
    assert found.told == [(day, *answer) for day, now in enumerate(days) for answer in now]
    silent = {t for t in range(T) if not any(t == told for _, told, _ in found.told)}
    assert set(found.forgotten) <= silent
    if not any(isinstance(link, Late) for link in world.answers):
        assert set(found.forgotten) == silent


def test_an_arm_that_meets_itself_is_asked_of_nobody():
    """Its coin is known at once, whatever befalls the others."""
    found = played(Spoiled(Silent(Late(INSIDE, 50), 1.0), 1.0))
    selves = [t for t in range(T) if found.rows[t] == found.cols[t]]
    assert [told for _, told, _ in found.told] == selves
    assert all(day == told for day, told, _ in found.told)
    assert {outcome for *_, outcome in found.told} == {0.0, 1.0}


@pytest.mark.parametrize("share", [0.0, 0.02, 0.1, 0.35, 1.0])
@pytest.mark.parametrize("run", range(3))
def test_the_adversary_never_exceeds_its_budget_and_spends_it(share, run):
    world = Spoiled(INSIDE, share, aim="leader")
    found = played(world, run=run)
    truth = played(Late(INSIDE, 0), run=run)
    assert (found.rows, found.leaders) == (truth.rows, truth.leaders)
    spent = answered = 0
    for (_, t, outcome), (*_, true) in zip(found.told, truth.told, strict=True):
        answered += found.rows[t] != found.cols[t]
        spent += outcome != true
        assert spent <= share * answered
        if outcome != true:
            assert found.leaders[t] == (found.rows[t] if true else found.cols[t])
    assert (spent > 0) == (share > 0)


class Sure(Diary):
    """One whose favourite is an arm for a hundred rounds, then another."""

    @property
    def favourite(self):
        return ((len(self.rows) - 1) // 100) % self.K


def turned(world):
    """Which answers of two different arms were turned, in order, and which they were."""
    found, truth = played(world, Sure), played(Late(INSIDE, 0), Sure)
    assert found.rows == truth.rows
    flips, arms = [], []
    for (_, t, outcome), (*_, true) in zip(found.told, truth.told, strict=True):
        if found.rows[t] != found.cols[t]:
            flips.append(outcome != true)
            arms.append((t, *((found.rows[t], found.cols[t])[:: 1 if true else -1])))
    return np.array(flips), arms


@pytest.mark.parametrize("plan", ["bursts", "newcomers", 2])
@pytest.mark.parametrize("share", [0.0, 0.05, 0.3])
def test_a_plan_never_exceeds_its_budget_and_spends_it(plan, share):
    flips, arms = turned(Rigged(INSIDE, share, plan=plan))
    assert (flips.cumsum() <= share * np.arange(1, len(flips) + 1)).all()
    assert flips.any() == (share > 0)
    for flipped, (t, winner, loser) in zip(flips, arms, strict=True):
        if flipped:
            assert loser == plan if plan == 2 else winner == t // 100


def test_bursts_are_saved_for_and_double():
    """A burst ends when less than one is left; the first answer after that waits for the next."""
    flips, _ = turned(Rigged(INSIDE, 0.3, plan="bursts"))
    purse = 0.3 * np.arange(1, len(flips) + 1) - (flips.cumsum() - flips)
    begun, striking = [], False
    for flipped, left in zip(flips, purse, strict=True):
        if flipped and not striking:
            begun.append(left)
        striking = (striking or flipped) and left >= 1
    wanted = 4 * 2.0 ** np.arange(len(begun))
    assert len(begun) >= 2 and (begun >= wanted).all()
    greedy, _ = turned(Spoiled(INSIDE, 0.3, aim="leader"))
    assert greedy.argmax() < flips.argmax()


def test_a_new_favourite_is_struck_at_once_and_an_old_one_left_alone():
    flips, arms = turned(Rigged(INSIDE, 0.1, plan="newcomers"))
    since = [t % 100 for flipped, (t, *_) in zip(flips, arms, strict=True) if flipped and t >= 100]
    assert since and max(since) < 50


@pytest.mark.parametrize("label", ["one", "other"])
def test_which_votes_are_flipped_does_not_depend_on_the_learner(label):
    """So learners are compared on equal terms: each vote of a round has one and the same luck."""
    entrant = Made(Diary)
    simulate(Spoiled(INSIDE, 0.2), {label: entrant, "rand": "rand"}, STRETCH, runs=1)
    found = entrant.learners[0]
    duels = list(zip(found.rows, found.cols, strict=True))
    days, _ = twins.told(Late(INSIDE, 0), ["Late"], duels, found.leaders)
    true = dict(answer for now in days for answer in now)
    flipped = {t for _, t, outcome in found.told if outcome != true[t]}
    unlucky = np.flatnonzero(twins.luck(INSIDE, "answers", 0, "Spoiled") < 0.2)
    assert flipped == {t for t in unlucky if found.rows[t] != found.cols[t]}
    assert 0 < len(flipped) < len(true)


HARMLESS = [
    Late(INSIDE, 0),
    Late(INSIDE, 0, law="fixed"),
    Late(INSIDE, [0] * K, law="heavy"),
    Silent(INSIDE, 0),
    Silent(INSIDE, 0, of="majority"),
    Spoiled(INSIDE, 0),
    Spoiled(INSIDE, 0, aim="leader"),
    Spoiled(INSIDE, 0, aim=3),
    Rigged(INSIDE, 0, plan="newcomers"),
    Spoiled(Late(Silent(INSIDE, 0), 0), 0),
]
SOME = {
    **LEARNERS,
    "tracker": "tracker",
    "D-TS": "double_thompson",
    "restarts": Entrant("periodic_restarts", every=50),
}
ANY_TIME = {**SOME, "asked": Diary}  # those that can be told late


@pytest.mark.parametrize("world", HARMLESS, ids=lambda world: world.name)
def test_without_delay_silence_or_spoiling_it_is_the_world_inside_to_the_bit(world):
    options = {"runs": 1, "checkpoints": 3, "plays": True, "favourites": True}
    plain = simulate(INSIDE, SOME, SOME_REGRETS, **options)
    found = simulate(world, SOME, SOME_REGRETS, **options)
    assert found.drop("world").equals(plain.drop("world"))


@pytest.mark.parametrize("name", SIZES)
def test_every_learner_plays(name):
    world = Spoiled(
        Late(Silent(sparring.FreshWinner(SIZES[name]["K"], 2_000, S=2), 0.3), 20), 0.1, aim="leader"
    )
    options = {name: value for name, value in SIZES[name].items() if name not in ("K", "T")}
    table = simulate(world, {"it": Entrant(name, **options)}, STRETCH, runs=1, plays=True)
    assert sum(table["plays"][0]) == 2 * world.T and table["value"].is_finite().all()


ROUGH = Spoiled(Late(Silent(INSIDE, 0.3), 20, law="heavy"), 0.1, aim="leader")


@pytest.mark.parametrize("piece", [1, 17])
def test_the_length_of_pieces_changes_no_bit(piece, monkeypatch):
    options = {"runs": 1, "seed": 4, "checkpoints": [40, T], "plays": True}
    long = simulate(ROUGH, ANY_TIME, SOME_REGRETS, **options)
    monkeypatch.setattr("sparring.simulation.path.PIECE", piece)
    assert simulate(ROUGH, ANY_TIME, SOME_REGRETS, **options).equals(long)


def test_threads_and_who_else_plays_change_no_bit():
    options = {"runs": 3, "seed": 4, "plays": True}
    alone = simulate(ROUGH, ANY_TIME, STRETCH, **options)
    assert in_threads(ROUGH, ANY_TIME, STRETCH, **options).equals(alone)
    for label in ("asked", "tracker"):
        one = simulate(ROUGH, {label: ANY_TIME[label]}, STRETCH, **options)
        assert one.equals(alone.filter(alone["entrant"] == label))


def test_another_wrapper_outside_leaves_the_luck_of_those_inside():
    """Streams are keyed by what they are for: the same votes are silent with and without delay."""
    alone, late = played(Silent(INSIDE, 0.4)), played(Late(Silent(INSIDE, 0.4), 10))
    assert alone.forgotten == late.forgotten


def test_a_world_may_have_links_of_ones_own():
    """In this one nobody decides within two rounds, and then it is a draw."""

    class Undecided:
        def carrier(self):
            def carry(vote, u):
                vote.outcome, vote.delay = 0.5, vote.delay + 2

            return carry

    class Mine:
        K, T, answers = K, 50, (Undecided(),)

        def blocks(self, rng):
            yield from sparring.FreshWinner(K, 50, S=1).blocks(rng)

    found = played(Mine())
    for day, t, outcome in found.told:
        met_itself = found.rows[t] == found.cols[t]
        assert day == t + (0 if met_itself else 2)
        assert met_itself or outcome == 0.5
    assert len(found.told) > 40


def test_answers_due_after_the_end_never_come():
    world = Late(INSIDE, T, law="fixed")
    found = played(world)
    assert all(found.rows[t] == found.cols[t] for _, t, _ in found.told)
    table = simulate(world, ["steady", "rand"], STRETCH, runs=1, plays=True)
    assert table["value"].is_finite().all()


def test_a_silent_duel_is_forgotten_and_that_changes_no_choice():
    """Memory stays bounded; no learner of ours chooses otherwise for an open duel."""

    class Deaf:
        """Another learner inside, which is not told that an answer will never come."""

        def __init__(self, learner):
            self.learner, self.K = learner, learner.K
            self.ask, self.tell = learner.ask, learner.tell

        @property
        def p(self):
            return self.learner.p

    world, kept = Silent(INSIDE, 0.5), []
    for name in ("tracker", "steady", "double_thompson", "sparring_exp3", "btwr"):

        def hears(problem, rng, name=name):
            kept.append(sparring.Entrant(name)(problem, rng))
            return kept[-1]

        def deaf(problem, rng, hears=hears):
            return Deaf(hears(problem, rng))

        one, other = (
            simulate(world, {"it": it}, STRETCH, runs=1, plays=True) for it in (hears, deaf)
        )
        assert one.equals(other)
        assert len(kept[-2].open) == 0 < len(kept[-1].open)


def test_a_learner_that_cannot_be_told_late_is_named_with_the_round():
    with pytest.raises(SimulationError, match=r"'Asked' failed on Late\(.* in run 0, in round \d+"):
        simulate(Late(INSIDE, 5), Asked, STRETCH, runs=1)


def test_regret_is_that_of_what_was_shown_on_the_true_preferences():
    """RAND learns nothing, so its regret is the same whatever becomes of the answers."""
    plain = simulate(INSIDE, "rand", SOME_REGRETS, runs=2)
    for world in (ROUGH, Spoiled(INSIDE, 1.0), Silent(INSIDE, 1.0)):
        found = simulate(world, "rand", SOME_REGRETS, runs=2)
        assert found.drop("world").equals(plain.drop("world"))
