"""The report as text: what is in it, in which order, and that no data becomes markup."""

import html
import json
import re
import shutil
from pathlib import Path

import pytest

from browser.tiny_results import (
    COMMAND,
    EXPERIMENTS,
    HOSTILE,
    LONE,
    RUNS,
    VERDICTS,
    play,
    play_lone,
    shown,
)
from sparring.lab import report, styles
from sparring.lab.report import charts, looks, wording
from sparring.lab.report.verdicts import sentence
from sparring.lab.results import ResultsError
from sparring.lab.summaries import read

pytestmark = pytest.mark.compiled  # no kernel is tested here


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return play(tmp_path_factory)


@pytest.fixture(scope="module")
def summaries(folder):
    return shown(folder)


@pytest.fixture(scope="module")
def text(summaries):
    return report.page(summaries, VERDICTS, command=COMMAND)


def visible(markup):
    """What a reader sees of some HTML, scripts and styles left out."""
    bare = re.sub(r"<(script|style)\b.*?</\1>", "", markup, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", bare)).split())


def section(text, name):
    return re.search(rf'<section class="panel" id="panel-{name}".*?</section>', text, re.DOTALL)[0]


def test_panels_of_the_paper_come_first_in_its_order(text):
    found = re.findall(r'<section class="panel" id="panel-([^"]+)"', text)
    assert found == ["first", "second", "below-zero", "floor", "bound", "variation"]


def test_the_head_counts_the_claims_and_says_how_to_make_it_again(text):
    head = visible(text.partition("<main>")[0])
    assert "Of 4 claims of the paper, 1 holds, 1 does not, 2 cannot be decided at this" in head
    assert "Of 1 statement about the further panels, 1 holds, 0 do not, 0 cannot" in head
    assert COMMAND in head
    assert f"Seed 0Runs of each point {RUNS}".replace(" ", "") in head.replace(" ", "")
    assert re.search(r"Results made ?20\d\d-\d\d-\d\d", head)
    assert "sparring 0." in head and "numpy" in head
    assert "Saha and S. Gupta" in head
    assert sentence([]) == "No claims were checked."


def test_no_data_becomes_markup(text):
    assert "<img" not in text
    assert text.count("</script>") == len(EXPERIMENTS) + 2
    assert visible(text).count(HOSTILE) > 5
    assert "\n" not in re.search(r'class="data">(.*?)</script>', text, re.DOTALL)[1]


def test_every_mean_is_in_its_table(text, summaries):
    for summary in summaries:
        seen = visible(section(text, summary.name))
        for curve in (*summary.curves, *summary.lines):
            for mean, sd in zip(curve.mean, curve.sd, strict=True):
                assert wording.pair(mean, sd) in seen
        for slope in summary.slopes:
            assert wording.quantity(slope.fitted.value) in seen
            assert wording.quantity(slope.last.high) in seen
        for point in summary.realised:
            assert wording.size(round(point.V_T, 6)) in seen


def test_data_for_the_charts_are_the_numbers_of_the_summaries(text, summaries):
    for summary in summaries:
        data = json.loads(re.search(r'class="data">(.*?)</script>', section(text, summary.name))[1])
        for view, curves in (
            ("axis", (*summary.curves, *summary.lines)),
            ("time", summary.over_time),
        ):
            drawn = data["views"][view]["curves"]
            assert [one["label"] for one in drawn] == [curve.label for curve in curves]
            for one, curve in zip(drawn, curves, strict=True):
                assert one["mean"] == pytest.approx(curve.mean.tolist(), rel=1e-6)
                assert one["sd"] == pytest.approx(curve.sd.tolist(), rel=1e-6)


def test_what_a_logarithmic_axis_cannot_show_is_told(text, summaries):
    (below,) = (one for one in summaries if one.name == "below-zero")
    assert charts.left_out(below) == [("REX3", 1000), ("REX3", 4000)]
    assert "2 points are not on the logarithmic axis" in visible(section(text, "below-zero"))
    assert "not on the logarithmic" not in visible(section(text, "first"))


def test_where_nothing_is_positive_axes_are_linear(summaries):
    (below,) = (one for one in summaries if one.name == "below-zero")
    assert charts.logarithmic(below)
    below.curves = tuple(curve._replace(mean=-abs(curve.mean)) for curve in below.curves)
    try:
        assert not charts.logarithmic(below) and charts.left_out(below) == []
    finally:
        del below.curves


def test_a_whole_page_has_no_notice_and_a_broken_one_has(tmp_path, folder, text):
    assert 'class="notice"' not in text
    folder = shutil.copytree(folder, tmp_path / "results")
    gone, broken = sorted((folder / "first" / "parts").glob("*/*.parquet"))[:2]
    gone.unlink()
    broken.write_bytes(b"PAR1 of something else")
    page = report.page(shown(folder), VERDICTS, command="")
    assert "Not all results are here. See first." in visible(page)
    seen = visible(section(page, "first"))
    assert "Not complete. 4 of 4 points have results, of " in seen and "3 are wanted" in seen
    assert f"Damaged. 1 part is not what was written, and left out: {broken.name}" in seen
    assert "1 to 3 runs" in seen


def test_a_missing_point_is_told(tmp_path, folder):
    folder = shutil.copytree(folder, tmp_path / "results")
    shutil.rmtree(folder / "first" / "parts" / "T=1125")
    page = report.page(shown(folder), (), command="")
    assert "3 of 4 points have results" in visible(section(page, "first"))


def test_one_point_of_one_run(tmp_path):
    page = report.page(read(play_lone(tmp_path)), (), command="make")
    seen = visible(section(page, LONE.name))
    assert "mean of 1 run." in seen and "unknown" in seen and "nan" not in page


def test_a_page_of_nothing():
    assert "No claims were checked." in report.page((), (), command="")


def test_claims_link_to_the_panels_that_are_there(text):
    rows = re.findall(r'<tr role="row" class="verdict".*?</tr>', text, re.DOTALL)
    assert [re.search(r'href="#panel-([^"]+)"', row) is not None for row in rows] == [
        True,
        True,
        True,
        False,
        True,
    ]
    for target in re.findall(r'href="#([^"]+)"', text):
        assert f'id="{target}"' in text


def test_a_page_is_small_and_the_same_each_time(text, summaries):
    assert text == report.page(summaries, VERDICTS, command=COMMAND)
    assert len(text.encode()) < 45_000 * (len(summaries) + 2)


def test_writing_is_whole_or_explained(tmp_path, summaries, text):
    path = report.write(tmp_path / "new", summaries, VERDICTS, command=COMMAND)
    assert path.read_text(encoding="utf-8") == text
    assert [entry.name for entry in path.parent.iterdir()] == ["report.html"]
    (tmp_path / "file").touch()
    with pytest.raises(ResultsError, match="cannot write"):
        report.write(tmp_path / "file", summaries, VERDICTS, command=COMMAND)


def test_history_of_any_shape_is_shown(folder):
    summaries = shown(folder)
    summaries[0].history = [{}, {"command": 1, "versions": [2], "began": None, "machine": HOSTILE}]
    assert "from Python" in report.page(summaries, (), command="")


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_curves_stand_out_from_both_pages():
    style = (Path(report.__file__).parent / "page.css").read_text(encoding="utf-8")
    pages = re.search(r"--page: light-dark\((#\w+), (#\w+)\)", style).groups()
    for tones in looks.TONES.values():
        for tone, page in zip(tones, pages, strict=True):
            low, high = sorted((luminance(tone), luminance(page)))
            assert (high + 0.05) / (low + 0.05) >= 3, (tone, page)


def test_each_learner_of_a_panel_looks_different():
    for labels in (
        ("RAND", "REX3", "DEX3.P", "DEX3.S", "DEX3.S corrected", "irreducible"),
        ("RAND", "S known", "S known, corrected", "S unknown", "S unknown, corrected"),
        ("RAND", "DEX3.S corrected", "Borda-DEX3.S", "Borda-DEX3.S corrected"),
    ):
        found = list(looks.looks(labels).values())
        for column in zip(*found, strict=True):
            assert len(set(column)) == len(column)


def test_the_page_has_a_colour_and_an_outline_for_every_style_of_the_figures():
    assert set(styles.COLOURS) | {style.colour for style in styles.STYLES.values()} == set(
        looks.TONES
    )
    assert {*styles.MARKERS, ""} == set(looks.MARKERS)
    assert len(set(looks.MARKERS.values())) == len(looks.MARKERS)
