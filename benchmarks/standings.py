"""How often the answer about votes is right, where the truth is known, beside five rivals.

    python benchmarks/standings.py study.jsonl [--runs 200] [--minutes 60]
    python benchmarks/standings.py study.jsonl --only leader,even,8,2000
    python benchmarks/standings.py study.jsonl --old ../checkout  # its method, on the same files
    python benchmarks/standings.py study.jsonl --report [--markdown]

Each run draws strengths N(0, 0.6^2) of K arms in one of seven worlds, and n votes on pairs that
are even, unbalanced (chances 1, 1/2, 1/3, ...) or chosen by `tracker`. Results go to a file, a line
each; runs that are in it are not made again, so a study can be stopped and continued.

nothing: strengths stay. leader: another arm comes to the top at 25 to 95% of the file; in half of
the runs the old leader falls. several: that happens four times. storm: a permutation, once. slow:
all walk, by 1 in all. one: an arm's strength is drawn anew. join: two arms join, one of them the
best, and two leave, one of them often the best until then.

Columns of the report: the leader is right (percent), was said to be with this probability, all rank
sets hold at once, their mean width, and of 0.95 intervals of "since" those that hold. Ranks and
leaders are those of arms that are there at the end. Rivals: Bradley and Terry's model on the last
quarter of the votes, and on all; Glicko-2; strengths that walk at one pace found from the votes (as
TrueSkill Through Time, at the last moment); all with the same candidates and 2,000 draws.
"""

import argparse
import itertools
import json
import math
import sys
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
from numba import njit

SD = 0.6
WORLDS = ("nothing", "leader", "several", "storm", "slow", "one", "join")
PAIRS = ("even", "unbalanced", "adaptive")
CELLS = [
    *itertools.product(WORLDS, ("even",), ((5, 300), (8, 2_000), (8, 12_000), (20, 12_000))),
    *itertools.product(("nothing", "leader", "slow", "join"), ("even",), ((50, 12_000),)),
    *itertools.product(("nothing", "leader", "slow"), ("even",), ((20, 100_000),)),
    *itertools.product(("leader", "several", "join"), ("unbalanced",), ((8, 2_000), (20, 12_000))),
    *itertools.product(("nothing", "leader", "several", "join"), ("adaptive",), ((8, 2_000),)),
    *itertools.product(("nothing", "leader", "join"), ("adaptive",), ((5, 300), (20, 12_000))),
]
RIVALS = ("last quarter", "all time", "glicko", "walk")
DRAWS = 2_000
RIDGE = 1.0
STEPS = np.array([0.001, 0.003, 0.01, 0.03, 0.06, 0.12])  # volatilities that Glicko-2 may have
BELIEFS = (0, 0.5, 0.75, 0.9, 0.97, 0.99, 1.01)


def world(kind, K, n, rng):
    """(n, K) each: strengths, and who is there."""
    begin = rng.normal(0, SD, K)
    strengths, there = np.repeat(begin[None], n, axis=0), np.ones((n, K), bool)
    cut = int(n * rng.uniform(0.25, 0.95))
    if kind == "leader":
        old = int(begin.argmax())
        new = int(rng.choice(np.delete(np.arange(K), old)))
        strengths[cut:, new] = begin[old] + rng.uniform(0.2, 0.6)
        if rng.random() < 0.5:
            strengths[cut:, old] = np.median(begin)
    elif kind == "several":
        for at in np.sort(n * rng.uniform(0.05, 0.95, 4)).astype(int):
            now = strengths[at].copy()
            new = int(rng.choice(np.delete(np.arange(K), now.argmax())))
            now[new] = now.max() + rng.uniform(0.2, 0.4)
            now[now.argsort()[-2]] -= 0.5
            strengths[at:] = now
    elif kind == "storm":
        strengths[cut:] = rng.permutation(begin)
    elif kind == "slow":
        strengths = begin + np.cumsum(rng.normal(size=(n, K)), axis=0) / math.sqrt(n)
    elif kind == "one":
        strengths[cut:, rng.integers(K)] = rng.normal()
    elif kind == "join":
        best, comes, goes, falls = rng.permutation(K)[:4]
        at = (n * rng.uniform(0.3, 0.85, 4)).astype(int)
        if K < 6:  # first they join, or nobody would be left to meet
            at.sort()
        strengths[:, best] = np.delete(begin, best).max() + rng.uniform(0.1, 0.5)
        there[: at[0], best] = there[: at[1], comes] = False
        there[at[2] :, goes] = there[at[3] :, falls] = False
        if rng.random() < 0.5:
            others = np.delete(np.arange(K), [best, goes])
            strengths[:, goes] = strengths[:, others].max() + 0.2
    return strengths, there


