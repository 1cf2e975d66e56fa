"""What the tests in a browser share: Chromium, the page, and that it is quiet."""

import pytest

from browser.tiny_results import COMMAND, DESKTOP, VERDICTS, play, shown
from chromium import launched, watched
from sparring.lab.page import write_report


@pytest.fixture(scope="module")
def summaries(tmp_path_factory):
    return shown(play(tmp_path_factory))


@pytest.fixture(scope="module")
def file(summaries, tmp_path_factory):
    return write_report(tmp_path_factory.mktemp("page"), summaries, VERDICTS, command=COMMAND)


@pytest.fixture(scope="module")
def browser():  # of one file only: while it is open, nobody else may have an event loop
    with launched() as browser:
        yield browser


@pytest.fixture
def visit(browser):
    """Open a file in a new window; at the end there must have been no error and no request."""
    contexts, bad = [], []

    def visit(file, **options):
        context = browser.new_context(**{"viewport": DESKTOP, **options})
        contexts.append(context)
        page = watched(context.new_page(), bad, allowed=lambda url: url == file.as_uri())
        page.goto(file.as_uri())
        return page

    yield visit
    for context in contexts:
        context.close()
    assert bad == []


@pytest.fixture
def page(visit, file):
    return visit(file)
