"""Worlds from any CSV: three forms told apart, nothing guessed, every bad file refused by place."""

import csv
import re

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import sparring
import world_twins as twins
from places import DATA
from sparring.testing import check_world
from sparring.worlds import parse_source, world_from_csv
from worlds import random_matrices

with_data = pytest.mark.skipif(not DATA.is_dir(), reason="shared/data is not beside the repository")

LONG = "period,i,j,early,late\n1,a,b,0.7,0.2\n2,a,b,0.6,0.1\n"
SQUARE = "item,a,b,c\na,0.5,0.7,0.2\nb,0.3,0.5,0.6\nc,0.8,0.4,0.5\n"
WIDE = "month,polls,tea,milk,rum\n2024-01,3,30,10,60\n2024-02,5,20,20,5\n"


@pytest.fixture
def write(tmp_path):
    def write(text, name="table.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


# The three forms.


def test_the_long_form_is_read_as_recorded_reads_it(write):
    path = write(LONG)
    for columns in ("late", ["late"]):
        world = world_from_csv(path, 10, columns=columns)
        assert world == sparring.worlds.Recorded.from_csv(path, 10, column="late")
    single = write("period,i,j,p\n1,a,b,0.7\n")
    assert world_from_csv(str(single), 10) == sparring.worlds.Recorded.from_csv(single, 10)


def test_a_square_matrix_is_a_constant_world_of_the_name_of_the_file(write):
    world = world_from_csv(write(SQUARE, "three drinks.csv"), T=7)
    P = [[0.5, 0.7, 0.2], [0.3, 0.5, 0.6], [0.8, 0.4, 0.5]]
    assert world == sparring.Constant(P, 7, label="three drinks")


def test_the_rows_of_a_square_matrix_are_told_by_their_names(write):
    header, *rows = SQUARE.splitlines(keepends=True)
    turned = write(header + "".join(rows[::-1]))
    assert world_from_csv(turned, 7) == sparring.Constant(
        world_from_csv(write(SQUARE), 7).P, 7, label="table"
    )


def test_a_first_column_without_a_name_will_do(write):
    """As data frames are written."""
    named = world_from_csv(write(SQUARE), 7)
    assert world_from_csv(write(SQUARE.removeprefix("item")), 7) == named


def test_the_wide_form_is_a_history_by_the_rule_of_luce(write):
    world = world_from_csv(write(WIDE), T=10, columns="tea,rum,milk")
    assert (world.arms, world.name) == (("tea", "rum", "milk"), "table tea,rum,milk")
    expected = [
        [[s / (s + r) for r in strengths] for s in strengths]
        for strengths in ([30, 60, 10], [20, 5, 20])
    ]
    np.testing.assert_allclose(world.matrices, expected, rtol=0, atol=1e-15)
    assert not world.interpolate and world.S == 2
    assert set(check_world(world).values()) == {"passed"}
    assert sparring.worlds.world_from_json(world.to_json()) == world


@hypothesis.given(
    strengths=st.lists(
        st.lists(st.floats(5e-324, 1e300), min_size=3, max_size=3), min_size=1, max_size=4
    )
)
def test_strengths_of_any_size_make_valid_matrices(tmp_path_factory, strengths):
    rows = [f"{m},{','.join(map(repr, row))}\n" for m, row in enumerate(strengths)]
    path = tmp_path_factory.mktemp("wide") / "table.csv"
    path.write_text("period,a,b,c\n" + "".join(rows))
    P = world_from_csv(path, 5, columns="a,b,c").matrices
    np.testing.assert_array_equal(P + P.swapaxes(1, 2), 1)
    order = np.array(strengths)
    assert (P[order[:, :, None] > 2 * order[:, None, :]] > 0.5).all()


@hypothesis.given(K=st.integers(2, 6), seed=st.integers(0, 99))
def test_a_matrix_written_is_the_matrix_read(tmp_path_factory, K, seed):
    P = random_matrices(1, K, np.random.default_rng(seed))[0]
    arms = [f"arm {k}" for k in range(K)]
    path = tmp_path_factory.mktemp("square") / "table.csv"
    with path.open("w", newline="") as file:
        rows = [[arm, *row] for arm, row in zip(arms, P.tolist(), strict=True)]
        csv.writer(file).writerows([["", *arms], *rows])
    np.testing.assert_array_equal(world_from_csv(path, 5).P, P)


def test_columns_are_named_as_a_header_names_them(write):
    path = write('day,"a, b",c:d, e\n1,1,2,3\n')
    for columns in ('"a, b",c:d,e', '"a, b", c:d, e', ("a, b", "c:d", "e")):
        assert world_from_csv(path, 1, columns=columns).arms == ("a, b", "c:d", "e")


def test_marks_windows_lines_blanks_and_blank_lines_are_read(write):
    plain = world_from_csv(write(WIDE), 10, columns="tea,milk")
    text = "\ufeff" + WIDE.replace(",", ", ").replace("\n", "\r\n\r\n")
    path = write("")
    path.write_bytes(text.encode())
    assert world_from_csv(path, 10, columns="tea,milk") == plain


# What is refused.

FORMS = r"table\.csv: must have columns period, i, j .*square matrix.*"


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        # No form, or not told which.
        ("", None, FORMS + r"; got \[\]"),
        (WIDE, None, FORMS + r"Name the columns .*\['polls', 'tea', 'milk', 'rum'\]"),
        ("day,a,b\n1,2,3\n", None, FORMS + r"\['a', 'b'\]"),  # though all are numbers above 0
        ("0.5,0.7\n0.3,0.5\n", None, FORMS + r"; got \['0\.5', '0\.7'\]"),
        ("0.5,0.5\n0.5,0.5\n", None, r"table\.csv: must have no column twice; got '0\.5'\. .*name"),
        (WIDE.replace(",", ";"), "tea,milk", r"csv, line 1: must be separated by commas; .*Save"),
        (WIDE.replace(",", "\t"), "tea,milk", r"csv, line 1: must be separated by commas"),
        (WIDE + '2024-03,"5', "tea,milk", "line 4: must be comma-separated .*unexpected end"),
        # Long.
        (LONG, None, r"column must be one of \['early', 'late'\], which table\.csv has; got None"),
        (LONG, "soon", r"column must be one of \['early', 'late'\].*; got 'soon'"),
        (LONG, "early,late", r"columns must be one of \['early', 'late'\]; .*in long form"),
        (LONG.replace("0.6", "1_0"), "early", r"line 3: early must be a probability .* '1_0'\. "),
        # Square.
        (SQUARE, "a,b", r"columns must be left out; .*\['a', 'b'\].*first column of table\.csv"),
        (SQUARE[:-14], "a,b", "columns must be left out"),  # nor is a damaged one a history
        (
            SQUARE.replace("b,0.3", "b,0.4"),
            None,
            "line 3: 'b' against 'a' must be 0.3, .*; got 0.4",
        ),
        (SQUARE.replace("0.7", "0.7000001"), None, "line 3: 'b' against 'a' must be .* in line 2"),
        (SQUARE.replace("c,0.8,0.4", "c,0.8,0.5"), None, "line 4: 'c' against 'b' must be 0.4"),
        (SQUARE.replace("0.4,0.5", "0.4,0"), None, r"line 4: 'c' against itself must be 0\.5; .*0"),
        (
            SQUARE.replace("0.4,0.5", "0.4,"),
            None,
            "line 4: 'c' against 'c' must be a prob.*; got ''",
        ),
        (
            SQUARE.replace("0.7", "70"),
            None,
            r"line 2: 'a' against 'b' must be .*; got '70'\. .*cent",
        ),
        (SQUARE.replace("0.7", "nan"), None, "line 2: 'a' against 'b' must be .*; got 'nan'"),
        (SQUARE.replace("0.7", '"0,7"'), None, "line 2: 'a' against 'b' must be .*; got '0,7'"),
        (
            SQUARE.replace("\nb", "\nB"),
            None,
            r"line 3: must be the row of one of \['b', 'c'\]; .*'B'",
        ),
        (
            SQUARE.replace("\nb", "\na"),
            None,
            r"line 3: must be the row of one of \['b', 'c'\]; .*'a'",
        ),
        (SQUARE + "d,0.5,0.5,0.5\n", None, r"line 5: must be the row of one of \[\]; got 'd'"),
        (SQUARE[:-14], None, r"table\.csv: must have a row 'c'; got \['a', 'b'\]\. .*one row"),
        (
            SQUARE.replace("0.3,", ""),
            None,
            "line 3: must have as many fields as the header, 4; got 3",
        ),
        ("item,a\na,0.5\n", None, r"table\.csv: must have two arms; got \['a'\]"),
        # Wide.
        (WIDE, "tea,ale", r"columns must be of \['polls', .*, which table\.csv has; got 'ale'"),
        (WIDE, "month,tea", r"columns must be of .*; got 'month'\. The first, 'month', tells"),
        (WIDE, "tea", r"columns must be two or more different ones of .*; got \['tea'\]"),
        (
            WIDE,
            "tea,tea",
            r"columns must be two or more different ones of .*; got \['tea', 'tea'\]",
        ),
        ("", "tea,milk", FORMS + r"; got \[\]"),
        ("day,a,b\n", "a,b", r"table\.csv: must have a row for each period; got none"),
        (
            WIDE.replace("-02", "-01"),
            "tea,milk",
            "line 3: .* period of its own.*line 2; got '2024-01'",
        ),
        (WIDE.replace("2024-02", ""), "tea,milk", "line 3: .* period of its own; got ''"),
        (
            WIDE.replace("30", "0"),
            "tea,milk",
            r"line 2: tea must be a number above 0.*; got '0'\. ",
        ),
        (WIDE.replace("30", "-1"), "tea,milk", "line 2: tea must be a number above 0.*; got '-1'"),
        (WIDE.replace("30", ""), "tea,milk", "line 2: tea must be a number above 0.*; got ''"),
        (WIDE.replace("30", "inf"), "tea,milk", "line 2: tea must be .*at most 1e.300; got 'inf'"),
        (
            WIDE.replace("30", "30%"),
            "milk,tea",
            "line 2: tea must be a number above 0.*; got '30%'",
        ),
        (WIDE + "2024-03,5,20\n", "tea,milk", "line 4: must have as many fields .* 5; got 3"),
        # Columns that are no names.
        (WIDE, "", "columns must be names of columns, .*; got ''"),
        (WIDE, "tea,,milk", "columns must be names of columns, .*; got 'tea,,milk'"),
        (WIDE, 'tea,"milk', "columns must be names of columns, .*; got .*double quotes"),
        (WIDE, (), r"columns must be names of columns, .*; got \(\)"),
        (WIDE, (1, 2), r"columns must be names of columns, .*; got \(1, 2\)"),
        (WIDE, 3, "columns must be names of columns, .*; got 3"),
    ],
)
def test_a_bad_file_or_choice_is_refused_with_place_rule_value_and_remedy(
    write, text, columns, message
):
    with pytest.raises(ValueError, match=message) as refusal:
        world_from_csv(write(text), T=10, columns=columns)
    assert re.search(r"; got .*\. \S", str(refusal.value)), "no remedy"