def played(pairs, strengths, there, rng, seed):
    """First and second arm and outcome of each vote."""
    n, K = strengths.shape
    if pairs == "adaptive":
        return adaptive(strengths, there, rng.random(n), seed)
    chance = np.ones(K) if pairs == "even" else rng.permutation(1 / np.arange(1, K + 1))
    first, second = np.empty(n, np.int32), np.empty(n, np.int32)
    for at in range(0, n, 50_000):
        key = np.log(chance) + rng.gumbel(size=(min(50_000, n - at), K))
        key[~there[at : at + 50_000]] = -np.inf
        two = np.argpartition(-key, 1, axis=1)[:, :2]
        flip = rng.random(len(two)) < 0.5
        first[at : at + 50_000] = np.where(flip, two[:, 0], two[:, 1])
        second[at : at + 50_000] = np.where(flip, two[:, 1], two[:, 0])
    rows = np.arange(n)
    lead = strengths[rows, first] - strengths[rows, second]
    return first, second, (rng.random(n) < 1 / (1 + np.exp(-lead))).astype(float)


def adaptive(strengths, there, uniforms, seed):
    """Votes on the pairs that `tracker` asks for, which learns of arms that join and leave."""
    import sparring

    n = len(strengths)
    arms = np.flatnonzero(there[0]).tolist()
    learner = sparring.tracker(len(arms), seed=seed, differ=True)
    first, second, outcome = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n)
    for t in range(n):
        if t and (there[t] != there[t - 1]).any():
            for k in np.flatnonzero(there[t - 1] & ~there[t]).tolist():
                learner.withdraw(arms.index(k))
                arms.remove(k)
            for k in np.flatnonzero(there[t] & ~there[t - 1]).tolist():
                learner.add()
                arms.append(k)
        duel = learner.ask()
        i, j = arms[duel.row], arms[duel.col]
        outcome[t] = uniforms[t] < 1 / (1 + math.exp(strengths[t, j] - strengths[t, i]))
        learner.tell(duel, outcome[t])
        first[t], second[t] = i, j
    return first, second, outcome


def bradley_terry(first, second, outcome, K, rng):
    """Draws of strengths that never move."""
    met = np.bincount(first.astype(np.int64) * K + second, minlength=K * K).reshape(K, K)
    won = np.bincount(first.astype(np.int64) * K + second, outcome, K * K).reshape(K, K)
    met, won = met + met.T, won + (met - won).T
    x = np.zeros(K)
    for _ in range(100):
        p = 1 / (1 + np.exp(x[None] - x[:, None]))
        bend = met * p * (1 - p)
        H = np.diag(bend.sum(1) + RIDGE) - bend
        step = np.linalg.solve(H, (won - met * p).sum(1) - RIDGE * x)
        x += np.clip(step, -2, 2)
    return rng.multivariate_normal(x, np.linalg.inv(H), DRAWS, method="cholesky")


