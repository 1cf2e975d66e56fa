"""What the tests in a browser share: Chromium, the page, and that it is quiet."""

import shutil

import pytest

from browser.tiny_results import COMMAND, DESKTOP, VERDICTS, play, shown
from sparring.lab.page import write_report

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 300_000  # milliseconds: it ends what hangs, and a busy machine may take its time


@pytest.fixture(scope="module")
def summaries(tmp_path_factory):
    return shown(play(tmp_path_factory))


@pytest.fixture(scope="module")
def file(summaries, tmp_path_factory):
    return write_report(tmp_path_factory.mktemp("page"), summaries, VERDICTS, command=COMMAND)


@pytest.fixture(scope="module")
def browser():  # of one file only: while it is open, nobody else may have an event loop
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    chromium = next(filter(None, map(shutil.which, NAMES)), None)
    if chromium is None:
        pytest.skip(f"needs a browser: one of {', '.join(NAMES)}")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(
            executable_path=chromium, args=ARGUMENTS, timeout=PATIENCE
        )
        yield browser
        browser.close()


@pytest.fixture
def visit(browser):
    """Open a file in a new window; at the end there must have been no error and no request."""
    contexts, bad = [], []

    def visit(file, **options):
        context = browser.new_context(**{"viewport": DESKTOP, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: bad.append(message.text))
        page.on("pageerror", lambda error: bad.append(str(error)))
        page.on("dialog", lambda dialog: (bad.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: request.url == file.as_uri() or bad.append(request.url))
        page.goto(file.as_uri())
        return page

    yield visit
    for context in contexts:
        context.close()
    assert bad == []


@pytest.fixture
def page(visit, file):
    return visit(file)
