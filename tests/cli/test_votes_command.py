"""The command `sparring votes`, from a file to an answer and a page."""

import json
import re

import pytest

from command import sparring
from sparring.formats import isolated
from sparring_cli.outcome import clean

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("votes")
    done = sparring("votes", "--example", cwd=folder)  # without a name it is year.csv
    assert done.returncode == 0 and "sparring votes year.csv" in done.stdout
    return folder


def test_the_answer_and_a_page(home):
    done = sparring("votes", "year.csv", cwd=home)
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0)
    assert done.stdout.startswith("fern leads now")
    assert "year.votes.html" in done.stdout
    assert (home / "year.votes.html").read_text().count("<svg") > 4


def test_json_for_a_program(home):
    done = sparring("votes", "year.csv", "--json", "--no-page", "--no-what-if", cwd=home)
    found = json.loads(done.stdout)
    assert found["standings"]["leader"] == "fern" and found["page"] is None
    assert found["columns"]["winner"] == "winner" and found["saving"] is None


def test_the_alarm_is_heard_only_if_asked_for(home):
    quick = ["votes", "year.csv", "--no-page", "--no-what-if"]
    done = sparring(*quick, "--json", cwd=home)
    assert json.loads(done.stdout)["alarms"] is None
    for words in (["--alarm"], ["--every", "100000"]):
        done = sparring(*quick, *words, cwd=home)
        assert "no model: aster" in " ".join(done.stdout.split()) and "on average" in " ".join(
            done.stdout.split()
        )


def test_scores_and_named_columns(home):
    lines = ["date,home,away,hg,ag"]
    lines += [
        f"2024-01-{1 + k % 28:02d},{'xyz'[k % 3]},{'xyz'[(k + 1) % 3]},{k % 4},1" for k in range(90)
    ]
    (home / "matches.csv").write_text("\n".join(lines))
    words = ["votes", "matches.csv", "--score", "hg", "ag", "--time", "date", "--no-page"]
    done = sparring(*words, "--no-what-if", cwd=home)
    assert done.returncode == 0 and "90 votes on 3 arms" in " ".join(done.stdout.split())


def test_ranks_and_commas(home):
    lines = ["Rot;Grün, hell;Blau;Gewicht", *["1;2;3;0,5", "2;1;3;1,5", "1;3;2;1"] * 20]
    (home / "survey.csv").write_text("\n".join(lines))
    words = ["--ranks", 'Rot,"Grün, hell",Blau', "--no-page", "--no-what-if", "--json"]
    done = sparring("votes", "survey.csv", *words, cwd=home)
    found = json.loads(done.stdout)
    assert found["columns"]["arms"] == ["Rot", "Grün, hell", "Blau"]
    assert found["columns"]["weight"] == "Gewicht" and found["standings"]["leader"] == "Rot"
    done = sparring("votes", "survey.csv", *words, "--decimal", "point", cwd=home)
    assert done.returncode == 1 and "weight is not a number: '0,5'" in done.stderr
    done = sparring("votes", "survey.csv", "--ranks", 'Rot,"Blau', cwd=home)
    assert done.returncode == 2 and "list of names" in done.stderr


def test_bad_lines_are_told_and_can_be_left_out(home):
    lines = ["a,b,winner", *["x,y,a", "y,z,b", "x,z,a"] * 20, "x,y,nobody"]
    (home / "bad.csv").write_text("\n".join(lines))
    done = sparring("votes", "bad.csv", cwd=home)
    assert done.returncode == 1 and "line 62" in done.stderr and "--skip-bad" in done.stderr
    assert not (home / "bad.votes.html").exists()
    done = sparring("votes", "bad.csv", "--skip-bad", "--no-page", "--no-what-if", cwd=home)
    assert done.returncode == 0 and "1 of 61 lines were no votes" in done.stdout


