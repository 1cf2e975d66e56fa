"""What people try first with worlds and `simulate`, and what went wrong once when they did."""

import copy
import pickle
import sys

import numpy as np
import pytest

import sparring
from entrants import GOOD, STRETCH, WORLD, tuned
from regret_definitions import Asked, Listed, Played
from sparring import Regret, describe, preferences, simulate
from sparring.checks import SimulationError
from sparring.regret import Arms
from worlds import ladder


def test_sizes_of_a_users_world_may_be_written_as_1e2():
    world = Listed((ladder(3)[None], [100]), T=1e2)
    table = simulate(world, Asked, STRETCH, runs=1)
    assert table["T"].to_list() == [100]
    assert describe(world).T == 100


@pytest.mark.compiled
def test_all_learners_may_enter_as_the_dictionary_or_as_functions():
    world = sparring.FreshWinner(3, 20_000, S=2)
    by_name = simulate(world, list(sparring.LEARNERS), STRETCH, runs=1)
    assert by_name.equals(simulate(world, sparring.LEARNERS, STRETCH, runs=1))
    assert by_name.filter(entrant="rex3").equals(simulate(world, sparring.rex3, STRETCH, runs=1))


def test_a_learner_that_needs_more_than_the_world_states_says_what_to_do():
    message = r"'borda_dex3s' failed.*S must be.*Entrant\('borda_dex3s', ...\) takes options"
    with pytest.raises(SimulationError, match=message):
        simulate(sparring.GaussianWalk(3, 1000), "borda_dex3s", STRETCH, runs=1)


@pytest.mark.compiled
def test_a_world_that_states_both_gives_a_named_learner_the_first():
    world = Listed((ladder(3)[None], [20_000]))
    world.S, world.V_T = 2, 1.0
    table = simulate(world, "dex3s", STRETCH, runs=1)
    entrant = {"dex3s": lambda problem, rng: sparring.dex3s(3, 20_000, S=2, seed=rng)}
    assert table.equals(simulate(world, entrant, STRETCH, runs=1))


def test_a_world_that_states_nonsense_is_blamed_itself():
    world = Listed(GOOD)
    world.S = 0
    with pytest.raises(ValueError, match=r"^S must be a whole number of at least 1; got 0"):
        simulate(world, "rand", STRETCH)


def test_describe_names_the_world_that_fails_too():
    with pytest.raises(SimulationError, match=r"Listed\(K=3, T=7\) failed in run 4, after round 6"):
        describe(Listed(GOOD, T=7), run=4)


def test_an_experiment_may_be_called_by_a_number():
    assert describe(WORLD, experiment=5) == describe(WORLD, experiment="5") != describe(WORLD)


def test_labels_with_the_same_checksum_have_different_luck():
    """Both words have the CRC-32 0x4DDB0C25."""
    table = simulate(WORLD, {"plumless": tuned, "buckeroo": tuned}, STRETCH, runs=20)
    first, second = (table.filter(entrant=name)["value"] for name in ("plumless", "buckeroo"))
    assert (first != second).any()


