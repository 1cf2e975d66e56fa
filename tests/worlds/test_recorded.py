"""Given worlds: matrices checked at the border, stretched over T rounds, and read from files."""

import csv
import math

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import sparring
import world_twins as twins
from places import DATA
from worlds import random_matrices

GOOD = [[0.5, 0.7, 0.2], [0.3, 0.5, 0.6], [0.8, 0.4, 0.5]]


def changed(entries, P=GOOD):
    P = np.array(P)
    for at, value in entries.items():
        P[at] = value
    return P


def path_of(world):
    return twins.expand(world, np.random.default_rng(0))


# The border.


@pytest.mark.parametrize(
    ("P", "message"),
    [
        (changed({(0, 1): 1.5}), r"P\[0, 1\] must be a probability in \[0, 1\]; got 1\.5"),
        (changed({(1, 2): -0.1}), r"P\[1, 2\] must be a probability .*; got -0\.1"),
        (changed({(2, 0): math.nan}), r"P\[2, 0\] must be a probability .*; got nan"),
        (changed({(1, 1): math.inf}), r"P\[1, 1\] must be a probability .*; got inf"),
        (changed({(1, 1): 0.4}), r"P\[1, 1\] must be 0\.5; got 0\.4"),
        (changed({(0, 0): 0, (1, 1): 0, (2, 2): 0}), r"P\[0, 0\] must be 0\.5; got 0\.0"),
        (changed({(0, 2): 0.3}), r"P\[2, 0\] must be 1 - P\[0, 2\] = 0\.7; got 0\.8"),
        (changed({(1, 0): 0.3 + 2e-9}), r"P\[1, 0\] must be 1 - P\[0, 1\] = 0\.3; got 0\.3"),
        ([[0.5, 0.5]], r"P must be square.*; got shape \(1, 2\)"),
        ([[0.5]], r"P must be .*two arms or more; got shape \(1, 1\)"),
        ([], "P must be .*; got shape"),
        ([GOOD], r"P must be one matrix; got shape \(1, 3, 3\)"),
        ([[0.5, 0.7], [0.3]], "P must be .*; got"),
        ([["a", "b"], ["c", "d"]], "P must be .*; got dtype"),
        (0.5, "P must be .*; got"),
        (None, "P must be .*; got"),
    ],
)
def test_a_matrix_that_is_none_is_refused_by_its_first_bad_entry(P, message):
    with pytest.raises(ValueError, match=message):
        sparring.Constant(P, T=10)


@pytest.mark.parametrize(
    ("matrices", "message"),
    [
        (
            [GOOD, changed({(2, 0): 0.9})],
            r"matrices\[1, 2, 0\] must be .*matrices\[1, 0, 2\] = 0\.8",
        ),
        ([GOOD, GOOD, changed({(1, 1): 0})], r"matrices\[2, 1, 1\] must be 0\.5; got 0\.0"),
        ([changed({(0, 1): 2}), changed({(0, 1): 3})], r"matrices\[0, 0, 1\] .*; got 2\.0"),
        (GOOD, r"matrices must be of shape \(periods, K, K\); got shape \(3, 3\)"),
        (np.empty((0, 3, 3)), "matrices must be .*at least one matrix; got shape"),
        (np.full((2, 3, 2), 0.5), r"matrices must be square.*; got shape \(2, 3, 2\)"),
    ],
)
def test_a_history_is_refused_by_its_first_bad_entry(matrices, message):
    with pytest.raises(ValueError, match=message):
        sparring.worlds.Recorded(matrices, T=10)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"T": 0}, "T must be .*; got 0"),
        ({"T": 1.5}, r"T must be .*; got 1\.5"),
        ({"interpolate": 1}, "interpolate must be True or False; got 1"),
        ({"arms": ("a", "b")}, r"arms must be 3 different names; got \('a', 'b'\)"),
        ({"arms": ("a", "b", "a")}, "arms must be 3 different names; got .*'a', 'b', 'a'"),
        ({"arms": 3}, "arms must be 3 different names; got 3"),
        ({"arms": (1, "1", 2)}, r"arms must be 3 different names; got \(.*1"),  # alike as text
        ({"arms": "abcd"}, "arms must be 3 different names; got"),
    ],
)
def test_other_arguments_of_a_history_are_refused_with_name_and_value(arguments, message):
    with pytest.raises(ValueError, match=message):
        sparring.worlds.Recorded([GOOD], **{"T": 10, **arguments})