def test_rounding_in_the_mirror_is_forgiven(write):
    world = world_from_csv(write(SQUARE.replace("0.7", "0.7000000005")), 5)
    np.testing.assert_array_equal(world.P + world.P.T, 1)


def test_the_number_of_rounds_is_checked(write):
    for text, columns in ((LONG, "late"), (SQUARE, None), (WIDE, "tea,milk")):
        with pytest.raises(ValueError, match=r"T must be .*; got 0"):
            world_from_csv(write(text), T=0, columns=columns)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.csv"):
        world_from_csv(tmp_path / "nowhere.csv", T=10)


# FILE:COLUMNS.


@pytest.mark.parametrize(
    ("source", "path", "columns"),
    [
        ("a.csv", "a.csv", None),
        ("a.csv:p", "a.csv", "p"),
        ("a.csv:M,L,C", "a.csv", "M,L,C"),
        ("../data/a.csv:x:y,z", "../data/a.csv", "x:y,z"),
        (r"C:\data\a.csv", r"C:\data\a.csv", None),
        (r"c:\data\a.csv:p,q", r"c:\data\a.csv", "p,q"),
        ("D:/data/a.csv:p", "D:/data/a.csv", "p"),
        ("a:" + ",".join(["a_long_name"] * 500), "a", ",".join(["a_long_name"] * 500)),
    ],
)
def test_a_source_whose_file_is_not_there_is_cut_at_the_first_colon(source, path, columns):
    assert parse_source(source) == (path, columns)


