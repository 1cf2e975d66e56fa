"""Voting: asking, answering, looking and taking back, and what happens in an arena then."""

import secrets
from typing import Any, NamedTuple

from sparring import checks
from sparring.arena import tickets
from sparring.arena.events import Event
from sparring.arena.group import Call
from sparring.arena.live import LiveState
from sparring.arena.settings import BOTH_BAD, BOTH_GOOD, SKIP
from sparring.arena.state import SECOND, State
from sparring.arena.tallies import REASONS
from sparring.arena.tickets import Claims, Ticket, TicketError
from sparring.arena.voters import FREE

MOST_PAIRS = 1000  # asked for at once
OUTCOMES = {checks.TIE: 0.5, BOTH_GOOD: 0.5, BOTH_BAD: 0.5, SKIP: None}
REMEMBERED = (BOTH_GOOD, BOTH_BAD, SKIP)  # words that an outcome alone does not tell


class AnswerConflictError(TicketError):
    """The ticket was already answered, with another answer.

    Parameters
    ----------
    message
        What to tell the caller.
    stored
        The answer that counts: a word, or how good the first arm was; None if it was taken back.
    """

    def __init__(self, message: str, stored: str | float | None = None) -> None:
        super().__init__(message)
        self.stored = stored


class UndoError(TicketError):
    """The ticket has no answer that can still be taken back."""


class ArenaClosedError(RuntimeError):
    """No one is asked now: the arena is paused or closed, or its learner went."""


class Answer(NamedTuple):
    """What happened to an answer, which is on disk."""

    number: int
    """Its number in the arena's log."""
    learnt: bool
    """Whether the learner learns from it: at once, or when it can no longer be taken back."""
    why: str
    """Why not, if it does not."""