@njit(cache=True)
def _walked(first, second, outcome, K, pace):
    """Strengths that walk, followed by a filter with one variance each; and the log-loss."""
    mean, variance, latest, loss = np.zeros(K), np.full(K, 0.5), np.zeros(K), 0.0
    for t in range(len(first)):
        i, j = first[t], second[t]
        for k in (i, j):
            variance[k] += pace * (t - latest[k])
            latest[k] = t
        lead, doubt = mean[i] - mean[j], variance[i] + variance[j]
        flat = 1 / (1 + math.exp(-lead / math.sqrt(1 + math.pi / 8 * doubt)))
        loss -= math.log(flat if outcome[t] > 0.5 else 1 - flat)
        p = 1 / (1 + math.exp(-lead))
        bend = p * (1 - p)
        step = (outcome[t] - p) / (1 + bend * doubt)
        mean[i] += variance[i] * step
        mean[j] -= variance[j] * step
        for k in (i, j):
            variance[k] /= 1 + bend * variance[k]
    return loss, mean, variance + pace * (len(first) - latest)


def walk(first, second, outcome, K, rng):
    """Draws of strengths that walk, at paces weighed by how well they predict."""
    n = len(first)
    found = [_walked(first, second, outcome, K, v / n) for v in (0, *np.geomspace(0.003, 100, 12))]
    losses = np.array([loss for loss, _, _ in found])
    weights = np.exp(losses.min() - losses)
    at = rng.choice(len(found), DRAWS, p=weights / weights.sum())
    means, variances = (np.array([one[part] for one in found]) for part in (1, 2))
    return means[at] + np.sqrt(variances[at]) * rng.normal(size=(DRAWS, K))


@njit(cache=True)
def _glicko(first, second, outcome, K, period, sigma0, tau):
    """Glicko-2 with periods of so many votes: log-loss, ratings and squared deviations."""
    mu, phi2, sigma = np.zeros(K), np.full(K, (350 / 173.7178) ** 2), np.full(K, sigma0)
    gain, bend, loss = np.zeros(K), np.zeros(K), 0.0
    for t in range(len(first)):
        i, j = first[t], second[t]
        both = 1 / math.sqrt(1 + 3 * (phi2[i] + phi2[j]) / math.pi**2)
        p = 1 / (1 + math.exp(-both * (mu[i] - mu[j])))
        loss -= math.log(p if outcome[t] > 0.5 else 1 - p)
        for own, other, score in ((i, j, outcome[t]), (j, i, 1 - outcome[t])):
            g = 1 / math.sqrt(1 + 3 * phi2[other] / math.pi**2)
            e = 1 / (1 + math.exp(-g * (mu[own] - mu[other])))
            gain[own] += g * (score - e)
            bend[own] += g * g * e * (1 - e)
        if (t + 1) % period == 0 or t == len(first) - 1:
            for k in range(K):
                if bend[k] > 0:
                    v, d = 1 / bend[k], gain[k] / bend[k]
                    a = math.log(sigma[k] ** 2)
                    low = a
                    high = math.log(d * d - phi2[k] - v) if d * d > phi2[k] + v else a - tau
                    if d * d <= phi2[k] + v:
                        while _volatile(high, a, d, phi2[k], v, tau) < 0:
                            high -= tau
                    f_low, f_high = (
                        _volatile(low, a, d, phi2[k], v, tau),
                        _volatile(high, a, d, phi2[k], v, tau),
                    )
                    for _ in range(100):
                        if abs(high - low) < 1e-6:
                            break
                        c = low + (low - high) * f_low / (f_high - f_low)
                        f_c = _volatile(c, a, d, phi2[k], v, tau)
                        if f_c * f_high <= 0:
                            low, f_low = high, f_high
                        else:
                            f_low /= 2
                        high, f_high = c, f_c
                    sigma[k] = math.exp(low / 2)
                    phi2[k] = 1 / (1 / (phi2[k] + sigma[k] ** 2) + bend[k])
                    mu[k] += phi2[k] * gain[k]
                else:
                    phi2[k] += sigma[k] ** 2
                gain[k] = bend[k] = 0.0
    return loss, mu, phi2


@njit(cache=True)
def _volatile(x, a, d, phi2, v, tau):
    """Glickman's function, whose root is the logarithm of the new squared volatility."""
    e = math.exp(x)
    return e * (d * d - phi2 - v - e) / (2 * (phi2 + v + e) ** 2) - (x - a) / tau**2


