"""The parts of the site's builder: links, navigation, reference, formulas; also when they fail."""

from pathlib import Path, PurePosixPath

import pytest
from formulas import markup, mathml, pieces
from links import dead, naming
from pages import DeadLinkError, navigation, rewritten
from reference import UndocumentedError, commands, homes, modules, names_of, page
from sphinx.errors import ExtensionError

import sparring
from places import ROOT
from sparring_cli.arguments import parser

FORMULAS = "http://www.w3.org/1998/Math/MathML"


@pytest.mark.parametrize(
    ("page", "text", "expected"),
    [
        ("docs/votes.md", "[a](drift.md#x)", "[a](drift.md#x)"),
        ("docs/votes.md", "[a](../CHANGELOG.md)", "[a](changelog.md)"),
        ("docs/votes.md", "[a](README.md)", "[a](index.md)"),
        ("docs/votes.md", "[a](../examples/service.py)", "[a](source/examples/service.py.md)"),
        ("docs/adr/README.md", "[a](../votes.md)", "[a](../votes.md)"),
        ("docs/adr/README.md", "[a](../../README.md)", "[a](../index.md)"),
        ("CHANGELOG.md", "[a [b]](docs/votes.md)", "[a [b]](votes.md)"),
        ("docs/votes.md", "![a](figures/votes.svg)", "![a](figures/votes.svg)"),
        ("docs/votes.md", "[a](https://example.org/x.md)", "[a](https://example.org/x.md)"),
        ("docs/votes.md", "[a](#here)", "[a](#here)"),
        (
            "CHANGELOG.md",
            "[![a](docs/figures/votes.svg)](README.md)",
            "[![a](figures/votes.svg)](index.md)",
        ),
        ("docs/votes.md", "```\n[a](../README.md)\n```\n", "```\n[a](../README.md)\n```\n"),
        ("docs/README.md", "x\n<!-- on the site:\n- y\n-->\nz", "x\n- y\nz"),
    ],
)
def test_a_link_leads_on_the_site_where_it_leads_on_a_forge(page, text, expected):
    assert rewritten(PurePosixPath(page), text, ROOT)[0] == expected


def test_a_link_to_what_is_not_there_is_refused_with_its_page():
    with pytest.raises(DeadLinkError, match=r"docs/votes\.md links to \.\./nowhere\.py"):
        rewritten(PurePosixPath("docs/votes.md"), "[a](../nowhere.py)", ROOT)


def test_a_picture_for_light_and_dark_becomes_an_image_for_each():
    text, linked = rewritten(PurePosixPath("README.md"), (ROOT / "README.md").read_text(), ROOT)
    assert "<picture>" not in text
    for theme in ("light", "dark"):
        assert f"```{{image}} figures/front-{theme}.svg\n:class: only-{theme}\n" in text
        assert PurePosixPath(f"docs/figures/front-{theme}.svg") in linked


def test_every_page_is_in_the_navigation_and_a_forgotten_one_comes_last(tmp_path):
    front = PurePosixPath("docs/README.md")
    for name in ("told", "forgotten", "gallery/index", "gallery/one", "adr/0001"):
        path = tmp_path / f"docs/{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# x")
    text = "# Front\n\n## Read\n\n- [What is told](told.md) and [elsewhere](https://example.org).\n"
    first, rest = navigation(tmp_path, front, text)
    assert ":caption: Read\n\nWhat is told <told>\n```" in first
    assert ":caption: More\n\nforgotten\ngallery/index\n```" in rest


def test_a_folder_is_in_the_sidebar_in_the_order_of_its_page(tmp_path):
    gallery = tmp_path / "docs/gallery"
    gallery.mkdir(parents=True)
    for name in ("index", "early", "forgotten", "late"):
        (gallery / f"{name}.md").write_text("# x")
    text = "# x\n\n| [![b](b.svg)](late.md)<br>[b](late.md) | [a](early.md) | [c](../votes.md) |\n"
    (folder,) = navigation(tmp_path, PurePosixPath("docs/gallery/index.md"), text)
    assert ":maxdepth: 1\n\nlate\nearly\nforgotten\n```" in folder


