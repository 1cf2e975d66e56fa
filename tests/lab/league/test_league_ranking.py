"""Ranks, tests and critical differences against SciPy, printed tables and worked examples."""

import math

import numpy as np
import pytest
from scipy import stats

import tiny_league
from sparring.lab import league
from sparring.lab.league.contenders import ORACLE
from sparring.lab.league.ranking import (
    critical_difference,
    groups,
    iman_davenport,
    quantile,
    ranks_of,
)
from sparring.lab.league.wording import tested as told

# The example of Demsar, JMLR 7 (2006), Table 6: AUC of four decision trees on 14 data sets.
TREES = """
.763 .768 .771 .798
.599 .591 .590 .569
.954 .971 .968 .967
.628 .661 .654 .657
.882 .888 .886 .898
.936 .931 .916 .931
.661 .668 .609 .685
.583 .583 .563 .625
.775 .838 .866 .875
1.000 1.000 1.000 1.000
.940 .962 .965 .962
.619 .666 .614 .669
.972 .981 .9751 .975
.957 .978 .946 .970
"""
PRINTED = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]  # his Table 5 (a)


def test_ranks_are_scipys(rng):
    for k, N in ((2, 1), (5, 7), (30, 16)):
        values = rng.integers(0, 6, size=(k, N)).astype(float)  # with ties
        assert np.array_equal(ranks_of(values), stats.rankdata(values, axis=0))


def test_the_worked_example():
    """Mean ranks 3.143, 2.000, 2.893, 1.964; chi^2 = 9.28, F = 3.69; CD = 1.25."""
    accuracy = np.array([line.split() for line in TREES.split("\n") if line], float).T
    ranks = ranks_of(-accuracy)
    assert ranks.mean(axis=1) == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    assert critical_difference(4, 14) == pytest.approx(2.569 * math.sqrt(20 / 84), abs=1e-3)
    # He does not correct for ties; corrected, chi^2 is SciPy's.
    chi_squared = stats.friedmanchisquare(*accuracy).statistic
    F = 13 * chi_squared / (14 * 3 - chi_squared)
    assert iman_davenport(ranks) == pytest.approx(stats.f.sf(F, 3, 39))
    assert 3.69 < F < 4.2


def test_quantiles_are_the_printed_ones():
    assert [quantile(k) for k in range(2, 11)] == pytest.approx(PRINTED, abs=1e-3)
    assert quantile(2) == pytest.approx(1.959964, abs=1e-5)


def test_where_a_test_has_nothing_to_say():
    assert math.isnan(iman_davenport([[1.0, 1.0]])) and math.isnan(iman_davenport([[1.0], [2.0]]))
    assert iman_davenport([[1.5, 1.5], [1.5, 1.5]]) == 1.0
    assert iman_davenport(ranks_of([[1, 1, 1], [2, 2, 2]])) == 0.0


def test_groups_are_all_rows_that_no_difference_parts(rng):
    for _ in range(50):
        ranks = np.sort(rng.uniform(1, 8, size=8))
        found = groups(ranks, 1.5)
        together = {(a, b) for i, j in found for a in range(i, j) for b in range(a + 1, j)}
        near = {(a, b) for a in range(8) for b in range(a + 1, 8) if ranks[b] - ranks[a] <= 1.5}
        assert together == near
        inside = [
            (i, j) for i, j in found for m, n in found if (m, n) != (i, j) and m <= i <= j <= n
        ]
        assert not inside  # none within another


@pytest.mark.compiled
def test_the_ranking_of_a_league_is_by_mean_regret(tmp_path_factory):
    found = league.read(tiny_league.played(tmp_path_factory))
    ranking = league.rank(found)
    assert set(ranking.labels) == {*tiny_league.LABELS, tiny_league.OWN} - {ORACLE}
    assert ranking.worlds == tuple(one.name for one in found.meetings[:-1])  # not ones own
    for world, column in zip(found.meetings, ranking.table.T, strict=False):
        means = [world.values(label).mean() for label in ranking.labels]
        assert np.array_equal(column, stats.rankdata(means))
    assert np.array_equal(ranking.ranks, ranking.table.mean(axis=1))
    assert (np.diff(ranking.ranks) >= 0).all()
    assert sum(ranking.wins.values()) >= len(ranking.worlds)
    first = ranking.labels[0]
    near = [
        label
        for label in ranking.labels[1:]
        if ranking.mean_rank[label] - ranking.ranks[0] <= ranking.distance
    ]
    assert list(ranking.beside(first)) == near
    assert f"differ by more than {ranking.distance:.2f}" in told(ranking)
    assert "which these are not" in told(ranking)
