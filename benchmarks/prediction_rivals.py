"""What each rival pays for votes that it predicts one by one, over a grid of its settings.

Elo, Glicko-2 and whole-history rating are written anew in machine code; the libraries run beside
them. A library without a home term is given a side that is fitted to earlier votes.
"""

import importlib.util
import math
import warnings
from collections.abc import Callable
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

import prediction_kernels as kernels
from sparring.votes.strengths import RIDGE, SIDE_RIDGE, fit

HOMES = tuple(np.linspace(0, 0.6, 13).tolist())
ELO = tuple(np.geomspace(0.005, 0.6, 25).tolist())
VOLATILITIES = (0.002, 0.004, 0.006, 0.01, 0.015, 0.025, 0.04, 0.07, 0.12, 0.2)
DRIFTS = (0.03, 1.0, 2.25, 5.0, 12.0, 30.0)  # variance of a strength over all votes
FEW = (0.03, 2.25, 10.0)  # the same for libraries, which take their time
STEPS = 1_000  # of time, after each of which a whole history is fitted again
REFITS = 10  # of TrueSkill Through Time
NORMAL = NormalDist()


class Paid(NamedTuple):
    """Log-losses of a rival, a row for each setting."""

    settings: list[str]
    losses: np.ndarray


class Rival(NamedTuple):
    """A way to predict."""

    name: str
    run: Callable[..., Paid]
    package: str | None = None
    module: str | None = None

    @property
    def missing(self):
        """Whether its package is not installed."""
        return self.module is not None and importlib.util.find_spec(self.module) is None


def plain(votes, sided):
    """All-time Bradley-Terry as commonly done: refitted now and then, its point estimate taken."""
    losses, n = np.empty(len(votes)), len(votes)
    cuts = np.unique(np.geomspace(1, n, 150).astype(int))
    for begin, end in zip([0, *cuts[:-1]], cuts, strict=True):
        new = votes[begin:end]
        lead = np.zeros(len(new))
        if begin:
            strengths = fit(votes[:begin], ridge=RIDGE).strengths
            lead = strengths[new.first] - strengths[new.second]
        p = np.clip(1 / (1 + np.exp(-lead)), kernels.SURE, 1 - kernels.SURE)
        losses[begin:end] = -(new.outcome * np.log(p) + (1 - new.outcome) * np.log(1 - p))
    return Paid(["refitted 150 times"], losses[None])


def elo(votes, sided):
    """Elo with his K and a home term of a grid."""
    grid = [(step, home) for step in ELO for home in (HOMES if sided else (0.0,))]
    losses = np.empty((len(grid), len(votes)), np.float32)
    for row, setting in zip(losses, grid, strict=True):
        kernels.elo(*pairs(votes), votes.K, *setting, row)
    return Paid([f"K {173.7178 * step:.0f}{homely(home)}" for step, home in grid], losses)


