"""Figures show what the summaries say, in files that are valid and the same each time."""

import math
from itertools import combinations
from xml.etree import ElementTree

import matplotlib
import numpy as np
import polars
import pytest
from matplotlib.text import Text

from sparring import BudgetedDrift, CondorcetSwitches, Entrant, FreshWinner, Regret, simulate
from sparring.lab import draw, results
from sparring.lab.draw import scales, style_of
from sparring.lab.draw import words as vocabulary
from sparring.lab.experiments import Experiment, run
from sparring.lab.panels import panels
from sparring.lab.summaries import Summary

pytestmark = [pytest.mark.oldest, pytest.mark.compiled]  # no kernel is tested here

STRETCHES = Regret("preference", "stretch")
WORLDS = {
    "T": [FreshWinner(K=4, T=T, S=2) for T in (200, 400, 800)],
    "K": [FreshWinner(K=K, T=400, S=2) for K in (5, 10, 20, 40)],
    "S": [FreshWinner(K=4, T=400, S=S) for S in (2, 5)],
    "V_T": [BudgetedDrift(K=4, T=400, V_T=V_T) for V_T in (2, 4)],
}


def experiment(axis="T", **changes):
    fields = {
        "name": "mine",
        "title": "Fresh winners",
        "axis": axis,
        "worlds": WORLDS[axis],
        "entrants": {"RAND": "rand", "REX3": "rex3"},
        "regret": STRETCHES,
        "slope": 1 / 2,
        "guide": "REX3",
    }
    return Experiment(**(fields | changes))


