"""Figures are drawn again if, and only if, something they show may have changed."""

import json
import os

import pytest

from sparring.lab import drawn, provenance

pytestmark = pytest.mark.core


@pytest.fixture
def folder(tmp_path):
    """Two panels with a part each, a figure and a page, drawn."""
    for panel in ("one", "other"):
        part = tmp_path / panel / "parts/T=5/run-00000.parquet"
        part.parent.mkdir(parents=True)
        part.write_bytes(b"rows")
        (tmp_path / panel / "manifest.json").write_text("{}")
        (tmp_path / panel / "history.jsonl").write_text("{}\n")
    (tmp_path / "figures").mkdir()
    made = [tmp_path / "figures/one.svg", tmp_path / "report.html"]
    for path in made:
        path.write_text("drawn")
    drawn.remember(tmp_path, drawn.state(tmp_path, "quick"), made)
    return tmp_path


def test_what_is_drawn_is_found_again(folder):
    found = drawn.files(folder, drawn.state(folder, "quick"))
    assert found == [folder / "figures/one.svg", folder / "report.html"]
    with open(folder / "one/history.jsonl", "a") as file:  # as each command does
        file.write("{}\n")
    assert drawn.files(folder, drawn.state(folder, "quick")) == found


def gone(folder):
    (folder / "figures/one.svg").unlink()


def edited(folder):
    (folder / "report.html").write_text("another")


def replayed(folder):
    path = folder / "one/parts/T=5/run-00000.parquet"
    os.utime(path, ns=(1, path.stat().st_mtime_ns + 1))


def more(folder):
    (folder / "other/parts/T=5/run-00001.parquet").write_bytes(b"rows")


def fewer(folder):
    (folder / "other/parts/T=5/run-00000.parquet").unlink()


def covered(folder):
    (folder / "coverage.json").write_text("[]")


def linked(folder):
    (folder / "league.html").write_text("who is best")


def torn(folder):
    path = folder / "figures" / drawn.RECORD
    path.write_bytes(path.read_bytes()[:20])


def foreign(folder):
    (folder / "figures" / drawn.RECORD).write_text(json.dumps({"files": [1]}))


@pytest.mark.parametrize(
    "change", [gone, edited, replayed, more, fewer, covered, linked, torn, foreign]
)
def test_whatever_changes_it_is_drawn_again(folder, change):
    change(folder)
    assert drawn.files(folder, drawn.state(folder, "quick")) == []


def test_what_was_added_while_it_was_drawn_is_drawn_next_time(folder):
    before = drawn.state(folder, "quick")
    more(folder)
    drawn.remember(folder, before, [folder / "report.html"])
    assert drawn.files(folder, drawn.state(folder, "quick")) == []


def test_other_panels_and_another_package_are_drawn_again(folder, monkeypatch):
    assert drawn.files(folder, drawn.state(folder, "full")) == []
    monkeypatch.setattr(provenance, "everything", lambda: "another text")
    assert drawn.files(folder, drawn.state(folder, "quick")) == []
