"""Votes from files: what is understood, and how what is not is told."""

import csv
import gzip
import json
import random
import re
import shlex
from datetime import date

import numpy as np
import pytest

import sparring
from sparring.tables import FileError, Limits
from sparring.tables.texts import seconds
from sparring.votes import VotesError, collector, examine, read
from sparring.votes.columns import DialectError, parse

# Without the second that gzip writes into its head: it would be part of the names of tests.
PACKED = gzip.compress(b"a,b,winner\nx,y,a\n" * 99, mtime=0)


def written(folder, text, name="votes.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def rows(votes):
    return list(votes.rows())


@pytest.mark.core
@pytest.mark.parametrize(
    "text",
    [
        "a,b,winner\nx,y,a\ny,x,x\nx,y,tie\n",
        "model_a,model_b,winner\nx,y,model_a\ny,x,model_b\nx,y,tie (bothbad)\n",
        "Model_A;Model_B;Winner\nx;y;x\ny;x;x\nx;y;both_bad\n",
        "home\taway\thome_score\taway_score\nx\ty\t2\t1\ny\tx\t0\t3\nx\ty\t1\t1\n",
        "i,j,score_i,score_j,outcome\nx,y,9,1,1\ny,x,9,1,0.0\nx,y,9,1,0.5\n",
        'left,right,choice\n"x",y,left\ny,x,right\nx , y, equal\n',
        "model_left,model_right,verdict\nx,y,left\ny,x,model_right\nx,y,same\n",
        "left_model,right_model,preference\nx,y,left\ny,x,right\nx,y,tie\n",
    ],
)
def test_common_dialects_say_the_same(tmp_path, text):
    assert rows(read(written(tmp_path, text))) == [("x", "y", 1), ("y", "x", 0), ("x", "y", 0.5)]


@pytest.mark.parametrize(
    ("winner", "loser"),
    [
        ("winner", "loser"),
        ("Chosen", "Rejected"),
        ("chosen_model", "rejected_model"),
        ("model_chosen", "model_rejected"),
        ("winner_model", "loser_model"),
    ],
)
def test_a_file_of_winners_and_losers(tmp_path, winner, loser):
    votes = read(written(tmp_path, f"{winner},{loser}\nx,y\nz,x\n"))
    assert rows(votes) == [("x", "y", 1), ("z", "x", 1)]
    assert not votes.shuffled  # who is first has won, so sides tell nothing


def test_the_models_count_and_not_their_answers(tmp_path):
    text = "chosen,rejected,chosen_model,rejected_model\nyes,no,x,y\nno,yes,z,x\n"
    assert read(written(tmp_path, text)).names == ("x", "y", "z")


@pytest.mark.parametrize("name", ["created", "ts", "createdAt", "created_on", "Date", "time_stamp"])
def test_common_names_of_times_are_known(tmp_path, name):
    found = examine(written(tmp_path, f"a,b,winner,{name}\nx,y,a,2024-01-02\n"))
    assert found.votes.time.tolist() == [seconds("2024-01-02")] and found.notes() == []


def test_a_column_that_looks_like_times_is_not_passed_over_in_silence(tmp_path):
    path = written(tmp_path, "a,b,winner,candidate,Match day\nx,y,a,1,2024-01-02\n")
    assert examine(path).notes() == [
        "No column of times was found; Match day looks like one: --time 'Match day'"
    ]
    assert examine(path, time="Match day").notes() == examine(path, time="").notes() == []
    assert examine(written(tmp_path, "a,b,winner,candidate\nx,y,a,1\n")).notes() == []


@pytest.mark.core
def test_named_columns(tmp_path):
    text = "p,q,gp,gq,day,who,w,pr\nx,y,1,0,2024-05-02,u,2,0.5\ny,z,1,1,2024-05-01,v,1,0.25\n"
    names = {"a": "p", "b": "q", "score": ["gp", "gq"], "time": "day", "voter": "who"}
    votes = read(written(tmp_path, text), **names, weight="w", chance="pr")
    assert rows(votes) == [("y", "z", 0.5), ("x", "y", 1)]  # in the order of time
    assert votes.time.tolist() == [seconds("2024-05-01"), seconds("2024-05-02")]
    assert (votes.weight.tolist(), votes.chance.tolist()) == ([1, 2], [0.25, 0.5])
    assert [votes.voters[one] for one in votes.voter] == ["v", "u"]


@pytest.mark.parametrize("suffix", ["jsonl", "json", "parquet"])
def test_other_formats_say_the_same(tmp_path, suffix):
    found = [
        {"model_a": "x", "model_b": "y", "winner": "model_a", "tstamp": 1_700_000_000.5},
        {"model_a": "y", "model_b": "ü\n", "winner": "tie", "tstamp": 1_700_000_001},
    ]
    path = tmp_path / f"votes.{suffix}"
    if suffix == "jsonl":
        path.write_text("".join(json.dumps(one) + "\n\n" for one in found))
    elif suffix == "json":
        path.write_text(json.dumps(found, indent=1))
    else:
        polars = pytest.importorskip("polars")
        polars.DataFrame(found).write_parquet(path)
    votes = read(path)
    assert rows(votes) == [("x", "y", 1), ("y", "ü", 0.5)]
    assert votes.time.tolist() == [1_700_000_000.5, 1_700_000_001]


def test_a_long_json_list_is_read_in_pieces(tmp_path):
    limits = Limits(block=37)  # so that objects and letters are cut
    found = [{"a": f"ä{k % 3}", "b": "y", "winner": "b"} for k in range(50)]
    path = written(tmp_path, json.dumps(found, ensure_ascii=False), "votes.json")
    assert len(read(path, limits=limits)) == 50
    assert set(read(path, limits=limits).names) == {"ä0", "ä1", "ä2", "y"}


def test_quoted_fields_may_have_lines(tmp_path):
    text = 'a,b,winner,why\nx,y,a,"so,\nand ""so"""\ny,x,nobody,\n'
    with pytest.raises(VotesError, match=r"1 of 2 rows are no votes:\n  line 4: winner is neither"):
        read(written(tmp_path, text))


@pytest.mark.core
def test_bad_lines_are_counted_and_shown(tmp_path):
    good = ["x,y,a,2024-01-01"] * 45
    bad = [
        "x,y,c,2024-01-01",
        "x,,a,2024-01-01",
        "x,y,a,01/02/2024",
        "x,y,a",
        "\udcff,y,b,2024-01-02",
    ]
    lines = good + bad
    random.Random(1).shuffle(lines)
    text = "\n".join(["a,b,winner,date", *lines]) + "\n"
    path = written(tmp_path, text.encode("utf-8", "surrogateescape"))
    where = {line: lines.index(line) + 2 for line in bad}
    with pytest.raises(VotesError) as caught:
        read(path)
    told = str(caught.value)
    assert "5 of 50 rows are no votes" in told and "--skip-bad" in told
    numbers = [
        re.findall(r"\d+", line.partition(":")[0])
        for line in told.splitlines()
        if line.startswith("  ")
    ]
    assert sorted(map(len, numbers)) == [1] * 5
    assert {int(number) for of_kind in numbers for number in of_kind} == {*where.values()}
    found = examine(path, skip_bad=True)
    assert (len(found.votes), found.bad, found.rows) == (45, 5, 50)
    assert "5 of 50 lines were no votes" in found.notes()[0]


def test_words_that_are_not_known_are_counted_with_what_to_type(tmp_path):
    lines = ["x,y,A is better"] * 55 + ["y,z,B is better"] * 44 + ["z,x,Tie"] * 11
    random.Random(1).shuffle(lines)
    path = written(tmp_path, "\n".join(["a,b,winner", *lines]))
    with pytest.raises(VotesError) as caught:
        read(path)
    told = str(caught.value).splitlines()
    assert told[0].endswith("99 of 110 rows are no votes:")
    assert [line.count("winner is neither") for line in told] == [0, 1, 0, 0]
    wrong = [line for line, text in enumerate(lines, 2) if "better" in text]
    numbers = ", ".join(map(str, wrong[:5]))
    assert told[1].startswith(f"  lines {numbers} and 94 more: winner is neither")
    typed = "--word 'A is better=1' --word 'B is better=0'"
    assert told[2] == f"'A is better' 55 times, 'B is better' 44 times: add {typed}"
    assert "--skip-bad" not in str(caught.value)  # the ties alone would be left
    words = parse([word for word in shlex.split(typed) if word != "--word"])
    assert sorted(read(path, words=words).outcome.tolist()) == [0] * 44 + [0.5] * 11 + [1] * 55


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("Model A wins", "1"),
        ("right_better", "0"),
        ("both are good", "0.5"),
        ("A is worse", "N"),
        ("A over B", "N"),
        ("it's A", "1"),
        ("heads", "N"),
    ],
)
def test_what_an_unknown_word_seems_to_say(tmp_path, word, says):
    path = written(tmp_path, f"a,b,winner\nx,y,{word}\n")
    with pytest.raises(VotesError) as caught:
        read(path)
    typed = str(caught.value).partition(": add --word ")[2].splitlines()[0]
    assert shlex.split(typed.partition(", where N is")[0]) == [f"{word}={says}"]
    assert (says == "N") == (", where N is 1 if the first has won" in typed)


