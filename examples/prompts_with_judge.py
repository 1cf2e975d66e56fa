"""Choosing among prompts with a model as the judge, in an arena here or behind a service.

pip install sparring
python prompts_with_judge.py                      an arena in the file prompts.db
SPARRING_KEY=spk_... python prompts_with_judge.py http://127.0.0.1:8000     one that is served

The judge is a stub. It is what such judges are: noisy, and fond of whatever it reads first. An
arena puts the sides in random order, so that this costs votes and favours nobody.
"""

import sys
from random import Random
from typing import Protocol

import sparring
from sparring.arena import Answer, Ticket

PROMPTS = {
    "plain": {"kind": "text", "text": "Answer the question."},
    "polite": {"kind": "text", "text": "Answer the question kindly, please."},
    "stepwise": {"kind": "text", "text": "Think step by step, then answer the question."},
    "terse": {"kind": "text", "text": "Answer in one sentence."},
}
QUALITY = {"plain": 0.0, "polite": 0.1, "stepwise": 0.9, "terse": 0.3}  # what the judge should see


class Prompts(Protocol):
    """What is needed of an arena; `sparring.Arena` and `sparring.Client` both have it."""

    def ask(self, voter: str | None = None) -> Ticket:
        """Two prompts."""

    def tell(self, ticket: str | Ticket, answer: str | float) -> Answer:
        """Which was better."""

    def serve(self) -> str:
        """The best so far."""


def judge(first: str, second: str, luck: Random) -> str:
    """The better of two answers, as a model sees it; "tie" if it cannot tell."""
    leaning = 0.25  # towards what it reads first
    found = QUALITY[first] - QUALITY[second] + leaning + luck.gauss(0, 0.6)
    if abs(found) < 0.1:
        return "tie"
    return first if found > 0 else second


def choose(prompts: Prompts, votes: int, luck: Random) -> str:
    """Let the judge compare, so many times; the best prompt."""
    for _ in range(votes):
        ticket = prompts.ask()
        # Here a model would answer a question with both prompts, and the judge read the answers.
        prompts.tell(ticket, judge(ticket.first, ticket.second, luck))
    return prompts.serve()


def main(address: str) -> None:
    """Choose, and say what was chosen."""
    if address.startswith("http"):
        with sparring.Client(address) as client:
            print(choose(client, 400, Random(1)))
    else:
        with sparring.Arena(address, PROMPTS) as arena:
            print(choose(arena, 400, Random(1)))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "prompts.db")
