"""`sparring bounds`, `certify` and `coverage`, run as a user would."""

import json
import math
import os
import re
import signal
import subprocess
import time

import pytest

import sparring as library
from command import SPARRING, sparring

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """A log of 3,000 duels, of a learner that people like arm 0 of."""
    path = tmp_path_factory.mktemp("log") / "duels.jsonl"
    learner = library.dex3s(4, 3000, S=2, corrected=True, seed=1)
    with path.open("w") as file:
        for _ in range(3000):
            duel = learner.ask()
            outcome = 0.5 + 0.5 * ((duel.row == 0) - (duel.col == 0))
            learner.tell(duel, outcome)
            file.write(json.dumps({**duel.to_json(), "outcome": outcome}) + "\n")
    return path


def told(done):
    """What a command told a program."""
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def refused(*arguments, cwd):
    """What a person is told; no traceback."""
    done = sparring(*arguments, cwd=cwd)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    return done.stderr


def test_json_has_no_infinity(tmp_path):
    command = ("bounds", "--K", 3, "--T", 1000, "--V_T", "1e-305", "--json")
    done = sparring(*command, cwd=tmp_path)
    json.loads(done.stdout, parse_constant=pytest.fail)


def test_bounds_are_those_of_the_library(tmp_path):
    found = told(sparring("bounds", "--K", 10, "--T", "1e6", "--S", 10, "--json", cwd=tmp_path))
    assert found["problem"] == {"K": 10, "T": 1_000_000, "S": 10, "V_T": None}
    rows = {(row["learner"], row["theorem"]): row for row in found["upper"]}
    known = library.bounds.dex3s_known(10, 10**6, 10, corrected=True)
    row = rows["DEX3.S corrected", "4.1 (1)"]
    assert row["probable"]["value"] == known.probable.value
    assert row["printed"]["raw"] == known.printed.raw
    assert row["tuning"] == vars(known.tuning)
    least = row["informative_from"]
    assert not library.bounds.dex3s_known(10, least, 10, corrected=True).probable.vacuous
    assert library.bounds.dex3s_known(10, least - 1, 10, corrected=True).probable.vacuous
    lower = library.bounds.lower_switching(10, 10**6, 10)
    assert found["lower"]["5.1, simple"]["value"] == lower.value
    assert {"5.1, simple", "5.1, paper"} == set(found["lower"])


@pytest.mark.parametrize(
    ("sizes", "theorems"),
    [
        ([], ["3.3", "ours"]),
        (["--S", 1], ["3.3", "4.1 (1)", "4.1 (2)", "6.1", "ours"]),
        (["--S", 10], ["4.1 (1)", "4.1 (2)", "6.1", "ours"]),
        (["--V_T", 10], ["4.4", "4.4 (b)", "6, drift", "ours"]),
        (["--V_T", 0], ["4.4", "4.4 (b)", "6, drift", "ours"]),
        (
            ["--S", 9, "--V_T", 9],
            ["4.1 (1)", "4.1 (2)", "4.4", "4.4 (b)", "6, drift", "6.1", "ours"],
        ),
    ],
    ids=str,
)
def test_each_problem_has_its_theorems(sizes, theorems, tmp_path):
    done = sparring("bounds", "--K", 3, "--T", 100_000, *sizes, "--json", cwd=tmp_path)
    assert sorted({row["theorem"] for row in told(done)["upper"]}) == theorems