def played(folder, *, runs=3, **changes):
    run(experiment(**changes), folder, runs=runs)
    return results.Shelf(folder / "mine").read()


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    return played(tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def summary(contents):
    return Summary(contents)


def changed(contents, *, keep=True, **columns):
    """The summary of other results than were played."""
    return Summary(contents._replace(table=contents.table.filter(keep).with_columns(**columns)))


def line(axes, label):
    (found,) = [each for each in axes.get_lines() if each.get_label() == label]
    return found


def words(figure):
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def edges(band):
    """The lower and upper edge of a shade, by x."""
    found = {}
    for x, y in band.get_paths()[0].vertices:
        found.setdefault(x, set()).add(y)
    return [(x, min(ys), max(ys)) for x, ys in sorted(found.items())]


def test_a_panel_shows_means_and_deviations(summary):
    (axes,) = draw.panel_figure(summary).axes
    assert axes.get_xscale() == axes.get_yscale() == "log"
    assert len(axes.collections) == len(summary.curves) == 2
    floor = axes.get_ylim()[0]
    for curve, band in zip(summary.curves, axes.collections, strict=True):
        drawn = line(axes, curve.label).get_xydata()
        assert np.array_equal(drawn, np.column_stack([curve.x, curve.mean]))
        low = np.maximum(curve.mean - curve.sd, floor)
        assert np.allclose(edges(band), np.column_stack([curve.x, low, curve.mean + curve.sd]))
        assert (curve.sd > 0).all() and (curve.mean - curve.sd > floor).any()
    low, high = axes.get_ylim()
    means = np.concatenate([curve.mean for curve in summary.curves])
    assert low < means.min() and high > max((c.mean + c.sd).max() for c in summary.curves)


@pytest.mark.parametrize("slope", [1 / 2, 2 / 3, 1])
def test_the_dotted_line_has_theorys_slope_through_the_last_point(contents, slope):
    about = {**contents.about, "experiment": experiment(slope=slope).to_json()}
    summary = Summary(contents._replace(about=about))
    (axes,) = draw.panel_figure(summary).axes
    (_, guided) = summary.curves
    (x0, y0), (x1, y1) = line(axes, f"∝ {vocabulary.growth_of('T', slope)}").get_xydata()
    assert (x0, x1) == (200, 800) and y1 == guided.mean[-1]
    assert math.log(y1 / y0) / math.log(x1 / x0) == pytest.approx(slope)
    assert axes.get_ylim()[0] < y0


def test_who_has_not_played_is_not_drawn(contents):
    there = polars.col("entrant") != "RAND"
    for kept in (there, there | (polars.col("x") < 800)):
        summary = Summary(contents._replace(table=contents.table.filter(kept)))
        for drawn in (draw.panel_figure(summary), draw.over_time_figure(summary)):
            assert line(drawn.axes[0], "REX3") is not None


def test_no_slope_or_no_guide_is_no_dotted_line(contents):
    for changes in ({"slope": None}, {"guide": ""}):
        about = {**contents.about, "experiment": experiment(**changes).to_json()}
        (axes,) = draw.panel_figure(Summary(contents._replace(about=about))).axes
        assert [each.get_label() for each in axes.get_lines()] == ["RAND", "REX3"]


@pytest.mark.parametrize(
    ("world", "label", "regret"),
    [
        (BudgetedDrift(K=4, T=400, V_T=4), "irreducible", Regret("preference", "round")),
        (CondorcetSwitches(K=4, T=400, S=2), "lower bound", STRETCHES),
    ],
)
def test_lines_that_nobody_played_have_a_style_of_their_own(tmp_path, world, label, regret):
    fields = {"worlds": [world], "regret": regret, "lines": [label]}
    summary = Summary(played(tmp_path, **fields))
    (axes,) = draw.panel_figure(summary).axes
    (curve,) = summary.lines
    drawn = line(axes, label)
    assert np.array_equal(drawn.get_xydata(), np.column_stack([curve.x, curve.mean]))
    assert not style_of(label).marker and drawn.get_marker() == ""
    assert drawn.get_color() == style_of(label).colour


@pytest.mark.parametrize(
    ("axis", "title", "sizes", "growth", "ticks"),
    [
        ("T", "$T$", "K = 4, S = 2", "√$T$", None),
        ("K", "$K$", "T = 400, S = 2", "√$K$", ["5", "10", "20", "40"]),
        ("S", "$S$", "K = 4, T = 400", "√$S$", ["2", "5"]),
        ("V_T", "$V_T$", "K = 4, T = 400", "√$V_T$", ["2", "4"]),
    ],
)
def test_what_a_panel_says(tmp_path, axis, title, sizes, growth, ticks):
    fields = {"source": "Fig. 2 (a)", "regret": Regret("borda", "stretch")}
    figure = draw.panel_figure(Summary(played(tmp_path, axis=axis, **fields)))
    (axes,) = figure.axes
    assert axes.get_xlabel() == title and axes.get_ylabel() == "Borda regret"
    assert axes.get_title(loc="left") == "Fresh winners (Fig. 2 (a))"
    said = words(figure)
    assert f"{sizes}, mean ± sd of 3 runs" in said and f"∝ {growth}" in said
    assert not any("incomplete" in text or "not shown" in text for text in said)
    if ticks:
        assert [text.get_text() for text in axes.get_xticklabels()] == ticks
        assert len(axes.xaxis.get_minorticklocs()) == 0


def test_the_legend_covers_nothing_and_is_in_the_order_of_the_curves(summary):
    figure = draw.panel_figure(summary)
    (axes,) = figure.axes
    assert axes.get_legend().get_window_extent().x0 > axes.get_window_extent().x1
    last = {curve.label: curve.mean[-1] for curve in summary.curves}
    shown = [text.get_text() for text in axes.get_legend().get_texts()]
    assert shown == [*sorted(last, key=last.get, reverse=True), "∝ √$T$"]


def test_everything_is_within_the_figure(contents):
    long = {"entrants": {"x" * 60: "rand"}, "guide": "", "title": "many words " * 20}
    table = contents.table.filter(polars.col("entrant") == "RAND")
    table = table.with_columns(entrant=polars.lit("x" * 60), value=polars.col("value") * 1e6)
    about = {**contents.about, "experiment": experiment(**long).to_json()}
    wide = Summary(contents._replace(about=about, table=table))
    for make in (draw.panel_figure, draw.over_time_figure):
        figure = make(wide)
        (axes,) = figure.axes
        inner, outer = axes.get_tightbbox(), figure.bbox
        assert inner.x0 >= 0 and inner.y0 >= 0 and inner.x1 <= outer.x1 and inner.y1 <= outer.y1


def test_all_axes_are_of_one_size(tmp_path, summary):
    other = Summary(played(tmp_path, axis="V_T", guide=""))
    sizes = [
        (*figure.get_size_inches(), *figure.axes[0].get_position().bounds)
        for each in (summary, other)
        for figure in (draw.panel_figure(each), draw.over_time_figure(each))
    ]
    assert len(set(sizes)) == 1


@pytest.mark.parametrize(
    ("labels", "note"),
    [(["REX3"], "1 mean ≤ 0 not shown"), (["RAND", "REX3"], "2 means ≤ 0 not shown")],
)
def test_means_that_are_not_positive_are_left_out_and_counted(contents, labels, note):
    below = polars.col("entrant").is_in(labels) & (polars.col("x") == 200)
    value = polars.when(below).then(900.0 * (polars.col("run") == 0) - 400).otherwise("value")
    summary = changed(contents, value=value)
    figure = draw.panel_figure(summary)
    (axes,) = figure.axes
    floor = axes.get_ylim()[0]
    assert axes.get_yscale() == "log" and floor > 0 and note in words(figure)
    for curve, band in zip(summary.curves, axes.collections, strict=True):
        drawn = line(axes, curve.label).get_ydata()
        assert np.isnan(drawn).tolist() == [curve.label in labels, False, False]
        assert np.array_equal(drawn[1:], curve.mean[1:])
        high = curve.mean + curve.sd  # what is positive of the band is drawn all the same
        assert np.allclose(
            edges(band)[0], (200, np.maximum(curve.mean - curve.sd, floor)[0], high[0])
        )


def test_a_band_down_to_nothing_does_not_flatten_the_curves(contents):
    # At the first point the runs have 500, 100 and 100: 233 less a deviation of 231.
    value = polars.when(polars.col("x") == 200).then(100 + 400 * (polars.col("run") == 0))
    (axes,) = draw.panel_figure(changed(contents, value=value.otherwise(1000.0))).axes
    assert 233 / 4 < axes.get_ylim()[0] < 233 / 2


def test_without_a_positive_mean_the_axis_is_linear(contents):
    summary = changed(contents, value=-polars.col("value"))
    figure = draw.panel_figure(summary)
    (axes,) = figure.axes
    assert axes.get_yscale() == "linear" and len(axes.get_lines()) == 2
    assert not any("not shown" in text for text in words(figure))
    for curve, band in zip(summary.curves, axes.collections, strict=True):
        assert np.array_equal(line(axes, curve.label).get_ydata(), curve.mean)
        low, high = curve.mean - curve.sd, curve.mean + curve.sd
        assert np.allclose(edges(band), np.column_stack([curve.x, low, high]))


def test_an_incomplete_panel_says_so(contents):
    fewer = changed(contents, keep=(polars.col("x") < 800) | (polars.col("run") < 2))
    said = words(draw.panel_figure(fewer))
    assert "incomplete" in said and "K = 4, S = 2, mean ± sd of 2 to 3 runs" in said
    shorter = changed(contents, keep=polars.col("x") < 800)
    for make in (draw.panel_figure, draw.over_time_figure):
        figure = make(shorter)
        assert "incomplete: 2 of 3 points" in words(figure)
    assert "K = 4, T = 400, S = 2, mean ± sd of 3 runs" in words(figure)


def test_one_point_and_one_run_are_drawn(contents, tmp_path):
    alone = changed(contents, keep=(polars.col("x") == 400) & (polars.col("run") == 0))
    for make in (draw.panel_figure, draw.over_time_figure):
        figure = make(alone)
        (axes,) = figure.axes
        assert not axes.collections and any("one run" in text for text in words(figure))
        assert all(np.isfinite(axes.get_xlim())) and axes.get_ylim()[0] < axes.get_ylim()[1]
        draw.save(figure, tmp_path, "alone")
    draw.save(draw.overview([alone]), tmp_path, "alone")


def test_an_axis_from_zero_is_linear(tmp_path):
    still = [BudgetedDrift(K=4, T=400, V_T=V_T) for V_T in (0, 4)]
    entrants = {"RAND": "rand"}
    contents = played(tmp_path, axis="V_T", worlds=still, entrants=entrants, guide="RAND")
    (axes,) = draw.panel_figure(Summary(contents)).axes
    assert axes.get_xscale() == "linear" and len(axes.get_lines()) == 1
    assert [text.get_text() for text in axes.get_xticklabels()] == ["0", "4"]


def test_over_time_shows_the_last_point_on_linear_axes(summary):
    (axes,) = draw.over_time_figure(summary).axes
    assert axes.get_xscale() == axes.get_yscale() == "linear"
    for curve, band in zip(summary.over_time, axes.collections, strict=True):
        assert curve.x[-1] == 800
        drawn = line(axes, curve.label).get_xydata()
        assert np.array_equal(drawn, np.column_stack([curve.x, curve.mean]))
        low, high = curve.mean - curve.sd, curve.mean + curve.sd
        assert np.allclose(edges(band), np.column_stack([curve.x, low, high]))


def test_an_overview_has_one_legend_for_all_panels(tmp_path, summary):
    entrants = {"DEX3.P": "rand", "mine": "rand", "RAND": "rand"}
    other = Summary(played(tmp_path, axis="K", entrants=entrants, guide="mine"))
    figure = draw.overview([summary, other, summary], columns=2)
    assert len(figure.axes) == 3
    (legend,) = figure.legends
    shown = [text.get_text() for text in legend.get_texts()]
    assert shown == ["RAND", "REX3", "DEX3.P", "mine", "mean ± sd of 3 runs"]
    assert [axes.get_ylabel() for axes in figure.axes] == ["dynamic regret", "", "dynamic regret"]
    for axes, each in zip(figure.axes, (summary, other, summary), strict=True):
        guides = [text.get_text() for text in axes.get_legend().get_texts()]
        assert guides == [f"∝ √${each.experiment.axis}$"]
        for curve in each.curves:
            assert np.array_equal(line(axes, curve.label).get_ydata(), curve.mean)
        assert axes.get_window_extent().y0 > legend.get_window_extent().y1


def test_labels_are_written_as_they_are(contents):
    odd = {"$\\foo$ <b>&amp;": "RAND", "_mine": "REX3"}
    fields = {"entrants": dict.fromkeys(odd, "rand"), "guide": "_mine", "title": "$\\bar$ 5$"}
    table = contents.table.with_columns(
        polars.col("entrant").replace({v: k for k, v in odd.items()})
    )
    about = {**contents.about, "experiment": experiment(**fields).to_json()}
    summary = Summary(contents._replace(about=about, table=table))
    for figure in (
        draw.panel_figure(summary),
        draw.over_time_figure(summary),
        draw.overview([summary]),
    ):
        assert {*odd, "$\\bar$ 5$"} <= set(words(figure))


def test_files_are_valid(summary, tmp_path):
    paths = draw.save(draw.panel_figure(summary), tmp_path / "new" / "folder", "mine")
    assert [path.name for path in paths] == ["mine.svg", "mine.pdf", "mine.png"]
    assert sorted(paths) == sorted((tmp_path / "new" / "folder").iterdir())
    svg, pdf, png = (path.read_bytes() for path in paths)
    texts = [
        "".join(each.itertext())
        for each in ElementTree.fromstring(svg).iter()
        if "text" in each.tag
    ]
    assert "REX3" in texts and "K = 4, S = 2, mean ± sd of 3 runs" in texts and len(svg) < 60_000
    assert pdf.startswith(b"%PDF") and pdf.rstrip().endswith(b"%%EOF")
    assert b"/Type3" not in pdf and b"/CIDFontType2" in pdf  # conferences refuse Type 3
    assert png.startswith(b"\x89PNG\r\n\x1a\n") and png.endswith(b"IEND\xaeB`\x82")


@pytest.mark.parametrize("kind", ["panel_figure", "over_time_figure", "overview"])
def test_files_are_the_same_each_time(kind, summary, tmp_path):
    def drawn():
        return getattr(draw, kind)([summary] if kind == "overview" else summary)

    def saved(figure, name):
        return [path.read_bytes() for path in draw.save(figure, tmp_path, name)]

    figure = drawn()
    first = saved(figure, "first")
    assert saved(figure, "second") == first
    theirs = {"font.size": 20, "svg.fonttype": "path", "ytick.major.size": 30, "axes.ymargin": 1}
    with matplotlib.rc_context(theirs):
        before = dict(matplotlib.rcParams)
        assert saved(drawn(), "third") == first
        assert dict(matplotlib.rcParams) == before


def test_a_file_that_cannot_be_written_is_explained(summary, tmp_path):
    figure = draw.panel_figure(summary)
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RuntimeError, match="cannot write"):
        draw.save(figure, tmp_path / "file", "mine")
    (tmp_path / "mine.svg").mkdir()
    with pytest.raises(RuntimeError, match="cannot write"):
        draw.save(figure, tmp_path, "mine")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "mine.svg"]


