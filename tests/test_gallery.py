"""The gallery stays true: each script runs, and gives its page, its picture and its notebook."""

import ast
import json
import re

import gallery_pages as gallery
import nbformat
import pytest

from sparring.lab.draw import save

pytestmark = pytest.mark.compiled

LARGEST = 100_000  # bytes of a picture


@pytest.mark.parametrize("name", gallery.NAMES)
def test_a_script_gives_its_page_and_its_picture(name, tmp_path, monkeypatch):
    monkeypatch.delenv("MATCHES", raising=False)
    found = gallery.script(name)
    done = gallery.run(found)
    page = (gallery.PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert page == gallery.page(found, done.printed), f"python docs/refresh.py gallery {name}"
    (new,) = save(done.figure, tmp_path, name, formats="svg")
    shipped = gallery.FIGURES / f"{name}.svg"
    written = gallery.words(shipped.read_text(encoding="utf-8"))
    assert written == gallery.words(new.read_text(encoding="utf-8"))
    assert len(written) > 3
    assert shipped.stat().st_size < LARGEST


@pytest.mark.parametrize("name", gallery.NAMES)
def test_a_page_has_the_script_and_three_sentences(name):
    text = (gallery.SCRIPTS / f"{name}.py").read_text(encoding="utf-8")
    page = (gallery.PAGES / f"{name}.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"(?ms)^```python\n(.*?)^```", page)
    assert text.endswith(f'"""\n\n{code}')
    about = ast.get_docstring(ast.parse(text)).split("\n\n")[1]
    assert len(re.findall(r"[.?!](?=\s|$)", about)) == 3
    assert about in page


@pytest.mark.parametrize("name", gallery.NAMES)
def test_a_notebook_is_valid_and_has_the_code_of_the_script(name):
    text = (gallery.PAGES / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8")
    found = gallery.script(name)
    assert text == gallery.notebook(found)
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    head, *cells, last = notebook.cells
    assert head.source == f"# {found.title}\n\n{found.about}"
    code = "\n".join(cell.source for cell in cells)
    assert ast.dump(ast.parse(code)) == ast.dump(ast.parse(found.code))
    assert last.source == "figure"
    assert len(cells) > 1


@pytest.mark.parametrize("name", gallery.NAMES)
def test_a_script_uses_public_names_only(name):
    for node in ast.walk(ast.parse(gallery.script(name).code)):
        if isinstance(node, ast.Attribute):
            assert not node.attr.startswith("_")
        if isinstance(node, ast.ImportFrom):
            assert "._" not in node.module
            assert not any(one.name.startswith("_") for one in node.names)


def test_a_notebook_of_cells_runs_as_the_script_does(tmp_path, monkeypatch, capsys):
    """One of them, cell by cell in one namespace, as Jupyter would."""
    monkeypatch.chdir(tmp_path)
    path = gallery.PAGES / "notebooks" / "come_and_go.ipynb"
    namespace = {"__name__": "__main__"}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), namespace)
    gallery.plt.close("all")
    assert (tmp_path / "come_and_go.svg").exists()


def test_the_index_shows_every_page_and_no_script_is_left_out():
    assert {path.stem for path in gallery.SCRIPTS.glob("*.py")} == set(gallery.NAMES)
    for folder, ending in ((gallery.PAGES / "notebooks", "ipynb"), (gallery.FIGURES, "svg")):
        assert {path.name for path in folder.iterdir()} == {
            f"{it}.{ending}" for it in gallery.NAMES
        }
    index = (gallery.PAGES / "index.md").read_text(encoding="utf-8")
    assert index == gallery.index([gallery.script(name) for name in gallery.NAMES])


def test_the_front_page_s_picture_says_what_the_first_script_draws():
    """Light and dark, the same words as on the gallery's first page."""
    figures = gallery.FIGURES.parent
    drawn = [
        gallery.words(path.read_text(encoding="utf-8"))
        for path in (
            gallery.FIGURES / "changing_favourite.svg",
            figures / "front-light.svg",
            figures / "front-dark.svg",
        )
    ]
    assert drawn[0] == drawn[1] == drawn[2]


def test_match_results_may_be_a_file_of_ones_own(tmp_path, monkeypatch):
    """Its name is told by MATCHES."""
    teams = [("A", "B", 1), ("B", "C", 1), ("C", "A", 0), ("A", "C", 0)] * 3
    matches = [f"2026-02-{day:02},{i},{j},{won}" for day in range(1, 29) for i, j, won in teams]
    (tmp_path / "matches.csv").write_text("\n".join(["date,i,j,outcome", *matches]))
    monkeypatch.setenv("MATCHES", str(tmp_path / "matches.csv"))
    assert "336 votes on 3 arms" in gallery.run(gallery.script("match_results")).printed
