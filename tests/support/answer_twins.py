"""Slow twins of how answers travel: delays by search in exact fractions, whole runs by the day."""

from fractions import Fraction

from sparring import streams
from world_twins import expand


def geometric(mean, u):
    """The largest n with P(delay >= n) = q^n of at least 1 - u."""
    q, n = Fraction(mean) / (1 + Fraction(mean)), 0
    while q ** (n + 1) >= 1 - Fraction(u):
        n += 1
    return n


def heavy(mean, u):
    """The largest n with m (m + 1) / ((m + n) (m + n + 1)) of at least 1 - u."""
    m, n = Fraction(mean), 0
    while m * (m + 1) / ((m + n + 1) * (m + n + 2)) >= 1 - Fraction(u):
        n += 1
    return n


def luck(world, purpose, run, label="", seed=0):
    """(T,): what `simulate` draws for one purpose."""
    rng = streams.keyed(seed, purpose, experiment="", K=world.K, T=world.T, run=run, label=label)
    return rng.random(world.T)


def told(world, names, duels, leaders, run=0):
    """By round, what is told after its duel was asked: (round of the duel, outcome), in order.

    Also the flips of an adversary. Each rule is read off the docstrings of the worlds, link by
    link; `leaders` are the learner's favourites when it asked.
    """
    key = {"experiment": "", "K": world.K, "T": world.T, "run": run}
    path = expand(world, streams.keyed(0, "path", **key))
    coins = luck(world, "coins", run)
    lots = {name: luck(world, "answers", run, name) for name in names}
    days = [[] for _ in range(world.T)]
    flips, answered, led, burst, bursts = [], 0, [], False, 0
    for t, (row, col) in enumerate(duels):
        P = path[t]
        winner = row if coins[t] < P[row, col] else col
        delay = 0
        for name, link in zip(names, world.answers, strict=True) if row != col else ():
            u, loser = lots[name][t], row + col - winner
            right = P[winner, loser] > 0.5
            match type(link).__name__:
                case "Late":
                    mean = link.mean
                    if not isinstance(mean, float):
                        mean = max(mean[row], mean[col])
                    law = {"fixed": lambda m, u: int(m), "geometric": geometric, "heavy": heavy}
                    delay = None if delay is None else delay + law[link.law](mean, u)
                case "Silent":
                    wrong = P[winner, loser] < 0.5
                    whom = {"anyone": True, "majority": right, "minority": wrong}
                    if u < link.share and whom.get(link.of, winner == link.of):
                        delay = None
                case "Spoiled" if delay is None:
                    pass
                case "Spoiled" if link.aim == "nobody":
                    winner = loser if u < link.share else winner
                case "Spoiled" if link.aim == "leader":
                    answered += 1
                    can = len(flips) + 1 <= link.share * answered
                    if can and right and leaders[t] == winner:
                        flips.append((t, answered))
                        winner = loser
                case "Rigged" if delay is not None:
                    answered += 1
                    led.append(leaders[t])
                    purse = link.share * answered - len(flips)
                    bursts += burst and purse < 1  # one is over, and the next is twice as long
                    burst = purse >= (1 if burst else 4 * 2**bursts)
                    others = [n for n, leader in enumerate(led) if leader != leaders[t]]
                    reign = len(led) - 1 - max(others, default=-1)
                    harms = right and winner == leaders[t]
                    wanted = {
                        "bursts": burst and harms,
                        "newcomers": purse >= reign and harms,
                    }.get(link.plan, loser == link.plan)
                    if wanted and purse >= 1:
                        flips.append((t, answered))
                        winner = loser
                case "Spoiled":
                    if u < link.share and link.aim in (row, col):
                        winner = link.aim
        if delay is not None and t + delay < world.T:
            outcome = float(coins[t] < P[row, col]) if row == col else float(winner == row)
            days[t + delay].append((t, outcome))
    return days, flips