def glicko2(votes, sided):
    """Glicko-2 with periods, volatilities and a home term of a grid."""
    periods = sorted({1, max(votes.K // 2, 1), 4 * votes.K})
    grid = [
        (period, sigma, 0.5, home)
        for period in periods
        for sigma in VOLATILITIES
        for home in (HOMES[::2] if sided else (0.0,))
    ]
    losses = np.empty((len(grid), len(votes)), np.float32)
    for row, setting in zip(losses, grid, strict=True):
        kernels.glicko2(*pairs(votes), votes.K, *setting, row)
    return Paid([f"{p} votes a period, {s:g}{homely(h)}" for p, s, _, h in grid], losses)


def whole_history(votes, sided):
    """Whole-history rating, fitted again after each of a thousand steps of time."""
    step = steps(votes, STEPS)
    losses = np.empty((len(DRIFTS), len(votes)), np.float32)
    for row, drift in zip(losses, DRIFTS, strict=True):
        kernels.whole_history(*pairs(votes), step, votes.K, drift / STEPS, sided, 1, row)
    return Paid([f"variance {drift:g}" for drift in DRIFTS], losses)


def whr_library(votes, sided):
    """The package whole-history-rating: one pace, its home term a handicap; ties are its draws."""
    from whr import WHR

    mine = whole_history(votes, sided)  # its pace, tuned there
    drift = DRIFTS[int(mine.losses.mean(1).argmin())]
    many = 400
    step, losses = steps(votes, many), np.empty(len(votes))
    elo_units = (400 / math.log(10)) ** 2
    base = WHR({"w2": elo_units * drift / many})
    key = 1 if sided else 0
    rows = list(zip(step.tolist(), votes.rows(), strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that arms are not linked yet, and the like
        begin = 0
        while begin < len(rows):
            end = begin
            while end < len(rows) and rows[end][0] == rows[begin][0]:
                a, b, o = rows[end][1]
                if begin:
                    options = {"handicap_key": key, "account_for_uncertainty": True}
                    win, draw, _ = base.win_draw_loss_probabilities(a, b, **options)
                    losses[end] = kernels.paid(win + draw / 2, o)
                else:
                    losses[end] = math.log(2)
                end += 1
            for day, (a, b, o) in rows[begin:end]:
                base.create_game(a, b, "B" if o > 0.5 else "W" if o < 0.5 else "D", day, key)
            base.iterate(2)
            begin = end
    return Paid([f"variance {drift:g}, refitted after {many} steps"], losses[None])


def trueskill(votes, sided):
    """TrueSkill Through Time: its filter for each pace, refitted now and then for the best."""
    found = [through_time(votes, sided, drift, 0) for drift in FEW]
    best = FEW[int(np.argmin([losses.mean() for losses, _ in found]))]
    settings = [f"variance {drift:g}, filter" for drift in FEW]
    if len(votes) <= 10_000:  # a refit of 20,000 votes takes ten seconds
        found.append(through_time(votes, sided, best, REFITS))
        settings.append(f"variance {best:g}, refitted {REFITS} times")
    for row, (_, failed) in enumerate(found):
        settings[row] += f", {failed} errors" if failed else ""
    return Paid(settings, np.array([losses for losses, _ in found]))


def through_time(votes, sided, drift, refits):
    """Log-losses of TrueSkill Through Time; a home is a third player, who does not change.

    It takes roots of numbers that rounding has made negative: such a vote, or such a refit, is left
    out of what it learns, and counted.
    """
    import trueskillthroughtime as ttt

    clock, n = votes.clock, len(votes)
    gamma = math.sqrt(2) / 1.7 * math.sqrt(drift / clock[-1])  # in units of beta = 1
    p_draw = float(((votes.outcome > 0) & (votes.outcome < 1)).mean())
    margin = ttt.compute_margin(p_draw, math.sqrt(2)) if p_draw else 0.0
    belief = [ttt.Gaussian(0, 1)] * votes.K
    home, latest = ttt.Gaussian(0, 0.4), [0.0] * votes.K
    losses = np.empty(n)
    due = set(np.linspace(0, n, refits + 2).astype(int)[1:-1].tolist())
    names = [str(k) for k in range(votes.K)]
    composition, results, failed, times = [], [], 0, []
    for t, (i, j, o, now) in enumerate(
        zip(*(x.tolist() for x in (*pairs(votes), clock)), strict=True)
    ):
        if t in due:
            priors = {name: ttt.Player(ttt.Gaussian(0, 1), 1.0, gamma) for name in names}
            priors["home"] = ttt.Player(ttt.Gaussian(0, 0.4), 0.0, 0.0)
            arguments = {"times": times, "priors": priors, "p_draw": p_draw}
            curves = {}
            try:
                history = ttt.History(composition, results, **arguments)
                history.convergence(iterations=2, verbose=False)
                curves = history.learning_curves()
            except ValueError:
                failed += 1
            for k, name in enumerate(names):
                if name in curves:
                    latest[k], belief[k] = curves[name][-1]
            home = curves["home"][-1][1] if "home" in curves else home
        teams = []
        for k in (i, j):
            prior = belief[k].forget(gamma, now - latest[k])
            teams.append([ttt.Player(prior, 1.0, gamma)])
            latest[k] = now
        if sided:
            teams[0].append(ttt.Player(home, 0.0, 0.0))
        mu = sum(one.prior.mu for one in teams[0]) - teams[1][0].prior.mu
        spread = math.sqrt(2 + sum(one.prior.sigma**2 for team in teams for one in team))
        win, loss = NORMAL.cdf((mu - margin) / spread), NORMAL.cdf((-mu - margin) / spread)
        losses[t] = kernels.paid(win + (1 - win - loss) / 2, o)
        result = [1, 0] if o > 0.5 else [0, 1] if o < 0.5 else [0, 0]
        try:
            game = ttt.Game(teams, result, p_draw).posteriors()
        except ValueError:
            failed += 1
            belief[i], belief[j] = (team[0].prior for team in teams)
            continue
        belief[i], belief[j] = game[0][0], game[1][0]
        home = game[0][1] if sided else home
        composition.append([[names[i], "home"] if sided else [names[i]], [names[j]]])
        results.append(result)
        times.append(now)
    return losses, failed


def openskill(votes, sided):
    """OpenSkill's Bradley-Terry model, by its dynamics; a side is added.

    Its `predict_win` takes a normal distribution where its updates take a logistic one, of the same
    scale, which makes it too sure; so the chance of the updates is tried as well.
    """
    from openskill.models import BradleyTerryFull

    losses, settings = [], []
    for drift in FEW:
        beta = 25 / 6
        tau = math.sqrt(drift * 2 * beta**2 / (2 * len(votes) / votes.K))
        model = BradleyTerryFull(tau=tau)
        ratings, leads = [model.rating() for _ in range(votes.K)], []
        for i, j, o in zip(*(x.tolist() for x in pairs(votes)), strict=True):
            a, b = ratings[i], ratings[j]
            leads.append((a.mu - b.mu) / math.sqrt(2 * beta**2 + a.sigma**2 + b.sigma**2))
            (ratings[i],), (ratings[j],) = model.rate([[a], [b]], ranks=[1 - o, o])
        said = [logit(NORMAL.cdf(lead)) for lead in leads]  # as predict_win, but quicker
        losses += [beside(said, votes, sided), beside(leads, votes, sided)]
        settings += [f"variance {drift:g}, predict_win", f"variance {drift:g}, logistic"]
    return Paid(settings, np.array(losses))


def glicko2_library(votes, sided):
    """The package glicko2 as it comes: a vote a period; a side is added.

    Its search for the volatility squares the rating where Glickman has the deviation.
    """
    import glicko2 as package

    players, leads = [package.Player() for _ in range(votes.K)], []
    for i, j, o in zip(*(x.tolist() for x in pairs(votes)), strict=True):
        a, b = players[i], players[j]
        one, other = (a.rating, a.rd), (b.rating, b.rd)
        doubt = (one[1] / 173.7178) ** 2 + (other[1] / 173.7178) ** 2
        leads.append(kernels.flatter(doubt) * (one[0] - other[0]) / 173.7178)
        a.update_player([other[0]], [other[1]], [o])
        b.update_player([one[0]], [one[1]], [1 - o])
    return Paid(["as it comes"], beside(leads, votes, sided)[None])


def beside(leads, votes, sided):
    """Log-losses of log-odds, with a side that is fitted to earlier votes, or none."""
    losses = np.empty(len(votes))
    ridge = SIDE_RIDGE if sided else 1e12
    kernels.aside(np.array(leads), votes.outcome, ridge, losses)
    return losses


def pairs(votes):
    """What happened."""
    return votes.first, votes.second, votes.outcome


def steps(votes, many):
    """The time of each vote as a whole number below so many."""
    return np.minimum(votes.clock / votes.clock[-1] * many, many - 1).astype(np.int64)


def logit(p):
    """ln(p / (1 - p))."""
    p = min(max(p, kernels.SURE), 1 - kernels.SURE)
    return math.log(p / (1 - p))


def homely(home):
    """A home term in words."""
    return f", home {home:.2f}" if home else ""


QUICK = (
    Rival("all-time Bradley-Terry, refitted", plain),
    Rival("Elo", elo),
    Rival("Glicko-2", glicko2),
    Rival("whole-history rating", whole_history),
)
SLOW = (
    Rival("TrueSkill Through Time", trueskill, "trueskillthroughtime", "trueskillthroughtime"),
    Rival("OpenSkill", openskill, "openskill", "openskill"),
    Rival("package glicko2", glicko2_library, "glicko2", "glicko2"),
)
SLOWEST = (Rival("package whole-history-rating", whr_library, "whole-history-rating", "whr"),)
ALL = (*QUICK, *SLOW, *SLOWEST)