@pytest.mark.parametrize("word", ["\x1b[31mred", "z" * 41])
def test_what_cannot_be_pasted_is_not_offered(tmp_path, word):
    with pytest.raises(VotesError) as caught:
        read(written(tmp_path, f"a,b,winner\nx,y,{word}\n"))
    assert "--word" not in str(caught.value) and "\x1b" not in str(caught.value)


def test_an_answer_from_few_of_the_rows_has_a_warning(tmp_path):
    good, bad = "x,y,a\n", "x,y,nobody\n"
    few = examine(written(tmp_path, "a,b,winner\n" + good * 9 + bad), skip_bad=True)
    many = examine(written(tmp_path, "a,b,winner\n" + good * 8 + bad), skip_bad=True)
    assert few.warning == "" and "1 of 9 rows" in many.warning


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("x,y,1.5,1,1", "outcome is not between 0 and 1"),
        ("x,y,nix,1,1", "outcome is not a number"),
        ("x,y,1,0,1", "weight is not from 1e-06 to 1,000,000: 0.0"),
        ("x,y,1,inf,1", "weight is not from 1e-06 to 1,000,000: inf"),
        ("x,y,1,1,0", "chance is not above 0"),
        ("x,y,1,1,1.1", "chance is not above 0 and at most 1"),
        ("tie,y,1,1,1", "names other than 'tie'"),
        (f"{'x' * 300},y,1,1,1", "text of 1 to 200"),
        ("x,y,1,1,1,1", "6 fields instead of 5"),
    ],
)
def test_every_kind_of_bad_line(tmp_path, line, why):
    text = f"a,b,outcome,weight,chance\nx,z,1,1,1\n{line}\n"
    with pytest.raises(VotesError, match=f"line 3: .*{why}"):
        read(written(tmp_path, text))