def test_dead_links_and_what_is_loaded_from_outside_are_found(tmp_path):
    (tmp_path / "b.html").write_text('<h1 id="top">b</h1><a href="https://example.org">fine</a>')
    (tmp_path / "a.html").write_text(
        '<a href="b.html#top"></a><a href="b.html#no"></a><a href="c.html"></a><a href="#"></a>'
        '<script src="https://example.org/x.js"></script><img src="b.png">'
    )
    found = [line.partition(": ")[2] for line in dead(tmp_path)]
    assert found == [
        "b.html#no has no such place",
        "b.png leads nowhere",
        "c.html leads nowhere",
        "loads https://example.org/x.js from outside",
    ]


def test_a_page_that_names_a_folder_of_this_machine_is_found(tmp_path):
    (tmp_path / "a.html").write_text("a function of /home/me/project/x.py")
    (tmp_path / "b.html").write_text("a function of x.py")
    assert naming(tmp_path, Path("/home/me/project")) == [
        f"{tmp_path / 'a.html'}: names /home/me/project"
    ]


def test_every_public_name_has_a_home_where_users_find_it_first():
    home = homes()
    for name in names_of("sparring"):
        assert home[f"sparring.{name}"] == f"sparring.{name}"
    assert home["sparring.learners.tracker"] == "sparring.tracker"
    assert home["sparring.learners.rucb"] == "sparring.learners.rucb"
    assert {f"sparring.{name}" for name in sparring.MODULES} <= set(modules())
    assert {"sparring.lab.draw", "sparring.arena", "sparring.client"} <= set(modules())


@pytest.mark.parametrize(
    "value", [lambda: None, type("Bare", (), {}), 3], ids=["function", "class", "constant"]
)
def test_a_public_name_without_a_docstring_stops_the_build(value, monkeypatch):
    monkeypatch.setattr(sparring.testing, "bare", value, raising=False)
    monkeypatch.setattr(sparring.testing, "__all__", [*sparring.testing.__all__, "bare"])
    with pytest.raises(UndocumentedError, match=r"sparring\.testing\.bare has no docstring"):
        page("sparring.testing", homes())


def test_a_module_is_in_the_reference_if_the_package_says_that_it_is_public(monkeypatch):
    monkeypatch.setattr(sparring, "MODULES", ("brand_new", "lab"))
    assert [name for name in modules() if name.count(".") == 1] == [
        "sparring.brand_new",
        "sparring.lab",
    ]


def test_the_page_of_commands_has_them_all():
    text = commands(parser)
    for name in ("votes", "serve", "league", "certify", "reproduce"):
        assert f"\n## sparring {name}\n" in text


def test_an_unknown_command_in_a_formula_stops_the_build():
    with pytest.raises(ExtensionError, match=r"cannot typeset .*nonsense"):
        mathml(r"x \nonsense y", block=False)


def test_a_formula_breaks_after_its_outer_signs_only():
    formula = mathml(r"a = (b + c) \lt d", block=False)
    found = [[part.text for part in piece] for piece in pieces(formula)]
    assert found == [["a", "="], ["(", "b", "+", "c", ")", "<"], ["d"]]
    assert all(piece.tag == f"{{{FORMULAS}}}math" for piece in pieces(formula))


def test_an_index_stands_beside_a_letter_with_a_hat():
    found = markup(mathml(r"\hat g_t", block=False))
    hat = '<mover accent="true"><mi>g</mi><mo stretchy="false">ˆ</mo></mover>'  # noqa: RUF001
    assert found == f"<math><msub>{hat}<mi>t</mi></msub></math>"


def test_a_function_stands_apart_from_the_letters_beside_it():
    space = '<mspace width="0.17em"></mspace>'
    found = markup(mathml(r"S\ln K", block=False))
    applied = "<mo>\N{FUNCTION APPLICATION}</mo>"
    assert found == f"<math><mi>S</mi>{space}<mi>ln</mi>{applied}{space}<mi>K</mi></math>"
    assert space not in markup(mathml(r"1 + \exp(x)", block=False))


def test_markup_is_that_of_html():
    assert (
        markup(mathml(r"x \gt 1", block=False)) == "<math><mi>x</mi><mo>&gt;</mo><mn>1</mn></math>"
    )