class Voting(LiveState):
    """Asking and answering in an arena."""

    _key: bytes

    def ask(self, voter: str | None = None) -> Ticket:
        """Two different arms to show side by side.

        Parameters
        ----------
        voter
            The voter's name, of your choice. A voter who has not answered yet gets the same pair
            again. The log has a pseudonym instead of the name.
        """
        return self.ask_many(voter, 1)[0]

    def ask_many(self, voter: str | None, n: int) -> list[Ticket]:
        """Several pairs at once, so that the next is ready: a voter's open pairs, and new ones.

        Parameters
        ----------
        voter
            The voter's name, of your choice.
        n
            How many pairs, at most 1,000.
        """
        return self._group.wait(self.asking(voter, n))

    def tell(self, ticket: str | Ticket, answer: str | float) -> Answer:
        """Learn an answer. It is on disk when this returns; telling it again returns the same.

        Parameters
        ----------
        ticket
            The ticket or its text.
        answer
            The name of the arm that won, "tie", "both good", "both bad" (ties for the learner),
            "skip" (nothing to learn), or how good the first arm is compared with the second, from 0
            to 1.
        """
        return self._group.wait(self.telling(ticket, answer))

    def asking(self, voter: str | None = None, n: int = 1) -> Call[list[Ticket]]:
        """`ask_many`, to be carried out by `perform`."""
        n = checks.whole("n", n, low=1, high=MOST_PAIRS)
        who = None if voter is None else self.pseudonym(voter)
        return Call(self._ask, who, n)

    def telling(self, ticket: str | Ticket, answer: str | float) -> Call[Answer]:
        """`tell`, to be carried out by `perform`. A bad ticket is refused at once."""
        claims = self._claims(ticket)
        return Call(self._tell, claims, answer)

    def undo(self, ticket: str | Ticket) -> Ticket:
        """Take back a voter's latest answer within `settings.grace`: a new ticket for the pair."""
        claims = self._claims(ticket)
        return self._group.do(lambda: self._undo(claims))

    def seen(self, ticket: str | Ticket) -> None:
        """Say that a pair that was asked for ahead is on the screen now: the look begins."""
        claims = self._claims(ticket)
        self._group.do(lambda: self._look_at(claims))

    def open_tickets(self, voter: str) -> list[Ticket]:
        """The pairs that a voter was asked about and may still answer, oldest first.

        For a judge that works in batches: after a restart it goes on where it was.
        """
        who = self.pseudonym(voter)

        def listed(state: State) -> list[Ticket]:
            names, now = state.asked.get(who, ()), self._clock()
            return [self._ticket(name) for name in names if state.pair(name, now)]

        return self._look(listed)

    def pseudonym(self, voter: str) -> str:
        """The pseudonym of a voter in the log."""
        return tickets.pseudonym(checks.text("voter", voter), self._key)

    def _claims(self, ticket: str | Ticket) -> Claims:
        return tickets.read(ticket.text if isinstance(ticket, Ticket) else ticket, self._key)

    # Each of these is carried out within a transaction that holds the arena's lock.

    def _ask(self, voter: str | None, n: int) -> list[Ticket]:
        """The open pairs of a voter, filled up to n."""
        state, now = self._current(), self._clock()
        if state.gone:
            raise ArenaClosedError(
                f"the arena was made with {state.gone}, which went after 0.2.0: no one is asked "
                "until tracker takes its place, which has watched all votes. Open it once with "
                'Arena(address, learner="tracker") or sparring serve ADDRESS --learner tracker'
            )
        if state.settings.status != "open":
            raise ArenaClosedError(f"the arena is {state.settings.status}: no one is asked now")
        mine = [name for name in state.asked.get(voter or "", ()) if state.pair(name, now)][:n]
        mine += [self._ask_anew(voter, now) for _ in range(n - len(mine))]
        return [self._ticket(name) for name in mine]

    def _lapse(self, names: list[str]) -> None:
        """Let open pairs make way for newer ones: answers on them come too late from now on."""
        self._happen(self._clock(), "lapsed", {"tickets": names})

    def _ask_anew(self, voter: str | None, now: int) -> str:
        state = self._current()
        name, swapped = tickets.new_name(), bool(secrets.randbits(1))  # the row arm often leads
        drawn = self._or_spoil(state.draw, now)
        row, col = state.present[drawn.duel.row], state.present[drawn.duel.col]
        body = {"row": row, "col": col, "swapped": swapped, "selves": drawn.selves, "voter": voter}
        if drawn.uniform:
            body["uniform"] = True
        elif len(drawn.duel.p):  # with it a fold without some answers still weighs the others right
            body["p"] = drawn.duel.p.tolist()
        versions = [state.arms[row].version, state.arms[col].version]
        if any(versions):
            body["versions"] = versions
        self._happen(now, "asked", body, name, drawn)
        return name

    def _tell(self, claims: Claims, answer: str | float) -> Answer:
        state, now = self._current(), self._clock()
        outcome, word = self._outcome(claims, answer)
        pair, voter = state.pair(claims.name, now), None
        if pair is None:
            stored = self._log.of_ticket(claims.name, "told")
            if stored is not None:
                return self._answered_before(claims, stored, outcome, word)
            reason = self._reason(claims, now)
        else:
            reason, voter = SKIP if word == SKIP else state.excuse(pair, now), pair.voter
        body: dict[str, Any] = {"outcome": outcome, "why": REASONS[reason] if reason else ""}
        if reason:
            body["reason"] = reason
        if word:
            body["word"] = word
        if pair is not None and pair.again:
            body["voter"] = voter
        verdict = state.voters.verdict(voter, state.number + 1)
        if verdict != FREE:  # for the reply: whether it counts is settled by the latest verdict
            body["verdict"] = verdict
        self._happen(now, "told", body, claims.name)
        return _reply(state.number, body)

    def _answered_before(
        self, claims: Claims, stored: Event, outcome: float | None, word: str
    ) -> Answer:
        """The same reply again, if it is the same answer."""
        if self._log.of_ticket(claims.name, "undone") is not None:
            raise AnswerConflictError(
                "the answer on this ticket was taken back: answer with the ticket that undo gave"
            )
        before = stored.body.get("word", "")
        if (stored.body["outcome"], before) != (outcome, word):
            said = repr(before) if before else f"{stored.body['outcome']:g}"
            raise AnswerConflictError(
                f"this ticket was answered before, with {said} for "
                f"{self._current().arms[claims.first].name!r}: an answer cannot be changed",
                before or stored.body["outcome"],
            )
        self._database.change(
            "UPDATE sparring_arenas SET duplicates = duplicates + 1 WHERE id = ?", [(self._arena,)]
        )
        return _reply(stored.number, stored.body)

    def _undo(self, claims: Claims) -> Ticket:
        state, now = self._current(), self._clock()
        undone = self._log.of_ticket(claims.name, "undone")
        if undone is not None and state.pair(undone.body["again"], now):
            return self._ticket(undone.body["again"])
        if claims.name not in state.fresh or now > state.fresh[claims.name].until:
            raise UndoError(
                "there is no answer on this ticket that could still be taken back: that is "
                f"possible for {state.settings.grace:g} seconds, and until the next answer"
            )
        again = tickets.new_name()
        self._happen(now, "undone", {"again": again}, claims.name)
        return self._ticket(again)

    def _look_at(self, claims: Claims) -> None:
        """Remember since when a pair has been on the screen: once."""
        state, now = self._current(), self._clock()
        pair = state.pair(claims.name, now)
        if pair is not None and not pair.seen:
            self._happen(now, "seen", {}, claims.name)

    def _outcome(self, claims: Claims, answer: str | float) -> tuple[float | None, str]:
        """How good the first arm was, from 0 to 1, and the word for it if that says more."""
        arms = self._current().arms
        if max(claims.first, claims.second) >= len(arms):
            raise TicketError(
                "this ticket is for an arm that the database does not know: it was restored from "
                "an older copy"
            )
        if not isinstance(answer, str):
            remedy = "1: the first arm won"
            return checks.real("answer", answer, low=0, high=1, remedy=remedy), ""
        names = {arms[claims.first].name: 1.0, arms[claims.second].name: 0.0}
        if answer in names:
            return names[answer], ""
        allowed = self._current().settings.answers
        if answer not in allowed:
            raise checks.refuse("answer", f"one of {[*names, *allowed]}, or a number", answer)
        return OUTCOMES[answer], answer if answer in REMEMBERED else ""

    def _reason(self, claims: Claims, now: int) -> str:
        """Why the answer on a ticket that is not open cannot be learnt."""
        arms = self._current().arms
        if any(arms[arm].withdrawn is not None for arm in (claims.first, claims.second)):
            return "withdrawn"
        is_known = now > claims.expires or self._log.of_ticket(claims.name, "asked") is not None
        return "late" if is_known else "unknown"

    def _ticket(self, name: str) -> Ticket:
        state = self._current()
        pair = state.open[name]
        expires = pair.at + state.lifetime
        one, other = (state.arms[arm] for arm in pair.shown)
        text = tickets.write(Claims(name, *pair.shown, expires), self._key)
        return Ticket(one.name, other.name, text, (one.content, other.content), expires / SECOND)


def _reply(number: int, body: dict[str, Any]) -> Answer:
    why = body["why"] or (REASONS[body["verdict"]] if "verdict" in body else "")
    return Answer(number, not why, why)
