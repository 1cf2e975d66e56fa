"""What the tests of the pages share: Chromium, and that pages are quiet and ask nobody else."""

import pytest

from chromium import axe_core, launched, watched

DESKTOP = {"width": 1200, "height": 800}


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
    violations = axe_core()

    def axe(page):
        return [one for one in violations(page) if one[1] in ("serious", "critical")]

    return axe
