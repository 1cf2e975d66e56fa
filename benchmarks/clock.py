"""How the benchmarks measure: turn by turn in one run, the best of the turns counts.

The machine may be busy with something else, and then only ratios mean anything.
"""

import time


def best_of(turns, calls, clock=time.perf_counter):
    """Seconds of the fastest of so many turns for each call by name, all taking turns."""
    best = {}
    for _ in range(turns):
        for name, call in calls.items():
            start = clock()
            call()
            seconds = clock() - start
            best[name] = min(best.get(name, seconds), seconds)
    return best


def table(rows):
    """Rows of equal keys as lines of text."""
    lines = [[str(key) for key in rows[0]]]
    lines += [[shown(value) for value in row.values()] for row in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(
        "  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True))
        for line in lines
    )


def shown(value):
    """A value as text."""
    return f"{value:,}" if isinstance(value, int) else str(value)
