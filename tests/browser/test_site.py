"""The documentation as a site: what a reader sees, in Chromium, served and as plain files."""

import pytest

from chromium import PATIENCE, watched
from site_of_docs import built, served

PHONE, DESKTOP = {"width": 360, "height": 740}, {"width": 1300, "height": 900}
# The worst contrast of each kind of text, by the formula of WCAG 2.
CONTRAST = """() => {
  const channel = (c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const behind = (one) => {
    for (; one; one = one.parentElement) {
      const found = numbers(getComputedStyle(one).backgroundColor);
      if (found.length === 3 || found[3] === 1) return found;
    }
    return [255, 255, 255];
  };
  const worst = {};
  const texts = "article :is(p, li, td, h1, h2, a, code, math, pre)";
  for (const one of document.querySelectorAll(texts)) {
    const pair = [numbers(getComputedStyle(one).color), behind(one)].map(light);
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    worst[one.tagName] = Math.min(worst[one.tagName] ?? 21, ratio);
  }
  return worst;
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return built(tmp_path_factory.mktemp("site") / "site")


@pytest.fixture(scope="module")
def address(site):
    with served(site) as address:
        yield address


@pytest.fixture
def reader(browser):
    """Opens pages below an address; in the end nothing else was asked for, and nothing broke."""
    contexts, bad = [], []

    def reader(below, **options):
        contexts.append(browser.new_context(**{"viewport": DESKTOP, **options}))
        page = contexts[-1].new_page()
        return watched(page, bad, allowed=lambda url: url.startswith(below))

    yield reader
    for context in contexts:
        context.close()
    assert bad == []


@pytest.mark.parametrize("how", ["served", "as files"])
def test_search_finds_pages_and_names(how, site, address, browser):
    """Of plain files the results come without the lines around a word, which a browser refuses."""
    below, asked = address if how == "served" else site.as_uri(), []
    page = browser.new_page(viewport=DESKTOP)
    page.set_default_timeout(PATIENCE)
    page.on("request", lambda request: asked.append(request.url))
    for word, own in (("tracker", "tracker.html"), ("certificate", "certificates.html")):
        page.goto(f"{below}/index.html")
        page.get_by_placeholder("Search").fill(word)
        page.get_by_placeholder("Search").press("Enter")
        page.get_by_text("Search finished").wait_for()
        found = page.locator("#search-results li > a").evaluate_all("all => all.map(a => a.href)")
        places = {
            one.removeprefix(f"{below}/").partition("#")[0].partition("?")[0] for one in found
        }
        assert {own, "api/sparring.learners.html"} <= places, places
        page.locator("#search-results li > a").first.click()
        page.locator("h1").wait_for()
    page.close()
    assert [url for url in asked if not url.startswith(below)] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(scheme, address, reader):
    page = reader(address, color_scheme=scheme)
    for name in ("index", "theory", "votes", "api/sparring", "source/examples/service.py"):
        page.goto(f"{address}/{name}.html")
        worst = page.evaluate(CONTRAST)
        assert min(worst.values()) >= 4.5, (name, worst)
    page.goto(f"{address}/index.html")
    shown = page.locator("article img:visible").evaluate_all("all => all.map(one => one.src)")
    assert [one.rpartition("/")[2] for one in shown] == [f"front-{scheme}.svg"]
    assert page.locator("article img:visible").evaluate("one => one.naturalWidth") > 100


def test_no_page_is_wider_than_a_phone(site, reader):
    page = reader(site.as_uri(), viewport=PHONE)
    pages = [path for path in site.rglob("*.html") if path.parent.name != "adr"]
    assert len(pages) > 50
    for path in pages:
        page.goto(path.as_uri())
        width = page.evaluate("document.scrollingElement.scrollWidth")
        assert width <= PHONE["width"], path.name


def test_formulas_are_shown_by_the_browser_itself(site, reader):
    page = reader(site.as_uri())
    page.goto((site / "theory.html").as_uri())
    sizes = page.locator("article math").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect()).map((box) => box.width * box.height)"
    )
    assert len(sizes) > 1000
    assert min(sizes) > 0
    assert "$" not in page.locator("article").inner_text()
    first = page.locator("article .formula math").first
    assert first.locator("mfrac").first.bounding_box()["height"] > 20  # laid out, not in a row
