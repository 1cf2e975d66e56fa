"""What became of guarantees: in files, on the page, in a figure."""

import json
import math
import re

import numpy as np
import pytest

from sparring.lab import coverage, draw
from sparring.lab.comparison import compare
from sparring.lab.page import report_page as page
from sparring.lab.results import ResultsError

pytestmark = pytest.mark.compiled

ABOUT = {"says": "Thm <3>", "world": "Cyclic()"}
FOUND = [
    coverage.judge(np.linspace(-1, 0.9, 400), 0.05, name="DEX3.P best", **ABOUT, bound=12.0),
    coverage.judge(np.full(400, math.inf), 0.05, name="DEX3.S", **ABOUT, printed=True, bound=-1.0),
]


def test_what_is_written_is_read(tmp_path):
    assert coverage.read(tmp_path) == []
    coverage.write(tmp_path / "new", FOUND)
    assert coverage.read(tmp_path / "new") == FOUND


@pytest.mark.parametrize("text", ["", "{", "[1]", "[{}]", "null", "\\ud800"])
def test_a_damaged_file_is_said_to_be(text, tmp_path):
    (tmp_path / "coverage.json").write_text(text)
    with pytest.raises(ResultsError, match=r"coverage\.json is damaged.*sparring coverage"):
        coverage.read(tmp_path)


def test_a_field_that_is_missing_is_damage(tmp_path):
    path = coverage.write(tmp_path, FOUND)
    cases = json.loads(path.read_text())
    for name in ("name", "says", "world", "printed", "delta", "ratios", "failures", "allowed"):
        lacking = [{key: value for key, value in cases[0].items() if key != name}]
        path.write_text(json.dumps(lacking))
        with pytest.raises(ResultsError):
            coverage.read(tmp_path)


def test_the_page_has_a_row_for_each_guarantee():
    text = page([], [], command="sparring", covered=FOUND)
    rows = re.findall(r'<th scope="row">(.*?)</tr>', text, re.DOTALL)
    assert len(rows) == 2
    assert "DEX3.P best: Thm &lt;3&gt;" in rows[0] and "0 of 400" in rows[0]
    assert "holds" in rows[0] and "DEX3.P best" in text.partition('id="coverage"')[2]
    assert "400 of 400" in rows[1] and "does not hold" in rows[1]
    assert 'href="#guarantees"' in text
    assert 'id="guarantees"' not in page([], [], command="sparring")


def test_the_figure_has_each_guarantee(tmp_path):
    (path,) = draw.save(draw.coverage_figure(FOUND), tmp_path, "c", formats="svg")
    text = path.read_text()
    assert "DEX3.P best: Thm &lt;3&gt;" in text
    assert "0 failed, 38 allowed" in text
    assert "400 failed, 38 allowed" in text


def test_what_is_no_number_has_failed():
    assert coverage.judge(np.array([math.nan, 0.5]), 0.05, name="", **ABOUT).failures == 1


def test_no_guarantee_has_no_figure():
    with pytest.raises(ValueError, match="one guarantee or more"):
        draw.coverage_figure([])


def test_few_runs_refute_nothing():
    assert coverage.judge(np.array([-2.0]), 0.05, name="", **ABOUT).refutable == 0.0


@pytest.mark.parametrize("sizes", [{"S": 2}, {"V_T": 1.0}], ids=str)
def test_a_comparison_has_bounds_on_both_sides_of_what_was_measured(sizes, tmp_path):
    found = compare(3, 30_000, **sizes, runs=3)
    assert found.T[-1] == found.played[-1] == 30_000
    assert set(found.measured) == {*found.upper, "RAND"}
    for label, regrets in found.measured.items():
        assert regrets.shape == (len(found.played), 3)
        lower = np.interp(found.played, found.T, found.lower)
        assert (regrets.mean(axis=1) > lower).all()
        upper = np.interp(found.played, found.T, found.upper.get(label, found.trivial))
        assert (regrets.max(axis=1) < upper).all()
    assert (found.upper["DEX3.S best"] <= found.upper["DEX3.S corrected"]).all()
    json.dumps(found.to_json())
    (path,) = draw.save(draw.bounds_figure(found), tmp_path, "b", formats="svg")
    assert "lower bound" in path.read_text()


def test_a_comparison_needs_one_of_two_sizes_and_a_long_enough_horizon():
    with pytest.raises(ValueError, match="give S or V_T, not both"):
        compare(3, 1000)
    with pytest.raises(ValueError, match="give S or V_T, not both"):
        compare(3, 1000, S=2, V_T=1.0)
    with pytest.raises(ValueError, match=r"no theorem applies to Problem.*from which T on"):
        compare(10, 100, S=10)
