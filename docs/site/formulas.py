"""Formulas as MathML, which browsers show by themselves: no script, no picture, no request.

The converter is that of docutils, on which Sphinx stands. It refuses what it does not know, so a
formula that would look wrong fails the build.
"""

import copy
import html
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

NAMESPACE = "http://www.w3.org/1998/Math/MathML"
# Forges' own renderers know these, since < and > are something else to Markdown.
FORGES = {r"\lt": "<", r"\gt": ">"}
# A long formula in a line of text may break after these.
BREAKS = frozenset("=≤≥<>≠∈∼+−←,")  # noqa: RUF001  signs of mathematics
APPLIED = "\N{FUNCTION APPLICATION}"  # what the converter puts behind ln, exp and their like
OPENING, CLOSING = frozenset("([{⌊⌈"), frozenset(")]}⌋⌉")


def mathml(tex: str, *, block: bool) -> ElementTree.Element:
    """A formula as an element of MathML."""
    for forge, plain in FORGES.items():
        tex = re.sub(re.escape(forge) + r"(?![a-zA-Z])", plain, tex)
    try:
        markup = tex2mathml(tex.strip(), as_block=block)
    except MathError as error:
        raise ExtensionError(f"cannot typeset {tex!r}: {error}") from error
    markup = re.sub(r"&(?!lt;|gt;|amp;)\w+;", lambda entity: html.unescape(entity[0]), markup)
    formula = ElementTree.fromstring(markup)
    for part in list(formula.iter(f"{{{NAMESPACE}}}munderover")):
        if part[0].tag != f"{{{NAMESPACE}}}mo":
            put_index_beside(part)
    for row in [formula, *formula.iter(f"{{{NAMESPACE}}}mrow")]:
        set_functions_apart(row)
    return formula


def set_functions_apart(row: ElementTree.Element) -> None:
    """Put thin spaces between a function and a letter, number or fraction beside it."""
    for place in range(len(row) - 2, -1, -1):
        if row[place + 1].text != APPLIED:
            continue
        for beside, new in ((place + 2, place + 2), (place - 1, place)):
            if 0 <= beside < len(row) and row[beside].tag != f"{{{NAMESPACE}}}mo":
                row.insert(new, ElementTree.Element(f"{{{NAMESPACE}}}mspace", width="0.17em"))


def put_index_beside(part: ElementTree.Element) -> None:
    """Make an index under a letter with a hat, where the converter puts it, one beside them."""
    letter, index, hat = part
    accented = ElementTree.Element(f"{{{NAMESPACE}}}mover", accent="true")
    accented.extend([letter, hat])
    part.tag = f"{{{NAMESPACE}}}msub"
    part[:] = [accented, index]


def pieces(formula: ElementTree.Element) -> Iterator[ElementTree.Element]:
    """The parts of a formula between which a line may end, each a formula of its own."""
    piece, depth = ElementTree.Element(formula.tag, formula.attrib), 0
    for part in formula:
        piece.append(part)
        sign = (part.text or "").strip() if part.tag == f"{{{NAMESPACE}}}mo" else ""
        depth += (sign in OPENING and bool(sign)) - (sign in CLOSING and bool(sign))
        if sign and sign in BREAKS and depth == 0:
            part.set("form", "infix")  # which the last sign of a formula would not be by itself
            yield piece
            piece = ElementTree.Element(formula.tag, formula.attrib)
    if len(piece):
        yield piece


def markup(element: ElementTree.Element) -> str:
    """An element as HTML has it."""
    element = copy.deepcopy(element)
    for part in element.iter():
        part.tag = part.tag.removeprefix(f"{{{NAMESPACE}}}")
        part.text = part.text and (part.text.strip() if part.tag != "mtext" else part.text)
        part.tail = None
    return ElementTree.tostring(element, encoding="unicode", short_empty_elements=False)


def inline(self: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    formula = mathml(node.astext(), block=False)
    self.body.append("<wbr>".join(markup(piece) for piece in pieces(formula)))
    raise nodes.SkipNode


def display(self: Any, node: nodes.math_block) -> None:
    """Write a formula on lines of its own."""
    formula = mathml(node.astext(), block=True)
    self.body.append(f'<div class="formula">{markup(formula)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Let Sphinx write formulas so."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
