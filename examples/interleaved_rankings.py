"""Which ranking do people like best? Interleaved lists as duels: clicks become outcomes.

pip install sparring
python interleaved_rankings.py

Two rankings are merged as two captains pick a team: in each turn both add their best result that is
not yet in the list, in an order that a coin decides. People see one list. Whoever added more of the
results that are clicked wins; no click, or as many for both, is a tie.
"""

from collections.abc import Callable, Sequence
from random import Random

import sparring

Ranking = Sequence[int]

RESULTS = 30
SHOWN = 10


def team_draft(one: Ranking, other: Ranking, luck: Random) -> list[tuple[int, int]]:
    """A list of results, each with the captain who added it: 0 or 1."""
    drafted: list[tuple[int, int]] = []
    taken: set[int] = set()
    while len(drafted) < SHOWN:
        captains = [0, 1]
        luck.shuffle(captains)
        for captain in captains:
            pick = next(result for result in (one, other)[captain] if result not in taken)
            taken.add(pick)
            drafted.append((pick, captain))
    return drafted[:SHOWN]


def outcome(drafted: Sequence[tuple[int, int]], clicked: set[int]) -> float:
    """How good the first ranking was beside the second, from 0 to 1."""
    mine, theirs = (sum(c == who and r in clicked for r, c in drafted) for who in (0, 1))
    return 0.5 if mine == theirs else float(mine > theirs)


def person(luck: Random) -> Callable[[Sequence[int]], set[int]]:
    """Somebody who clicks on good results (small numbers), and looks less and less far down."""

    def clicks(results: Sequence[int]) -> set[int]:
        return {
            result
            for place, result in enumerate(results)
            if luck.random() < 0.9**place and luck.random() < 0.6 * 0.85**result
        }

    return clicks


def rankings(luck: Random) -> dict[str, Ranking]:
    """Three ways to rank; the less noise, the better."""
    noise = {"by age": 40.0, "by words": 12.0, "by meaning": 3.0}
    return {
        name: sorted(range(RESULTS), key=lambda r: r + luck.gauss(0, spread))
        for name, spread in noise.items()
    }


def main(path: str = "rankings.db", people: int = 500) -> None:
    """Show lists, learn from clicks, and say which ranking is best."""
    luck = Random(7)
    known, clicks = rankings(luck), person(luck)
    with sparring.Arena(path, known.keys()) as arena:
        for number in range(people):
            ticket = arena.ask(voter=f"person {number}")
            drafted = team_draft(known[ticket.first], known[ticket.second], luck)
            clicked = clicks([result for result, _ in drafted])
            arena.tell(ticket, outcome(drafted, clicked))
        print(arena.standing())


if __name__ == "__main__":
    main()