def test_rounding_in_the_mirror_is_forgiven():
    world = sparring.Constant(changed({(1, 0): 0.3 + 5e-10}), T=10)
    assert sparring.describe(world).S == 1


def test_a_given_world_keeps_its_own_copy():
    P = np.array(GOOD)
    constant, recorded = sparring.Constant(P, T=10), sparring.worlds.Recorded(P[None], T=10)
    P[0, 1] = 0.9
    for world in (constant, recorded):
        np.testing.assert_array_equal(path_of(world)[0], GOOD)
    with pytest.raises(ValueError, match="read-only"):
        constant.P[0, 1] = 0.9


@pytest.mark.parametrize("kind", [list, np.array, lambda P: np.array(P, order="F")])
def test_matrices_of_any_layout_make_the_same_world(kind):
    assert sparring.Constant(kind(GOOD), T=3) == sparring.Constant(GOOD, T=3)


def test_a_constant_world_is_one_segment_of_its_matrix():
    world = sparring.Constant(GOOD, T=7)
    assert (world.K, world.T, world.S) == (3, 7, 1)
    np.testing.assert_array_equal(path_of(world), [GOOD] * 7)


def test_every_part_of_a_history_tells_worlds_apart():
    parts = {"matrices": [GOOD, GOOD], "T": 10, "interpolate": False, "arms": ("a", "b", "c")}
    world = sparring.worlds.Recorded(**parts)
    others = {"matrices": [GOOD], "T": 11, "interpolate": True, "arms": ("a", "c", "b")}
    for name, value in others.items():
        assert sparring.worlds.Recorded(**{**parts, name: value}) != world
    assert sparring.worlds.Recorded(**{**parts, "arms": None}) != world
    assert sparring.worlds.Recorded(**{**parts, "arms": ["a", "b", "c"]}) == world


# Periods onto rounds.


