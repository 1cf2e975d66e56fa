"""Chromium for tests: found, started, and watched for whatever a page should not do."""

import os
import shutil
from contextlib import contextmanager
from pathlib import Path

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
# axe-core is not ours to carry: where npm has installed it, it is used.
AXE = [
    Path(os.environ.get("SPARRING_AXE", "axe.min.js")),
    Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js",
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


def axe_core():
    """A function that finds what people who do not see or point cannot use on a page."""
    file = next((path for path in AXE if path.is_file()), None)
    if file is None:
        pytest.skip("needs axe-core: npm install --no-save axe-core")
    source = file.read_text(encoding="utf-8")

    def violations(page):
        page.evaluate(source)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            (one["id"], one["impact"], [node["target"] for node in one["nodes"]][:3])
            for one in found["violations"]
        ]

    return violations
