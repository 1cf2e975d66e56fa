"""Columns, words, numbers and dates as people write them: understood, or refused with a remedy."""

import shlex

import pytest

from sparring.tables.texts import seconds
from sparring.votes import VotesError, collector, examine, read
from sparring.votes.columns import DialectError, parse


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


# --- Files as others write them -------------------------------------------------------------------

FOOTBALL = (
    "Div,Date,Time,HomeTeam,AwayTeam,FTHG,FTAG,FTR,HTHG,B365H\n"
    "E0,02/08/2024,15:30,Ash,Fir,2,1,H,0,1.5\n"
    "E0,17/08/2024,9:30,Fir,Yew,0,0,D,0,2.5\n"
    "E0,18/08/2024,,Yew,Ash,0,3,A,1,3.5\n"
)


def test_football_results_are_read_with_their_days_and_times(tmp_path):
    for text in (FOOTBALL, FOOTBALL.replace("FTR", "X")):  # by letters, and by goals
        found = examine(written(tmp_path, text))
        assert list(found.votes.rows()) == [
            ("Ash", "Fir", 1),
            ("Fir", "Yew", 0.5),
            ("Yew", "Ash", 0),
        ]
        moments = ("2024-08-02T15:30", "2024-08-17T09:30", "2024-08-18")
        assert found.votes.time.tolist() == [seconds(text) for text in moments]
        assert found.notes() == ["17/08/2024 shows that dates are day-first"]
    assert (found.dialect.time, found.dialect.clock) == ("Date", "Time")


def test_times_beside_days_are_only_joined_if_they_are_times_of_day(tmp_path):
    text = "a,b,winner,date,time\nx,y,a,2024-01-01,2024-01-02T10:00\n"
    found = examine(written(tmp_path, text))
    assert found.dialect.time == "time"
    assert found.votes.time.tolist() == [seconds("2024-01-02T10:00")]
    text = "a,b,winner,date,time\nx,y,a,2024-01-01,10:00\n"
    assert read(written(tmp_path, text)).time.tolist() == [seconds("2024-01-01T10:00")]
    with pytest.raises(VotesError, match="time is neither ISO 8601"):
        read(written(tmp_path, text), time="time")  # as was said


GERMAN = (
    "Datum;Variante links;Variante rechts;Gewinner;Gewicht\n"
    "31.01.2024;Tee;Rum;links;0,5\n"
    "01.02.2024;Rum;Kaffee;rechts;1\n"
    "01.02.2024;Kaffee;Tee;unentschieden;1,25\n"
)


def test_german_names_words_dates_and_commas(tmp_path):
    found = examine(written(tmp_path, GERMAN))
    assert list(found.votes.rows()) == [
        ("Tee", "Rum", 1),
        ("Rum", "Kaffee", 0),
        ("Kaffee", "Tee", 0.5),
    ]
    assert found.votes.weight.tolist() == [0.5, 1, 1.25]
    assert found.votes.time[0] == seconds("2024-01-31")
    assert found.notes() == [
        "31.01.2024 shows that dates are day-first",
        "Gewicht has decimal commas",
    ]
    match = "Datum;Heim;Gast;Ergebnis\n2024-01-31;x;y;Heimsieg\n2024-01-31;y;x;Auswärtssieg\n"
    assert read(written(tmp_path, match)).outcome.tolist() == [1, 0]


def test_two_columns_are_arms_only_if_none_others_could_be(tmp_path):
    text = "answer left,answer right,model left,model right,winner\nx,y,m,n,left\n"
    with pytest.raises(DialectError, match="which columns hold the two arms"):
        read(written(tmp_path, text))


