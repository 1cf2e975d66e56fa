"""The figure of what is shown says what the table says, light and dark."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

import sparring
from places import ROOT
from sparring.lab.draw import save, shown_figure
from sparring.lab.draw.settings import DARK, INK
from sparring.lab.draw.shown import COLOURS
from sparring.lab.draw.styles import TONES

pytestmark = pytest.mark.compiled  # no kernel is tested here

P = np.array([[0.5, 0.9, 0.9], [0.1, 0.5, 0.5], [0.1, 0.5, 0.5]])
WORLD = sparring.worlds.Recorded([P, P[::-1, ::-1]], T=600)
BEST = [0, 0, 0, 2, 2, 2]
NAMES = ["tea", "cocoa", "$1 juice"]


@pytest.fixture(scope="module")
def table():
    entrants = {"RAND": "rand", "ours": "tracker"}
    return sparring.simulate(WORLD, entrants, runs=3, checkpoints=6, plays=True)


def texts(figure):
    return [text.get_text() for text in figure.texts]


def test_the_share_of_the_favourite_is_that_of_the_plays(table):
    """Counted by hand from the cumulated plays, of all arms shown in all runs."""
    figure = shown_figure(table, BEST, names=NAMES, title="Who keeps up?")
    for entrant in ("RAND", "ours"):
        right = shown = 0
        for run in range(3):
            rows = table.filter(entrant=entrant, run=run).sort("t")["plays"].to_list()
            before = np.zeros(3)
            for now, arm in zip(rows, BEST, strict=True):
                right += now[arm] - before[arm]
                before = np.array(now)
            shown += before.sum()
        place = texts(figure).index(entrant)
        assert texts(figure)[place + 1] == f"shows the favourite {right / shown:.0%} of the time"
    assert figure.axes[-1].get_xlabel() == "pairs shown so far (mean of 3 runs)"


def test_a_band_is_as_high_as_its_shares(table):
    rand = shown_figure(table, BEST, names=NAMES).axes[1]
    mean = np.mean(table.filter(entrant="RAND", t=100)["plays"].to_list(), axis=0)
    tops = {to_hex(one.get_facecolor()): one.get_data().values[0] for one in rand.patches}
    wanted = (mean / mean.sum()).cumsum()
    for colour, top in zip(COLOURS, wanted, strict=False):
        assert tops[TONES[colour][0]] == pytest.approx(top)


def test_the_crowd_s_favourites_are_named_where_they_rule(table):
    strip = shown_figure(table, BEST, names=NAMES).axes[0]
    assert [(text.get_text(), text.get_position()[0]) for text in strip.texts] == [
        ("tea", 150),
        ("$1 juice", 450),
    ]


def test_the_dark_figure_differs_in_colours_only(table, tmp_path):
    light, dark = (shown_figure(table, BEST, names=NAMES, dark=dark) for dark in (False, True))
    assert texts(light) == texts(dark)
    assert {text.get_color() for text in light.texts} == {INK}
    assert {text.get_color() for text in dark.texts} == {DARK["text.color"]}
    (path,) = save(dark, tmp_path, "dark", formats="svg", transparent=True)
    assert DARK["figure.facecolor"].lower() not in path.read_text()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"best": [0, 0, 2]}, "best must be one of 3 arms for each of 6 stretches"),
        ({"best": [0, 0, 0, 3, 3, 3]}, "best must be"),
        ({"names": ["tea", "cocoa"], "best": [0, 0, 0, 1, 1, 1]}, "names must be"),
    ],
)
def test_what_does_not_fit_is_refused(table, change, words):
    given = {"best": BEST, "names": NAMES} | change
    with pytest.raises(ValueError, match=words):
        shown_figure(table, **given)


def test_a_table_without_plays_is_refused():
    table = sparring.simulate(WORLD, "rand", runs=1)
    with pytest.raises(ValueError, match="plays=True"):
        shown_figure(table, [0], names=NAMES)


@pytest.mark.parametrize("name", ["front-light", "front-dark"])
def test_the_front_page_s_picture_is_small(name):
    assert (ROOT / "docs" / "figures" / f"{name}.svg").stat().st_size < 100_000
