"""Texts that look like scripts, through every text of an arena: a real browser runs none of them.

All 200 with SPARRING_PAYLOADS=200; forty by default, one of each form.
"""

import os

import pytest

from live_service import listening
from payloads import payloads
from sparring.arena import Arena

pytestmark = pytest.mark.compiled  # no kernel is tested here

PAYLOADS = payloads(int(os.environ.get("SPARRING_PAYLOADS", "40")))
KINDS = ("text", "markdown", "link", "image", "audio", "video")
LONGEST_TITLE, LONGEST_QUESTION = 200, 500

# All sides that the API gives, shown by the page's own code under the page's own policy.
SHOW_ALL = """async (times) => {
    const {fill, spoken} = await import("/static/cards.js");
    const address = document.querySelector("main").dataset.api + "ask";
    for (let time = 0; time < times; time++) {
        const headers = {"X-Voter": `somebody-${time}`, "Content-Type": "application/json"};
        const reply = await fetch(address, {method: "POST", headers, body: '{"n": 50}'});
        const {pairs} = await reply.json();
        for (const side of pairs.flatMap((pair) => [pair.first, pair.second])) {
            const card = document.createElement("div");
            document.body.append(card);
            fill(card, side);
            spoken(side);
        }
    }
    for (const one of document.querySelectorAll("*"))
        for (const event of ["focus", "mouseover", "toggle"]) one.dispatchEvent(new Event(event));
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return [...document.querySelectorAll("[href], [src]")].map((one) => one.href ?? one.src);
}"""


def contents(payload, kind):
    """The payload in each field of a kind, past the checks of the API: straight into the log."""
    if kind in ("text", "markdown"):
        return {"kind": kind, "text": payload}
    if kind == "link":
        return {"kind": kind, "text": payload, "url": f"https://example.org/{payload}"}
    return {"kind": kind, "url": payload, "alt": payload}


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    address = tmp_path_factory.mktemp("xss") / "arena.db"
    with Arena(address, [*PAYLOADS], name="named") as arena:
        arena.import_votes(
            [(PAYLOADS[k], PAYLOADS[k - 1], 1.0) for k in range(len(PAYLOADS))], source=PAYLOADS[0]
        )
        for payload in PAYLOADS[:30]:
            arena.tell(arena.ask(payload), "tie")
        arena.set(page={"board": "public", "title": PAYLOADS[0], "question": PAYLOADS[1]})
    for kind in KINDS:
        with Arena(address, [f"{k}" for k in range(len(PAYLOADS))], name=kind) as arena:
            for k, payload in enumerate(PAYLOADS):
                arena.edit(f"{k}", contents(payload, kind))
            arena.set(mode="shadow", page={"blind": True})
    with listening(address) as live:
        yield live


def packed(longest):
    """The payloads in as few texts as they fit into."""
    texts = [""]
    for payload in PAYLOADS:
        if len(texts[-1]) + len(payload) > longest:
            texts.append("")
        texts[-1] += payload
    return texts


def test_nothing_runs_on_cards(visit, live):
    for kind in KINDS:
        page = visit(f"{live.url}/a/{kind}")
        page.wait_for_selector('#pair[aria-busy="false"]')
        # Pairs are drawn uniformly, so that each item is shown ten times on average.
        addresses = page.evaluate(SHOW_ALL, len(PAYLOADS) // 10)
        assert not [one for one in addresses if one.lower().startswith("javascript:")]


def test_nothing_runs_in_titles_and_questions(visit, live):
    arena = live.arena("text")
    titles, questions = packed(LONGEST_TITLE), packed(LONGEST_QUESTION)
    page = None
    for place, title in enumerate(titles):
        question = questions[place % len(questions)]
        arena.set(page={"title": title, "question": question})
        if page is None:
            page = visit(f"{live.url}/a/text")
        else:
            page.goto(f"{live.url}/a/text")
        page.wait_for_selector('#pair[aria-busy="false"]')
        assert page.locator("h1").text_content().strip() == question.strip()


def test_nothing_runs_on_the_board_and_the_admin_page(visit, live):
    page = visit(f"{live.url}/a/named/board")
    page.locator("table.standings").wait_for()
    assert PAYLOADS[0] in page.locator("table.standings").inner_text()
    page = visit(f"{live.url}/admin#key={live.keys['admin']}")
    page.get_by_role("cell", name="writer", exact=True).wait_for()
    for name in ("text", "markdown", "named"):
        page.locator("#arena").select_option(name)
        page.locator("#items tbody tr").nth(len(PAYLOADS) - 1).wait_for()
    # The items of the arena before stand there until those of this one have come.
    heads = "[...document.querySelectorAll('#items tbody th')]"
    page.wait_for_function(f"name => {heads}.some(it => it.textContent === name)", arg=PAYLOADS[0])
    shown = page.locator("#items tbody th").all_text_contents()
    assert set(shown) == set(PAYLOADS)