@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("scipy.optimize", {"regrets": Regret("preference", "von neumann")}),
        ("rich.progress", {"progress": True}),
    ],
)
def test_what_is_not_installed_is_missed_before_anything_is_played(module, options, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    played = []

    def entrant(problem, rng):
        played.append(problem)
        return tuned(problem, rng)

    with pytest.raises(ImportError, match=rf"needs {module}.*pip install .*\[lab\]'"):
        simulate(**{"world": WORLD, "entrants": entrant, "regrets": STRETCH, **options})
    assert not played


def test_the_linear_program_is_solved_once_a_stop(monkeypatch):
    solved, solve = [], preferences.von_neumann_winner

    def counted(P):
        solved.append(P)
        return solve(P)

    monkeypatch.setattr(preferences, "von_neumann_winner", counted)
    regrets = [Regret(gain, "von neumann") for gain in ("preference", "borda")]
    simulate(WORLD, {"a": tuned, "b": tuned, "c": tuned}, regrets, runs=2, checkpoints=[5, 20])
    assert len(solved) == 4


def test_a_linear_program_that_fails_is_told_with_run_and_round(monkeypatch):
    def fails(P):
        raise RuntimeError("no winner")

    monkeypatch.setattr(preferences, "von_neumann_winner", fails)
    with pytest.raises(SimulationError, match=r"in run 0, when its regret was read after round 20"):
        simulate(WORLD, tuned, Regret("preference", "von neumann"), runs=1)


def test_a_learner_that_has_played_cannot_enter_again():
    learner = sparring.rand(3, seed=np.random.default_rng(1))
    with pytest.raises(SimulationError, match=r"run 1, .*must be one that has not played"):
        simulate(WORLD, {"rand": lambda problem, rng: learner}, STRETCH, runs=2)


def test_a_learner_that_draws_from_another_source_could_not_be_repeated():
    with pytest.raises(SimulationError, match=r"draws from the rng given.*Pass seed=rng on"):
        simulate(WORLD, {"rand": lambda problem, rng: sparring.rand(problem.K)}, STRETCH)


def test_an_entrant_with_options_takes_the_rest_from_the_world():
    entrants = {
        "by S": sparring.Entrant("dex3s", corrected=True),
        "by S too": lambda p, rng: sparring.dex3s(p.K, p.T, S=p.S, corrected=True, seed=rng),
    }
    for label, entrant in entrants.items():
        learner = entrant(sparring.Problem(5, 10_000, S=3), np.random.default_rng(0))
        assert learner.tuning == sparring.tunings.dex3s_known(
            sparring.Problem(5, 10_000, S=3), corrected=True
        ), label
    drifting = sparring.Entrant("dex3s")(sparring.Problem(5, 10_000, V_T=2.0), None)
    problem = sparring.Problem(5, 10_000, V_T=2.0)
    assert drifting.tuning == sparring.tunings.dex3s_continuous(problem)
    own = sparring.Tuning(0.1, 0.3)
    assert sparring.Entrant("dex3p", tuning=own)(problem, None).tuning == own


def test_an_entrant_is_a_value_that_can_be_sent():
    entrant = sparring.Entrant("borda_dex3s", S=10, delta=0.1)
    assert entrant == pickle.loads(pickle.dumps(entrant)) == copy.deepcopy(entrant)
    assert hash(entrant) == hash(sparring.Entrant("borda_dex3s", delta=0.1, S=10))
    assert str(entrant) == "borda_dex3s(S=10, delta=0.1)"
    assert repr(entrant) == "Entrant('borda_dex3s', S=10, delta=0.1)"
    table = simulate(sparring.GaussianWalk(3, 9000), [entrant, "rand"], STRETCH, runs=1)
    assert table["entrant"].to_list() == [str(entrant), "rand"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sparring.Entrant("dex3"), "learner must be one of .*; got 'dex3'"),
        (lambda: sparring.Entrant("rex3", S=2), "options must be among .*for rex3; got 'S'"),
        (lambda: sparring.Entrant("rex3", seed=2), "options must be among .*; got 'seed'"),
    ],
)
def test_options_that_a_learner_does_not_take_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_worlds_of_given_matrices_are_told_apart_in_tables():
    worlds = [
        sparring.Constant(ladder(3, 0.1), 10),
        sparring.Constant(ladder(3, 0.2), 10),
        sparring.Constant(ladder(3, 0.2), 10, label="steps"),
    ]
    names = [simulate(world, "rand", STRETCH, runs=1)["world"][0] for world in worlds]
    assert len(set(names)) == 3 and names[2] == "steps"
    assert worlds[1] != worlds[2]


def test_a_block_returned_instead_of_yielded_is_told_so():
    class Returns(Listed):
        def blocks(self, rng):
            return self.given[0]

    with pytest.raises(SimulationError, match="yield a Block, do not return it"):
        simulate(Returns(GOOD), "rand", STRETCH)


def test_a_world_without_a_repr_is_called_by_its_class():
    class Bare:
        K, T = 3, 7

        def blocks(self, rng):
            yield sparring.Block(*map(np.array, GOOD))

    with pytest.raises(SimulationError, match=r"^Bare failed in run 0, after round 6"):
        simulate(Bare(), "rand", STRETCH)