def test_rows_without_an_answer_or_a_pair_are_left_out(tmp_path):
    found = examine(written(tmp_path, "a,b,winner\nx,y,\nx,y,skip\nx,x,a\nx,y,b\n"))
    assert (len(found.votes), found.silent, found.selves, found.bad) == (1, 2, 1, 0)
    assert len(found.notes()) == 2


def test_an_unknown_dialect_shows_the_columns_and_what_to_type(tmp_path):
    with pytest.raises(DialectError, match=r"'foo', 'bar'.*--a COLUMN --b COLUMN"):
        read(written(tmp_path, "foo,bar\n1,2\n"))
    with pytest.raises(DialectError, match=r"no column says who won.*--winner"):
        read(written(tmp_path, "a,b,foo\n1,2,3\n"))
    with pytest.raises(ValueError, match=r"a must be one of .*modell_a.*Did you mean 'modell_a'"):
        read(written(tmp_path, "modell_a,b,winner\n1,2,3\n"), a="model_a", b="b")
    with pytest.raises(DialectError, match="both a and b"):
        read(written(tmp_path, "a,b,winner\n1,2,3\n"), a="a")
    with pytest.raises(DialectError, match="two columns 'winner'"):
        read(written(tmp_path, "a,b,winner,winner\nx,y,a,b\n"))


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("votes.csv", b"", "is empty"),
        ("votes.csv", b"a,b,winner\n", "has no votes"),
        ("votes.csv.gz", b"\x1f\x8b\x08\x00", "damaged, or no gzip"),
        ("votes.csv.gz", b"a,b,winner\nx,y,a\n", "damaged, or no gzip"),
        ("votes.csv.gz", PACKED[:-9], "damaged, or no gzip"),
        ("votes.csv.gz", gzip.compress(b"\x1f\x8b\x08\x00", mtime=0), "compressed"),
        ("votes.parquet.gz", gzip.compress(b"PAR1", mtime=0), r"must end in one of \.csv\.gz, "),
        ("votes.csv", b"\x1f\x8b\x08\x00", "compressed"),
        ("votes.zip", b"PK\x03\x04", "compressed"),
        ("votes.xls", b"abc", "must end in one of"),
        ("votes.json", b'{"a": 1}', "must be a JSON list"),
        (
            "votes.json",
            b'[{"a": "x", "b": "y", "winner": "a"}, {"a": ',
            "breaks off.* after object 1",
        ),
        ("votes.json", b'[{"a": "x", "b": "y", "winner": "a"}, {"a": 1 2}]', "after object 1"),
        ("votes.json", b'[{"a": "x", "a": "y", "winner": "a"}]', "after object 0"),
        ("votes.jsonl", b'{"a": "x", "a": "z", "b": "y", "winner": "a"}\n', "no object"),
        ("votes.jsonl", b"[" * 100_000, "no object"),
        ("votes.csv", b"\0\1\2\3", "is not text"),
        ("votes.parquet", b"PAR1 nonsense PAR1", "cannot be read"),
    ],
)
def test_files_that_are_no_votes(tmp_path, name, content, why):
    with pytest.raises(ValueError, match=why):
        read(written(tmp_path, content, name))
    with pytest.raises(FileError, match="is not a file"):
        read(tmp_path)


