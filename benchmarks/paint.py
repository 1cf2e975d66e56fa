"""First paint of the voting page in Chromium, from a service on this machine.

    python benchmarks/paint.py [--visits 20] [--json]

Each visit is a new window with an empty cache. Milliseconds from the beginning of the navigation
to the first contentful paint, as the browser reports it. The first visit warms up.
"""

import argparse
import json
import os
import statistics
import tempfile

from playwright.sync_api import sync_playwright

from serving import ARMS
from soak import Service
from sparring.arena import Arena

CHROMIUM = "/usr/bin/chromium"  # Debian's, if it is there; else the one that playwright installs
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def measured(visits):
    """The milliseconds of each visit."""
    found = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        address = os.path.join(folder, "arena.db")
        Arena(address, ARMS).close()
        service = Service(address)
        service.start()
        path = CHROMIUM if os.path.exists(CHROMIUM) else None
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            for visit in range(visits + 1):
                context = browser.new_context()
                page = context.new_page()
                page.goto(f"http://127.0.0.1:{service.port}/a/arena")
                page.wait_for_function(PAINT)
                if visit:
                    found.append(page.evaluate(PAINT))
                context.close()
        finally:
            browser.close()
            service.stop()
    return sorted(found)


def main():
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--visits", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    times = measured(options.visits)
    found = {"visits": len(times), "median ms": statistics.median(times), "slowest ms": times[-1]}
    if options.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:>12} {value:8,.0f}")


if __name__ == "__main__":
    main()
