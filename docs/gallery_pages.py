"""The gallery: runs the scripts of examples/gallery and makes a page and a notebook of each.

`python docs/refresh.py gallery [NAME ...]` writes docs/gallery and docs/figures/gallery, of all
scripts or of some. A script begins with a docstring of its title and three sentences, and ends with
a `figure`.
"""

import ast
import contextlib
import io
import json
import os
import re
import tempfile
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from sparring.lab.draw import save
from sparring.lab.draw.settings import settings

ROOT = Path(__file__).parents[1]
SCRIPTS, PAGES = ROOT / "examples" / "gallery", ROOT / "docs" / "gallery"
FIGURES = ROOT / "docs" / "figures" / "gallery"
# In this order, from what most want to see to what few need.
NAMES = (
    "changing_favourite",
    "come_and_go",
    "late_votes",
    "notebook_arena",
    "match_results",
    "certificate",
    "own_learner",
    "own_world",
    "million_rounds",
    "paper_figure",
    "dask_sweep",
)
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


class Script(NamedTuple):
    """A script and what its head says."""

    name: str
    title: str
    about: str
    """Three sentences."""
    code: str
    """All that follows the docstring."""


class Run(NamedTuple):
    """What came of a script."""

    printed: str
    figure: Figure


def script(name):
    """The script of a name."""
    text = (SCRIPTS / f"{name}.py").read_text(encoding="utf-8")
    tree = ast.parse(text)
    title, about = ast.get_docstring(tree).split("\n\n")
    code = "\n".join(text.splitlines()[tree.body[0].end_lineno :]).strip() + "\n"
    return Script(name, title.rstrip("."), about, code)


def run(found):
    """Run a script as a user would, in a folder of its own, in the looks of our figures."""
    path = str(SCRIPTS / f"{found.name}.py")
    here, namespace = os.getcwd(), {"__name__": "__main__"}
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.redirect_stdout(io.StringIO()) as printed,
        settings(),
    ):
        os.chdir(folder)
        try:
            exec(compile(found.code, path, "exec"), namespace)
        finally:
            os.chdir(here)
            plt.close("all")
        assert Path(folder, f"{found.name}.svg").exists(), f"{path} saves no figure of its name"
    return Run(printed.getvalue(), namespace["figure"])


def page(found, printed):
    """The page of a script, as Markdown."""
    path = f"examples/gallery/{found.name}.py"
    result = f"It prints:\n\n```text\n{printed}```\n\n" if printed else ""
    return (
        f"<!-- Written by `python docs/refresh.py gallery` from {path}. -->\n"
        f"# {found.title}\n\n{found.about}\n\n"
        f"![{found.title}](../figures/gallery/{found.name}.svg)\n\n"
        f"```python\n{found.code}```\n\n{result}"
        f"[The script](../../{path}), [the same as a notebook](notebooks/{found.name}.ipynb), "
        "[all of the gallery](index.md).\n"
    )


INDEX = """<!-- Written by `python docs/refresh.py gallery`. -->
# Gallery

Each page is one script that runs in seconds, its picture and three sentences. The scripts are in
`examples/gallery`, and each page has a link to the same as a notebook. They need the extra `lab`,
the last one the extra `cluster`.

| | | |
| --- | --- | --- |
"""


def index(scripts):
    """The page of all pages: a picture and a title of each, in a table of three columns."""
    cells = [
        f"[![{one.title}](../figures/gallery/{one.name}.svg)]({one.name}.md)<br>"
        f"[{one.title}]({one.name}.md)"
        for one in scripts
    ]
    cells += [""] * (-len(cells) % 3)
    rows = (cells[start : start + 3] for start in range(0, len(cells), 3))
    return INDEX + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def cells(code):
    """The script in parts, as a notebook has them: imports, each definition, each paragraph."""
    lines, starts, before = code.splitlines(), [0], None
    for node in ast.parse(code).body:
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))]) - 1
        while first and lines[first - 1].startswith("#"):
            first -= 1
        imports = isinstance(node, ast.Import | ast.ImportFrom)
        if first and not lines[first - 1] and not (imports and before):
            starts.append(first)
        before = imports
    ends = [*starts[1:], len(lines)]
    return ["\n".join(lines[start:end]).strip() for start, end in zip(starts, ends, strict=True)]


def notebook(found):
    """The script as a Jupyter notebook without results, as JSON."""
    code = {"cell_type": "code", "execution_count": None, "outputs": []}
    head = {"cell_type": "markdown", "source": f"# {found.title}\n\n{found.about}"}
    parts = [head, *({**code, "source": part} for part in (*cells(found.code), "figure"))]
    for place, part in enumerate(parts):
        part |= {"id": f"{found.name}-{place}".replace("_", "-"), "metadata": {}}
        part["source"] = part["source"].splitlines(keepends=True)
    whole = {"cells": parts, "metadata": {"kernelspec": KERNEL}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def words(svg):
    """What is written in a figure: its text stays text."""
    return re.findall(r"<text[^>]*>(.*?)</text>", svg, re.DOTALL)


def write(names=()):
    """Run scripts and write what comes of them; the index is of all."""
    (PAGES / "notebooks").mkdir(parents=True, exist_ok=True)
    for name in names or NAMES:
        found = script(name)
        done = run(found)
        save(done.figure, FIGURES, name, formats=("svg",))
        (PAGES / f"{name}.md").write_text(page(found, done.printed), encoding="utf-8")
        path = PAGES / "notebooks" / f"{name}.ipynb"
        path.write_text(notebook(found), encoding="utf-8")
    text = index([script(name) for name in NAMES])
    (PAGES / "index.md").write_text(text, encoding="utf-8")