def test_a_name_twice_in_an_object_is_a_bad_line(tmp_path):
    lines = ['{"a": "x", "b": "y", "winner": "a"}', '{"a": "x", "b": "y", "winner": "a", "a": "z"}']
    with pytest.raises(VotesError, match="line 2: it is no JSON: a name is there twice"):
        read(written(tmp_path, "\n".join(lines), "votes.jsonl"))


def test_a_line_without_an_end_takes_no_memory(tmp_path):
    text = "a,b,winner\nx,y,a\n" + "z" * 50_000 + "\ny,x,a\n"
    found = examine(written(tmp_path, text), skip_bad=True, limits=Limits(line=1000))
    assert (len(found.votes), found.bad) == (2, 1)
    assert found.shown[0].line == 3 and "longer than" in found.shown[0].why


def test_garbage_is_given_up_early(tmp_path):
    line = "x,y,nobody\n"
    path = written(tmp_path, "a,b,winner\n" + line * 200_000)
    read_bytes = []
    with pytest.raises(VotesError, match=r"10,000 of the first 10,000 rows"):
        examine(path, tick=read_bytes.append)
    assert sum(read_bytes) < path.stat().st_size / 2


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1970-01-02", 86_400),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1970-01-01 00:00:01Z", 1),
        ("1971", 365 * 86_400),
        ("1700000000", 1_700_000_000),
        ("1700000000123", 1_700_000_000.123),
        ("1.7e15", 1_700_000_000),
        ("1950-06-01", (date(1950, 6, 1) - date(1970, 1, 1)).days * 86_400),
    ],
)
def test_moments(text, wanted):
    assert seconds(text) == wanted


def test_dates_out_of_order_are_sorted_and_told(tmp_path):
    text = "a,b,winner,date\nx,y,a,2024-01-03\nx,y,b,2024-01-01\nx,y,tie,2024-01-02\n"
    found = examine(written(tmp_path, text))
    assert found.votes.outcome.tolist() == [0, 0.5, 1]
    assert found.disordered == 1
    assert examine(written(tmp_path, text), time="").votes.time is None


def test_the_most_frequent_arms_alone(tmp_path):
    text = "a,b,winner\n" + "x,y,a\n" * 5 + "y,z,b\n" * 3 + "z,w,a\n"
    found = examine(written(tmp_path, text), most=3)
    assert found.votes.names == ("x", "y", "z")
    assert (len(found.votes), found.left_out) == (8, 1)