@hypothesis.given(periods=st.integers(1, 12), T=st.integers(1, 60))
@hypothesis.example(periods=7, T=3)
@hypothesis.example(periods=12, T=1)
def test_a_round_shows_the_period_floor_of_t_minus_1_times_m_over_t(periods, T):
    """The data's README, and T < M too, where some periods are never seen."""
    matrices = random_matrices(periods, 3, np.random.default_rng(periods))
    world = sparring.worlds.Recorded(matrices, T)
    path = path_of(world)
    for t in range(1, T + 1):
        np.testing.assert_array_equal(path[t - 1], matrices[(t - 1) * periods // T])
    assert world.S == twins.segments(path) == min(periods, T)
    assert world.V_T is None


def test_periods_alike_are_one_segment():
    other = changed({(0, 1): 0.6, (1, 0): 0.4})
    world = sparring.worlds.Recorded([GOOD, GOOD, other, other, GOOD], T=50)
    assert world.S == sparring.describe(world).S == 3
    unseen = sparring.worlds.Recorded([GOOD, other, GOOD, other], T=2)
    assert unseen.S == sparring.describe(unseen).S == 1


@hypothesis.given(periods=st.integers(1, 9), T=st.integers(1, 60))
@hypothesis.example(periods=9, T=4)
@hypothesis.example(periods=1, T=5)
def test_interpolation_is_straight_between_the_middles_of_periods(periods, T):
    """Round t's middle is (t - 1/2) M / T periods from the start; period m's is m + 1/2.

    Before the first middle and behind the last nothing moves.
    """
    matrices = random_matrices(periods, 3, np.random.default_rng(periods))
    world = sparring.worlds.Recorded(matrices, T, interpolate=True)
    path = path_of(world)
    middles = np.arange(periods) + 0.5
    now = (np.arange(1, T + 1) - 0.5) * periods / T
    for i in range(3):
        for j in range(3):
            expected = np.interp(now, middles, matrices[:, i, j])
            np.testing.assert_allclose(path[:, i, j], expected, rtol=0, atol=1e-13)
    assert world.S is None
    assert twins.variation(path) <= world.V_T + 1e-12
    np.testing.assert_allclose(world.V_T, min(twins.variation(matrices), T), rtol=1e-12)


def test_interpolation_shows_each_period_in_its_middle():
    """With an odd number of rounds a period, to the bit."""
    matrices = random_matrices(4, 5, np.random.default_rng(4))
    path = path_of(sparring.worlds.Recorded(matrices, T=4 * 9, interpolate=True))
    np.testing.assert_allclose(path[4::9], matrices, rtol=0, atol=1e-15)
    assert twins.variation(path) == pytest.approx(twins.variation(matrices))


@pytest.mark.parametrize("periods", [1, 2, 3])
def test_interpolation_between_periods_alike_moves_nothing(periods):
    """Rounding must make no switches and no variation where the history has none."""
    P = random_matrices(1, 5, np.random.default_rng(1))
    world = sparring.worlds.Recorded(np.repeat(P, periods, axis=0), T=1000, interpolate=True)
    found = sparring.describe(world)
    assert (found.S, found.V_T, world.V_T) == (1, 0, 0)


# Files.

HEADER = "period,i,j,p\n"
ROWS = "1990,tea,milk,0.7\n1990,tea,rum,0.2\n1990,milk,rum,0.6\n"


@pytest.fixture
def write(tmp_path):
    def write(text, encoding="utf-8"):
        path = tmp_path / "table.csv"
        path.write_text(text, encoding=encoding)
        return path

    return write


def test_a_good_file_is_read(write):
    """Arms in the order in which they appear, and a row may name a pair either way round."""
    later = "1991,milk,tea,0.4\n1991,rum,tea,1\n1991,milk,rum,5e-1\n"
    world = sparring.worlds.Recorded.from_csv(write(HEADER + ROWS + later), T=10)
    assert world.arms == ("tea", "milk", "rum") and (world.K, world.T) == (3, 10)
    second = [[0.5, 0.6, 0.0], [0.4, 0.5, 0.5], [1.0, 0.5, 0.5]]
    np.testing.assert_allclose(world.matrices, [GOOD, second], rtol=0, atol=1e-15)
    assert not world.interpolate


def test_periods_come_in_the_order_of_the_file_and_rows_in_any(write):
    rows = ROWS.splitlines(keepends=True)
    second = [row.replace("1990", "1066").replace("0.7", "0.9") for row in rows]
    mixed = [rows[0], second[2], rows[1], second[0], rows[2], second[1]]
    world = sparring.worlds.Recorded.from_csv(write(HEADER + "".join(mixed)), T=2, interpolate=True)
    assert world.interpolate
    np.testing.assert_array_equal(world.matrices[:, 0, 1], [0.7, 0.9])


def test_the_path_may_be_text_and_the_file_have_a_mark_and_windows_lines(write):
    plain = sparring.worlds.Recorded.from_csv(write(HEADER + ROWS), T=4)
    marked = write((HEADER + ROWS).replace("\n", "\r\n"), encoding="utf-8-sig")
    assert marked.read_bytes().startswith(b"\xef\xbb\xbf")
    assert sparring.worlds.Recorded.from_csv(str(marked), T=4) == plain


def test_quotes_blank_lines_and_names_beyond_ascii_are_read(write):
    text = HEADER + '1,"a, b",Ägir,0.25\n\n'
    assert sparring.worlds.Recorded.from_csv(write(text), T=1).arms == ("a, b", "Ägir")


def test_a_column_is_chosen(write):
    wide = "i,j,period,low,high\na,b,1,0.1,0.9\n"
    low, high = (
        sparring.worlds.Recorded.from_csv(write(wide), T=1, column=column)
        for column in ("low", "high")
    )
    assert (low.matrices[0, 0, 1], high.matrices[0, 0, 1]) == (0.1, 0.9)
    single = sparring.worlds.Recorded.from_csv(write("period,i,j,chance\n1,a,b,0.3\n"), T=1)
    assert single.matrices[0, 0, 1] == 0.3
    preferred = sparring.worlds.Recorded.from_csv(write("period,i,j,n,p\n1,a,b,9,0.4\n"), T=1)
    assert preferred.matrices[0, 0, 1] == 0.4


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", None, r"table\.csv: must have the columns period, i, j"),
        ("\n", None, r"table\.csv: must have the columns period, i, j"),
        (HEADER, None, r"table\.csv: must have a row .*; got none"),
        (
            "period,i,p\n1,a,0.5\n",
            None,
            r"the columns period, i, j; got \['period', 'i', 'p'\]",
        ),
        ("a,b\n1,2\n", None, r"columns period, i, j; got \['a', 'b'\]"),
        ("period,i,j\n1,a,b\n", None, r"column must be one of \[\], which table\.csv has"),
        ("period,i,j,x,y\n1,a,b,0,1\n", None, r"column must be one of \['x', 'y'\].*got None"),
        (HEADER + ROWS, "q", r"column must be one of \['p'\], which table\.csv has; got 'q'"),
        (HEADER + ROWS, "period", r"column must be one of \['p'\].*; got 'period'"),
        (
            HEADER + ROWS + "1990,tea,milk,0.6\n",
            None,
            "line 5: 'tea' against 'milk' in .*'1990'.*0.7",
        ),
        (HEADER + ROWS + "1990,milk,tea,0.2\n", None, "line 5: 'milk' against 'tea' .*0.3.*0.2"),
        (HEADER + ROWS + "1991,tea,milk,0.7\n", None, "'1991' must have 'tea' against 'rum'"),
        (HEADER + ROWS + "1990,tea,ale,0.7\n", None, "'1990' must have 'milk' against 'ale'"),
        (HEADER + "1,a,b,half\n", None, r"line 2: p must be a probability .*; got 'half'"),
        (HEADER + "1,a,b,\n", None, "line 2: p must be a probability .*; got ''"),
        (HEADER + "1,a,b,nan\n", None, "line 2: p must be a probability .*; got 'nan'"),
        (HEADER + "1,a,b,1.01\n", None, r"line 2: p must be a probability .*; got '1\.01'"),
        (HEADER + "1,a,b,-0.01\n", None, r"line 2: p must be a probability .*; got '-0\.01'"),
        (HEADER + "1,a,b,'0,5'\n", None, "line 2: must have as many fields"),
        (HEADER + "1,a,b,0.5\n1,a,c\n", None, "line 3: must have as many fields"),
        (HEADER + "1,a,a,0.5\n", None, "line 2: i and j must differ; got 'a' twice"),
    ],
)
def test_a_bad_file_is_refused_and_the_place_named(write, text, column, message):
    with pytest.raises(ValueError, match=message):
        sparring.worlds.Recorded.from_csv(write(text), T=10, column=column)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.csv"):
        sparring.worlds.Recorded.from_csv(tmp_path / "nowhere.csv", T=10)


