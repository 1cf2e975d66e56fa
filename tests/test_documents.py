"""Documents that stay true: their code runs, what they name exists, public names are documented."""

import importlib
import importlib.util
import inspect
import json
import re
import signal
import subprocess
import sys
from collections.abc import Mapping

import pytest
import refresh
from page_tables import findings

import sparring
from command import sparring as sparring_command
from places import ROOT
from sparring.lab.panels import panels

PAGES = sorted(path.relative_to(ROOT) for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
# All that show Python. The gallery has tests of its own, and records of decisions are history.
RUNNABLE = [
    str(page)
    for page in PAGES
    if len(page.parts) <= 2 and re.search(r"(?m)^```python$", (ROOT / page).read_text())
]


@pytest.mark.compiled
@pytest.mark.parametrize("page", RUNNABLE)
def test_the_python_of_a_page_runs_and_prints_what_the_page_says(
    page, tmp_path, monkeypatch, capsys
):
    """From top to bottom; a text block right behind a python block is what that one prints."""
    monkeypatch.chdir(tmp_path)
    pattern = r"(?ms)^```python\n(.*?)^```(?:\n\n```text\n(.*?)^```)?"
    blocks = re.findall(pattern, (ROOT / page).read_text())
    assert blocks, f"{page} shows no code"
    namespace = {"__name__": "page"}
    handler = signal.getsignal(signal.SIGTERM)
    try:
        for code, printed in blocks:
            exec(compile(code, page, "exec"), namespace)
            output = capsys.readouterr().out
            if printed:
                assert output == printed
    finally:
        signal.signal(signal.SIGTERM, handler)


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_no_note_to_ourselves_is_left_on_a_page(page):
    assert not re.search(r"\b(PLANNED|TODO|FIXME|TBD|XXX)\b", (ROOT / page).read_text())


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_between_pages_lead_somewhere(page):
    text = re.sub(r"(?s)<!-- on the site:.*?-->", "", (ROOT / page).read_text())
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text)
    for target in links + re.findall(r'(?:src|srcset)="([^":]+)"', text):
        assert (ROOT / page).parent.joinpath(target).exists(), f"{page} links to {target}"


@pytest.mark.parametrize(
    ("page", "checks"),
    [
        ("docs/adding-a-learner.md", sparring.testing.LEARNER_CHECKS),
        ("docs/adding-a-world.md", sparring.testing.WORLD_CHECKS),
    ],
)
def test_the_checks_are_described_as_they_describe_themselves(page, checks):
    page = " ".join((ROOT / page).read_text().split())
    for check in checks:
        assert check.__name__ in page
        assert inspect.getdoc(check).split("\n")[0] in page, check.__name__


def test_refreshing_a_page_that_is_none_is_refused_and_runs_nothing():
    command = [sys.executable, "docs/refresh.py", "galery"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and not done.stdout
    said = done.stderr.splitlines()[-1]
    assert "'galery'" in said and all(name in said for name in refresh.PAGES)


def test_every_function_and_test_of_the_fidelity_table_exists():
    text = (ROOT / "docs/fidelity.md").read_text()
    tests = set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text))
    functions = set(re.findall(r"`(sparring(?:\.\w+)+)`", text))
    assert len(tests) > 10
    assert len(functions) > 10
    for file, name in tests:
        assert f"def {name}(" in (ROOT / file).read_text(), f"{file}::{name}"
    for function in functions:
        found = importlib.import_module("sparring")
        for name in function.split(".")[1:]:
            # A file first: `learners.tracker` is one, and a learner of that name.
            inside = f"{found.__name__}.{name}" if hasattr(found, "__path__") else ""
            if inside and importlib.util.find_spec(inside):
                found = sys.modules.get(inside) or importlib.import_module(inside)
            else:
                found = getattr(found, name)


@pytest.mark.parametrize("name", [name for name in sparring.__all__ if not name.startswith("__")])
def test_every_public_name_is_documented(name):
    """With a docstring of its own, and in a page."""
    public = getattr(sparring, name)
    assert isinstance(public, Mapping) or inspect.getdoc(public)
    pages = "".join((ROOT / page).read_text() for page in PAGES)
    assert re.search(rf"\b{name}\b", pages), f"no page mentions {name}"
    if inspect.isclass(public) and public.__module__.startswith("sparring"):
        for member, value in vars(public).items():
            if not member.startswith("_") and (
                inspect.isfunction(value) or isinstance(value, property)
            ):
                assert inspect.getdoc(value), f"{name}.{member}"