def test_what_cannot_be_drawn_or_saved_is_refused(summary, tmp_path):
    figure = draw.panel_figure(summary)
    for formats in (("svg", "jpeg"), "jpeg"):
        with pytest.raises(ValueError, match="formats must be"):
            draw.save(figure, tmp_path, "mine", formats=formats)
    with pytest.raises(ValueError, match="name must be"):
        draw.save(figure, tmp_path, "../mine")
    with pytest.raises(ValueError, match="summaries must be"):
        draw.overview([])
    with pytest.raises(ValueError, match="columns must be"):
        draw.overview([summary], columns=0)


def test_every_learner_of_the_panels_has_a_style_of_its_own():
    assert {label for panel in panels("quick").values() for label in panel.labels} <= set(
        draw.STYLES
    )
    for panel in panels("quick").values():
        styles = [style_of(label, panel.labels) for label in (*panel.labels, *panel.lines)]
        assert len({style.colour for style in styles}) == len(styles)
        assert len({style.marker for style in styles}) == len(styles)
        played = [style for style in styles if style.marker]
        assert len({style.dash for style in played}) == len(played)


def test_styles_differ_also_in_grey():
    others = [f"other {i}" for i in range(60)]
    labels = [*draw.STYLES, *others]
    styles = {label: style_of(label, labels) for label in labels}
    for one, other in combinations(labels, 2):
        assert styles[one][1:] != styles[other][1:], (one, other)
    assert {label: styles[label] for label in draw.STYLES} == draw.STYLES
    assert styles["other 3"] == style_of("other 3", labels[:20])  # more labels change no other