# The data of the project, where they are at hand.

with_data = pytest.mark.skipif(not DATA.is_dir(), reason="shared/data is not beside the repository")

NFL, FOOTBALL = "nfl/pref_season.csv", "international_football/pref_yearly.csv"
TEN = ["DAL", "DEN", "GB", "KC", "MIA", "NE", "PHI", "PIT", "SF", "WSH"]


@with_data
@pytest.mark.parametrize(
    ("file", "column", "arms", "K", "periods", "V_T", "best", "condorcet"),
    [
        (NFL, "p_bt", None, 27, 43, 13.6, 22, 43),
        (NFL, "p_shrunk", None, 27, 43, 15.0, 23, 17),
        (NFL, "p_bt", TEN, 10, 43, 11.1, 19, 43),
        (NFL, "p_shrunk", TEN, 10, 43, 12.5, 18, 25),
        (FOOTBALL, "p_bt_h8", None, 13, 77, 1.03, 2, 77),
        (FOOTBALL, "p_bt_h4", None, 13, 77, 2.38, 7, 77),
    ],
)
def test_real_histories_have_the_figures_of_their_readme(
    write, file, column, arms, K, periods, V_T, best, condorcet
):
    """V_T to the digits quoted, changes of the best arm by Borda, periods with a winner."""
    path = DATA / file
    if arms:
        with path.open(newline="") as table:
            rows = [
                row for row in csv.reader(table) if row[0] == "period" or {*row[1:3]} <= {*arms}
            ]
        path = write("".join(",".join(row) + "\n" for row in rows))
    T = 10 * periods
    world = sparring.worlds.Recorded.from_csv(path, T=T, column=column)
    assert (world.K, len(world.matrices)) == (K, periods)
    found = sparring.describe(world)
    np.testing.assert_allclose(found.V_T, V_T, rtol=0, atol=0.05 if V_T > 5 else 0.005)
    assert found.borda_changes == best
    assert found.condorcet_share == pytest.approx(condorcet / periods, abs=1e-12)
    assert periods >= found.S == world.S
    smooth = sparring.worlds.Recorded.from_csv(path, T=T, column=column, interpolate=True)
    assert sparring.describe(smooth).V_T <= found.V_T + 1e-9
    np.testing.assert_allclose(smooth.V_T, found.V_T)


