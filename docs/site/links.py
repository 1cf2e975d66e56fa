"""What must not be on a built site: dead links, files from outside, folders of this machine."""

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

LOADED = {
    ("img", "src"),
    ("script", "src"),
    ("link", "href"),
    ("source", "srcset"),
    ("iframe", "src"),
}
POINTING = LOADED | {("a", "href")}


class Page(HTMLParser):
    """What a page points to, and what can be pointed to in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[tuple[str, bool]] = []  # and whether the browser loads it
        self.anchors: set[str] = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Note the attributes that matter."""
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif (tag, name) in POINTING and value:
                self.targets.append((value, (tag, name) in LOADED))


def dead(site: Path) -> list[str]:
    """What is wrong with the links of a site, a line for each."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    return sorted(problem for path, page in pages.items() for problem in wrong(path, page, pages))


def naming(site: Path, folder: Path) -> list[str]:
    """The pages that name a folder of the machine they were built on."""
    pages = sorted(site.rglob("*.html"))
    return [
        f"{path}: names {folder}"
        for path in pages
        if str(folder) in path.read_text(encoding="utf-8")
    ]


def wrong(path: Path, page: Page, pages: dict[Path, Page]) -> Iterator[str]:
    """What is wrong with the links of one page."""
    for target, loaded in page.targets:
        if urlsplit(target).scheme or target.startswith("//"):
            if loaded and not target.startswith("data:"):
                yield f"{path}: loads {target} from outside"
            continue
        file, anchor = urldefrag(target)
        found = (path.parent / unquote(urlsplit(file).path)).resolve() if file else path.resolve()
        if found.is_dir():
            found = found / "index.html"
        if not found.is_file():
            yield f"{path}: {target} leads nowhere"
        elif found in pages and unquote(anchor) not in pages[found].anchors:
            yield f"{path}: {target} has no such place"