def test_a_million_arms_are_read_and_then_refused(tmp_path):
    lines = "".join(f"m{k},n{k},a\n" for k in range(60_000))
    votes = read(written(tmp_path, "a,b,winner\n" + lines))
    assert votes.K == 120_000
    with pytest.raises(ValueError, match=r"at most 2,000 arms; got 120,000.*--most 100"):
        sparring.votes.memories(votes)


@pytest.mark.core
def test_an_arena_is_read_as_it_was_told(tmp_path):
    path, told = tmp_path / "prompts.db", []
    with sparring.Arena(path, arms=["plain", "polite", "terse"], seed=1) as arena:
        for k in range(40):
            ticket = arena.ask(voter=f"u{k % 5}")
            answer = (ticket.first, ticket.second, "tie", 0.25)[k % 4]
            arena.tell(ticket, answer)
            told.append((ticket.first, ticket.second, (1, 0, 0.5, 0.25)[k % 4]))
            if k == 20:
                arena.withdraw("terse")
                arena.add("terse")
        arena.ask()  # never answered
        votes = read(path)  # while it is open
        assert rows(arena.history()) == rows(votes)
    assert rows(votes) == told
    assert votes.names == ("plain", "polite", "terse")
    assert len(set(votes.voter.tolist())) == 5 and np.all(np.diff(votes.time) >= 0)


def test_an_arena_has_the_chances_that_its_learner_can_tell(tmp_path):
    for learner, known in (("steady", True), ("tracker", False)):
        path = tmp_path / f"{learner}.db"
        options = {"differ": True} if known else None
        arms = ["plain\x1b[31m", "polite", "terse"]
        with sparring.Arena(path, arms, learner=learner, options=options, seed=1) as arena:
            for _ in range(30):
                arena.tell(arena.ask(), "tie")
            votes = arena.history()
            chances = [one.chance for one in arena.records()]
        assert votes.names == ("plain\u241b[31m", "polite", "terse")  # fit to be shown
        if known:
            assert votes.chance.tolist() == chances
        else:
            assert votes.chance is None and set(chances) == {None}


def test_a_log_of_duels_has_chances(tmp_path):
    learner = sparring.steady(3, seed=1)
    path = tmp_path / "duels.jsonl"
    with path.open("w") as log:
        for _ in range(30):
            duel = learner.ask()
            learner.tell(duel, 1.0)
            log.write(json.dumps({**duel.to_json(), "outcome": 1.0}) + "\n")
    votes = read(path)
    assert votes.chance is not None and (votes.first != votes.second).all()


def test_a_quote_that_is_never_closed_counts_all_that_it_swallows(tmp_path):
    text = "a,b,winner,why\n" + "x,y,a,so\n" * 9 + 'x,y,a,"so\n' + "x,y,b,so\n" * 490
    found = examine(written(tmp_path, text), skip_bad=True)
    assert (len(found.votes), found.bad, found.rows) == (9, 491, 500)


def test_a_text_as_a_line_of_json_is_no_reason(tmp_path):
    text = '{"a": "x", "b": "y", "winner": "a"}\n"evil"\n'
    found = examine(written(tmp_path, text, "votes.jsonl"), skip_bad=True)
    assert found.shown == ((2, "it is no object with names"),)


def test_long_fields_are_read(tmp_path):
    before, long = csv.field_size_limit(), "z" * 200_000  # as conversations are
    assert len(read(written(tmp_path, f'a,b,winner,text\nx,y,a,"{long}"\n'))) == 1
    assert csv.field_size_limit() == before


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["x,x,a", "x,x,b"], "2 rows that show an arm against itself"),
        (["x,y,", "x,y,nan"], "2 rows without an answer are left out"),
        (["x,x,a"], "1 row that shows an arm against itself is left out"),
        (["x,y,"], "1 row without an answer is left out"),
    ],
)
def test_a_file_without_votes_says_what_its_rows_were(tmp_path, lines, why):
    path = written(tmp_path, "\n".join(["a,b,winner", *lines]))
    with pytest.raises(VotesError, match=f"has no votes; arms from a and b.*; {why}"):
        read(path)


