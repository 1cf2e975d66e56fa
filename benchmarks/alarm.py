"""How soon the alarm rings, beside other tests that ring falsely as often on the same votes.

    pip install 'river<0.26'  # for ADWIN, else its row is left out; 0.26 needs Python 3.12
    python benchmarks/alarm.py            # delays: about ten minutes
    python benchmarks/alarm.py false      # false alarms beside the promise: a minute
    python benchmarks/alarm.py when       # how often the interval has the change: a minute
    python benchmarks/alarm.py speed      # a million votes on a hundred arms

**Delays.** Five arms whose utilities are 0.8, 0.4, 0, 0, 0; after 5,000 votes something changes:

- sudden: the leader's utility falls to -0.4;
- slow: it falls to -0.4 within 5,000 votes, so that it leads no longer after a third of them;
- pair: the last arm, which was the fourth's equal, beats it with 0.8, and nothing else changes.

Pairs are uniform, or those of `tracker(differ=True)`. Each test has a setting from lenient to
strict, and is made just so strict that it rings in `--rate` of the runs in which nothing changes,
within as many votes as are looked at. So all have the same false alarms; so has ours, which does
not use its own promise but in the row that says so. The other tests are run on each pair's votes,
and ring when one of them does. Delays are from the 5,000th vote on.
"""

import argparse
import json
import math
import sys
import time

import numpy as np

import sparring
from sparring.votes import Alarm, Votes, alarm, changes

K, BEFORE, AFTER = 5, 5_000, 15_000
T = BEFORE + AFTER
STEP = 100  # votes between two steps of a slow change
FALL = 1.2


def logistic(utilities):
    """Bradley and Terry's preferences."""
    return 1 / (1 + np.exp(utilities[None, :] - utilities[:, None]))


def utilities(fall):
    """The leader's is lower by so much."""
    return np.array([0.8 - fall, 0.4, 0.0, 0.0, 0.0])


