"""The league as data: worlds, who can play where, and the names and the luck of its experiments."""

import hashlib
import json
import re
import warnings

import numpy as np
import pytest

import sparring
from places import ROOT
from sparring import Entrant, atomic
from sparring.lab.experiments import Experiment, run
from sparring.lab.league.contenders import CONTENDERS, ORACLE, USUAL, contenders, told_to
from sparring.lab.league.suite import (
    PREFIX,
    SCALES,
    Size,
    beside,
    experiments,
    given,
    suite,
)
from sparring.lab.summaries import read
from sparring.simulation.entrants import known
from sparring.worlds import world_from_json
from worlds import random_matrices

TINY = Size(T=300, runs=1)
ALL = [
    (name, fixture)
    for scale in (*SCALES, TINY)
    for name, fixture in {**suite(scale), **beside(scale)}.items()
]
every_fixture = pytest.mark.parametrize(
    ("name", "fixture"), ALL, ids=[f"{name}-{fixture.world.T}" for name, fixture in ALL]
)


def recorded(T=50, seed=1, **options):
    return sparring.worlds.Recorded(
        random_matrices(4, 3, np.random.default_rng(seed)), T, **options
    )


@every_fixture
def test_every_world_is_a_value_that_json_brings_back(name, fixture):
    world = fixture.world
    again = world_from_json(json.loads(json.dumps(world.to_json())))
    assert again == world and hash(again) == hash(world)
    assert (world.K, fixture.name) == (10, name)
    (experiment,) = experiments([fixture])
    assert Experiment.from_json(json.loads(json.dumps(experiment.to_json()))) == experiment


def test_scales_differ_in_their_rounds_only():
    quick, full = suite("quick"), suite()
    assert list(quick) == list(full) == list(suite(TINY))
    assert {fixture.world.T for fixture in full.values()} == {SCALES["full"].T}
    for name, fixture in quick.items():
        assert (fixture.title, fixture.regret) == (full[name].title, full[name].regret)
    with pytest.raises(ValueError, match=r"scale must be one of \['full', 'quick'\]; got 'huge'"):
        suite("huge")
    with pytest.raises(TypeError):
        quick["mine"] = quick["walk"]


def test_worlds_beside_play_if_they_are_named():
    """They have names and titles of their own, and what they are made for plays there."""
    assert not beside("quick").keys() & suite("quick").keys()
    for fixture in beside("quick").values():
        (experiment,) = experiments([fixture], only=["seasoned", "sturdy"])
        assert set(experiment.labels) == {"RAND", "seasoned", "sturdy"}
        assert experiment.luck == PREFIX + fixture.name