def test_a_file_that_is_there_may_have_colons_in_its_name(write):
    try:
        plain, colon = str(write(SQUARE, "12")), str(write(SQUARE, "12:30.csv"))
    except OSError:
        pytest.skip("this system allows no colons in names")
    assert parse_source(colon) == (colon, None)
    assert parse_source(colon + ":a,b") == (colon, "a,b")
    assert parse_source(plain + ":a:b") == (plain, "a:b")
    assert parse_source(plain + ":30") == (plain, "30")


@pytest.mark.parametrize("source", ["", ":", ":p", "a.csv:"])
def test_a_source_without_a_file_or_with_an_empty_choice_is_refused(source):
    with pytest.raises(ValueError, match="source must be FILE or FILE:COLUMNS; got"):
        parse_source(source)


# The data of the project, where they are at hand.


@with_data
@pytest.mark.parametrize(
    ("file", "K", "winner"),
    [
        ("arxiv6", 6, 0),
        ("cyclic4", 4, 0),
        ("arithmetic8", 8, 0),
        ("sushi10", 10, 7),
        ("sushi16", 16, 8),
        ("mslr_informational_5_condorcet", 5, 0),
        ("mslr_informational_5_noncondorcet", 5, None),
        ("mslr_informational_16", 16, 0),
        ("mslr_navigational_16", 16, 0),
    ],
)
def test_matrices_of_the_literature_are_constant_worlds(file, K, winner):
    world = world_from_csv(DATA / f"matrices/{file}.csv", T=10)
    assert (type(world), world.name, world.K) == (sparring.Constant, file, K)
    assert sparring.preferences.condorcet_winner(world.P) == winner


