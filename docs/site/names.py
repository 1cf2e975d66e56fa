"""How docstrings are read: what stands in `backticks` is a link where it is public, else code."""

import inspect
import re
from typing import Any

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from reference import homes
from sphinx import addnodes
from sphinx.application import Sphinx

PAGE = re.compile(r"\bdocs/([a-z/-]+)\.md\b")


class Names:
    """The public names, by every name that a docstring may give them."""

    def __init__(self) -> None:
        self.homes = homes()
        short: dict[str, set[str]] = {}
        for full in self.homes.values():
            parts = full.split(".")
            for start in range(1, len(parts)):
                short.setdefault(".".join(parts[start:]), set()).add(full)
        self.short = {name: full for name, (full, *more) in short.items() if not more}

    def find(self, text: str, module: str) -> str | None:
        """The full name of what is named on the page of a module."""
        name = text.removesuffix("()")
        for full in (name, f"{module}.{name}", f"sparring.{name}"):
            if full in self.homes:
                return self.homes[full]
        return self.short.get(name)

    def __call__(
        self, role: str, rawtext: str, text: str, lineno: int, inliner: Inliner, *_: Any
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The default role of reStructuredText, for Sphinx."""
        code = nodes.literal(rawtext, text, classes=["code"])
        env = inliner.document.settings.env
        full = self.find(text, env.ref_context.get("py:module", "sparring"))
        if full is None:
            return [code], []
        link = addnodes.pending_xref(
            "", code, refdomain="py", reftype="obj", reftarget=full, refexplicit=True, refwarn=True
        )
        link["refdoc"] = env.docname
        return [link], []


def prepare(app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Ready a docstring for napoleon: pages become links, indented formulas stay as they are."""
    prepared, before = [], ""
    for index, line in enumerate(lines):
        if before and index and not lines[index - 1] and indent(line) > indent(before):
            prepared += [f"{before[: indent(before)]}::", ""]
        prepared.append(PAGE.sub(r":doc:`/\1`", line))
        before = line or before
    if what in ("attribute", "property"):
        prepared[:0] = ["..", ""]  # else napoleon takes "(K, K): the wins" for a type and a text
    lines[:] = prepared


def leave_out(
    app: Sphinx, what: str, name: str, value: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out what is no part of a class for users: the module of its kernels."""
    return True if inspect.ismodule(value) else None


def indent(line: str) -> int:
    """How many spaces a line begins with."""
    return len(line) - len(line.lstrip())


def setup(app: Sphinx) -> dict[str, bool]:
    """Let Sphinx read docstrings so."""
    app.add_role("name", Names())
    app.connect("autodoc-skip-member", leave_out)
    app.connect("autodoc-process-docstring", prepare, priority=400)  # napoleon comes at 500
    return {"parallel_read_safe": True, "parallel_write_safe": True}
