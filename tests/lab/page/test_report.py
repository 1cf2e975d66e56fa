"""The report as text: what is in it, in which order, and that no data becomes markup."""

import html
import re
import shutil
from dataclasses import replace
from xml.etree import ElementTree

import polars
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

from sparring import BudgetedDrift, FreshWinner
from sparring import formats as numbers
from sparring.charts.page import file
from sparring.lab import page
from sparring.lab.draw import panel_figure, styles
from sparring.lab.draw.panels import panel_chart
from sparring.lab.experiments import Experiment, run
from sparring.lab.page.conclusion import conclusion, lead
from sparring.lab.page.figures import swatches
from sparring.lab.page.provenance import history
from sparring.lab.results import Shelf
from sparring.lab.summaries import Summary, read

pytestmark = [pytest.mark.oldest, pytest.mark.compiled]  # no kernel is tested here

FIRST = EXPERIMENTS[1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return play(tmp_path_factory)


@pytest.fixture(scope="module")
def summaries(folder):
    return shown(folder)


@pytest.fixture(scope="module")
def text(summaries):
    return page.report_page(summaries, VERDICTS, command=COMMAND)


def visible(markup):
    """What a reader sees of some HTML, scripts, styles and values to point at left out."""
    bare = re.sub(r"<(script|style|title)\b.*?</\1>", "", markup, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", bare)).split())


def section(text, name):
    return re.search(rf'<section class="panel" id="panel-{name}".*?</section>', text, re.DOTALL)[0]


def test_panels_of_the_paper_come_first_in_its_order(text):
    found = re.findall(r'<section class="panel" id="panel-([^"]+)"', text)
    assert found == ["first", "second", "below-zero", "floor", "bound", "variation"]


def test_it_opens_with_the_answer_then_overview_panels_claims_and_how_it_was_made(text):
    places = [
        text.index(mark)
        for mark in (
            'class="result"',
            'class="overview"',
            'class="panel"',
            'class="claims"',
            'id="made"',
        )
    ]
    assert places == sorted(places)
    assert len(re.findall(r'<a href="#panel-[^"]+"><span>', text)) == 2  # the paper's panels
    made = visible(text[places[-1] :])
    assert COMMAND in made and f"Runs of each point{RUNS}" in made and "Seed0" in made
    assert re.search(r"Results made ?20\d\d-\d\d-\d\d", made)
    assert "sparring 0." in made and "numpy" in made
    assert "Saha and S. Gupta" in visible(text[: places[0]])


def test_the_conclusion_is_three_sentences_from_the_verdicts(text, summaries):
    counted, refuted, theory = conclusion(summaries, VERDICTS)
    assert counted == (
        "Of 4 claims of the paper, 1 holds, 1 holds so far, 1 does not hold and 1 is undecided."
    )
    assert refuted == "Refuted: “Claim b” (-1,234; wanted: 0.4 to 0.6)."
    assert theory == "Of 1 statement that theory makes about the further panels, 1 holds."
    assert all(visible(sentence) in visible(text) for sentence in (counted, theory))
    held = [one for one in VERDICTS if one.verdict == "holds"]
    assert conclusion(summaries, held)[1] == "None of them is refuted."


def test_who_leads_is_found_in_the_runs_that_all_share(tmp_path):
    """A newcomer with fewer runs is compared in these, and who has none at the end in no run."""
    fields = {"name": "mine", "title": "Mine", "axis": "T", "regret": "dynamic"}
    fields["worlds"] = [FreshWinner(3, 300, S=2)]
    two = {"REX3": "rex3", "RAND": "rand"}
    run(Experiment(**fields, entrants=two), tmp_path, runs=4)
    run(Experiment(**fields, entrants=two | {"new": "dex3p"}), tmp_path, runs=2)
    (panel,) = read(tmp_path)
    assert [len(panel.values(label, 300)) for label in panel.labels] == [4, 4, 2]
    found = lead(panel)
    means = {label: panel.values(label, 300)[:2].mean() for label in panel.labels}
    assert [found.first, found.second] == sorted(means, key=means.get)[:2]
    assert found.over.value == pytest.approx(means[found.second] / means[found.first])
    contents = Shelf(tmp_path / "mine").read()
    for label, runs in (("new", 1), ("new", 0), ("RAND", 0)):
        kept = (polars.col("entrant") != label) | (polars.col("run") < runs)
        one = Summary(contents._replace(table=contents.table.filter(kept)))
        assert (label in (lead(one).first, lead(one).second)) <= bool(runs)
        assert len(conclusion([one], ())) == 2


def test_without_claims_the_conclusion_says_who_leads(summaries):
    (first,) = (one for one in summaries if one.name == "first")
    means = {curve.label: curve.mean[-1] for curve in first.curves}
    best, second = sorted(means, key=means.get)[:2]
    leads, follows = conclusion([first], ())
    assert leads == f"{best} has the least regret in the end."
    assert follows.startswith(f"Next is {second} with ") and "times as much" in follows
    (sentence,) = conclusion(summaries, ())
    assert re.fullmatch(
        r".+ ends with the least regret in \d of 6 panels \(significantly in \d\)(, .+ in \d)*\.",
        sentence,
    )


def test_an_experiment_of_ones_own_has_its_title_its_order_and_no_empty_parts(tmp_path):
    for K in (5, 10, 20):
        worlds = [FreshWinner(K=K, T=T, S=2) for T in (100, 200)]
        fields = {
            "name": f"K{K}",
            "title": f"Mine {K}",
            "worlds": worlds,
            "source": "",
            "guide": "",
        }
        run(
            replace(FIRST, entrants={"RAND": "rand", "mine": "rex3"}, **fields),
            tmp_path / "my sweep",
            runs=2,
        )
    found = page.write_report(tmp_path / "my sweep", read(tmp_path / "my sweep"), (), command="")
    text = found.read_text(encoding="utf-8")
    assert re.findall(r'<section class="panel" id="panel-([^"]+)"', text) == ["K5", "K10", "K20"]
    assert "<h1>my sweep</h1>" in text and "<h2>Panels</h2>" in text
    for absent in ("Saha", 'id="claims"', 'id="guarantees"', "Figures of the paper", "Further"):
        assert absent not in text
    alone = page.report_page(read(tmp_path / "my sweep", ("K5",)), (), command="")
    assert "<h1>Mine 5</h1>" in alone and 'class="overview"' not in alone


def test_no_data_becomes_markup(text):
    assert "<img" not in text and text.count("</script>") == 1
    assert visible(text).count(HOSTILE) > 5


def test_figures_are_svg_without_styles_and_every_id_is_there_once(text):
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    for drawing in re.findall(r"<svg id=.*?</svg>", text, re.DOTALL):
        root = ElementTree.fromstring(drawing)
        assert not any("style" in part.attrib or part.tag == "style" for part in root.iter())
        for used in re.findall(r'(?:href="|url\()#([^")]+)', drawing):
            assert used in ids


def test_every_mean_is_in_its_table_and_can_be_pointed_at(text, summaries):
    for summary in summaries:
        here = section(text, summary.name)
        seen, titles = (
            visible(here),
            html.unescape("".join(re.findall("<title>(.*?)</title>", here, re.DOTALL))),
        )
        for curve in (*summary.curves, *summary.lines):
            for mean, sd in zip(curve.mean, curve.sd, strict=True):
                assert numbers.pair(mean, sd) in seen
                assert f"{curve.label}\t{numbers.pair(mean, sd)}" in titles
        for slope in summary.slopes:
            assert numbers.measured(slope.fitted.value).replace("-", "\N{MINUS SIGN}") in seen
        for point in summary.realised:
            assert numbers.number(round(point.V_T, 6)) in seen


def test_charts_say_how_theory_grows(text):
    written = {"first": "∝√T", "variation": "∝V1/3T"}  # V_T^1/3: the power is written first
    for name, growth in written.items():
        for kind in ("chart", "small") if name == "first" else ("chart",):
            drawing = re.search(rf'<svg id="{kind}-{name}".*?</svg>', text, re.DOTALL)[0]
            texts = ElementTree.fromstring(drawing).iter("text")
            assert growth in ["".join("".join(one.itertext()).split()) for one in texts]


def test_what_a_logarithmic_axis_cannot_show_is_told(text):
    told = (
        "2 points are not on the logarithmic axis, as the mean is not positive: REX3 at T = 1,000"
    )
    assert told in visible(section(text, "below-zero")).replace("\N{NO-BREAK SPACE}", " ")
    assert "not on the logarithmic" not in visible(section(text, "first"))


def test_page_and_paper_have_the_same_axes(tmp_path, summaries):
    still = [BudgetedDrift(K=4, T=200, V_T=V_T) for V_T in (0, 4)]
    rand = {"entrants": {"RAND": "rand"}, "guide": "RAND"}
    run(replace(FIRST, name="still", axis="V_T", worlds=still, **rand), tmp_path, runs=2)
    for summary in (*summaries, *read(tmp_path)):
        (figure,), (chart,) = (
            made.axes for made in (panel_figure(summary), panel_chart(summary, summary.labels))
        )
        for get in ("get_xscale", "get_yscale", "get_xlim", "get_ylim"):
            assert getattr(figure, get)() == getattr(chart, get)()
    assert chart.get_xscale() == "linear"


def test_a_whole_page_has_no_notice_and_a_broken_one_has(tmp_path, folder, text):
    assert 'class="notice"' not in text
    folder = shutil.copytree(folder, tmp_path / "results")
    gone, broken = sorted((folder / "first" / "parts").glob("*/*.parquet"))[:2]
    gone.unlink()
    broken.write_bytes(b"PAR1 of something else")
    found = page.report_page(shown(folder), VERDICTS, command="")
    assert "Not all results are here. See first." in visible(found)
    seen = visible(section(found, "first"))
    assert "Not complete. 4 of 4 points have results, of " in seen and "3 are wanted" in seen
    assert f"Damaged. 1 part is not what was written, and left out: {broken.name}" in seen
    assert "1 to 3 runs" in seen


def test_a_missing_point_is_told(tmp_path, folder):
    folder = shutil.copytree(folder, tmp_path / "results")
    shutil.rmtree(folder / "first" / "parts" / "T=1125")
    found = page.report_page(shown(folder), (), command="")
    assert "3 of 4 points have results" in visible(section(found, "first"))


def test_one_point_of_one_run(tmp_path):
    found = page.report_page(read(play_lone(tmp_path)), (), command="make")
    seen = visible(section(found, LONE.name))
    assert "; one run." in seen and "over time" in seen and "nan" not in found
    assert "Slope on" not in seen and 'data-view="axis"' not in found


def test_a_page_of_nothing():
    assert "<h1>" in page.report_page((), (), command="")


def test_claims_link_to_the_panels_that_are_there(text):
    rows = re.findall(r'<tr role="row" class="verdict".*?</tr>', text, re.DOTALL)
    linked = [re.search(r'href="#panel-([^"]+)"', row) is not None for row in rows]
    assert linked == [True, True, True, False, True]
    for target in re.findall(r'href="#([^"]+)"', text):
        assert f'id="{target}"' in text


def test_a_page_is_small_and_the_same_each_time(text, summaries):
    assert text == page.report_page(summaries, VERDICTS, command=COMMAND)
    assert len(text.encode()) < 70_000 * (len(summaries) + 2)


def test_writing_is_whole_or_explained(tmp_path, summaries, text):
    path = page.write_report(tmp_path / "new", summaries, VERDICTS, command=COMMAND)
    assert path.read_text(encoding="utf-8") == text
    assert [entry.name for entry in path.parent.iterdir()] == ["report.html"]
    (tmp_path / "file").touch()
    with pytest.raises(RuntimeError, match="cannot write"):
        page.write_report(tmp_path / "file", summaries, VERDICTS, command=COMMAND)


def test_history_of_any_shape_is_shown(folder):
    summaries = shown(folder)
    summaries[0].history = [{}, {"command": 1, "versions": [2], "began": None, "machine": HOSTILE}]
    assert "from Python" in page.report_page(summaries, (), command="")


def test_the_history_counts_panels_and_not_how_often_each_was_worked_on(folder):
    summaries = shown(folder)
    for summary in summaries:
        summary.history = summary.history[:1] * 3
    (row,) = history(summaries)
    assert row[2] == str(len(summaries))


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_curves_stand_out_from_both_pages():
    style = file("page.css")
    pages = re.search(r"--page: light-dark\((#\w+), (#\w+)\)", style).groups()
    for tones in styles.TONES.values():
        for tone, ground in zip(tones, pages, strict=True):
            low, high = sorted((luminance(tone), luminance(ground)))
            assert (high + 0.05) / (low + 0.05) >= 3, (tone, ground)


def test_each_learner_of_a_panel_looks_different():
    for labels in (
        ("RAND", "REX3", "DEX3.P", "DEX3.S", "DEX3.S corrected", "irreducible"),
        ("RAND", "S known", "S known, corrected", "S unknown", "S unknown, corrected"),
        ("RAND", "DEX3.S corrected", "Borda-DEX3.S", "Borda-DEX3.S corrected"),
        ("RAND", "mine", "yours", "a third"),
    ):
        for parts in zip(*(styles.style_of(label, labels) for label in labels), strict=True):
            assert len(set(parts)) == len(labels)
        drawn = [re.sub(r"swatch-\d+", "", one) for one in swatches(labels).values()]
        assert len(set(drawn)) == len(labels)


def test_the_page_has_a_tone_for_every_colour_of_the_figures():
    used = set(styles.COLOURS) | {style.colour for style in styles.STYLES.values()}
    assert used == set(styles.TONES)