@pytest.mark.parametrize("mark", [*"\x1b\x7f\x9b", *map(chr, range(0x2028, 0x202F)), "\u2066"])
def test_names_hold_nothing_that_turns_or_breaks_text(tmp_path, mark):
    path = written(tmp_path, f"a,b,winner,voter\nx{mark}y,z,a,v{mark}w\n")
    found = read(path)
    for text in (found.names[0], found.voters[0]):
        assert len(text) == 3 and mark not in text
    same = written(tmp_path, f"a,b,winner\nx{mark}y,z,a\nx{mark}{mark}y,z,a\n")
    assert read(same).K == 3  # names stay as different as they were


def test_votes_go_to_json_and_to_a_table_and_are_read_again(tmp_path):
    text = "a,b,winner,time,voter,weight,chance\n" + "".join(
        f"{a},{b},{w},2025-01-0{day}T12:00:00.25+02:00,{who},{day},0.{day}\n"
        for day, (a, b, w, who) in enumerate(
            [("x", "y", "a", "ann"), ("y", "z", "b", "bob"), ("z", "x", "tie", "ann")], 1
        )
    )
    votes = read(written(tmp_path, text))
    told = json.dumps(votes.to_json(), allow_nan=False)
    again = read(written(tmp_path, told, "votes.json"))
    table = tmp_path / "votes.parquet"
    votes.to_table().write_parquet(table)
    for other in (again, read(table)):
        assert (other.names, other.voters) == (votes.names, votes.voters)
        for name in ("first", "second", "outcome", "time", "voter", "weight", "chance"):
            assert np.array_equal(getattr(other, name), getattr(votes, name)), name
    assert votes[:0].to_json() == [] and votes[:0].to_table().height == 0


def test_text_that_is_not_utf_8_is_named_with_the_remedy(tmp_path):
    """What spreadsheets write: letters in one byte each, or in two."""
    path = tmp_path / "votes.csv"
    path.write_bytes("a,b,winner\nM\xfcller,Ann,a\n".encode("latin-1"))
    with pytest.raises(VotesError, match="line 2: the name of an arm is not in UTF-8; save the fi"):
        read(path)
    path.write_bytes("a,b,winner\nx,y,a\n".encode("utf-16"))
    with pytest.raises(FileError, match=r"votes\.csv is text in UTF-16: save it as UTF-8"):
        read(path)


def test_a_quote_that_is_never_closed_is_asked_about(tmp_path):
    path = written(tmp_path, 'a,b,winner\nx,y,a\n"x,y,b\nx,y,b\nx,y,b\n')
    with pytest.raises(VotesError, match="it spans lines 3 to 5: is a quote never closed"):
        read(path)


def test_one_line_left_out_is_a_line(tmp_path):
    path = written(tmp_path, "a,b,winner\n" + "x,y,a\n" * 20 + "x,y\n")
    (note,) = examine(path, skip_bad=True).notes()
    assert note == "1 of 21 lines were no votes and are left out: line 22"


def test_more_votes_than_memory_holds_are_refused(tmp_path, monkeypatch):
    """A megabyte of gzip may hold hundreds of millions of votes."""
    monkeypatch.setattr(collector, "MOST_VOTES", 3)
    assert len(read(written(tmp_path, "a,b,winner\n" + "x,y,a\n" * 3))) == 3
    path = tmp_path / "votes.csv.gz"
    path.write_bytes(gzip.compress(b"a,b,winner\n" + b"x,y,a\n" * 4))
    with pytest.raises(ValueError, match="more than 3 votes, which would take too much memory"):
        read(path, skip_bad=True)


@pytest.mark.parametrize("players", [("p",), ("p_row", "p_col")])
def test_a_log_of_duels_is_known_in_every_layout(tmp_path, players):
    pytest.importorskip("polars", reason="logs are read with polars")
    columns = ",".join(f"{player}_{arm}" for player in players for arm in range(3))
    shares = ",".join(["0.25,0.25,0.5"] * len(players))
    path = written(tmp_path, f"row,col,outcome,{columns}\n0,1,1,{shares}\n2,1,0.5,{shares}\n")
    found = examine(path)
    assert found.dialect is None and found.votes.names == ("0", "1", "2")
    assert found.votes.chance == pytest.approx([0.2, 0.4])