def test_half_an_arm_is_no_arm():
    class Half(Asked):
        def ask(self):
            return super().ask()._replace(row=0.9)

    with pytest.raises(SimulationError, match=r"in round 1: .*row must be a whole .*got 0\.9"):
        simulate(WORLD, Half, STRETCH, runs=1)


def test_rounds_of_given_arms_do_not_overflow():
    with pytest.raises(ValueError, match=r"rounds must be .*at most 1e\+18 in all"):
        Arms([1, 1], [2**62, 2**62])


def test_a_matrix_a_rounding_error_off_is_made_exact():
    P = ladder(3, 0.2)
    P[1, 0] += 9e-10
    P[2, 2] += 1e-10
    exact = preferences.valid(P)
    assert np.array_equal(exact, ladder(3, 0.2))
    assert P[1, 0] != exact[1, 0], "the user's own is left alone"
    regrets = [Regret("preference", "condorcet"), Regret("preference", "round")]
    least, most = simulate(sparring.Constant(P, 10_000), "rand", regrets, runs=1)["value"]
    assert least <= most * (1 + 1e-12)


@pytest.mark.compiled
def test_sums_over_many_rounds_are_of_the_size_of_a_regret():
    """Arm 0 wins every duel of the other two: 3/10 in each of 3e6 rounds that all differ.

    Sums of P instead of P - 1/2 put the horizon above the round.
    """
    T = 3_000_000

    class Drift:
        K, T = 3, 3_000_000

        def blocks(self, rng):
            for start in range(0, T, 30_000):
                P = np.tile(ladder(3, 0.3), (30_000, 1, 1))
                P[:, 1, 2] = 0.5 + np.arange(start, start + 30_000) / (4 * T)
                P[:, 2, 1] = 1 - P[:, 1, 2]
                yield sparring.Block(P, np.ones(30_000, np.int64))

    class Others:
        K, p = 3, np.array([[0, 1.0, 0]])

        def __init__(self, problem, rng):
            pass

        def ask(self):
            raise NotImplementedError

        def tell(self, duel, outcome):
            raise NotImplementedError

        def play(self, block, coins):
            return sparring.Plays(*np.ones((2, len(coins)), np.int64))

    regrets = [Regret("preference", "horizon"), Regret("preference", "round")]
    horizon, by_round = simulate(Drift(), Others, regrets, runs=1)["value"]
    assert horizon == pytest.approx(0.3 * T, rel=1e-10)
    assert horizon <= by_round


BAD_ROOM = {
    "another dtype": lambda: sparring.Plays(np.zeros(5, np.int32), np.zeros(5, np.int32)),
    "another length": lambda: sparring.Plays(np.zeros(4, np.int64), np.zeros(4, np.int64)),
    "every other": lambda: sparring.Plays(np.zeros(10, np.int64)[::2], np.zeros(5, np.int64)),
    "lists": lambda: sparring.Plays([0] * 5, [0] * 5),
    "one array": lambda: sparring.Plays(*[np.zeros(5, np.int64)] * 2),
    "no plays": lambda: np.zeros((2, 5), np.int64),
    "a number": lambda: 5,
}


@pytest.mark.parametrize("kind", BAD_ROOM)
def test_room_that_cannot_be_filled_is_refused_and_nothing_played(kind):
    learner = sparring.rand(3, seed=1)
    block = sparring.Block(ladder(3)[None], np.array([5]))
    with pytest.raises(ValueError, match="out"):
        learner.play(block, np.zeros(5), out=BAD_ROOM[kind]())
    assert learner.t == 0


def test_room_that_is_given_is_filled_and_returned():
    block, coins = sparring.Block(ladder(3)[None], np.array([50])), np.linspace(0, 1, 50)
    room = sparring.Plays(np.full(50, -1), np.full(50, -1))
    plays = sparring.rand(3, seed=1).play(block, coins, out=room)
    expected = sparring.rand(3, seed=1).play(block, coins)
    assert plays is room
    assert np.array_equal(room, expected)


def test_a_learner_of_ones_own_sees_the_same_in_play_and_in_ask_and_tell():
    table = simulate(WORLD, {"it": Asked}, STRETCH, runs=2)
    assert table.equals(simulate(WORLD, {"it": Played}, STRETCH, runs=2))