@with_data
@pytest.mark.parametrize(
    ("source", "K", "periods", "V_T", "digits"),
    [
        ("nfl/pref_season.csv:p_bt", 27, 43, 13.6, 1),
        ("nfl/pref_season.csv:p_shrunk", 27, 43, 15.0, 1),
        ("international_football/pref_yearly.csv:p_bt_h8", 13, 77, 1.03, 2),
        ("swedish_polls/monthly_support.csv:M,L,C,KD,S,V,MP,SD", 8, 240, 11.15, 2),
        (
            "swedish_polls/monthly_support.csv:M_smooth,L_smooth,C_smooth,KD_smooth,"
            "S_smooth,V_smooth,MP_smooth,SD_smooth",
            8,
            240,
            6.11,
            2,
        ),
    ],
)
def test_real_histories_have_the_variation_of_their_readme(source, K, periods, V_T, digits):
    path, columns = parse_source(str(DATA / source))
    world = world_from_csv(path, T=periods, columns=columns)
    assert (world.K, len(world.matrices)) == (K, periods)
    assert round(twins.variation(world.matrices), digits) == V_T


@with_data
@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nfl/pref_season.csv", r"one of \['p_bt', 'p_shrunk'\]"),
        ("nfl/duels.csv", r"duels\.csv: must have columns period, i, j"),
        ("swedish_polls/monthly_support.csv", "Name the columns .*'n_polls', .*'SD_smooth'"),
        ("swedish_polls/polls.csv:M,L,C", r"polls\.csv, line 3: .*'2006-09-12' is that of line 2"),
    ],
)
def test_real_files_that_leave_something_open_are_not_guessed(source, message):
    path, columns = parse_source(str(DATA / source))
    with pytest.raises(ValueError, match=message):
        world_from_csv(path, T=10, columns=columns)
