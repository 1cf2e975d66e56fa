"""What the tests of the pages share: Chromium, and that pages are quiet and ask nobody else."""

import os
from pathlib import Path

import pytest

from chromium import launched, watched

DESKTOP = {"width": 1200, "height": 800}
# axe-core is not ours to carry: where npm has installed it, it is used.
AXE = [
    Path(os.environ.get("SPARRING_AXE", "axe.min.js")),
    Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js",
]


@pytest.fixture(scope="module")
def browser():  # of one file only: while it is open, nobody else may have an event loop
    with launched() as browser:
        yield browser


@pytest.fixture
def visit(browser):
    """Open an address in a new window; at the end there must have been no error."""
    contexts, bad = [], []

    def visit(url, *, script="", noisy=False, **options):
        context = browser.new_context(**{"viewport": DESKTOP, **options})
        contexts.append(context)
        if script:
            context.add_init_script(script)
        origin = "/".join(url.split("/")[:3])
        own = (origin, "data:", "blob:")
        page = watched(
            context.new_page(), [] if noisy else bad, allowed=lambda to: to.startswith(own)
        )
        page.goto(url)
        return page

    yield visit
    for context in contexts:
        context.close()
    assert bad == []


@pytest.fixture(scope="session")
def axe():
    """Finds what people who do not see or point cannot use on a page."""
    file = next((path for path in AXE if path.is_file()), None)
    if file is None:
        pytest.skip("needs axe-core: npm install --no-save axe-core")
    source = file.read_text(encoding="utf-8")

    def axe(page):
        page.evaluate(source)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            (one["id"], one["impact"], [node["target"] for node in one["nodes"]][:3])
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
        ]

    return axe