def glicko(first, second, outcome, K, rng):
    """Draws by Glicko-2, with the volatility that predicted best."""
    period = max(2 * K, len(first) // 200)
    tried = [_glicko(first, second, outcome, K, period, sigma, 0.5) for sigma in STEPS]
    _, mu, phi2 = min(tried, key=lambda one: one[0])
    return mu + np.sqrt(phi2) * rng.normal(size=(DRAWS, K))


def judged(drawn, sets, here, truth, there, leader):
    """How a method did: the leader, what it said, its rank sets."""
    chance = np.bincount(np.where(here, drawn, -np.inf).argmax(1), minlength=len(here)) / len(drawn)
    said = int(chance.argmax())
    order = (-np.where(there, truth, -np.inf)).argsort().argsort() + 1
    both = here & there
    holds = bool(((sets[both, 0] <= order[both]) & (order[both] <= sets[both, 1])).all())
    return {
        "right": said == leader,
        "said": float(chance.max()),
        "hold": holds and bool((here == there).all()),
        "width": float((sets[both, 1] - sets[both, 0] + 1).mean()),
        "true": float(chance[leader]),
    }


def run(cell, seed):
    """One row: all methods on one file."""
    from sparring.votes import Votes, standings
    from sparring.votes.standings import rank_sets

    kind, pairs, (K, n) = cell
    votes, strengths, there, leader, began = file_of(cell, seed)
    rng = np.random.default_rng([seed, 7])
    cpu = time.process_time()
    now = standings(votes, side=False)
    found = now.histories
    drawn = found.strengths[:, :, -1].astype(float)
    sets = np.zeros((K, 2), int)
    for place in now.places:
        sets[votes.names.index(place.name)] = place.ranks
    row = judged(drawn, sets, found.here, strengths[-1], there[-1], leader)
    begins = began if not found.joined[leader] else max(began, int(found.first[leader]))
    row |= {
        "cpu": time.process_time() - cpu,
        "scatter": found.scatter,
        "always": now.since.always,
        "changed": now.since.changed,
        "since": [now.since.since, now.since.earliest, now.since.latest],
        "turns": len(now.turns),
        "true turns": sum(true_turn(turn, votes, strengths) for turn in now.turns),
        "moved": len(now.rose) + len(now.fell),
        "true moved": sum(
            abs(strengths[-1, k] - strengths[0, k]) > 1e-9
            for k in (votes.names.index(name) for name in (*now.rose, *now.fell))
        ),
    }
    rows = {"ours": row}
    last = slice(n - n // 4, n)
    who = {
        "last quarter": lambda i, j, o: bradley_terry(i[last], j[last], o[last], K, rng),
        "all time": lambda i, j, o: bradley_terry(i, j, o, K, rng),
        "glicko": lambda i, j, o: glicko(i, j, o, K, rng),
        "walk": lambda i, j, o: walk(i, j, o, K, rng),
    }
    at = np.flatnonzero(found.here)
    for name, drawn_by in who.items():
        drawn = drawn_by(votes.first, votes.second, votes.outcome)
        sets = np.zeros((K, 2), int)
        sets[at] = rank_sets(1 + (-drawn[:, at]).argsort(1).argsort(1), 0.05)
        rows[name] = judged(drawn, sets, found.here, strengths[-1], there[-1], leader)
    assert isinstance(votes, Votes)
    return {"cell": [kind, pairs, K, n], "seed": seed, "began": begins + 1, **rows}


def file_of(cell, seed):
    """Votes, strengths, who is there, who leads at the end, and since which vote, from 0."""
    from sparring.votes import Votes

    kind, pairs, (K, n) = cell
    rng = np.random.default_rng([seed, K, n, WORLDS.index(kind), PAIRS.index(pairs)])
    strengths, there = world(kind, K, n, rng)
    first, second, outcome = played(pairs, strengths, there, rng, seed)
    best = np.where(there, strengths, -np.inf).argmax(1)
    other = np.flatnonzero(best != best[-1])
    votes = Votes(tuple(f"m{k}" for k in range(K)), first, second, outcome)
    return votes, strengths, there, int(best[-1]), int(other[-1]) + 1 if len(other) else 0


def true_turn(turn, votes, strengths):
    """Whether the arm did change in this direction between these votes."""
    own = strengths[:, votes.names.index(turn.arm)]
    low, high = max(turn.earliest - 1, 0), min(turn.latest, len(own) - 1)
    return bool((own[high] - own[low]) * (1 if turn.rose else -1) > 1e-9)


def run_old(cell, seed):
    """One row by the method of an older checkout, which has other names for the same things."""
    from sparring.votes import standings

    votes, strengths, there, leader, began = file_of(cell, seed)
    if not votes.counts.sum(0).all():
        return {}
    now = standings(votes)
    rng, K = np.random.default_rng(1), votes.K
    drawn = rng.multivariate_normal(now.strengths, now.covariance, DRAWS, check_valid="ignore")
    sets = np.zeros((K, 2), int)
    for place in now.places:
        sets[votes.names.index(place.name)] = place.ranks
    row = judged(drawn, sets, np.ones(K, bool), strengths[-1], there[-1], leader)
    return {"cell": [*cell[:2], *cell[2]], "seed": seed, "began": began + 1, "old": row}


def study(options):
    """Make the runs that are missing, a seed of all cells after the other."""
    path, method = Path(options.file), "old" if options.old else "ours"
    done = {(*row["cell"], row["seed"]) for row in rows_of(path) if method in row}
    cells = [
        cell
        for cell in CELLS
        if not options.only or f"{cell[0]},{cell[1]},{cell[2][0]},{cell[2][1]}" in options.only
    ]
    from sparring._jit import compile_from_now_on

    compile_from_now_on()
    begun = time.monotonic()
    with path.open("a") as file:
        for seed in range(options.runs):
            for cell in cells:
                if time.monotonic() - begun > 60 * options.minutes:
                    return
                if (*cell[:2], *cell[2], seed) in done:
                    continue
                row = run_old(cell, seed) if options.old else run(cell, seed)
                file.write(json.dumps(row, default=lambda number: number.item()) + "\n")
                file.flush()


def rows_of(path):
    """The rows of a file, as far as they are whole."""
    found = []
    if path.exists():
        for line in path.read_text().splitlines():
            try:
                found.append(json.loads(line))
            except json.JSONDecodeError:  # cut off when it was stopped
                continue
    return [row for row in found if row]


def report(options):
    """Print the tables: a line per cell, or in Markdown one per world and way of pairs."""
    cells, methods = defaultdict(dict), ("ours", *RIVALS, "old")
    for row in rows_of(Path(options.file)):
        cells[tuple(row["cell"])].setdefault(row["seed"], {}).update(row)
    found = {cell: [row for row in rows.values() if "ours" in row] for cell, rows in cells.items()}
    found = {cell: rows for cell, rows in found.items() if rows}
    groups = defaultdict(list)
    for cell, rows in found.items():
        groups[cell[1::-1] if options.markdown else (cell[1], cell[2], cell[3], cell[0])] += rows
    head = [
        "pairs",
        "world" if options.markdown else "arms, votes, world",
        "runs",
        *methods,
        "since",
    ]
    table = [head]
    for key in sorted(groups):
        rows = groups[key]
        scores = [scored([row[name] for row in rows if name in row]) for name in methods]
        where = ", ".join(f"{part:,}" if isinstance(part, int) else part for part in key[1:])
        table.append([key[0], where, f"{len(rows)}", *scores, dated(rows)])
    kept = [at for at in range(len(head)) if any(line[at] for line in table[1:])]
    for line in table:
        shown = [line[at] for at in kept]
        plain = "  ".join(f"{cell:<19}" for cell in shown).rstrip()
        print(f"| {' | '.join(shown)} |" if options.markdown else plain)
        if options.markdown and line is head:
            print("| " + " | ".join(["---"] * len(kept)) + " |")
    if options.markdown:
        return
    reliability([row for rows in found.values() for row in rows], methods)
    print("\nless often right than the best rival, in standard errors of the paired difference:")
    for score, text in sorted(filter(None, (behind(cell, rows) for cell, rows in found.items()))):
        print(f"  {score:5.1f}  {text}")
    print("\nrank sets that hold so seldom that 93% would do so in less than one of 100 studies:")
    for cell, rows in found.items():
        hold = sum(row["ours"]["hold"] for row in rows)
        chance = sum(
            math.comb(len(rows), n) * 0.93**n * 0.07 ** (len(rows) - n) for n in range(hold + 1)
        )
        if chance < 0.01:
            print(f"  {hold} of {len(rows)}  {cell}")


def scored(own):
    """Leader right / said, rank sets hold, their mean width."""
    if not own:
        return ""
    right, said, hold, width = (
        np.mean([one[key] for one in own]) for key in ("right", "said", "hold", "width")
    )
    return f"{100 * right:.0f}/{100 * said:.0f} {100 * hold:.0f} {width:.1f}"


def dated(rows):
    """How often the interval of "since" holds, where a change is claimed and the leader right."""
    claimed = [row for row in rows if row["ours"]["changed"] and row["ours"]["right"]]
    inside = [row["ours"]["since"][1] <= row["began"] <= row["ours"]["since"][2] for row in claimed]
    return f"{100 * np.mean(inside):.0f} of {len(inside)}" if inside else ""


def behind(cell, rows):
    """By how much the best rival is right more often, if it is."""
    best = max(RIVALS, key=lambda name: np.mean([row[name]["right"] for row in rows]))
    apart = [float(row["ours"]["right"]) - row[best]["right"] for row in rows]
    if np.mean(apart) >= 0 or len(rows) < 2:
        return None
    error = np.std(apart, ddof=1) / math.sqrt(len(apart))
    return np.mean(apart) / error, f"{100 * np.mean(apart):6.1f} points  {cell}  {best}"


def reliability(rows, methods):
    """What was said and what was right; rank sets; changes that were not."""
    print("\nsaid > right (runs)")
    for method in methods:
        own = [row[method] for row in rows if method in row]
        if not own:
            continue
        said, right = (np.array([one[key] for one in own], float) for key in ("said", "right"))
        cells = []
        for low, high in itertools.pairwise(BELIEFS):
            at = (said >= low) & (said < high)
            if at.any():
                cells.append(
                    f"{100 * said[at].mean():.0f} > {100 * right[at].mean():.1f} ({at.sum()})"
                )
        log = -np.mean([math.log(max(one["true"], 1e-3)) for one in own])
        print(
            f"  {method:<13}{100 * said.mean():.1f} > {100 * right.mean():.1f} ({len(own)}); "
            f"rank sets {100 * np.mean([one['hold'] for one in own]):.1f}; log-score {log:.2f}; "
            + ", ".join(cells)
        )
    ours = [row for row in rows if "ours" in row]
    still = [row["ours"] for row in ours if row["cell"][0] == "nothing"]
    false = sum(one["changed"] and one["said"] >= 0.75 for one in still)
    turns = sum(one["turns"] for one in still)
    print(f"\nwithout a change: {false} of {len(still)} say one; {turns} turns")
    for name in ("turns", "moved"):
        told = sum(row["ours"][name] for row in ours)
        true = sum(row["ours"][f"true {name}"] for row in ours)
        print(f"{name}: {true} of {told} true")
    scatter = np.array([row["ours"]["scatter"] for row in ours])
    print(f"chains that still differ: {(scatter > 1.1).sum()} of {len(scatter)}")


def main():
    """Make runs, or report them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="where results are kept, a line each")
    parser.add_argument("--runs", type=int, default=200, help="per cell")
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after so many")
    parser.add_argument("--only", action="append", metavar="WORLD,PAIRS,ARMS,VOTES")
    parser.add_argument("--old", metavar="PATH", help="a checkout whose method is tried instead")
    parser.add_argument("--report", action="store_true", help="print the tables")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    if options.old:
        sys.path.insert(0, str(Path(options.old) / "src"))
    report(options) if options.report else study(options)


if __name__ == "__main__":
    main()