def test_ticks_are_few_round_and_in_view(rng):
    for _ in range(300):
        low = 10 ** rng.uniform(-3, 6)
        low, high = scales.around(low, low * 10 ** rng.choice([0, rng.uniform(0, 4)]))
        found = scales.ticks(low, high)
        assert 3 <= len(found) <= 12 and low <= found[0] and found[-1] <= high
        assert found == sorted(set(found))
        assert all(float(f"{tick:.3g}") == tick for tick in found)


def test_ticks_at_points_do_not_touch():
    assert scales.thinned([5, 10, 20, 40, 80], 4, 100) == [5, 10, 20, 40, 80]
    assert scales.thinned([10, 10.5, 20, 21, 100], 9, 110) == [10, 20, 100]


@pytest.fixture(scope="module")
def simulated():
    entrants, regrets = {"a": "rand", "b": "rex3"}, [STRETCHES, Regret("preference", "horizon")]
    sizes = {"runs": 3, "checkpoints": 10, "favourites": True}
    return polars.concat(
        simulate(FreshWinner(K=4, T=T, S=2), entrants, regrets, **sizes) for T in (200, 400)
    )


def test_curves_of_a_table_are_its_means_and_deviations(simulated):
    one = simulated.filter((polars.col("T") == 400) & (polars.col("regret") == str(STRETCHES)))
    (axes,) = draw.curves(one).axes
    assert axes.get_ylabel() == "dynamic regret" and axes.get_title(loc="left") == one["world"][0]
    for label, band in zip(("a", "b"), axes.collections, strict=True):
        rows = one.filter(entrant=label).sort("t", "run")["value"].to_numpy().reshape(-1, 3)
        x = np.arange(0, 401, 40)
        mean, sd = (np.append(0, found) for found in (rows.mean(axis=1), rows.std(axis=1, ddof=1)))
        assert np.allclose(line(axes, label).get_xydata(), np.column_stack([x, mean]))
        assert np.allclose(edges(band), np.column_stack([x, mean - sd, mean + sd]))