def test_too_few_votes_are_left_is_the_first_thing_said(home):
    lines = ["a,b,winner", *["x,y,a", "y,z,b", "x,z,a", "x,y,nobody"] * 20]
    (home / "half.csv").write_text("\n".join(lines))
    done = sparring("votes", "half.csv", cwd=home)
    assert done.returncode == 1 and "--skip-bad" not in done.stderr
    quick = ["--skip-bad", "--no-what-if"]
    done = sparring("votes", "half.csv", *quick, cwd=home)
    assert done.returncode == 0 and done.stdout.startswith("Beware: 20 of 80 rows were no votes")
    page = (home / "half.votes.html").read_text()
    assert page.index("Beware: 20 of 80") < page.index("<h1")
    done = sparring("votes", "half.csv", *quick, "--no-page", "--json", cwd=home)
    assert json.loads(done.stdout)["lines"][0].startswith("Beware: 20 of 80")


def test_a_report_since_a_date_and_since_the_last_one(home):
    words = ["votes", "year.csv", "--no-what-if", "--page", "report.html", "--since"]
    done = sparring(*words, "last", cwd=home)
    assert done.returncode == 1 and "report.html, which is not there" in done.stderr
    done = sparring(*words, "2025-09-01", cwd=home)
    lines = done.stdout.splitlines()
    assert "On 1 September cedar led" in done.stdout and "votes since 1 September" in lines[-1]
    assert "Since 1 September</h2>" in (home / "report.html").read_text()
    done = sparring(*words, "last", cwd=home)
    assert "No votes since 31 December." in done.stdout
    rows = (home / "year.csv").read_text().splitlines()
    new = [f"2026-01-0{k % 7 + 2},fern,cedar,model_a,v1" for k in range(30)]
    (home / "more.csv").write_text("\n".join([*rows, *new]))
    words[1] = "more.csv"
    done = sparring(*words, "last", "--json", cwd=home)
    assert json.loads(done.stdout)["report"]["votes"] == 30
    done = sparring(*words, "yesterday", cwd=home)
    assert done.returncode == 1 and "such as 2026-11-10" in done.stderr


def test_ties_of_two_bad_answers_are_said(home):
    """The words of public arenas: once only an arena of ours told them from other ties."""
    words = ["tie (bothbad)", "tie", "model_a", "model_b"] * 30
    (home / "bad.csv").write_text("\n".join(["a,b,winner", *[f"x,y,{word}" for word in words]]))
    done = sparring("votes", "bad.csv", "--no-page", "--no-what-if", cwd=home)
    assert "both were bad in 25% of the votes" in " ".join(done.stdout.split())


def test_names_from_right_to_left_turn_no_line_round(home):
    """In the headline they did; elsewhere the marks against it were shown as if they were dirt."""
    lines = ["a,b,winner", *["שלום,y,a", "y,z,b", "שלום,z,b"] * 20]
    (home / "right.csv").write_text("\n".join(lines), encoding="utf-8")
    done = sparring("votes", "right.csv", "--no-page", "--no-what-if", cwd=home)
    shown = done.stdout.count("שלום")
    assert shown and done.stdout.count(isolated("שלום")) == shown
    assert "\ufffd" not in done.stdout and "Places, all" not in done.stdout


def test_names_cannot_steer_the_terminal(home):
    name = "\x1b[31mred\x07\u202e"
    lines = ["a,b,winner", *[f"{name},y,a", "y,z,b", f"{name},z,b"] * 20]
    (home / "red.csv").write_text("\n".join(lines))
    done = sparring("votes", "red.csv", "--no-page", "--no-what-if", cwd=home)
    assert done.returncode == 0 and "red" in done.stdout
    assert not {"\x1b", "\x07", "\u202e"} & set(done.stdout)
    assert clean("\u2068\x1b[31mred\u2069\u2069") == "\u2068\u241b[31mred\u2069\ufffd"