@pytest.mark.parametrize(
    ("later", "bad"), [("01.02.2024", 0), ("13.13.2024", 1), ("02.14.2024", 1), ("14.02.24", 0)]
)
def test_the_first_date_that_can_decides_and_others_must_agree(tmp_path, later, bad):
    lines = ["03.04.2024"] * 30 + ["31.01.2024"] + ["05.06.2024"] * 30 + [later]
    text = "a,b,winner,date\n" + "".join(f"x,y,a,{day}\n" for day in lines)
    found = examine(written(tmp_path, text), skip_bad=True)
    assert (len(found.votes), found.bad) == (62 - bad, bad)
    assert "31.01.2024 shows that dates are day-first" in found.notes()
    assert found.votes.time[0] == seconds("2024-01-31")
    assert examine(written(tmp_path, text), dates="month-first", skip_bad=True).bad > 0


def test_a_year_of_two_digits_after_dashes_decides_nothing(tmp_path):
    """24-01-31 begins with the year in many countries."""
    with pytest.raises(VotesError, match="whether day or month comes first"):
        read(written(tmp_path, "a,b,winner,date\nx,y,a,24-01-11\nx,y,a,24-01-12\n"))


def test_a_comma_that_may_part_thousands_is_not_guessed(tmp_path):
    text = "a;b;winner;weight\nx;y;a;{}\nx;y;a;2\n"
    with pytest.raises(VotesError, match=r"weight is not a number: '1,000' .*--decimal comma"):
        read(written(tmp_path, text.format("1,000")))
    path = written(tmp_path, text.format("1,000"))
    assert read(path, decimal="comma").weight.tolist() == [1, 2]
    path = written(tmp_path, text.format("1,5"))
    assert read(path).weight.tolist() == [1.5, 2]
    with pytest.raises(VotesError, match="weight is not a number: '1,5'"):
        read(path, decimal="point")
    with pytest.raises(ValueError, match=r"decimal must be one of \['comma', 'point'\]"):
        read(path, decimal=",")
    # Beside points a comma is a slip, or parts thousands; beside commas a point does.
    with pytest.raises(VotesError, match="1 of 2 rows"):
        read(written(tmp_path, text.format("1,5").replace(";2", ";2.5")))
    with pytest.raises(VotesError, match=r"weight is not a number: '2\.5'"):
        read(written(tmp_path, text.format("1,5").replace(";2", ";2.5")), decimal="comma")


def test_one_comma_far_down_turns_no_column(tmp_path):
    text = "a;b;winner;weight\n" + "x;y;a;1\n" * 2_000 + "x;y;a;1,5\n"
    found = examine(written(tmp_path, text), skip_bad=True)
    assert (found.bad, len(found.votes)) == (1, 2_000)


@pytest.mark.parametrize("text", ["1_5", "1_000.0"])
def test_a_number_has_no_underscore(tmp_path, text):
    """Python would read 1_5 as 15."""
    with pytest.raises(VotesError, match=f"weight is not a number: '{text}'"):
        read(written(tmp_path, f"a,b,winner,weight\nx,y,a,{text}\n"))


# --- A column for each arm ------------------------------------------------------------------------

SURVEY = (
    "person,date,Rot,Grün,Blau\n"
    "ann,2024-01-02,1,2,3\n"
    "bob,2024-01-01,2,1,2\n"
    "cem,2024-01-03,3,,1\n"
    "dan,2024-01-03,,,\n"
)
ARMS = ["Rot", "Grün", "Blau"]


def test_ranks_are_votes_on_each_pair(tmp_path):
    found = examine(written(tmp_path, SURVEY), ranks=ARMS)
    votes = found.votes
    assert list(votes.rows()) == [
        ("Rot", "Grün", 0),
        ("Rot", "Blau", 0.5),
        ("Grün", "Blau", 1),
        ("Rot", "Grün", 1),
        ("Rot", "Blau", 1),
        ("Grün", "Blau", 1),
        ("Rot", "Blau", 0),
    ]
    assert [votes.voters[who] for who in votes.voter] == ["bob"] * 3 + ["ann"] * 3 + ["cem"]
    assert (found.rows, found.silent, found.bad) == (4, 1, 0)
    assert not votes.shuffled  # columns have no sides
    assert votes.time[0] == seconds("2024-01-01")
    turned = read(written(tmp_path, SURVEY), scores=ARMS)
    assert (turned.outcome == 1 - votes.outcome).all()


