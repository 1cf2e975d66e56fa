"""Words for winners and dates as people write them: understood, or refused with what to type."""

import pytest

from sparring.votes import VotesError, examine, read
from sparring.votes.columns import parse, seconds


def written(folder, text):
    path = folder / "votes.csv"
    path.write_text(text)
    return path


def outcomes(folder, columns, *results, **options):
    text = f"{columns}\n" + "".join(f"x,y,{result}\n" for result in results)
    return read(written(folder, text), **options).outcome.tolist()


@pytest.mark.parametrize(
    ("columns", "first", "second", "tie"),
    [
        ("white,black,result", "1-0", "0-1", "1/2-1/2"),
        ("white,black,result", "1\N{EN DASH}0", "0\N{MINUS SIGN}1", "½-½"),
        ("white,black,winner", "White", "black", "draw"),
        ("white,black,winner", "w", "b", "d"),
        ("home,away,result", "H", "A", "D"),
        ("home_team,away_team,result", "home", "AWAY", "Drawn"),
        ("home_team,away_team,result", "home_team", "away_team", "draw"),
        ("home,away,result", "Home Win", "away win", "tie"),
        ("a,b,winner", "a", "b", "tie"),
    ],
)
def test_words_that_are_known(tmp_path, columns, first, second, tie):
    assert outcomes(tmp_path, columns, first, second, tie) == [1, 0, 0.5]


def test_a_letter_that_could_be_the_other_arm_is_not_guessed(tmp_path):
    """Beside H and D the A is the away team, and b is nobody; elsewhere h and d are nobody."""
    with pytest.raises(VotesError, match=r"(?s)winner is neither an arm .*'b'.*--word b=N"):
        outcomes(tmp_path, "home,away,winner", "b")
    with pytest.raises(VotesError, match="'h'"):
        outcomes(tmp_path, "a,b,winner", "h")


def test_words_of_ones_own(tmp_path):
    words = {"Oben": 1, "unten": 0, "gleich": 0.5, "knapp": 0.6, "abgebrochen": None, "": 0.5}
    results = ("oben", "UNTEN", "gleich", "knapp", "abgebrochen", "")
    assert outcomes(tmp_path, "a,b,winner", *results, words=words) == [1, 0, 0.5, 0.6, 0.5]
    found = examine(written(tmp_path, "a,b,winner\nx,y,void\nx,y,a\n"), words={"void": None})
    assert (len(found.votes), found.silent) == (1, 1)
    names = outcomes(tmp_path, "a,b,winner", "x", "Y", words={"x": 0, "y": 1})
    assert names == [1, 0]  # the name of an arm is still its name
    assert outcomes(tmp_path, "a,b,winner", "*", "a") == [1]  # a game that is not over


def test_words_that_are_typed():
    assert parse(["H=1", "a=b=0.5", "no result=skip"]) == {"H": 1, "a=b": 0.5, "no result": None}
    for bad in ("H", "=1", "H=won"):
        with pytest.raises(ValueError, match=r"word must be WORD=1 .*got "):
            parse([bad])
    with pytest.raises(ValueError, match="word must be given once; got 'H'"):
        parse(["H=1", "H=0"])


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"H": 2}, "words must be .*1.*got 2"),
        ({"H": 1, "h": 0}, "one meaning of each"),
        ({3: 1}, "words must be texts"),
        ("H=1", "words must be a dictionary"),
    ],
)
def test_words_that_say_nothing_are_refused(tmp_path, words, why):
    with pytest.raises(ValueError, match=why):
        outcomes(tmp_path, "a,b,winner", "a", words=words)


@pytest.mark.parametrize(
    ("text", "dates", "same"),
    [
        ("31.01.2024", "day-first", "2024-01-31"),
        ("1.2.2024", "day-first", "2024-02-01"),
        ("1/2/2024", "month-first", "2024-01-02"),
        ("13-01-24", "day-first", "2024-01-13"),
        ("01/13/70", "month-first", "1970-01-13"),
        ("31.01.2024 8:05", "day-first", "2024-01-31T08:05"),
        ("31/01/2024, 18:05:09+01:00", "day-first", "2024-01-31T18:05:09+01:00"),
        ("2024/01/31", None, "2024-01-31"),
        ("2024.1.31 12:00", None, "2024-01-31T12:00"),
        ("2024-01-31", "month-first", "2024-01-31"),
    ],
)
def test_dates_as_people_write_them(text, dates, same):
    assert seconds(text, dates) == seconds(same)


@pytest.mark.parametrize(
    ("text", "dates", "why"),
    [
        ("31.01.2024", None, "whether day or month comes first; say it with --dates day-first"),
        ("01/02/2024", None, "--dates month-first: '01/02/2024'"),
        ("31.01.2024", "month-first", "nor month-first: '31.01.2024'"),
        ("30.02.2024", "day-first", "nor day-first"),
        ("1.2.324", "day-first", "nor day-first"),
        ("1.2-2024", "day-first", "nor day-first"),
        ("\N{ARABIC-INDIC DIGIT ONE}.1.2024", "day-first", "nor day-first"),
    ],
)
def test_dates_that_are_none_or_two(text, dates, why):
    with pytest.raises(ValueError, match=why):
        seconds(text, dates)


def test_the_order_of_day_and_month_is_said_for_the_file(tmp_path):
    path = written(tmp_path, "a,b,winner,date\nx,y,a,02.03.2024\nx,y,b,01.04.2024\n")
    with pytest.raises(
        VotesError, match=r"2 of 2 rows .*\n  lines 2, 3: time does not say whether"
    ):
        read(path)
    assert read(path, dates="day-first").outcome.tolist() == [1, 0]
    assert read(path, dates="month-first").outcome.tolist() == [0, 1]
    with pytest.raises(ValueError, match=r"dates must be one of .*day-first"):
        read(path, dates="dayfirst")