def test_a_winner_is_promised_only_where_there_is_one(rng):
    """One arm that no other beats, in the rounds of a path that are looked at."""
    for fixture in (*suite("quick").values(), *beside("quick").values()):
        for block in fixture.world.blocks(rng) if fixture.winner else ():
            P = block.P[:: max(1, len(block.P) // 20)]
            assert (P >= 0.5).all(axis=2).any(axis=1).all(), fixture.name


def reason(entrant, world):
    """Why it cannot play; empty if it can."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", sparring.TheoremWarning)
        try:
            entrant(known(world), np.random.default_rng(0))
        except (ValueError, sparring.TheoremWarning) as error:
            return str(error)
    return ""


# All that a theory may say; a mistake of ours would be another.
NO_TUNING = "has no usable tuning for|does not apply to|is capped at 1|needs the segments"


@every_fixture
def test_only_those_whose_theory_has_no_tuning_are_left_out(name, fixture):
    found = contenders(fixture)
    for contender in CONTENDERS:
        played = found.get(contender.label)
        assert played in (None, contender.entrant, contender.otherwise)
        for entrant in filter(None, (contender.entrant, contender.otherwise)):
            why = reason(entrant, fixture.world)
            if entrant == played:
                assert why == ""
                break
            assert re.search(NO_TUNING, why), (contender.label, why)
    yardstick = {ORACLE} if getattr(fixture.world, "changes", None) is not None else set()
    assert found.keys() <= {contender.label for contender in CONTENDERS} | yardstick
    assert yardstick <= found.keys()
    if fixture.world.T in {scale.T for scale in SCALES.values()}:
        assert len(found) == len(CONTENDERS) + len(yardstick)  # in the league itself nobody is


def test_for_each_idea_the_one_of_the_best_published_rank_plays_by_default():
    text = (ROOT / "docs/league.md").read_text()
    rows = re.findall(r"(?m)^\| \d+ \| ([^|]+) \| ([\d.]+) \|", text)
    ranks = {label: float(rank) for label, rank in rows}
    assert ranks.keys() == {one.label for one in CONTENDERS}
    for idea in {one.idea for one in CONTENDERS}:
        alike = [one for one in CONTENDERS if one.idea == idea]
        (stands,) = (one.label for one in alike if one.usual)
        assert ranks[stands] == min(ranks[one.label] for one in alike), idea
    usual, everybody, some = (
        experiments([suite("quick")["storm"]], **options)[0].labels
        for options in ({}, {"everybody": True}, {"only": ["D-TS", "rex3"]})
    )
    assert 10 <= len(usual) - 1 <= 15 and set(usual) == set(USUAL)
    assert set(everybody) == {one.label for one in CONTENDERS} | {ORACLE}
    assert set(some) == {"RAND", "D-TS", "REX3"}


def test_who_knows_the_changes_knows_those_of_the_world():
    for fixture in suite("quick").values():
        entrant = contenders(fixture).get(ORACLE)
        if entrant is not None:
            assert dict(entrant.options)["changes"] == fixture.world.changes


def text_learner(text):
    """An entrant as a results folder has it, whose file is not here."""
    source = hashlib.sha256(text.encode()).hexdigest()[:16]
    return Entrant.from_json({"learner": "mine:make", "options": {}, "source": source})


LONG = "a_module.with_a_name.that_is_long_enough:to_be_cut.and_more_of_it_at_the_end"
OWN = {
    "mine": text_learner("a"),
    "mine, changed": text_learner("b"),
    "again": text_learner("a"),
    "tuned": Entrant("dex3s", S=5),
    "tuned otherwise": Entrant("dex3s", S=7),
    "long": Entrant.from_json({"learner": LONG, "options": {}, "source": "0" * 16}),
    "long too": Entrant.from_json({"learner": f"other.{LONG}", "options": {}, "source": "0" * 16}),
}


def test_names_are_possible_and_no_two_are_the_same():
    odd = [given("x" * 300, recorded()), given("//..//", recorded(60)), given("é\n", recorded(70))]
    found = experiments([*suite("quick").values(), *odd], OWN)
    names = [experiment.name for experiment in found]
    assert len(names) == len(suite("quick")) + len(odd)
    assert len({name.lower() for name in names}) == len(names)  # some file systems ignore case
    assert all(atomic.is_name(name) and name.startswith(PREFIX) for name in names)
    assert all(set(OWN) < set(experiment.labels) for experiment in found)


TOLD = """
import sparring

def nothing(problem, rng):
    return sparring.rand(problem.K, seed=rng)

def rounds(problem, rng):
    return sparring.rex3(problem.K, problem.T, seed=rng)

def segments(problem, rng):
    return sparring.dex3s(problem.K, problem.T, S=problem.S or 1, corrected=True, seed=rng)

def says(problem, rng):
    return segments(problem, rng)

says.told = "nothing"

def fails(problem, rng):
    raise ValueError("not today")
"""


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nothing", "nothing"),
        ("rounds", "T"),
        ("segments", "S or V_T"),
        ("says", "nothing"),
        ("fails", "S or V_T"),
    ],
)
def test_a_learner_of_ones_own_is_told_what_it_reads_or_says(name, told, tmp_path, monkeypatch):
    (tmp_path / "told_what.py").write_text(TOLD)
    monkeypatch.syspath_prepend(tmp_path)
    assert told_to(Entrant(f"told_what:{name}")) == told
    assert told_to(text_learner("a")) == "S or V_T"  # whose module is not there


def test_a_label_of_the_league_is_taken():
    with pytest.raises(ValueError, match=r"labels of learners of your own must be other.*'RAND'"):
        experiments([suite("quick")["storm"]], {"RAND": Entrant("rand")})


def test_an_edited_learner_of_ones_own_changes_no_other(tmp_path):
    fixture = suite(TINY)["storm"]
    first, second = (
        experiments([fixture], {"me": Entrant("rucb", alpha=alpha)}, only=["RUCB"])[0]
        for alpha in (0.6, 0.9)
    )
    run(first, tmp_path, runs=3, seed=1)
    (before,) = read(tmp_path, (first.name,))
    ran = run(second, tmp_path, runs=3, seed=1)
    (after,) = read(tmp_path, (first.name,))
    assert ran.edited == ("me",) and ran.played == 3
    for label in ("RAND", "RUCB"):
        np.testing.assert_array_equal(before.values(label, 300), after.values(label, 300))
    assert not np.array_equal(before.values("me", 300), after.values("me", 300))


def test_learners_of_ones_own_share_the_luck_of_their_world():
    fixtures = list(suite("quick").values())
    for experiment in experiments(fixtures, OWN):
        (fixture,) = (one for one in fixtures if one.world == experiment.worlds[0])
        assert experiment.luck == PREFIX + fixture.name
        assert experiment.regret == fixture.regret and fixture.borda in experiment.also


@pytest.mark.compiled
def test_a_learner_that_comes_later_is_compared_run_by_run(tmp_path):
    """RAND, alone and under its label, has the regret that it has among all."""
    (everybody,) = experiments([suite(TINY)["storm"]])
    run(everybody, tmp_path / "all", runs=3, seed=1)
    run(everybody.only({"RAND"}), tmp_path / "late", runs=3, seed=1)
    every, late = (read(tmp_path / name)[0] for name in ("all", "late"))
    np.testing.assert_array_equal(every.values("RAND", 300), late.values("RAND", 300))


@pytest.mark.parametrize(
    ("name", "start", "title"),
    [
        ("polls.csv", "polls.csv-", "polls.csv"),
        ("my polls (2).csv", "my-polls-2-.csv-", "my polls (2).csv"),
        ("../../etc/passwd", "etc-passwd-", "../../etc/passwd"),
        (".hidden", "hidden-", ".hidden"),
        ("", "world-", "world"),
        ("...", "world-", "..."),
        ("Meinungen-für-übermorgen", "Meinungen-f-r--bermorgen-", "Meinungen-für-übermorgen"),
        ("世論", "world-", "世論"),
        ("two\nlines\t", "two-lines-", "two lines"),
        ("half a pair \udcff", "half-a-pair-", "half a pair"),
        ("\n", "world-", "world"),
        ("x" * 500, "x" * 40 + "-", "x" * 500),
    ],
)
def test_odd_file_names_give_names_that_are_possible(name, start, title):
    fixture = given(name, recorded())
    assert re.fullmatch(re.escape(start) + "[0-9a-f]{8}", fixture.name)
    assert fixture.title == title
    (experiment,) = experiments([fixture])
    assert experiment.title == title and atomic.is_name(experiment.name)


def test_equal_worlds_have_equal_names_and_others_have_others():
    P = random_matrices(4, 3, np.random.default_rng(1))
    same = [
        recorded(),
        sparring.worlds.Recorded(P.tolist(), np.int64(50)),
        world_from_json(json.loads(json.dumps(recorded().to_json()))),
    ]
    assert len({given("polls", world).name for world in same}) == 1
    others = [recorded(51), recorded(seed=2), recorded(interpolate=True)]
    assert len({given("polls", world).name for world in (*same, *others)}) == 4
    drifts = [sparring.BudgetedDrift(3, 50, V_T=V_T) for V_T in (2, 2.0, np.float64(2))]
    assert len({given("drift", world).name for world in drifts}) == 1


def test_a_world_that_moves_is_charged_round_by_round():
    assert given("a", recorded()).benchmark == "stretch"
    assert given("a", recorded(interpolate=True)).benchmark == "round"
    assert given("a", sparring.BudgetedDrift(3, 50, V_T=1)).benchmark == "round"
    assert not given("a", recorded()).winner  # nobody looked
