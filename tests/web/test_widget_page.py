"""The widget within a page of another origin: it votes without cookies and without storage."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from live_service import listening
from sparring.arena import Arena

pytestmark = pytest.mark.compiled  # no kernel is tested here

EXAMPLE = Path(__file__).parents[2] / "examples" / "widget.html"
BLOCKED = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('blocked'); }})"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def shop(tmp_path):
    """Another site, on another port, with a folder for its pages."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://localhost:{server.server_port}", tmp_path
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_example_votes_in_a_page_of_another_origin(visit, shop, tmp_path_factory):
    origin, folder = shop
    address = tmp_path_factory.mktemp("widget") / "arena.db"
    Arena(address, ["ash", "birch", "cedar"]).close()
    with listening(address, origins=(origin,)) as live:
        written = EXAMPLE.read_text(encoding="utf-8")
        assert "http://127.0.0.1:8000" in written
        here = written.replace("http://127.0.0.1:8000", live.url)
        (folder / "widget.html").write_text(here, encoding="utf-8")
        page = visit(f"{origin}/widget.html", noisy=True, script=BLOCKED)
        frame = page.frame_locator("iframe[title='Choose an answer']")
        frame.get_by_role("button", name="Left is better").click()
        page.get_by_text("Thank you!").wait_for()
        assert live.arena("arena").tallies().told == 1
        assert page.context.cookies() == []
        nothing_to_scroll = "() => document.documentElement.scrollHeight <= innerHeight + 1"
        page.frames[1].wait_for_function(nothing_to_scroll, timeout=20_000)


def test_a_site_that_was_not_named_cannot_show_it(visit, shop, tmp_path_factory):
    origin, folder = shop
    address = tmp_path_factory.mktemp("widget") / "arena.db"
    Arena(address, ["ash", "birch", "cedar"]).close()
    with listening(address, origins=("https://shop.example.org",)) as live:
        (folder / "frame.html").write_text(f'<iframe src="{live.url}/a/arena"></iframe>')
        page = visit(f"{origin}/frame.html", noisy=True)
        assert page.frames[1].locator("main").count() == 0