def test_without_a_column_of_voters_each_row_is_one(tmp_path):
    text = SURVEY.replace("person", "number")
    votes = read(written(tmp_path, text), ranks=ARMS, time="")
    assert votes.voter.tolist() == [0, 0, 0, 1, 1, 1, 2] and votes.time is None
    assert votes.voters == ("row 2", "row 3", "row 4")


def test_a_row_of_ranks_is_bad_as_a_whole(tmp_path):
    text = SURVEY + "eve,2024-01-04,1,zwei,3\nfay,yesterday,1,2,3\n"
    path = written(tmp_path, text)
    with pytest.raises(VotesError, match=r"(?s)line 6: Grün is not a number: 'zwei'.*line 7: time"):
        read(path, ranks=ARMS)
    found = examine(path, ranks=ARMS, skip_bad=True)
    assert (found.rows, found.bad, len(found.votes)) == (6, 2, 7)
    commas = written(tmp_path, "Rot;Grün\n0,5;0,25\n")
    assert read(commas, scores=["Rot", "Grün"]).outcome.tolist() == [1]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"ranks": ["Rot", "Gruen"]}, "ranks must be one of .*got 'Gruen'.*Did you mean 'Grün'"),
        ({"ranks": ["Rot"]}, "ranks must be two or more names of columns"),
        ({"ranks": []}, "ranks must be two or more names of columns"),
        ({"scores": "Rot"}, "scores must be two or more names of columns"),
        ({"scores": ["Rot", "Rot"]}, "scores must be two or more names of columns"),
        ({"ranks": ARMS, "scores": ARMS}, "give ranks or scores, not both"),
        ({"ranks": ARMS, "winner": "person"}, "give ranks or winner, not both"),
        ({"scores": ARMS, "a": "Rot"}, "give scores or a, not both"),
    ],
)
def test_columns_of_arms_are_named_once_and_alone(tmp_path, options, why):
    with pytest.raises(ValueError, match=why):
        read(written(tmp_path, SURVEY), **options)


def test_more_votes_than_memory_holds_are_refused_before_they_are_made(tmp_path, monkeypatch):
    monkeypatch.setattr(collector, "MOST_VOTES", 6)
    with pytest.raises(ValueError, match="more than 6 votes"):
        read(written(tmp_path, SURVEY), ranks=ARMS)


# --- What to type ---------------------------------------------------------------------------------


def test_columns_in_another_language_are_guessed_from_their_values(tmp_path):
    rows = ["thé,rhum,rhum,2024-01-01", "rhum,thé,thé,2024-01-02", "thé,café,égal,2024-01-03"]
    path = written(
        tmp_path, "gauche,droite,gagnant,jour\n" + "".join(f"{row}\n" for row in rows * 9)
    )
    with pytest.raises(DialectError) as caught:
        read(path)
    typed = str(caught.value).partition(" It looks like: ")[2]
    assert typed == "--a gauche --b droite --winner gagnant --time jour"
    words = shlex.split(typed.replace("--", ""))
    options = dict(zip(words[::2], words[1::2], strict=True))
    assert len(read(path, **options, words={"égal": 0.5})) == 27


def test_columns_of_numbers_may_be_arms(tmp_path):
    with pytest.raises(DialectError, match=r"--ranks 'Rot,Grün,Blau'.*--scores 'Rot,Grün,Blau'"):
        read(written(tmp_path, SURVEY))
    commas = SURVEY.replace("Blau", '"Blau, hell"')
    with pytest.raises(DialectError, match="""--ranks 'Rot,Grün,"Blau, hell"'"""):
        read(written(tmp_path, commas))
    with pytest.raises(DialectError) as caught:
        read(written(tmp_path, "foo,bar\nx,1\ny,2\n"))
    assert "looks like" not in str(caught.value) and "--ranks" not in str(caught.value)
