"""The reference that is written by the code itself: public names by their docstrings, commands."""

import argparse
import importlib
import inspect
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from sphinx.pycode import ModuleAnalyzer

import sparring
from sparring.learners import Frame

ERRORS_ONLY = {"sparring.checks"}  # its checks are for the package itself


class UndocumentedError(Exception):
    """Public names without a docstring or without a place in the reference."""


def modules() -> list[str]:
    """The public modules, that of everyday names first."""
    nested = [f"sparring.lab.{name}" for name in names_of("sparring.lab", modules_only=True)]
    return ["sparring", *sorted([*(f"sparring.{name}" for name in sparring.MODULES), *nested])]


def names_of(module: str, *, modules_only: bool = False) -> list[str]:
    """The public names of a module: `__all__`, or what it defines or, if a package, imports."""
    found = importlib.import_module(module)
    listed = getattr(found, "__all__", None)
    if listed is None:
        package = hasattr(found, "__path__")
        listed = [
            name
            for name, value in ((name, getattr(found, name)) for name in dir(found))
            if name[0] != "_"
            and (package or getattr(value, "__module__", "") == module)
            and not inspect.ismodule(value)
            and not isinstance(value, TypeVar)
        ]
    elif module == "sparring":
        listed = [*listed, *found.CLIENTS]
    if module in ERRORS_ONLY:
        listed = [name for name in listed if is_error(getattr(found, name))]
    return sorted(
        name
        for name in listed
        if name[0] != "_" and inspect.ismodule(getattr(found, name)) == modules_only
    )


def is_error(value: Any) -> bool:
    """Whether it can be raised or warned with."""
    return inspect.isclass(value) and issubclass(value, BaseException)


def homes() -> dict[str, str]:
    """Each public name in full, and where it is documented: where users find it first."""
    homes, first = {}, {}
    for module in modules():
        for name in names_of(module):
            value = getattr(importlib.import_module(module), name)
            full = f"{module}.{name}"
            homes[full] = first.setdefault((id(value), name), full)
    return homes


def write(folder: Path) -> list[str]:
    """Write the pages of all public modules; the names that they document, in full."""
    folder.mkdir(parents=True, exist_ok=True)
    home = homes()
    for module in modules():
        (folder / f"{module}.rst").write_text(page(module, home), encoding="utf-8")
    rows = "".join(row(f":doc:`{name} <{name}>`", first_line(name)) for name in modules())
    pages = "\n   ".join(modules())
    index = (
        f"{title('API')}\n\nEvery public name, from the docstrings.\n\n{TABLE}{rows}"
        f"\n.. toctree::\n   :hidden:\n\n   {pages}\n"
    )
    (folder / "index.rst").write_text(index, encoding="utf-8")
    return sorted(set(home.values()))


TABLE = ".. list-table::\n   :class: names\n   :widths: auto\n\n"


def row(name: str, says: str) -> str:
    """A row of a table."""
    return f"   * - {name}\n     - {says}\n"


def title(text: str) -> str:
    """A heading of a page."""
    return f"{text}\n{'=' * len(text)}"


def first_line(module: str) -> str:
    """What a module says of itself in one line."""
    text = inspect.getdoc(importlib.import_module(module)) or ""
    return text.split("\n")[0].removeprefix("sparring: ").replace("`", "``")


def page(module: str, home: dict[str, str]) -> str:
    """A page for a module: what it is, a table of its names, and each of them."""
    found = importlib.import_module(module)
    rows, parts = [], []
    for name in names_of(module):
        full = home[f"{module}.{name}"]
        value = getattr(found, name)
        rows.append(row(f":py:obj:`{name} <{full}>`", brief(full, value)))
        if full == f"{module}.{name}":
            parts += [f"{name}\n{'-' * len(name)}\n", directive(full, value)]
    return "\n".join(
        [title(module), "", f".. automodule:: {module}", "   :no-members:", "", TABLE]
        + [line.rstrip("\n") for line in rows]
        + ["", *parts]
    )


def brief(name: str, value: Any) -> str:
    """The first line of a docstring."""
    return docstring(name, value).split("\n")[0]


def docstring(name: str, value: Any) -> str:
    """What a public name says of itself; each must."""
    text = inspect.getdoc(value) if callable(value) else below(name.rpartition(".")[2], value)
    if not text:
        raise UndocumentedError(f"{name} has no docstring")
    return text


def below(name: str, value: Any) -> str:
    """The text below a constant, where it is made."""
    for module in [one for one in sys.modules if one.partition(".")[0] == "sparring"]:
        if vars(sys.modules[module]).get(name) is value:
            lines = ModuleAnalyzer.for_module(module).find_attr_docs().get(("", name))
            if lines:
                return "\n".join(lines)
    return ""


def directive(name: str, value: Any) -> str:
    """How Sphinx is told to document a name."""
    if not callable(value):
        module, _, short = name.rpartition(".")
        text = textwrap.indent(docstring(name, value), "   ")
        return f".. py:data:: {short}\n   :module: {module}\n\n{text}\n"
    if not inspect.isclass(value):
        return f".. autofunction:: {name}\n"
    if is_error(value):
        return f".. autoexception:: {name}\n"
    options = [":members:"]
    if not issubclass(value, Frame) or value is Frame:  # all learners have the frame's members
        options.append(":inherited-members: tuple, dict, object, Protocol, Generic")
    return f".. autoclass:: {name}\n" + "".join(f"   {option}\n" for option in options)


def commands(parser: Callable[[], argparse.ArgumentParser]) -> str:
    """A page with the help of every command."""
    top = parser()
    (chosen,) = (one for one in top._actions if isinstance(one, argparse._SubParsersAction))
    parts = ["# Commands\n", "What each command says to `--help`.\n", shown(top)]
    for name, one in chosen.choices.items():
        parts += [f"## sparring {name}\n", shown(one)]
    return "\n".join(parts)


def shown(parser: argparse.ArgumentParser) -> str:
    """The help of a command as a block of text."""
    return f"```text\n{parser.format_help().rstrip()}\n```\n"
