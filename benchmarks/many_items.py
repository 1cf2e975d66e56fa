"""What many items cost a tracker's arena: to add them, a pair, and a start.

python benchmarks/many_items.py --items 300 450
"""

import argparse
import tempfile
import time
from pathlib import Path

from sparring.arena import Arena


def main() -> None:
    """Measure each size that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, nargs="+", default=[300, 450])
    parser.add_argument("--pairs", type=int, default=2500, help="the last quarter is measured")
    options = parser.parse_args()
    for K in options.items:
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder, "arena.db"), K, options.pairs)


def measure(path: Path, K: int, pairs: int) -> None:
    """Print what an arena of K items takes."""
    with Arena(path, ["first", "second"], seed=1) as arena:
        began = time.perf_counter()
        arena.add_all({f"item {k}": None for k in range(2, K)})
        added, costs = time.perf_counter() - began, []
        for _ in range(pairs):
            began = time.process_time()
            ticket = arena.ask()
            arena.tell(ticket, min(ticket.first, ticket.second))
            costs.append(time.process_time() - began)
    last = sorted(costs[-(pairs // 4) :])
    began = time.perf_counter()
    Arena(path).close()
    print(
        f"{K} items: added in {added:.2f} s; processor for a pair {1e3 * sum(last) / len(last):.1f}"
        f" ms in the mean, {1e3 * last[len(last) // 2]:.1f} in the median; "
        f"opened in {time.perf_counter() - began:.1f} s",
        flush=True,
    )


if __name__ == "__main__":
    main()
