"""The parts of a page that says how arms stand."""

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.charts.page import isolates
from sparring.charts.standing import SHADES, Standing, met, told_apart
from sparring.formats import isolated

pytestmark = pytest.mark.compiled  # no kernel is tested here


def standing(key=0, places=(1, 1), **more):
    """An arm that wins 72% ± 3."""
    told = {"name": f"arm {key}", "coloured": False, "share": "72% ± 3", "first": "5%"}
    told |= {"at": 0.6, "low": 0.5, "high": 0.7, "change": "0", "shown": 10}
    return Standing(key=key, places=places, **(told | more))


@given(st.integers(0, 40), st.integers(0, 40))
def test_a_pair_is_as_strong_one_way_as_the_other(won, lost):
    wins = np.array([[0.0, won], [lost, 0.0]])
    ((same, one), (other, _)) = met(["a", "b"], wins, wins + wins.T)
    assert same.kind == "none" and same.votes == ""
    if not won + lost:
        assert one.share == other.share == "never"
        return
    assert one.won + other.won == pytest.approx(1)
    assert one.kind == other.kind.replace("loses", "wins") or won <= lost
    assert ("few" in one.kind) == (won + lost < 20)
    assert one.votes == str(won + lost)


def test_shades_grow_with_the_share_and_with_the_votes():
    def level(won, many):
        wins = np.array([[0.0, won * many], [(1 - won) * many, 0.0]])
        kind = met(["a", "b"], wins, wins + wins.T)[0][1].kind.split()[0]
        return 0 if kind == "even" else int(kind.split("-")[1])

    assert level(0.5, 1000) == 0 and level(0.8, 100_000) == SHADES == level(1.0, 100_000)
    assert level(0.6, 1000) < level(0.7, 1000) < level(0.8, 1000)
    assert level(0.8, 2) < level(0.8, 20) < level(0.8, 1000)


def test_places_are_drawn_only_if_they_tell_something():
    assert told_apart([standing(k, (k + 1, k + 1)) for k in range(5)])
    assert not told_apart([standing(k, (1, 5)) for k in range(5)])
    assert not told_apart([])


def test_a_bar_spans_its_places():
    bar = ElementTree.fromstring(str(standing(places=(2, 4)).bar(8)))
    rect = bar.find("rect")
    begin, wide = (float(rect.get(name).rstrip("%")) for name in ("x", "width"))
    assert 12.5 <= begin < 14 and 49 < begin + wide <= 50
    assert bar.find("text").text == "2\N{EN DASH}4"


def test_an_interval_holds_its_point():
    svg = ElementTree.fromstring(str(standing().interval(0.5)))
    rect, point = svg.find("rect"), svg.find("circle")
    begin, wide = (float(rect.get(name).rstrip("%")) for name in ("x", "width"))
    assert begin < float(point.get("cx").rstrip("%")) < begin + wide


@given(st.text(), st.text())
def test_names_between_isolates_become_elements(before, name):
    text = before.replace("\u2068", "").replace("\u2069", "") + isolated(f"{name}\u05d4")
    found = str(isolates(text))
    assert found.count("<bdi>") == found.count("</bdi>") == 1
    assert "<script" not in found.replace("<bdi>", "").replace("</bdi>", "")


def test_isolates_without_an_end_stay_text():
    assert str(isolates("\u2068a \u2068b\u2069 \u2069")) == "\u2068a <bdi>b</bdi> \u2069"
