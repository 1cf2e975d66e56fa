"""Chromium for tests: found, started, and watched for whatever a page should not do."""

import shutil
from contextlib import contextmanager

import pytest

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


@contextmanager
def launched():
    """Chromium while the block runs; the test is skipped where there is none."""
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


def watched(page, bad, *, allowed):
    """Note in `bad` what a page says, asks or breaks, and each request that is not allowed."""
    page.set_default_timeout(PATIENCE)
    page.on("console", lambda message: bad.append(message.text))
    page.on("pageerror", lambda error: bad.append(str(error)))
    page.on("dialog", lambda dialog: (bad.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: allowed(request.url) or bad.append(request.url))
    return page