def test_names_in_any_script_are_drawn_without_a_word_of_fonts(home):
    lines = ["a,b,winner", *["千问,y,a", "y,z,b", "千问,z,b"] * 20]
    (home / "script.csv").write_text("\n".join(lines), encoding="utf-8")
    done = sparring("votes", "script.csv", "--no-what-if", cwd=home)
    assert done.returncode == 0 and "Glyph" not in done.stderr
    page = (home / "script.votes.html").read_text(encoding="utf-8")
    assert re.search("<tspan[^>]*>千问</tspan>", page)  # text: the browser has the letters


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["votes"], "FILE is missing"),
        (["votes", "nowhere.csv"], "nowhere.csv is not a file\n"),
        (["votes", "."], ". is not a file: it is a folder"),
        (["votes", "--example", "year.csv"], "already exists"),
        (["votes", "year.csv", "--a", "model_a"], "both a and b"),
        (["votes", "year.csv", "--winner", "winer"], "Did you mean 'winner'"),
        (["votes", "year.csv", "--most", "1"], "at least 2"),
        (["votes", "year.csv", "--alpha", "0"], "alpha"),
        (["votes", "year.csv", "--page", "."], "a new file or a page"),
    ],
)
def test_mistakes_are_explained(home, words, why):
    done = sparring(*words, cwd=home)
    assert (
        done.returncode == (2 if "Did you mean" in why else 1)
        and why in done.stderr
        and "Traceback" not in done.stderr
    )


def test_the_votes_of_an_arena(home):
    import sparring as library

    with library.Arena(home / "prompts.db", arms=["plain", "polite", "terse"], seed=1) as arena:
        for _ in range(200):
            ticket = arena.ask()
            liked = "polite" if "polite" in (ticket.first, ticket.second) else ticket.first
            arena.tell(ticket, liked)
    done = sparring("votes", "prompts.db", "--no-page", "--no-what-if", cwd=home)
    assert done.stdout.startswith("polite leads now"), done.stderr


def test_standard_input_words_and_dates(home):
    lines = ["home,away,result,date"]
    lines += [
        f"{'xyz'[k % 3]},{'xyz'[(k + 1) % 3]},{'HAUV'[k % 4]},3.{1 + k % 12}.24" for k in range(90)
    ]
    words = ["--word", "U=0.5", "--word", "V=skip", "--dates", "day-first"]
    quick = ["--no-page", "--no-what-if"]
    text = "\n".join(lines)
    done = sparring("votes", "-", *words, *quick, cwd=home, input=text)
    told = " ".join(done.stdout.split())
    assert done.returncode == 0 and "3 January to 3 November 2024" in told, done.stderr
    assert "22 rows without an answer are left out" in told
    done = sparring("votes", "-", *quick, cwd=home, input=text)
    assert done.returncode == 1 and "standard input: " in done.stderr
    assert "--dates day-first" in done.stderr


def test_one_of_the_arenas_in_a_file(home):
    import sparring as library

    for name, best in (("one", "plain"), ("two", "polite")):
        with library.Arena(home / "many.db", arms=["plain", "polite"], name=name, seed=1) as arena:
            for _ in range(60):
                arena.tell(arena.ask(), best)
    for name, best in (("one", "plain"), ("two", "polite")):
        done = sparring("votes", "many.db", "--name", name, "--no-what-if", "--json", cwd=home)
        assert json.loads(done.stdout)["standings"]["leader"] == best, done.stderr
    done = sparring("votes", "many.db", "--no-page", cwd=home)
    assert done.returncode == 1 and "one, two" in done.stderr.replace("'", "")


def test_a_server_is_tried_and_its_password_never_shown(home):
    address = "postgresql://me:hush@127.0.0.1:9/nothing"
    done = sparring("votes", address, "--no-page", cwd=home)
    assert done.returncode == 1 and "hush" not in done.stdout + done.stderr
    assert "127.0.0.1" in done.stderr