def test_learners_that_the_paper_does_not_have_have_rows(tmp_path):
    command = ("bounds", "--K", 10, "--T", "1e6", "--S", 10)
    rows = {
        row["learner"]: row for row in told(sparring(*command, "--json", cwd=tmp_path))["upper"]
    }
    bounds, tunings = library.bounds, library.tunings
    expected = {
        "SYM-EXP3.S": bounds.sym_exp3s(10, 10**6, 10),
        "SYM-EXP3.S best": bounds.sym_exp3s(
            10, 10**6, 10, tuning=tunings.best(library.Problem(10, 10**6, 10), gain="relative")
        ),
        "SYM-EXP3-SIX": bounds.sym_exp3six(10, 10**6, 10),
        "steady": bounds.sym_exp3s(10, 10**6, 10, tuning=tunings.steady(10)),
    }
    for name, bound in expected.items():
        assert rows[name]["mean_fixed"]["value"] == bound.mean_fixed.value
    least = rows["SYM-EXP3.S"]["informative_from"]
    assert not bounds.sym_exp3s(10, least, 10).mean_fixed.vacuous
    assert bounds.sym_exp3s(10, least - 1, 10).mean_fixed.vacuous
    printed = sparring(*command, cwd=tmp_path).stdout
    assert all(name in printed for name in expected)
    _, hindsight = printed.split("If the cuts are chosen in hindsight, too")
    least = min(row["hindsight_cuts"]["value"] for row in rows.values())
    assert least == rows["SIX any cuts"]["hindsight_cuts"]["value"]
    assert f"{least:,.0f}" in hindsight
    assert "Averaged over these paths, no learner's mean regret is below" in printed


def test_json_has_no_infinities(tmp_path):
    done = sparring("bounds", "--K", 10, "--T", 20, "--S", 10, "--json", cwd=tmp_path)

    def refuse(constant):
        raise AssertionError(constant)

    json.loads(done.stdout, parse_constant=refuse)


def test_a_person_reads_what_says_nothing_and_from_when_on_it_does(tmp_path):
    shown = sparring("bounds", "--K", 10, "--T", "1e5", "--S", 10, cwd=tmp_path).stdout
    bound = library.bounds.dex3s_known(10, 10**5, 10, corrected=True).probable
    assert bound.vacuous
    assert f"({bound.raw:,.0f})" in shown
    known = library.bounds.dex3s_known
    since = library.bounds.informative_from(known, 10, S=10, corrected=True)
    assert 10**5 < since < 123_508 and f"{since:,}" in shown  # 123,508 in the first edition
    assert "no learner can lose more than 50,000" in " ".join(shown.split())


def test_bounds_fit_a_terminal_and_say_who_has_none(tmp_path):
    for sizes in (("--S", 10), ("--V_T", 10), ()):
        command = [*SPARRING, "bounds", "--K", "10", "--T", "1e6", *map(str, sizes)]
        narrow = {**os.environ, "COLUMNS": "80"}
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=narrow)
        lines = done.stdout.splitlines()
        assert max(map(len, lines)) <= 80 and lines[1].rstrip().endswith("from T")
        legend = dict(re.split(r" {2,}", line, maxsplit=1) for line in _legend(lines))
        assert legend["tracker"] == "no proved bound; steady, which is told as little, has one"
        columns = re.split(r" {2,}", lines[1].strip())[2:]
        assert columns == ["95%", "mean", "fixed", "printed", "from T"]
        assert set(columns) <= legend.keys(), "each column has a line that says what it is"
    found = told(sparring("bounds", "--K", 3, "--T", 1000, "--json", cwd=tmp_path))
    assert found["unproved"].keys() == {"tracker"} and "steady" in found["unproved"]["tracker"]


def _legend(lines):
    """The lines behind the first table that have a word and what it means."""
    start = next(place for place, line in enumerate(lines) if line.startswith("95%"))
    return [line for line in lines[start : lines.index("")] if re.match(r"\S+( \S+)? {2,}\S", line)]


def test_the_figure_is_drawn(tmp_path):
    done = sparring(
        "bounds", "--K", 3, "--T", 20_000, "--S", 3, "--figure", "b.svg", "--runs", 2, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "b.svg").read_text()
    for word in ("lower bound", "measured: DEX3.S best", "bound as printed", "K = 3, S = 3"):
        assert word in text


def test_bad_problems_are_refused_by_name(tmp_path):
    assert "K must be" in refused("bounds", "--K", 1, "--T", 100, cwd=tmp_path)
    assert "S must be" in refused("bounds", "--K", 3, "--T", 10, "--S", 11, cwd=tmp_path)
    assert "--T" in refused("bounds", "--K", 3, "--T", "1.5", cwd=tmp_path)
    assert "--T" in refused("bounds", "--K", 3, "--T", "nan", cwd=tmp_path)
    assert "--T" in refused("bounds", "--K", 3, "--T", "1e400", cwd=tmp_path)
    assert "delta must be" in refused("bounds", "--K", 3, "--T", 9, "--delta", 2, cwd=tmp_path)
    wrong = ("bounds", "--K", 3, "--T", 9000, "--S", 2, "--figure", "x.jpg")
    assert "--figure must end in" in refused(*wrong, cwd=tmp_path)
    assert os.listdir(tmp_path) == []


