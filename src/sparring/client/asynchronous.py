"""AsyncClient: an arena over HTTP, for coroutines."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any, Self

from sparring.arena import Answer, Item, Record, Settings, Standing, Tallies, Ticket
from sparring.client.calls import record_of
from sparring.client.http import Connected, sent
from sparring.client.steps import Lost, Reply, Result, Steps, Wait


class AsyncClient(Connected):
    """`sparring.Client` for coroutines. Its properties are methods to await here.

    Parameters
    ----------
    address, name, key, timeout, patience
        As for `sparring.Client`.

    Examples
    --------
    >>> async def vote():
    ...     async with AsyncClient("http://127.0.0.1:8000", key="spk_...") as arena:
    ...         ticket = await arena.ask(voter="u17")
    ...         await arena.tell(ticket, ticket.first)
    """

    _kind = "AsyncClient"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    # What a service calls.

    async def ask(self, voter: str | None = None) -> Ticket:
        """Two different arms to show side by side; the same again until the voter answers."""
        return await self._run(self._calls.ask(voter))

    async def ask_many(self, voter: str | None, n: int) -> list[Ticket]:
        """Several pairs at once: a voter's open pairs, and new ones."""
        return await self._run(self._calls.ask_many(voter, n))

    async def tell(self, ticket: str | Ticket, answer: str | float) -> Answer:
        """Learn an answer. It is on the service's disk when this returns."""
        return await self._run(self._calls.tell(ticket, answer))

    async def undo(self, ticket: str | Ticket) -> Ticket:
        """Take back a voter's latest answer within `settings.grace`: a new ticket for the pair."""
        return await self._run(self._calls.undo(ticket))

    async def seen(self, ticket: str | Ticket) -> None:
        """Say that a pair that was asked for ahead is on the screen now."""
        await self._run(self._calls.seen(ticket))

    async def serve(self) -> str:
        """The name of the arm to show to someone who is not asked: the favourite."""
        return await self._run(self._calls.serve())

    async def favourite(self) -> str:
        """The name of the arm that the learner thinks best."""
        return await self.serve()

    async def arms(self) -> tuple[str, ...]:
        """The names of the arms that are shown."""
        return await self._run(self._calls.arms())

    async def votes(self) -> int:
        """How many answers were learnt."""
        return await self._run(self._calls.votes())

    async def standing(self) -> Standing:
        """Who leads, since when, and how the arms do."""
        return await self._run(self._calls.standing())

    # What its operator calls.

    async def add(
        self, name: str, *, boost: float = 1.0, content: dict[str, Any] | None = None
    ) -> None:
        """Add an arm. Nothing happens if it is already there."""
        await self._run(self._calls.add(name, boost, content))

    async def add_all(self, arms: Mapping[str, dict[str, Any] | None]) -> None:
        """Add arms, all or none, with what to show for each."""
        await self._run(self._calls.add_all(arms))

    async def edit(self, name: str, content: dict[str, Any]) -> None:
        """Change what is shown for an arm."""
        await self._run(self._calls.edit(name, content))

    async def withdraw(self, name: str) -> None:
        """Withdraw an arm: it is not shown again."""
        await self._run(self._calls.withdraw(name))

    async def set(self, **changes: Any) -> Settings:
        """Change settings, such as mode="shadow"; returns them all."""
        return await self._run(self._calls.set(changes))

    async def judge(self, voter: str, verdict: str) -> None:
        """Decide what happens to a voter's answers: "held", "banned" or "free"."""
        await self._run(self._calls.judge(voter, verdict))

    async def import_votes(self, rows: Iterable[Sequence[Any]], *, source: str) -> int:
        """Import comparisons from outside, marked as such; all or none. Returns how many."""
        return await self._run(self._calls.import_votes(rows, source))

    # What there is to see.

    async def settings(self) -> Settings:
        """How it asks and what it learns."""
        return await self._run(self._calls.settings())

    async def items(self) -> list[Item]:
        """All arms, also withdrawn ones, with what is shown for them."""
        return await self._run(self._calls.items())

    async def verdicts(self) -> dict[str, str]:
        """Who is held or banned, by pseudonym."""
        return await self._run(self._calls.verdicts())

    async def tallies(self) -> Tallies:
        """Counts of what happened to questions and answers."""
        return await self._run(self._calls.tallies())

    async def pseudonym(self, voter: str) -> str:
        """The pseudonym of a voter in the log."""
        return await self._run(self._calls.pseudonym(voter))

    async def records(self) -> AsyncIterator[Record]:
        """Every answer, oldest first, and the comparisons from outside, as they come in."""
        async with self._http.stream(*self._export()) as reply:
            self._demand_well(reply.status_code, b"" if reply.is_success else await reply.aread())
            async for line in reply.aiter_lines():
                yield record_of(line)

    async def _run(self, steps: Steps[Result]) -> Result:
        """Send and wait, as the steps say."""
        answer: Reply | Lost | None = None
        try:
            while True:
                step = steps.send(answer)
                if isinstance(step, Wait):
                    await asyncio.sleep(step.seconds)
                    answer = None
                    continue
                try:
                    found = await self._http.request(**sent(step))
                    answer = Reply(found.status_code, found.headers, found.content)
                except self._httpx.TransportError as error:
                    answer = self._lost(error)
        except StopIteration as end:
            result: Result = end.value
            return result
