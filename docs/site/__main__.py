"""Builds the site into a folder: pages, reference, and a check that nothing is missing or dead.

python docs/site [FOLDER]    (`make docs`) build/site unless given
"""

import os
import shutil
import sys
from pathlib import Path

import links
import pages
import reference
from sphinx.application import Sphinx

from sparring_cli.arguments import parser

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def build(folder: Path) -> None:
    """Build the site; a warning is an error."""
    source = folder.with_name(f"{folder.name}-source")
    pages.stage(ROOT, source)
    public = reference.write(source / "api")
    os.environ["COLUMNS"] = "88"  # for argparse
    (source / "commands.md").write_text(reference.commands(parser), encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    app = Sphinx(
        srcdir=source,
        confdir=HERE,
        outdir=folder,
        doctreedir=folder.with_name(f"{folder.name}-trees"),
        buildername="html",
        warningiserror=True,
        status=None,
        freshenv=True,
    )
    app.build()
    if app.statuscode:
        sys.exit(app.statuscode)
    documented = {name for name, *_ in app.env.domains.python_domain.get_objects()}
    if missing := set(public) - documented:
        sys.exit(f"public names without a page: {', '.join(sorted(missing))}")
    if dead := [*links.dead(folder), *links.naming(folder, ROOT / "src")]:
        sys.exit("\n".join(dead))


if __name__ == "__main__":
    build(Path(*sys.argv[1:2] or [ROOT / "build" / "site"]).resolve())
