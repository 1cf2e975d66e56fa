"""Advice on made-up tables, where it is plain who should be chosen, and the sentences about it."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import sparring
import tiny_league
from sparring.formats import Estimate, listed, share
from sparring.lab import league
from sparring.lab.league import advice, wording
from sparring.lab.league.advice import ANY, BORDA, GIVEN, STAYS, Scores
from sparring.lab.league.ranking import Ranking
from sparring.lab.league.standings import HeadToHead
from sparring.lab.measures import UNKNOWN

TOLD = {"RAND": "nothing", "plain": "nothing", "timed": "T", "told": "S or V_T"}


class Table:
    """A world whose regrets are made up: label -> runs."""

    def __init__(self, name, borda=None, **values):
        self.name, self.title, self.borda = name, name, "borda" if borda else None
        self._values = {None: values, "borda": borda}
        self.labels = tuple(values)
        self.runs = tuple(range(max(map(len, values.values()))))

    def by_run(self, label, regret=None):
        return dict(enumerate(self._values[regret][label]))

    def values(self, label, regret=None):
        return np.array(self._values[regret][label], float)

    def complete(self, label):
        return label in self.labels and len(self.by_run(label)) == len(self.runs)


def made_up(*tables, given=(), yardsticks=()):
    return SimpleNamespace(
        meetings=tables,
        given=given,
        labels=tuple(dict.fromkeys(label for table in tables for label in table.labels)),
        ranked=lambda label: label not in yardsticks,
        told=TOLD.__getitem__,
    )


def chosen(found, kind):
    return {one.knows: one.label for one in advice.advise(found) if one.kind == kind}


def test_the_least_geometric_mean_is_chosen_among_those_that_can_be_told_enough():
    stays = Table("stationary", RAND=[100, 102], plain=[50, 52], timed=[20, 21], told=[60, 61])
    fresh = Table("fresh-2", RAND=[200, 200], plain=[100, 90], timed=[190, 200], told=[8, 9])
    found = made_up(stays, fresh)
    assert chosen(found, STAYS) == {"nothing": "plain", "T": "timed", "S or V_T": "timed"}
    # Over both: plain 0.49, timed sqrt(0.2 0.98) = 0.44, told sqrt(0.6 0.04) = 0.16.
    assert chosen(found, ANY) == {"nothing": "plain", "T": "timed", "S or V_T": "told"}
    (best,) = (one for one in advice.advise(found) if (one.kind, one.knows) == (ANY, "S or V_T"))
    expected = math.sqrt((60.5 / 101) * (8.5 / 200))
    assert best.to_chance.value == pytest.approx(expected)
    assert best.second == "timed" and best.sure
    assert best.to_second.value == pytest.approx(math.sqrt((60.5 / 20.5) * (8.5 / 195)))
    assert best.worlds == ("stationary", "fresh-2") and not best.honest


def test_two_that_chance_explains_are_not_told_apart():
    world = Table("stationary", RAND=[100, 100, 100], plain=[30, 60, 40], timed=[60, 25, 50])
    one = next(one for one in advice.advise(made_up(world)) if one.knows == "T")
    assert one.label == "plain" and one.second == "timed" and not one.sure


def test_borda_regret_decides_where_borda_scores_count():
    scores = {"RAND": [50, 50], "plain": [40, 40], "timed": [10, 10]}
    world = Table("stationary", borda=scores, RAND=[50, 50], plain=[10, 10], timed=[40, 40])
    found = made_up(world)
    assert chosen(found, BORDA)["T"] == "timed" and chosen(found, STAYS)["T"] == "plain"


def test_regret_that_is_not_positive_counts_as_one_percent_or_next_to_nothing_if_alone():
    world = Table("walk", RAND=[100, 100], plain=[-50, -60], timed=[1, 1.5])
    other = Table("drift", RAND=[10, 10], plain=[10, 10], timed=[10, 10])
    scores = Scores(made_up(world, other), [world, other])
    assert scores.ratio("plain", "RAND").value == pytest.approx(math.sqrt(0.01 * 1))
    assert scores.ratio("plain", "RAND").high == pytest.approx(math.sqrt(0.01 * 1))
    alone = Scores(made_up(world), [world])
    assert alone.ratio("plain", "RAND").value == pytest.approx(1e-4)
    assert alone.ratio("timed", "RAND").value == pytest.approx(0.0125)
    idle = Table("cyclic", RAND=[-3, 1], plain=[1, 1])
    assert chosen(made_up(idle), ANY) == {}  # where RAND regrets nothing nobody can be compared
    both = made_up(world, idle)
    assert {one.worlds for one in advice.advise(both)} == {("walk",)}


def test_from_eight_runs_on_one_half_chooses_and_the_other_judges():
    """Lucky is best in the half that chooses and poor in the other: it is chosen, and found out."""
    runs = {"RAND": [100] * 8, "plain": [10] * 4 + [90] * 4, "timed": [50, 51] * 4}
    one = next(
        one for one in advice.advise(made_up(Table("stationary", **runs))) if one.knows == "T"
    )
    assert one.honest and one.label == "plain"
    assert one.to_chance.value == pytest.approx(0.9) and not one.sure
    assert advice.overall(made_up(Table("stationary", **runs)))["plain"].value == pytest.approx(0.5)


def test_yardsticks_and_those_who_lack_runs_are_not_chosen():
    world = Table("stationary", RAND=[100, 100], plain=[1], timed=[2, 2], told=[50, 50])
    found = made_up(world, yardsticks=("timed",))
    assert chosen(found, STAYS)["S or V_T"] == "told"


def test_data_of_ones_own_is_a_kind_of_its_own():
    usual = Table("stationary", RAND=[10, 10], plain=[1, 1], timed=[5, 5])
    mine = Table("mine", RAND=[10, 10], plain=[5, 5], timed=[1, 1])
    found = made_up(usual, mine, given=(mine,))
    assert chosen(found, GIVEN)["T"] == "timed" and chosen(found, ANY)["T"] == "plain"


@pytest.mark.compiled
def test_sentences_say_who_and_what_to_beware_of(tmp_path_factory):
    found = league.read(tiny_league.played(tmp_path_factory))
    ranking, given = league.rank(found), league.advise(found)
    answers = wording.answers(found, ranking, given)
    assert answers[0].when == "On your data, whatever you can tell it"
    asked = [one.when for one in answers]
    assert asked[1] in ("If you can tell it T, and S or V_T", "Whatever you can tell it")
    assert len(set(asked)) == len(asked)
    assert any(
        "same runs" in text or "also measured" in text
        for text in wording.warnings(found, ranking, given)
    )
    pairs = wording.pairs(found, ranking)
    assert ("SYM-EXP3.S", "DEX3.S corrected") in pairs
    assert (tiny_league.OWN, ranking.labels[0]) in pairs


def test_counting_and_listing():
    def duel(low, high):
        return HeadToHead("w", Estimate((low + high) / 2, low, high), UNKNOWN, 5)

    told = wording.counted([duel(-2, -1), duel(1, 2), duel(-1, 1), duel(math.nan, math.nan)])
    assert told == "better on 1, worse on 1, not told apart on 2 of 4 worlds"
    wide = HeadToHead("w", Estimate(-2, -3, -1), Estimate(0.8, 0.5, 1.3), 5)
    assert wide.winner == -1  # the ratio is what is shown, so it decides
    assert wide._replace(ratio=Estimate(0.8, 0.7, 0.9)).winner == 0
    assert wide._replace(ratio=Estimate(1.2, 1.1, 1.3)).winner == 1
    assert listed(list("abcdef")) == "a, b, c, d and 2 more"
    alone = Ranking(("RAND",), np.array([1.0]), ("w",), np.array([[1.0]]))
    assert wording.tested(alone) == "There is no other learner to compare with."
    assert math.isnan(alone.distance) and alone.groups == ()
    tied = Ranking(("a", "b"), np.array([1.5, 1.5]), ("v", "w"), np.full((2, 2), 1.5))
    assert "do not differ by more than chance" in wording.tested(tied)
    assert share(Estimate(*[math.nan] * 3)) == "an unknown part"


def test_an_answer_says_what_to_type():
    entrant = sparring.Entrant("monitored_db", scale=0.5)
    assert (
        wording.called(entrant, "S or V_T")
        == "sparring.learners.monitored_db(K, T, S=..., scale=0.5)"
    )
    assert wording.called(sparring.Entrant("tracker"), "nothing") == "sparring.tracker(K)"
    assert wording.called(sparring.Entrant("rex3"), "T") == "sparring.rex3(K, T)"
