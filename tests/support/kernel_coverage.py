"""Whether tests crossed every line and branch of every kernel, wherever kernels stand.

python tests/support/kernel_coverage.py REPORT

REPORT is what pytest's `--cov-report=json:REPORT` wrote of tests with the JIT off and --cov-branch.
A kernel is a function with one of the decorators below; other code of its file is left to other
tests. The exit code is 1 if a line or a branch of a kernel was never crossed.
"""

import ast
import json
import sys
from pathlib import Path

from places import ROOT

DECORATORS = {"compiled_as", "inline", "kernel", "online", "outline"}


def kernels(path):
    """The kernels of a file: the name and the first and last line of each."""
    return [
        (node.name, node.lineno, node.end_lineno)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and any(map(_is_ours, node.decorator_list))
    ]


def _is_ours(decorator):
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Name) and called.id in DECORATORS


def files():
    """The kernels of each file of the package that has some."""
    found = {path: kernels(path) for path in sorted((ROOT / "src/sparring").rglob("*.py"))}
    return {path: some for path, some in found.items() if some}


def missed(report):
    """What was never crossed, in words; `report` is the JSON of coverage."""
    told = report["files"]
    for path, some in files().items():
        file = path.relative_to(ROOT).as_posix()
        if file not in told:
            yield f"{file}: never imported"
            continue
        for name, first, last in some:
            lines = [line for line in told[file]["missing_lines"] if first <= line <= last]
            ways = [way for way in told[file]["missing_branches"] if first <= way[0] <= last]
            if lines or ways:
                yield f"{file}, {name}: lines {lines}, branches {ways}"


def main(path):
    found = list(missed(json.loads(Path(path).read_text(encoding="utf-8"))))
    print(
        "\n".join([*found, f"{sum(map(len, files().values()))} kernels, {len(found)} not covered"])
    )
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
