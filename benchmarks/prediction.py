"""Prediction beside rivals: the log-loss of votes, each predicted from those before it.

python benchmarks/prediction.py [FILE ...] [--part real|drift] [--seeds 5] [--json | --markdown]
pip install trueskillthroughtime==1.1 whole-history-rating==3.7.1 openskill==6.2.0 glicko2==2.1.0

Without FILE: NFL and football in ../shared/data beside the repository, if it is there, and
simulated drifts. Packages that are missing are named and skipped. All numbers are nats a vote; of
simulated votes, in units of 0.0001 above what the true chances pay.

Each rival has a grid of settings. "best" is the best of it in hindsight, which is generous: nobody
knows it beforehand. "mixed" is the grid mixed by past success as ours is, which needs no choice.
Behind +- is the standard error of the difference to ours, over votes (real) or seeds (simulated).
Ties are half a win; TrueSkill and the package whole-history-rating have draws of their own, of
which half are counted as wins. Sides: a home term of a grid (Elo, Glicko-2), estimated with the
strengths (ours, whole-history rating, TrueSkill), or fitted to earlier votes and added (packages
openskill and glicko2).

Thinned: the packages run on two seeds of each drift, and whole-history-rating, refitted after each
of 400 steps, on real data only, at the pace that is best for our own rewrite. TrueSkill Through
Time is its filter, refitted ten times at the best pace up to 10,000 votes. Files with more votes
than MOST are not given to the packages.
"""

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

import prediction_rivals as rivals
from clock import table
from sparring.votes import Votes, read
from sparring.votes.strengths import (
    FOLLOWED_RIDGE,
    RATES,
    _blended,
    default_half_lives,
    predictions,
)
from tracker import markdown

DATA = Path(__file__).parents[1] / ".." / "shared" / "data"
REAL = {"NFL": "nfl", "football": "international_football"}
DRIFTS = ("sudden", "slow", "trend", "nil")
ARMS, LENGTH, SEEDS, PACKAGE_SEEDS = (8, 20), 20_000, 5, 2
WALKED = 1.5  # the standard deviation that a strength gains by a slow drift
MOST = 30_000