def world(name):
    """(parts, K, K): the preferences, for STEP votes each."""
    parts = np.repeat(logistic(utilities(0.0))[None], T // STEP, axis=0)
    late = np.arange(T // STEP) * STEP - BEFORE
    if name == "sudden":
        parts[late >= 0] = logistic(utilities(FALL))
    elif name == "slow":
        falls = np.clip(late / 5_000, 0, 1) * FALL
        parts = np.array([logistic(utilities(fall)) for fall in falls])
    elif name == "pair":
        parts[late >= 0, 4, 3], parts[late >= 0, 3, 4] = 0.8, 0.2
    return parts


def drawn(parts, pairs, run):
    """Votes on these preferences, with uniform pairs or those of a learner."""
    rng = np.random.default_rng((run, K))
    coins = rng.random(T)
    if pairs == "uniform":
        rows = rng.integers(K, size=T)
        cols = (rows + rng.integers(1, K, T)) % K
    else:
        learner = sparring.tracker(K, differ=True, seed=run)
        hold = np.full(len(parts), STEP)
        rows, cols = learner.play(sparring.Block(parts, hold), coins)
    chances = parts[np.arange(T) // STEP, rows, cols]
    return Votes([f"arm {k}" for k in range(K)], rows, cols, (coins < chances) * 1.0)


def by_pair(votes):
    """For each pair met: where its votes are, and how the arm of the lower place did."""
    low, high = np.minimum(votes.first, votes.second), np.maximum(votes.first, votes.second)
    scores = np.where(votes.first == low, votes.outcome, 1 - votes.outcome)
    code = low * votes.K + high
    for one in np.unique(code):
        at = np.flatnonzero(code == one)
        yield at, scores[at]


class Ours:
    """Our alarm; its setting is `every`."""

    strict, lenient = 1e12, 10.0

    def __init__(self, watch):
        self.watch = watch

    def prepared(self, votes):
        """What `first` takes."""
        return votes

    def first(self, votes, setting):
        """The vote after which it rings first, T if never."""
        watched = Alarm(votes.names, every=setting, watch=self.watch)
        for begin in range(0, len(votes), 2_000):  # most runs ring early while it is tuned
            rang = watched.update_many(votes[begin : begin + 2_000])
            if rang:
                return rang[0].vote
        return math.inf


class Statistic:
    """A test that rings when a statistic, one for each vote, is above its setting."""

    lenient = 0.0

    def prepared(self, votes):
        """The highest value so far, vote by vote."""
        found = np.zeros(len(votes))
        for at, scores in by_pair(votes):
            found[at] = self.values(np.r_[0.0, np.cumsum(scores)], np.arange(len(scores)) + 1)
        return np.maximum.accumulate(found)

    def first(self, prepared, setting):
        """The vote after which it is first above the setting, infinite if never."""
        place = np.searchsorted(prepared, setting, side="right")
        return place + 1 if place < len(prepared) else math.inf


class Halves(Statistic):
    """The test of `monitored_db`: the latest w votes on a pair, half against half."""

    def __init__(self, window):
        self.half, self.strict = window // 2, window / 2

    def values(self, sums, n):
        """How far the wins in the two halves lie apart."""
        h = self.half
        found = np.zeros(len(n))
        if len(n) >= 2 * h:
            found[2 * h - 1 :] = np.abs(sums[2 * h :] - 2 * sums[h:-h] + sums[: -2 * h])
        return found


class Window(Statistic):
    """A fixed window: the latest w votes on a pair against all before them, in standard errors."""

    strict = 100.0

    def __init__(self, window):
        self.window = window

    def values(self, sums, n):
        """|difference of shares| over its standard error where nothing changed."""
        w = self.window
        found = np.zeros(len(n))
        if len(n) >= 2 * w:
            late = (sums[2 * w :] - sums[w:-w]) / w
            before = n[2 * w - 1 :] - w
            early = sums[w:-w] / before
            share = (sums[2 * w :] + 1) / (before + w + 2)
            error = np.sqrt(share * (1 - share) * (1 / w + 1 / before))
            found[2 * w - 1 :] = np.abs(late - early) / error
        return found


class Adwin:
    """One of river's ADWIN for each pair's outcomes, as river sets it; its setting is 1 / delta."""

    strict, lenient = 1e60, 1.0001

    def __init__(self, make):
        self.make = make

    def prepared(self, votes):
        """Outcomes by pair, as lists."""
        return [(at.tolist(), scores.tolist()) for at, scores in by_pair(votes)]

    def first(self, prepared, setting):
        """The vote after which one of them rings first."""
        earliest = math.inf
        for at, scores in prepared:
            one = self.make(delta=1 / setting)
            for vote, score in zip(at, scores, strict=True):
                if vote >= earliest:
                    break
                one.update(score)
                if one.drift_detected:
                    earliest = vote + 1
                    break
        return earliest


def tests():
    """All that are compared, by name."""
    found = {
        "alarm, leader": Ours("leader"),
        "alarm, pairs": Ours("pairs"),
        "alarm, both": Ours(("leader", "pairs")),
        "monitored_db, w = 100": Halves(100),
        "monitored_db, w = 400": Halves(400),
        "fixed window, w = 50": Window(50),
        "fixed window, w = 200": Window(200),
    }
    try:
        from river.drift import ADWIN
    except (ImportError, TypeError) as error:  # the latter where river 0.26 meets Python 3.11
        print(f"ADWIN is left out: {error}", file=sys.stderr)
    else:
        found["ADWIN"] = Adwin(ADWIN)
    return found


def tuned(test, calm, rate):
    """The most lenient setting found that rings in at most this share of the calm runs."""
    low, high = math.log(max(test.lenient, 1e-3)), math.log(test.strict)
    for _ in range(14):
        middle = (low + high) / 2
        rings = np.mean([math.isfinite(test.first(one, math.exp(middle))) for one in calm])
        low, high = (middle, high) if rings > rate else (low, middle)
    return math.exp(high), float(
        np.mean([math.isfinite(test.first(one, math.exp(high))) for one in calm])
    )


def delayed(test, setting, streams):
    """The share that rang early, that rang of the others, and their median delay in votes."""
    first = np.array([test.first(one, setting) for one in streams])
    late = first[first > BEFORE] - BEFORE
    median = float(np.median(late)) if len(late) else math.inf
    return {
        "early": float(np.mean(first <= BEFORE)),
        "rang": float(np.mean(np.isfinite(late))) if len(late) else 0.0,
        "delay": median if math.isfinite(median) else None,
    }


def delays(runs, calm_runs, rate):
    """A row for each way to choose pairs, test and world."""
    for pairs in ("uniform", "tracker"):
        calm = [drawn(world("calm"), pairs, run) for run in range(calm_runs)]
        streams = {
            name: [drawn(world(name), pairs, 10_000 + run) for run in range(runs)]
            for name in ("sudden", "slow", "pair")
        }
        for name, test in tests().items():
            setting, rings = tuned(test, [test.prepared(one) for one in calm], rate)
            settings = {name: (setting, rings)}
            if name == "alarm, both":
                promised = T / rate  # so that at most `rate` of calm runs ring, by the promise
                ringing = [math.isfinite(test.first(one, promised)) for one in calm]
                settings["alarm, both, as promised"] = (promised, float(np.mean(ringing)))
            for called, (chosen, rings) in settings.items():
                for kind, ones in streams.items():
                    prepared = [test.prepared(one) for one in ones]
                    found = delayed(test, chosen, prepared)
                    yield {
                        "pairs": pairs,
                        "test": called,
                        "setting": chosen,
                        "calm runs that rang": rings,
                        "world": kind,
                        **found,
                    }


def delay_table(rows):
    """Markdown: the median delay, and how many rang at all."""
    lines = []
    for pairs in dict.fromkeys(row["pairs"] for row in rows):
        lines += [
            f"| {pairs} pairs | rang where all was calm | setting | sudden | slow | pair |",
            "| --- |" + " --- |" * 5,
        ]
        mine = [row for row in rows if row["pairs"] == pairs]
        for test in dict.fromkeys(row["test"] for row in mine):
            cells = [row for row in mine if row["test"] == test]
            told = [cell(row) for row in cells]
            head = f"{cells[0]['calm runs that rang']:.1%} | {cells[0]['setting']:.3g}"
            lines.append(f"| {test} | {head} | {' | '.join(told)} |")
        lines.append("")
    return "\n".join(lines)


def cell(row):
    """Median delay, and the share that rang after the change at all."""
    delay = "never in half of the runs" if row["delay"] is None else f"{row['delay']:,.0f}"
    return f"{delay} ({row['rang']:.0%})"


def false_alarms(runs, every=2_000):
    """A row for each case: false alarms within half of `every` votes, and in ten times as many."""
    n = 10 * every
    cases = {
        "two arms, coins": (2, 0.0, "uniform"),
        "five arms, coins, uniform pairs": (5, 0.0, "uniform"),
        "five arms, one leads by 0.1, uniform pairs": (5, 0.1, "uniform"),
        "five arms, coins, pairs of tracker": (5, 0.0, "tracker"),
        "five arms, one leads by 0.1, pairs of tracker": (5, 0.1, "tracker"),
    }
    for name, (arms, lead, pairs) in cases.items():
        P = np.full((arms, arms), 0.5)
        P[0, 1:], P[1:, 0] = 0.5 + lead, 0.5 - lead
        for watch in ("leader", "pairs", ("leader", "pairs")):
            soon, counted = 0, []
            for run in range(runs):
                rng = np.random.default_rng((run, arms, 9))
                coins = rng.random(n)
                if pairs == "tracker":
                    learner = sparring.tracker(arms, differ=True, seed=run)
                    rows, cols = learner.play(sparring.Block(P[None], np.array([n])), coins)
                else:
                    rows = rng.integers(arms, size=n)
                    cols = (rows + rng.integers(1, arms, n)) % arms
                names = [f"arm {k}" for k in range(arms)]
                votes = Votes(names, rows, cols, (coins < P[rows, cols]) * 1.0)
                rang = [
                    change.vote
                    for change in alarm(votes, every=every, watch=watch).changes
                    # that another arm than the first does not lead is true where the first does
                    if change.kind == "pair" or not lead or change.arms[0] == "arm 0"
                ]
                soon += any(vote <= every // 2 for vote in rang)
                counted.append(len(rang))
            yield {
                "case": name,
                "watch": "both" if len(watch) == 2 else watch,
                "soon": soon / runs,
                "in ten times": float(np.mean(counted)),
                "error": float(np.std(counted, ddof=1) / np.sqrt(runs)),
            }


def false_table(rows):
    """Markdown: what was found beside what is promised."""
    lines = [
        "| votes | watch | runs with one in A/2 votes (promised: at most 50%) "
        "| mean number in 10 A votes (promised: at most 10) |",
        "| --- | --- | --- | --- |",
    ]
    for row in rows:
        mean = f"{row['in ten times']:.2f} ± {row['error']:.2f}"
        lines.append(f"| {row['case']} | {row['watch']} | {row['soon']:.1%} | {mean} |")
    return "\n".join(lines)


def intervals(runs):
    """A row for each change: how often the interval has it, from a file and vote by vote."""
    for p, q, n in ((0.9, 0.3, 300), (0.7, 0.4, 1000), (0.6, 0.45, 3000), (0.55, 0.45, 5000)):
        for watch in ("leader", "pairs"):
            found = {"file": [], "vote by vote": []}
            for run in range(runs):
                rng = np.random.default_rng((run, 11))
                chances = np.where(np.arange(6 * n) < n, p, q)
                outcome = (rng.random(6 * n) < chances) * 1.0
                votes = Votes(("a", "b"), np.zeros(6 * n, int), np.ones(6 * n, int), outcome)
                settings = {"every": 100_000, "watch": watch}
                told = {
                    "file": changes(votes, **settings),
                    "vote by vote": Alarm(votes.names, **settings).update_many(votes),
                }
                for way, rang in told.items():
                    found[way] += [one for one in rang if one.vote > n][:1]
            for way, some in found.items():
                yield {
                    "change": f"{p} to {q} after {n:,} votes",
                    "watch": watch,
                    "way": way,
                    "rang": len(some) / runs,
                    "inside": float(np.mean([it.earliest <= n + 1 <= it.latest for it in some])),
                    "width": float(np.median([it.latest - it.earliest + 1 for it in some])),
                    "delay": float(np.median([it.vote - n for it in some])),
                }


def interval_table(rows):
    """Markdown."""
    lines = [
        "| change | watch | told | runs that rang | change inside | median votes wide "
        "| median delay |",
        "| --- |" + " --- |" * 6,
    ]
    for row in rows:
        head = f"| {row['change']} | {row['watch']} | {row['way']} | {row['rang']:.0%} "
        lines.append(head + f"| {row['inside']:.1%} | {row['width']:,.0f} | {row['delay']:,.0f} |")
    return "\n".join(lines)


def speed(n):
    """Processor seconds, the best of three: n votes on 100 arms, uniform pairs, both watches."""
    rng = np.random.default_rng(1)
    arms = 100
    strength = rng.normal(0, 0.5, arms)
    first = rng.integers(arms, size=n)
    second = (first + rng.integers(1, arms, n)) % arms
    chances = 1 / (1 + np.exp(strength[second] - strength[first]))
    names = [f"arm {k}" for k in range(arms)]
    votes = Votes(names, first, second, (rng.random(n) < chances) * 1.0)

    def one_by_one(some):
        watched = Alarm(names)
        for i, j, o in zip(first.tolist(), second.tolist(), some.outcome.tolist(), strict=False):
            watched.update(i, j, o)

    alarm(votes[:1000])
    cases = [("alarm", alarm, n // part) for part in (8, 4, 2, 1)]
    for name, run, count in [*cases, ("Alarm.update", one_by_one, min(n, 20_000))]:
        best = math.inf
        for _ in range(3):
            began = time.process_time()
            run(votes[:count])
            best = min(best, time.process_time() - began)
        yield {"call": name, "votes": count, "seconds": best}


def speed_table(rows):
    """Markdown."""
    lines = ["| call | votes | seconds | microseconds a vote |", "| --- | --- | --- | --- |"]
    for row in rows:
        each = f"{1e6 * row['seconds'] / row['votes']:.2g}"
        lines.append(f"| {row['call']} | {row['votes']:,} | {row['seconds']:.2f} | {each} |")
    return "\n".join(lines)


def main():
    """Measure, and print tables or rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = ["delay", "false", "when", "speed"]
    parser.add_argument("what", nargs="?", choices=what, default="delay")
    parser.add_argument("--runs", type=int, help="100 for delays, else 400")
    parser.add_argument("--calm", type=int, default=400, help="runs where nothing changes")
    parser.add_argument("--rate", type=float, default=0.05, help="of them that may ring")
    parser.add_argument("--votes", type=int, default=1_000_000, help="for the speed")
    parser.add_argument("--json", action="store_true", help="print the rows instead of a table")
    chosen = parser.parse_args()
    measure = {
        "delay": (lambda: delays(chosen.runs or 100, chosen.calm, chosen.rate), delay_table),
        "false": (lambda: false_alarms(chosen.runs or 400), false_table),
        "when": (lambda: intervals(chosen.runs or 400), interval_table),
        "speed": (lambda: speed(chosen.votes), speed_table),
    }
    rows, table = measure[chosen.what]
    found = list(rows())
    print(json.dumps(found, indent=1) if chosen.json else table(found))


if __name__ == "__main__":
    main()
