"""What an item shows: text, markdown, a picture, a sound, a film, a link; checked, made safe."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import nh3
from markdown_it import MarkdownIt

from sparring import checks

KINDS = ("text", "markdown", "image", "audio", "video", "link")
MEDIA = ("image", "audio", "video")
FIELDS = {
    "text": ("text",),
    "markdown": ("text",),
    "image": ("url", "alt"),
    "audio": ("url", "alt"),
    "video": ("url", "alt"),
    "link": ("url", "text"),
}
LONGEST_TEXT = 20_000  # letters
MOST_CELLS = 2_000  # of the tables of a text: columns times rows, also where they are left out
LONGEST_URL = 2_000
LONGEST_DATA = 500_000  # letters of a data: address, of which four are three bytes
DATA = {
    "image": re.compile(r"data:image/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/]+={0,2}"),
    "audio": re.compile(r"data:audio/[a-z0-9.+-]+;base64,[A-Za-z0-9+/]+={0,2}"),
    "video": re.compile(r"data:video/[a-z0-9.+-]+;base64,[A-Za-z0-9+/]+={0,2}"),
}
# An SVG may carry script and requests of its own, so it is not among the pictures.
ORIGIN = re.compile(r"https://[a-z0-9.-]+(?::\d{1,5})?|http://(?:localhost|127\.0\.0\.1)(?::\d+)?")
DELIMITERS = re.compile(r"(?=.*-)(?=.*[|:])[-|: \t>]+")  # the row below the head of a table
TAGS = {
    *("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "em", "strong", "s", "code", "pre"),
    *("blockquote", "ul", "ol", "li", "a", "table", "thead", "tbody", "tr", "th", "td"),
}


def checked(content: Any, origins: Sequence[str] = ()) -> dict[str, str]:
    """The content of an item as it is stored, or a ValueError that says what is wrong.

    Parameters
    ----------
    content
        A dictionary with `kind` and what the kind needs: `text`, or `url` and perhaps `alt`.
    origins
        Sites from which pictures, sounds and films may come, such as https://cdn.example.org. By
        default none: then no page asks another server for anything.

    Examples
    --------
    >>> checked({"kind": "text", "text": "Be brief."})
    {'kind': 'text', 'text': 'Be brief.'}
    """
    if not isinstance(content, dict) or content.get("kind") not in KINDS:
        raise ValueError(f"the kind of a content must be one of {', '.join(KINDS)}")
    kind = content["kind"]
    for name, value in content.items():
        if name != "kind" and name not in FIELDS[kind]:
            needed = ", ".join(FIELDS[kind])
            raise ValueError(f"a content of kind {kind} has {needed}, and not {str(name)[:40]!r}")
        if not isinstance(value, str):
            raise ValueError(f"{name} of a content must be text")
    text = str(content.get("text", content.get("alt", "")))
    url: str = content.get("url", "")
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"a text must have at most {LONGEST_TEXT:,} letters, not {len(text):,}")
    if FIELDS[kind] == ("text",) and not text.strip():
        raise ValueError(f"a content of kind {kind} needs a text")
    if kind == "markdown" and cells(text) > MOST_CELLS:
        raise ValueError(
            f"the tables of a text must have at most {MOST_CELLS:,} cells, columns times rows, not "
            f"{cells(text):,}. Show a part of the table, or a picture"
        )
    if "url" in FIELDS[kind]:
        demand_address(kind, url, origins)
    return {name: content[name] for name in ("kind", *FIELDS[kind]) if name in content}


def demand_address(kind: str, url: str, origins: Sequence[str]) -> None:
    """Refuse an address that a page would not show."""
    if kind in MEDIA and url.startswith("data:"):
        if len(url) > LONGEST_DATA:
            raise ValueError(
                f"a data: address must have at most {LONGEST_DATA:,} letters, not {len(url):,}"
            )
        if not DATA[kind].fullmatch(url):
            raise ValueError(f"this is no data: address of kind {kind} in base64")
        return
    if len(url) > LONGEST_URL or not _is_web(url):
        raise ValueError(
            f"the url of a content must begin with https:// and have at most {LONGEST_URL} letters"
        )
    if kind in MEDIA and origin_of(url) not in origins:
        raise ValueError(
            f"{origin_of(url)} is not among the allowed origins: pages ask no other server unless "
            "its owner lists it in the settings of the page (origins), or with --media-origin"
        )


def checked_origin(name: str, value: str) -> str:
    """An origin from which media may come, or a ValueError that says what is wrong.

    Examples
    --------
    >>> checked_origin("origin", "https://CDN.example.org/")
    'https://cdn.example.org'
    """
    found = value.lower().removesuffix("/")
    if not ORIGIN.fullmatch(found):
        remedy = "Give scheme and host alone, with a port if it is not the usual one"
        raise checks.refuse(name, "like https://cdn.example.org", value, remedy)
    return found


def origin_of(url: str) -> str:
    """Scheme, host and port."""
    found = urlsplit(url)
    return f"{found.scheme}://{found.netloc}".lower()


def origins_of(page: dict[str, Any]) -> list[str]:
    """The origins that the settings of a page allow; invalid ones are left out."""
    given = page.get("origins")
    found = given if isinstance(given, list) else []
    return [one for one in found if isinstance(one, str) and ORIGIN.fullmatch(one)]


def shown(name: str, content: dict[str, Any] | None, page: dict[str, Any]) -> dict[str, Any]:
    """What a voter's page gets of an item; markdown as safe HTML.

    Parameters
    ----------
    name
        The item's name, which stands for the content if there is none.
    content
        As stored.
    page
        The settings of the page: a blind page does not get the name.
    """
    if content is None:
        return {"kind": "text", "text": name}
    found: dict[str, Any] = dict(content)
    kind = found.get("kind")
    if kind not in KINDS:  # stored by Python, without a check
        found = {"kind": "text", "text": str(content.get("text", name))}
    elif kind == "markdown" and len(str(found.get("text", ""))) > LONGEST_TEXT:
        found = {"kind": "text", "text": str(found["text"])}
    elif kind == "markdown":
        found = {"kind": "markdown", "html": markdown(str(found.get("text", "")))}
    elif "url" in FIELDS[kind]:
        try:
            demand_address(kind, str(found.get("url", "")), origins_of(page))
        except ValueError:  # what was allowed once, or never checked
            found = {"kind": "text", "text": str(found.get("alt") or found.get("text") or name)}
    return found if page.get("blind") else {**found, "name": name}


def markdown(text: str) -> str:
    """Markdown as HTML without pictures, scripts, styles and frames.

    Examples
    --------
    >>> markdown("*so* <script>alert(1)</script>")
    '<p><em>so</em> &lt;script&gt;alert(1)&lt;/script&gt;</p>'
    """
    html = nh3.clean(
        _parser(tables=cells(text) <= MOST_CELLS).render(text),
        tags=TAGS,
        attributes={"a": {"href"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return html.strip()


def cells(text: str) -> int:
    r"""At most how many cells the tables of a text have, without reading it as Markdown.

    A row that has fewer is filled up, so a text of 20,000 letters could have millions.

    Examples
    --------
    >>> cells("a | b\n--|--\n1 | 2\n3 | 4")
    6
    """
    found = columns = 0
    for line in re.split(r"\r\n|\r|\n", text):
        if not line.strip(" \t>"):  # it ends a table
            columns = 0
        elif DELIMITERS.fullmatch(line):
            columns = max(columns, line.count("|") + 1)
            found += columns
        else:
            found += columns
    return found


@cache
def _parser(*, tables: bool = True) -> MarkdownIt:
    # Raw HTML is text: it would be cleaned anyway, and half a tag that vanishes is a riddle.
    parser = MarkdownIt("commonmark", {"html": False})
    if tables:
        parser.enable("table")
    parser.add_render_rule("image", _described)
    return parser


def _described(_: Any, tokens: Sequence[Any], place: int, *__: Any) -> str:
    """A picture within markdown: its description alone, as no page asks another server."""
    return nh3.clean_text(tokens[place].content)


def _is_web(url: str) -> bool:
    try:
        found = urlsplit(url)
    except ValueError:
        return False
    plain = not re.search(r"[\s\\\x00-\x1f\"'<>]", url)
    return plain and found.scheme in ("http", "https") and bool(found.hostname)
