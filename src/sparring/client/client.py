"""Client: an arena over HTTP, used like a local one."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

from sparring.arena import Answer, Item, Record, Settings, Standing, Tallies, Ticket
from sparring.client.calls import record_of
from sparring.client.http import Connected, sent
from sparring.client.steps import Lost, Reply, Result, Steps, Wait


class Client(Connected):
    """An arena that `sparring serve` runs elsewhere, with the methods of `sparring.Arena`.

    Requests that are lost are sent again and count once, as a ticket can be used only once. Errors
    are those of `sparring.arena`. A service that does not answer raises a `StorageError`, and a key
    that it does not accept a `PermissionError`.

    Use one in each process, from as many threads as you like.

    Parameters
    ----------
    address
        Address of the service, such as "http://127.0.0.1:8000".
    name
        Name of the arena.
    key
        A key with the role writer, to ask and tell, or admin, to change settings and judge voters
        too. By default the environment variable SPARRING_KEY.
    timeout
        Seconds for one reply.
    patience
        How many seconds of pauses to spend on a call without a reply before giving up.

    Examples
    --------
    >>> client = Client("http://127.0.0.1:8000", "prompts", key="spk_...")
    >>> client
    <Client 'prompts' at http://127.0.0.1:8000>
    >>> client.close()
    """

    _kind = "Client"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    # What a service calls.

    def ask(self, voter: str | None = None) -> Ticket:
        """Two different arms to show side by side; the same again until the voter answers."""
        return self._run(self._calls.ask(voter))

    def ask_many(self, voter: str | None, n: int) -> list[Ticket]:
        """Several pairs at once: a voter's open pairs, and new ones."""
        return self._run(self._calls.ask_many(voter, n))

    def tell(self, ticket: str | Ticket, answer: str | float) -> Answer:
        """Learn an answer. It is on the service's disk when this returns."""
        return self._run(self._calls.tell(ticket, answer))

    def undo(self, ticket: str | Ticket) -> Ticket:
        """Take back a voter's latest answer within `settings.grace`: a new ticket for the pair."""
        return self._run(self._calls.undo(ticket))

    def seen(self, ticket: str | Ticket) -> None:
        """Say that a pair that was asked for ahead is on the screen now."""
        self._run(self._calls.seen(ticket))

    def serve(self) -> str:
        """The name of the arm to show to someone who is not asked: the favourite."""
        return self._run(self._calls.serve())

    @property
    def favourite(self) -> str:
        """The name of the arm that the learner thinks best."""
        return self.serve()

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of the arms that are shown."""
        return self._run(self._calls.arms())

    @property
    def votes(self) -> int:
        """How many answers were learnt."""
        return self._run(self._calls.votes())

    def standing(self) -> Standing:
        """Who leads, since when, and how the arms do."""
        return self._run(self._calls.standing())

    # What its operator calls.

    def add(self, name: str, *, boost: float = 1.0, content: dict[str, Any] | None = None) -> None:
        """Add an arm. Nothing happens if it is already there."""
        self._run(self._calls.add(name, boost, content))

    def add_all(self, arms: Mapping[str, dict[str, Any] | None]) -> None:
        """Add arms, all or none, with what to show for each."""
        self._run(self._calls.add_all(arms))

    def edit(self, name: str, content: dict[str, Any]) -> None:
        """Change what is shown for an arm."""
        self._run(self._calls.edit(name, content))

    def withdraw(self, name: str) -> None:
        """Withdraw an arm: it is not shown again."""
        self._run(self._calls.withdraw(name))

    def set(self, **changes: Any) -> Settings:
        """Change settings, such as mode="shadow"; returns them all."""
        return self._run(self._calls.set(changes))

    def judge(self, voter: str, verdict: str) -> None:
        """Decide what happens to a voter's answers: "held", "banned" or "free"."""
        self._run(self._calls.judge(voter, verdict))

    def import_votes(self, rows: Iterable[Sequence[Any]], *, source: str) -> int:
        """Import comparisons from outside, marked as such; all or none. Returns how many."""
        return self._run(self._calls.import_votes(rows, source))

    # What there is to see.

    @property
    def settings(self) -> Settings:
        """How it asks and what it learns."""
        return self._run(self._calls.settings())

    def items(self) -> list[Item]:
        """All arms, also withdrawn ones, with what is shown for them."""
        return self._run(self._calls.items())

    def verdicts(self) -> dict[str, str]:
        """Who is held or banned, by pseudonym."""
        return self._run(self._calls.verdicts())

    def tallies(self) -> Tallies:
        """Counts of what happened to questions and answers."""
        return self._run(self._calls.tallies())

    def pseudonym(self, voter: str) -> str:
        """The pseudonym of a voter in the log."""
        return self._run(self._calls.pseudonym(voter))

    def records(self) -> Iterator[Record]:
        """Every answer, oldest first, and the comparisons from outside, as they come in."""
        with self._http.stream(*self._export()) as reply:
            self._demand_well(reply.status_code, b"" if reply.is_success else reply.read())
            for line in reply.iter_lines():
                yield record_of(line)

    def _run(self, steps: Steps[Result]) -> Result:
        """Send and wait, as the steps say."""
        answer: Reply | Lost | None = None
        try:
            while True:
                step = steps.send(answer)
                if isinstance(step, Wait):
                    time.sleep(step.seconds)
                    answer = None
                    continue
                try:
                    found = self._http.request(**sent(step))
                    answer = Reply(found.status_code, found.headers, found.content)
                except self._httpx.TransportError as error:
                    answer = self._lost(error)
        except StopIteration as end:
            result: Result = end.value
            return result
