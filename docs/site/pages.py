"""The pages of the site from the Markdown of the repository: where each goes, and its links.

A forge shows the files where they are; the site has the folder docs at its top. Everything that a
page links to has a place on the site: pages as pages, programs and settings as pages of code.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

FRONT = PurePosixPath("docs/README.md")
TOP = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
LANGUAGES = {".py": "python", ".yaml": "yaml", ".yml": "yaml", ".cff": "yaml", ".html": "html"}
AS_THEY_ARE = {".csv", ".gz", ".ipynb", ".json", ".pdf", ".png", ".svg"}  # to look at or download
MADE = ("api/index.rst", "commands.md")  # by the build, from the code
FENCE = re.compile(r"(?ms)^( *)(```+|~~~+).*?^\1\2 *$")
LINK = re.compile(r"(!?)(\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)#:\s]+)(#[^)\s]*)?(\s+\"[^\"]*\")?\)")
PICTURE = re.compile(r"(?s)<picture>.*?</picture>")
ORPHAN = "---\norphan: true\n---\n\n"  # not in the sidebar
ONLY_HERE = re.compile(r"(?s)<!-- on the site:\n(.*?)-->\n")


class DeadLinkError(Exception):
    """A page links to what is not there."""


def stage(root: Path, source: Path) -> None:
    """Write into `source` what Sphinx reads, made of the repository at `root`."""
    shutil.rmtree(source, ignore_errors=True)
    pages = [PurePosixPath(path.relative_to(root)) for path in sorted(root.glob("docs/**/*.md"))]
    waiting = [*pages, *(PurePosixPath(name) for name in TOP if name != "README.md")]
    done: set[PurePosixPath] = set()
    while waiting:
        path = waiting.pop()
        if path in done:
            continue
        done.add(path)
        target = source / place(path, root)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            text, linked = rewritten(path, (root / path).read_text(encoding="utf-8"), root)
            waiting += linked
            text = (
                (ORPHAN if is_record(path) else "") + text + "".join(navigation(root, path, text))
            )
            target.write_text(text, encoding="utf-8")
        elif path.suffix in AS_THEY_ARE:
            shutil.copy(root / path, target)
        else:
            target.write_text(as_a_page(root, path), encoding="utf-8")


def place(path: PurePosixPath, root: Path) -> PurePosixPath:
    """Where a file or folder of the repository is on the site."""
    if path == FRONT or str(path) in TOP:
        return PurePosixPath(TOP.get(str(path), "index.md"))
    if path.suffix == ".md" or path.suffix in AS_THEY_ARE:
        return path.relative_to("docs") if path.parts[0] == "docs" else path
    name = f"{path.name}.md" if (root / path).is_file() else f"{path.name}/index.md"
    return PurePosixPath("source") / path.parent / name


def rewritten(path: PurePosixPath, text: str, root: Path) -> tuple[str, list[PurePosixPath]]:
    """A page with its links as the site has them, and what it links to in the repository."""
    linked: list[PurePosixPath] = []
    here = place(path, root).parent

    def moved(target: str) -> str:
        found = PurePosixPath(os.path.normpath(path.parent / target))
        if not (root / found).exists():
            raise DeadLinkError(f"{path} links to {target}, and there is no {found}")
        if found.name != "README.md" or str(found.parent) != ".":
            linked.append(found)
        return os.path.relpath(place(found, root), here)

    def link(match: re.Match[str]) -> str:
        image, text, target, anchor, title = match.groups("")
        if target in MADE:
            return match[0]
        inside = LINK.sub(link, text[1:-2])  # an image may be what one clicks on
        return f"{image}[{inside}]({moved(target)}{anchor}{title})"

    def picture(match: re.Match[str]) -> str:
        """Two images, of which the site shows the one for its own choice of light or dark."""
        (dark,) = re.findall(r'srcset="([^"]+)"', match[0])
        ((light, alt),) = re.findall(r'<img[^>]*?src="([^"]+)"[^>]*?alt="([^"]*)"', match[0])
        return "".join(
            f"```{{image}} {moved(name)}\n:class: only-{theme}\n:alt: {alt}\n```\n\n"
            for name, theme in ((light, "light"), (dark, "dark"))
        )

    text = ONLY_HERE.sub(lambda match: match[1], text)
    text = outside_of_code(text, lambda part: LINK.sub(link, PICTURE.sub(picture, part)))
    return text, linked


def outside_of_code(text: str, change: Callable[[str], str]) -> str:
    """The text with all but its fenced code changed."""
    parts, end = [], 0
    for fence in FENCE.finditer(text):
        parts += [change(text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, change(text[end:])])


def navigation(root: Path, path: PurePosixPath, text: str) -> Iterator[str]:
    """What the sidebar lists: the front page's sections or a folder's pages, then the rest."""
    if path == FRONT:
        listed: set[str] = set()
        for section in re.split(r"(?m)^## ", text)[1:]:
            title, _, body = section.partition("\n")
            found = {name: text[1:-2] for _, text, name, _, _ in LINK.findall(body)}
            new = {
                name.rpartition(".")[0]: text
                for name, text in found.items()
                if name.endswith((".md", ".rst")) and not name.startswith("source/")
            }
            new = {name: text for name, text in new.items() if name not in listed | {"index"}}
            listed.update(new)
            if new:
                yield toctree([f"{new[name]} <{name}>" for name in new], f":caption: {title}\n")
        pages = sorted([*root.glob("docs/*.md"), *root.glob("docs/*/index.md")])
        rest = [str(place(PurePosixPath(page.relative_to(root)), root))[:-3] for page in pages]
        if rest := [name for name in rest if name not in listed | {"index"}]:
            yield toctree(rest, ":caption: More\n")
    elif path.name == "index.md":
        here = {file.stem for file in root.joinpath(path.parent).glob("*.md")} - {path.stem}
        linked = dict.fromkeys(name.removesuffix(".md") for _, _, name, _, _ in LINK.findall(text))
        shown = [name for name in linked if name in here]
        yield toctree([*shown, *sorted(here.difference(shown))], "")


def is_record(path: PurePosixPath) -> bool:
    """Whether it is a decision record: found by their table, for a sidebar has no room for all."""
    return path.parent == PurePosixPath("docs/adr") and path.name != "README.md"


def toctree(names: list[str], options: str) -> str:
    """A part of the sidebar; the page itself does not show it."""
    lines = "\n".join(names)
    return f"\n```{{toctree}}\n:hidden:\n:maxdepth: 1\n{options}\n{lines}\n```\n"


def as_a_page(root: Path, path: PurePosixPath) -> str:
    """A program or a file of settings as a page of code, a folder as the list of its files."""
    head = f"{ORPHAN}# {path}\n\n"
    if (root / path).is_dir():
        files = sorted(file for file in (root / path).iterdir() if file.name[0] not in "._")
        return head + "".join(f"- `{file.name}`\n" for file in files)
    code = (root / path).read_text(encoding="utf-8")
    return f"{head}````{LANGUAGES.get(path.suffix, 'text')}\n{code.rstrip()}\n````\n"
