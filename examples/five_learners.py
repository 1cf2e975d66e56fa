"""Every learner of the paper on a million duels whose winner changes half-way."""

import time

import numpy as np

import sparring

K, T, RUNS = 10, 1_000_000, 9
WINNERS = (3, 7)  # of the first and of the second half

ENTRANTS = {
    "RAND": "rand",
    "REX3": "rex3",
    "DEX3.P": "dex3p",
    "DEX3.S": "dex3s",
    "DEX3.S corrected": sparring.Entrant("dex3s", corrected=True),
    "Borda-DEX3.S": "borda_dex3s",
}


def world():
    """Two matrices: the winner beats every arm with probability 0.7, the others tie."""
    P = np.full((len(WINNERS), K, K), 0.5)
    for matrix, winner in zip(P, WINNERS, strict=True):
        matrix[winner], matrix[:, winner] = 0.7, 0.3
        matrix[winner, winner] = 0.5
    return sparring.Recorded(P, T)


def spread(values, form):
    """Median, lowest and highest."""
    median, low, high = (format(f(values), form) for f in (np.median, np.min, np.max))
    return f"{median} ({low} to {high})"


def main():
    """Play them all on the same path and coins, RUNS times, and print a table."""
    print(f"K = {K}, T = {T:,}: arm {WINNERS[0]} wins at first, arm {WINNERS[1]} after half of it")
    print(f"median of {RUNS} runs (lowest to highest)")
    print(f"{'learner':18}{'dynamic regret':^32}{'winner shown at the end':^28}".rstrip())
    start = time.perf_counter()
    regret, last = sparring.Regret("preference", "stretch"), T // 20
    table = sparring.simulate(
        world(), ENTRANTS, regret, runs=RUNS, checkpoints=[T - last, T], plays=True
    )
    for name, rows in table.group_by("entrant", maintain_order=True):
        before, end = (rows.filter(t=t) for t in (T - last, T))
        shown = end["plays"].list.get(WINNERS[1]) - before["plays"].list.get(WINNERS[1])
        share = spread(shown.to_numpy() / (2 * last), ".0%")
        regrets = spread(end["value"].to_numpy(), ",.0f")
        print(f"{name[0]:18}{regrets:^32}{share:^28}".rstrip(), flush=True)
    seconds = time.perf_counter() - start
    print(f"{len(ENTRANTS) * RUNS} million duels in {seconds:.1f} s")


if __name__ == "__main__":
    main()
