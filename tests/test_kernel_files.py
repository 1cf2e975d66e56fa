"""Kernels stand beside what they serve; what is said of their files is said of all of them."""

import ast
import tomllib

import kernel_coverage
from places import ROOT

SOURCE = ROOT / "src"
FILES = list(kernel_coverage.files())


def module_of(path):
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


def test_there_are_kernels_in_every_package_that_has_loops_of_its_own():
    homes = {module_of(path).split(".")[1] for path in FILES}
    assert {"certificates", "contexts", "simulation", "votes", "worlds"} <= homes


def test_exactly_the_files_of_kernels_are_typed_by_what_calls_them():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (exempt,) = (
        one["module"]
        for one in settings["tool"]["mypy"]["overrides"]
        if one.get("disallow_untyped_defs") is False
    )
    folders = tuple(name.removesuffix("*") for name in exempt if name.endswith("*"))
    named = {name for name in exempt if not name.endswith("*")} - {
        "sparring._jit"
    }  # which makes them
    assert named == {module_of(path) for path in FILES if not module_of(path).startswith(folders)}


def test_a_kernel_calls_what_stands_beside_it_or_at_the_top():
    """Machine code is stamped with these files only, so an edit elsewhere would go unnoticed."""
    for path in FILES:
        package, _, _ = module_of(path).rpartition(".")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (
                isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sparring")
            ):
                continue
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found = [name for name in (whole, node.module) if _file(name) in FILES]
                for name in found[:1]:
                    home, _, file = name.rpartition(".")
                    at_top = home == "sparring" and file.startswith("_")
                    assert home == package or at_top, (path, name)


def _file(module):
    return SOURCE.joinpath(*module.split(".")).with_suffix(".py")


REPORT = {
    path.relative_to(ROOT).as_posix(): {"missing_lines": [], "missing_branches": []}
    for path in FILES
}


def test_a_line_or_a_branch_that_no_test_crosses_is_named():
    assert not list(kernel_coverage.missed({"files": REPORT}))
    file, *_, lost = REPORT
    (name, first, last), *_ = kernel_coverage.kernels(ROOT / file)
    for damage in ({"missing_lines": [last]}, {"missing_branches": [[first, last]]}):
        (said,) = kernel_coverage.missed({"files": {**REPORT, file: {**REPORT[file], **damage}}})
        assert said.startswith(f"{file}, {name}: ")
    rest = {path: told for path, told in REPORT.items() if path != lost}
    assert list(kernel_coverage.missed({"files": rest})) == [f"{lost}: never imported"]