def simulated(drift, K, seed, n=LENGTH):
    """Votes on pairs drawn at random, and the log-losses of their true chances."""
    rng = np.random.default_rng([16, DRIFTS.index(drift), K, seed])
    begin, when = rng.standard_normal(K), np.arange(n)
    if drift == "sudden":  # in two moments all arms change places
        orders = np.array([begin, *(rng.permutation(begin) for _ in range(2))])
        strengths = orders[when * 3 // n]
    elif drift == "slow":
        strengths = begin + np.cumsum(rng.standard_normal((n, K)), 0) * WALKED / np.sqrt(n)
    elif drift == "trend":
        share = np.linspace(0, 1, n)[:, None]
        strengths = (1 - share) * begin + share * rng.permutation(begin)
    else:
        strengths = np.tile(begin, (n, 1))
    first = rng.integers(K, size=n)
    second = (first + rng.integers(1, K, size=n)) % K
    p = 1 / (1 + np.exp(strengths[when, second] - strengths[when, first]))
    outcome = (rng.random(n) < p).astype(float)
    truth = -np.log(np.where(outcome == 1, p, 1 - p))
    return Votes(tuple(map(str, range(K))), first, second, outcome), truth


def load(source):
    """Votes and what the truth pays, if it is known."""
    if isinstance(source, tuple):
        return simulated(*source)
    path = Path(source)
    if path.parent.name in REAL.values():
        return read(path, a="i", b="j", outcome="outcome", time="date"), None
    return read(path), None


def ours(votes):
    """A row of log-losses for each way of ours."""
    halves = np.unique(default_half_lives(votes))
    sided, nowhere = votes.sided, np.array([len(votes)])
    options = {"ridge": FOLLOWED_RIDGE, "marks": nowhere}
    found = predictions(votes, halves, side=sided, **options)
    M = len(halves)
    alone = found.losses[:M]
    yield "ours: the mixture", rivals.Paid([""], found.mixed[None])
    names = [f"half-life {half:.3g} {votes.unit}" for half in halves]
    yield "ours: one memory", rivals.Paid(names, alone)
    yield "ours: never forgets", rivals.Paid([""], alone[-1:])
    if sided:
        found = predictions(votes, halves, side=False, **options)
        yield "ours: the mixture without sides", rivals.Paid([""], found.mixed[None])


def measured(task):
    """The mean losses of a way to predict, one job: by setting, of their mixture, and of ours."""
    source, group = task
    votes, truth = load(source)
    sided = votes.sided and not isinstance(source, tuple)
    if group == "ours":
        entries = list(ours(votes))
    else:
        rival = next(one for one in rivals.ALL if one.name == group)
        entries = [(group, rival.run(votes, sided))]
    return [(source, name, paid.settings, *reduced(paid, truth)) for name, paid in entries]


def reduced(paid, truth):
    """What is kept of losses: the mean of each setting, the losses of the best, and the mixture."""
    losses = paid.losses - (0 if truth is None else truth)
    means = losses.mean(1)
    mixed = None
    if len(paid.losses) > 1:
        many, ones = len(paid.losses), np.ones(paid.losses.shape[1])
        prior, end = np.full(many, 1 / many), np.array([len(ones)])
        each = np.array([_blended(paid.losses, ones, rate, prior, end)[0] for rate in RATES])
        even = np.full(len(RATES), 1 / len(RATES))
        mixed = _blended(each, ones, 0.0, even, end)[0] - (0 if truth is None else truth)
    return means, losses[means.argmin()].astype(np.float32), mixed


def compared(found, title, simulation):
    """The rows of one data set from what the jobs of its sources gave."""
    base = {source: best for source, name, _, _, best, _ in found if name == "ours: the mixture"}
    unit = 1e4 if simulation else 1.0
    rows = []
    for name in dict.fromkeys(one[1] for one in found):
        mine = [one for one in found if one[1] == name]
        if simulation:  # one setting for all seeds
            chosen = int(np.mean([means for _, _, _, means, _, _ in mine], 0).argmin())
            loss = np.array([means[chosen] for _, _, _, means, _, _ in mine])
            ahead = loss - np.array([base[one[0]].mean() for one in mine])
            error = ahead.std(ddof=1) / np.sqrt(len(ahead)) if len(ahead) > 1 else np.nan
        else:
            _, _, _, means, best, _ = mine[0]
            chosen = int(means.argmin())
            loss, ahead = means[[chosen]], best - base[mine[0][0]]
            error = ahead.std() / np.sqrt(len(ahead))
        mixed = [one[5].mean() for one in mine if one[5] is not None]
        rows.append(
            {
                "votes": title,
                "predictor": name,
                "loss": unit * float(loss.mean()),
                "mixed": unit * float(np.mean(mixed)) if mixed else None,
                "beyond ours": unit * float(ahead.mean()),
                "error": unit * float(error),
                "setting": mine[0][2][chosen],
                "runs": len(mine),
            }
        )
    return rows


def shown(row, simulation):
    """A row as text."""
    digits = 1 if simulation else 4
    own = row["predictor"] == "ours: the mixture"
    ahead = "" if own else f"{row['beyond ours']:+.{digits}f} +- {row['error']:.{digits}f}"
    return {
        "votes": row["votes"],
        "predictor": row["predictor"],
        "best": f"{row['loss']:.{digits}f}",
        "mixed": "" if row["mixed"] is None else f"{row['mixed']:.{digits}f}",
        "best beyond ours": ahead,
        "the best setting": row["setting"],
        **({"seeds": row["runs"]} if simulation else {}),
    }


def wide(rows, digits):
    """A row for each predictor, a column for each data set, as Markdown has it."""
    titles = list(dict.fromkeys(row["votes"] for row in rows))
    lines = []
    for name in dict.fromkeys(row["predictor"] for row in rows):
        line = {"predictor": name}
        for title in titles:
            found = [row for row in rows if (row["votes"], row["predictor"]) == (title, name)]
            line[title] = cell(found[0], digits) if found else ""
        lines.append(line)
    return markdown(lines)


def cell(row, digits):
    """Our loss; of others what they pay beyond it on the same seeds, its error, and mixed."""
    if row["predictor"] == "ours: the mixture":
        return f"**{row['loss']:.{digits}f}**"
    text = f"{row['beyond ours']:+.{digits}f} ± {row['error']:.{digits}f}"
    if row["mixed"] is None:
        return text
    own = row["loss"] - row["beyond ours"]
    return f"{text}; {row['mixed'] - own:+.{digits}f}"


def jobs(arguments):
    """The sources of each data set, and who plays on each."""
    here = [one.name for one in rivals.SLOW if not one.missing]
    whole = [one.name for one in rivals.SLOWEST if not one.missing]
    quick = ["ours", *(one.name for one in rivals.QUICK)]
    sets = {}
    if arguments.part in (None, "real"):
        files = {Path(name).name: name for name in arguments.files}
        if not files:
            files = {name: DATA / folder / "duels.csv" for name, folder in REAL.items()}
        for title, path in files.items():
            if not Path(path).exists():
                print(f"{title}: {path} is not there, skipped", file=sys.stderr)
                continue
            few = len(load(str(path))[0]) <= MOST
            if not few:
                print(f"{title}: over {MOST:,} votes, packages skipped", file=sys.stderr)
            sets[title] = [(str(path), name) for name in (quick + here + whole if few else quick)]
    if arguments.part in (None, "drift") and not arguments.files:
        for drift in DRIFTS:
            for K in ARMS:
                sets[f"{drift}, {K} arms"] = [
                    ((drift, K, seed), name)
                    for name in quick + here
                    for seed in range(
                        min(PACKAGE_SEEDS, arguments.seeds) if name in here else arguments.seeds
                    )
                ]
    return sets


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", metavar="FILE", help="of votes, as `sparring votes`")
    parser.add_argument("--part", choices=["real", "drift"])
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    arguments = parser.parse_args()
    for one in rivals.ALL:
        if one.missing:
            hint = f"pip install {one.package}"
            print(f"{one.name} is not installed, skipped: {hint}", file=sys.stderr)
    sets = jobs(arguments)
    everything, told = [], not (arguments.json or arguments.markdown)
    with ProcessPoolExecutor(2) as workers:
        parts = {
            title: [workers.submit(measured, task) for task in tasks]
            for title, tasks in sets.items()
        }
        for title, futures in parts.items():
            found = [one for future in futures for one in future.result()]
            simulation = isinstance(found[0][0], tuple)
            rows = compared(found, title, simulation)
            everything += rows
            if told:
                print(table([shown(row, simulation) for row in rows]), end="\n\n", flush=True)
    if arguments.json:
        print(json.dumps(everything))
    if arguments.markdown:
        drifts = {title for title in sets if isinstance(sets[title][0][0], tuple)}
        for here, digits in ((sets.keys() - drifts, 4), (drifts, 1)):
            rows = [row for row in everything if row["votes"] in here]
            if rows:
                print(wide(rows, digits))


if __name__ == "__main__":
    main()