def test_every_dotted_name_of_a_page_works_after_one_import():
    """`import sparring` and nothing else; in a process that has imported nothing before."""
    # Decisions are history, and the fidelity table says where code is: it has a test of its own.
    pages = [page for page in PAGES if "adr" not in page.parts and page.stem != "fidelity"]
    dotted = re.compile(
        r"(?<![\w./-])(?<!from )sparring((?:\.[A-Za-z]\w*)+)(?![\w/]|\.(?:db|log|css))"
    )
    text = "".join((ROOT / page).read_text() for page in pages)
    names = sorted({found[1:] for found in dotted.findall(text)})
    assert len(names) > 30
    program = (
        "import operator, sys, sparring\n"
        "for name in sys.argv[1:]:\n"
        "    try: operator.attrgetter(name)(sparring)\n"
        "    except AttributeError as error: print(f'sparring.{name}: {error}')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *names], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("", "")


def test_each_decision_has_a_number_of_its_own_and_stands_in_the_list():
    records = sorted(path.name for path in (ROOT / "docs/adr").glob("0*.md"))
    listed = re.findall(r"(?m)^\| \[(\d{4})\]\((\S+)\)", (ROOT / "docs/adr/README.md").read_text())
    assert [(name[:4], name) for name in records] == listed
    assert len({number for number, _ in listed}) == len(listed)
    for name in records:
        assert (ROOT / "docs/adr" / name).read_text().startswith(f"# {name[:4]}. ")


def test_the_readme_says_how_to_get_it_and_how_large_it_is():
    readme, install = ((ROOT / page).read_text() for page in ("README.md", "docs/install.md"))
    assert "git clone" in readme and "git clone" in install
    sizes = dict(re.findall(r"(?m)^\| `?(\w+)`? \| [^|]+ \| (\d+) \|", install))
    said = re.findall(r"(?m)^    pip install '?\.(?:\[(\w+)\]')? .*?(\d+) MB", readme)
    assert said == [(extra, sizes[extra or "none"]) for extra, _ in said] and len(said) == 3


def test_no_page_installs_what_is_not_published():
    """In a clone `pip install 'sparring[lab]'` finds nothing."""
    for page in PAGES:
        if "adr" not in page.parts:
            assert not re.search(
                r"(?m)^ +(RUN )?pip install '?sparring", (ROOT / page).read_text()
            ), page


def test_the_readme_can_be_read_in_a_few_minutes():
    assert len((ROOT / "README.md").read_text().split()) <= 900


def test_the_readme_counts_as_the_pages_do():
    """What it says of the paper, of votes, of speed and of tests stands in pages, or is counted."""
    readme, pages = (ROOT / "README.md").read_text(), {}
    for page in ("errata", "reproducing", "speed", "votes"):
        pages[page] = (ROOT / f"docs/{page}.md").read_text()
    findings = re.findall(r"(?m)^\| .*: \*\*([a-z ]+)\*\* \|$", pages["reproducing"])
    claims = re.search(r"Of its (\d+) claims about its\s+figures, (\d+)", readme)
    assert [int(number) for number in claims.groups()] == [len(findings), findings.count("holds")]
    quick = re.findall(r"(?m)^\| .*: \*\*([a-z ]+)\*\* \| .*\|$", pages["reproducing"])
    decided = [
        sum(finding in ("holds", "does not hold") for finding in scale)
        for scale in (quick, findings)
    ]
    said = re.search(r"quick scale decides (\d+);[^.]*decides (\d+)", readme)
    assert [int(number) for number in said.groups()] == decided
    errors = set(re.findall(r"(?m)^\| (E\d+) ", pages["errata"]))
    assert f"[{len(errors)} entries]" in readme
    (ten_arms,) = re.findall(r"(?m)^\| 10 \| \d+ \| \d+ \| (\d+) \|", pages["speed"])
    ratio = re.search(r"DEX3\.S takes [\d.]+, ([\d.]+)", pages["speed"])[1]
    assert re.search(rf"{ten_arms} nanoseconds\S+ {ratio} times what tuned C takes", readme)
    answer = " ".join(pages["votes"].split())
    for line in re.findall(r"(?s)```text\n(fern .*?)```", readme)[0].splitlines():
        assert line in answer
    tests = [path.read_text().count("def test_") for path in ROOT.glob("tests/**/test_*.py")]
    assert int(re.search(r"More than ([\d,]+) test", readme)[1].replace(",", "")) < sum(tests)


def test_the_page_of_learners_names_every_learner():
    text = (ROOT / "docs/learners.md").read_text()
    for name in sparring.LEARNERS:
        assert f"`{name}(" in text


@pytest.mark.compiled
def test_the_page_tells_what_a_reproduction_finds(tmp_path):
    """The main job from end to end: every panel at the quick scale, figures, claims, report."""
    done = sparring_command("reproduce", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert len(list(tmp_path.glob("results/quick/*/manifest.json"))) == len(panels("quick"))
    assert outcome["jobs"] == outcome["played"]
    for file in (*outcome["figures"], outcome["report"]):
        assert (tmp_path / file).stat().st_size > 1000
    folder, page = tmp_path / "results/quick", (ROOT / "docs/reproducing.md").read_text()
    for row in findings(folder, folder).splitlines()[2:]:
        claim, wanted, found, _ = row.strip("| ").split(" | ")
        assert f"| {claim} | {wanted} | {found} | " in page


BENCHMARKS = [
    ("speed", ["--rounds=100000", "--turns=1"], '"K": 500'),
    ("simulation", ["--rounds=100000", "--turns=1", "--long=100000"], "resident"),
    ("learners", ["--rounds=5000", "--turns=1"], '"learner": "tracker"'),
    ("rivals", ["--K=3", "--T=500", "--S=2", "--runs=2"], '"learner": "metaswift"'),
    ("sweep", ["--jobs=20"], '"executor": "Dask"'),
    ("two_arms", ["--arms=3", "--pairs=40", "--runs=2"], '"way": "top-two, 150"'),
    ("tracker", ["halves", "--T=300", "--runs=2"], '"world": "hard-paper"'),
    ("tracker", ["late", "--T=100", "--runs=2"], '"world": "walk"'),
    ("tracker", ["differ", "--T=100", "--runs=1"], '"learner": "tracker(K, differ=True)"'),
    ("tracker", ["oldest", "--T=100", "--runs=2"], '"oldest": "inf"'),
    ("tracker", ["sure", "--T=100", "--runs=1"], '"worlds": "wanders"'),
    ("alarm", ["--runs=1", "--calm=2"], '"test": "alarm, both, as promised"'),
    ("alarm", ["when", "--runs=2"], '"way": "vote by vote"'),
    ("running_votes", ["--arms", "3", "--votes=50"], '"bytes of a snapshot"'),
    ("tracker", ["arms", "--K=3", "--T=100", "--runs=2"], '"MB of tracker"'),
    ("serving", ["--pairs=64", "--repeats=1", "--callers=8"], '"vote p99 ms"'),
    ("arena", ["--votes=16", "--repeats=1", "--callers", "2", "--batches", "4"], '"together"'),
    ("open_asks", ["--open=50", "--votes=40", "--repeats=1"], '"with none, ms"'),
    ("soak", ["--votes=100", "--callers=2"], '"bytes a vote"'),
    ("planted", ["--votes=200", "--sizes", "5", "10", "--runs=1"], '"defences": "hold"'),
    ("suspects", ["--runs=1"], '"voter": "at random"'),
    ("answers", ["--runs=2", "--T=200", "--jobs=1"], '"learner": "`sturdy`"'),
]
# Each as a user would run it, but in one process: each of its own would import the laboratory anew.
ALL_OF_THEM = """
import contextlib, io, json, runpy, sys
folder, programs = sys.argv[1], json.loads(sys.argv[2])
sys.path.insert(0, folder)
printed = []
for program, arguments in programs:
    sys.argv = [f"{folder}/{program}.py", "--json", *arguments]
    with contextlib.redirect_stdout(io.StringIO()) as output:
        runpy.run_path(sys.argv[0], run_name="__main__")
    printed.append(output.getvalue())
print(json.dumps(printed))
"""


@pytest.mark.compiled
def test_the_benchmarks_run():
    """At a size that measures nothing: that they work is tested, speed is not."""
    programs = json.dumps([[program, arguments] for program, arguments, _ in BENCHMARKS])
    command = [sys.executable, "-c", ALL_OF_THEM, str(ROOT / "benchmarks"), programs]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for (program, arguments, found), printed in zip(
        BENCHMARKS, json.loads(done.stdout), strict=True
    ):
        assert found in printed, (program, arguments)


@pytest.mark.compiled
def test_the_benchmark_of_tracker_reads_data(tmp_path):
    """With files as small as can be, in the three forms that the data have."""
    long = "period,i,j,{}\n1,a,b,0.6{c}\n1,a,c,0.7{c}\n1,b,c,0.6{c}\n"
    arms = "M,L,C,KD,S,V,MP,SD"
    square = "arm,a,b\na,0.5,0.6\nb,0.4,0.5\n"
    for file, text in {
        "international_football/pref_yearly.csv": long.format("p_bt_h8,p_bt_h4", c=",0.6"),
        "nfl/pref_season.csv": long.format("p_bt,p_shrunk", c=",0.6"),
        "swedish_polls/monthly_support.csv": f"month,{arms}\n1,8,7,6,5,4,3,2,1\n",
        "matrices/sushi16.csv": square,
        "matrices/mslr_informational_16.csv": square,
    }.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text)
    path = str(ROOT / "benchmarks/tracker.py")
    command = [sys.executable, path, "data", str(tmp_path), "--T=100", "--runs=2", "--markdown"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "| Swedish polls, K = 8 |" in done.stdout


@pytest.mark.compiled
def test_the_page_shows_what_certify_prints(tmp_path):
    """Its block logs the duels, and the lines after it are the first that the command prints."""
    page = (ROOT / "docs/certificates.md").read_text(encoding="utf-8")
    block = next(it for it in re.findall(r"```python\n(.*?)```", page, re.S) if "duels.jsonl" in it)
    said = page[page.index("`sparring certify duels.jsonl`") :]
    shown = re.findall(r"^    (\S.*| .*)$", said, re.M)[:5]
    program = tmp_path / "log.py"
    program.write_text(block)
    subprocess.run([sys.executable, program], cwd=tmp_path, check=True)
    command = [sys.executable, "-m", "sparring_cli", "certify", "duels.jsonl"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[:5] == shown