@with_data
@pytest.mark.parametrize(
    ("parties", "suffix", "V_T", "best"),
    [
        ("M L C KD S V MP SD", "_smooth", 6.11, 6),
        ("M L C KD S V MP SD", "", 11.15, 10),
        ("M L C KD V MP SD", "_smooth", 5.95, 13),
        ("L C KD V MP", "_smooth", 5.31, 17),
    ],
)
def test_swedish_polls_have_the_figures_of_their_readme(parties, suffix, V_T, best):
    """P(i, j) = s_i / (s_i + s_j), by Luce's rule, for 240 months."""
    with (DATA / "swedish_polls/monthly_support.csv").open(newline="") as table:
        months = list(csv.DictReader(table))
    s = np.array([[float(row[name + suffix]) for name in parties.split()] for row in months])
    world = sparring.worlds.Recorded(s[:, :, None] / (s[:, :, None] + s[:, None, :]), T=240)
    found = sparring.describe(world)
    np.testing.assert_allclose(found.V_T, V_T, rtol=0, atol=0.005)
    assert (found.borda_changes, found.condorcet_changes) == (best, best)


@with_data
@pytest.mark.parametrize(
    ("file", "K", "winner"),
    [
        ("arxiv6", 6, "a1"),
        ("cyclic4", 4, "a1"),
        ("arithmetic8", 8, "a1"),
        ("sushi10", 10, "toro"),
        ("sushi16", 16, "toro"),
        ("mslr_informational_5_condorcet", 5, "r1"),
        ("mslr_informational_5_noncondorcet", 5, None),
        ("mslr_informational_16", 16, "r113"),
        ("mslr_navigational_16", 16, "r109"),
    ],
)
def test_matrices_of_the_literature_have_the_winners_of_their_readme(file, K, winner):
    with (DATA / f"matrices/{file}.csv").open(newline="") as table:
        header, *rows = csv.reader(table)
    P = np.array([row[1:] for row in rows], float)
    world = sparring.Constant(P, T=2)
    assert world.K == K
    found = sparring.preferences.condorcet_winner(P)
    assert (None if found is None else header[1 + found]) == winner
    assert (sparring.preferences.irreducible(P) == 0) == (winner is not None)
    if winner is None:
        assert header[1 + int(sparring.preferences.borda_scores(P).argmax())] == "r6"


# Who is best, and how often that changes.


def fewest_changes(best):
    """By brute force over all arms to follow: the least number of changes of one that is best."""
    K = best.shape[1]
    cost = np.where(best[0], 0.0, np.inf)
    for now in best[1:]:
        moved = cost[None, :] + (1 - np.eye(K))
        cost = np.where(now, moved.min(axis=1), np.inf)
    return cost.min()


@hypothesis.given(
    K=st.integers(2, 4), periods=st.integers(1, 12), T=st.integers(1, 40), seed=st.integers(0, 999)
)
def test_the_best_arm_changes_no_more_often_than_it_must(K, periods, T, seed):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.integers(0, 5, (periods, K, K)) / 4, 1)  # few values, so that many tie
    P = upper + np.tril(1 - upper.transpose(0, 2, 1), -1) + np.eye(K) / 2
    world = sparring.worlds.Recorded(P, T)
    best = sparring.preferences.best_arms(path_of(world))
    assert len(world.winner_changes) == fewest_changes(best)
    assert set(world.winner_changes) <= set(world.changes)
    for start in world.winner_changes:
        assert not (best[start - 1] & best[start - 2]).all()


def test_a_world_that_moves_has_no_rounds_in_which_the_best_arm_changes():
    assert sparring.worlds.Recorded([GOOD, GOOD], 10, interpolate=True).winner_changes is None
    assert sparring.worlds.Recorded([GOOD, GOOD], 10).winner_changes == ()