def test_a_certificate_is_that_of_the_library(log, tmp_path):
    found = told(sparring("certify", log, "--segments", 3, "--json", cwd=tmp_path))
    alone = library.certify(log, cuts=[1000, 2000])
    assert found["duels"] == 3000
    assert found["static"] == alone.static
    assert found["dynamic"] == alone.dynamic
    assert found["regret_bounds"] == alone.regret_bounds.tolist()
    assert found == told(
        sparring("certify", log, "--cut", 1000, "--cut", 2000, "--json", cwd=tmp_path)
    )
    one = told(sparring("certify", log, "--beta", 0.01, "--delta", 0.2, "--json", cwd=tmp_path))
    assert one["static"] == library.certify(log, 0.2, 0.01).static


def test_a_person_reads_the_certificate(log, tmp_path):
    shown = sparring("certify", log, cwd=tmp_path).stdout
    assert "3,000 duels of 4 arms" in shown
    assert f"at most {library.certify(log).static:,.0f} (" in shown
    assert "with probability 0.95" in shown


def test_logs_that_cannot_be_certified_are_refused(log, tmp_path):
    assert "is not a file" in refused("certify", "none.jsonl", cwd=tmp_path)
    assert "must end in" in refused("certify", "duels.txt", cwd=tmp_path)
    assert "beta must be" in refused("certify", log, "--beta", 0, cwd=tmp_path)
    assert "segments must be at most the 3,000 duels" in refused(
        "certify", log, "--segments", 3001, cwd=tmp_path
    )
    assert "cuts must be" in refused("certify", log, "--cut", 3000, cwd=tmp_path)
    coupled = tmp_path / "coupled.jsonl"
    duel = {"row": 0, "col": 0, "p": [[0.5, 0.5]], "outcome": 1}
    coupled.write_text("".join(json.dumps(duel) + "\n" for _ in range(100)))
    assert "not drawn independently" in refused("certify", coupled, cwd=tmp_path)


def test_coverage_counts_and_draws(tmp_path):
    """With five runs only what fails in each can be refuted."""
    done = sparring("coverage", "--runs", 5, "--out", "there", "--json", cwd=tmp_path)
    found = told(done)
    assert found == json.loads((tmp_path / "there" / "coverage.json").read_text())
    assert {len(case["ratios"]) for case in found} == {5}
    assert [case["says"] for case in found if not case["holds"]] == ["App. B.1 as printed"]
    figures = tmp_path / "there" / "figures"
    for ending in ("svg", "pdf", "png"):
        assert (figures / f"coverage.{ending}").stat().st_size > 1000
    assert "App. B.1 as printed" in (figures / "coverage.svg").read_text()


def test_an_interrupt_ends_at_once_and_leaves_nothing(tmp_path):
    command = [*SPARRING, "coverage", "--out", "there", "--quiet"]
    running = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "there").exists():  # it makes its folder before it plays
        assert running.poll() is None
        time.sleep(0.02)
    time.sleep(0.5)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=300)
    # By the signal itself where it came while Python ran text, as for a dataclass: 130 in a shell.
    assert running.returncode in (130, -signal.SIGINT)
    assert "Traceback" not in said
    assert not [path for path in (tmp_path / "there").rglob("*") if path.is_file()]


def test_numbers_with_an_exponent_are_whole():
    from sparring_cli.options import whole

    assert whole("1e6") == 1_000_000
    assert whole("9007199254740993") == 9007199254740993  # which no double is
    for text in ("1.5", "nan", "inf", "ten", ""):
        with pytest.raises((ValueError, OverflowError)):
            whole(text)
    assert math.isclose(whole("1e18"), 10**18)