def test_curves_of_several_worlds_and_regrets_have_a_picture_each(simulated):
    figure = draw.curves(simulated)
    assert (figure.axes[0].get_gridspec().nrows, figure.axes[0].get_gridspec().ncols) == (2, 2)
    heads = [(axes.get_title(loc="left"), axes.get_ylabel()) for axes in figure.axes]
    kinds = ("dynamic regret", "static regret")
    assert heads == [(f"T = {T}", kind) for T in (200, 400) for kind in kinds]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b"]
    assert legend.get_title().get_text() == "mean ± sd of 3 runs"


def test_curves_take_the_table_of_a_stored_experiment_and_one_checkpoint(summary, simulated):
    assert len(draw.curves(summary.everything).axes) == len(summary.points)
    (axes,) = draw.curves(simulated.filter(t=400, regret=str(STRETCHES))).axes
    assert len(line(axes, "a").get_xdata()) == 2


def test_notes_of_a_run_are_no_regret_to_draw(tmp_path):
    changes = {
        "entrants": {"DB": Entrant("monitored_db", change=0.5, scale=0.2)},
        "guide": "",
        "slope": None,
    }
    changes |= {
        "favourites": True,
        "alarms": True,
        "worlds": [FreshWinner(K=4, T=4000, S=4, margin=0.5)],
    }
    stored = Summary(played(tmp_path, **changes)).everything
    assert {"alarm", "favourite"} < set(stored["regret"])
    (axes,) = draw.curves(stored).axes
    assert axes.get_ylabel() == "dynamic regret"


def test_what_is_no_table_of_a_simulation_is_refused(simulated):
    with pytest.raises(ValueError, match=r"table must be .*; got one without value"):
        draw.curves(simulated.drop("value"))
    with pytest.raises(ValueError, match="table must be a table with rows"):
        draw.curves(simulated.clear())
