"""Holding: watches what is new in an arena, and holds voters that the test suspects."""

from sparring.arena.arena import Arena
from sparring.arena.events import Event
from sparring.arena.following import Following, RewrittenError
from sparring.arena.questions import Questions
from sparring.arena.suspects import Suspects, Suspicion
from sparring.arena.voters import FREE, HELD


class Holding:
    """Reads the log of an arena while voting goes on. It holds voters and deletes nothing.

    The first look reads the whole log, and so does the first one after the database was replaced by
    another copy. What a person has decided stands: a voter who was freed starts again with a clean
    slate.

    Parameters
    ----------
    arena
        The arena.
    alpha
        The share of honest voters that may ever be held.
    """

    def __init__(self, arena: Arena, *, alpha: float = 0.001) -> None:
        self._arena, self._alpha = arena, alpha
        self._begin()

    def _begin(self) -> None:
        self._suspects = Suspects(alpha=self._alpha)
        self._questions = Questions()
        self._following = Following(self._arena.address, self._arena.name)
        self._found: dict[str, Suspicion] = {}  # by voter, on which nothing has been decided

    def look(self) -> list[Suspicion]:
        """Hold the voters that are suspected by now; returns who and why.

        It takes a while if much is new, so call it in a thread, every few seconds. One process of a
        service is enough; several do no harm.
        """
        try:
            self._read()
        except RewrittenError:
            self._begin()
            self._read()
        known = self._arena.verdicts()
        new = [one for one in self._found.values() if one.voter not in known]
        for one in new:
            self._arena.judge(one.voter, HELD)
        self._found.clear()  # only now: if the database has failed, the next look holds them
        return new

    def _read(self) -> None:
        """Find suspicions in what is new in the log that no later decision has settled."""
        for event in self._following.news():
            if event.kind == "judged":
                self._found.pop(event.body["voter"], None)
                self._decided(event.body["voter"], event.body["verdict"])
            suspicion = self._hear(event)
            if suspicion is not None:
                self._found[suspicion.voter] = suspicion

    def _hear(self, event: Event) -> Suspicion | None:
        question = self._questions.answered_by(event)
        if question is None or event.body["outcome"] is None:
            return None
        learnt, names = not event.body["why"], self._questions.names
        shown = names[question.first], names[question.second]
        return self._suspects.hear(question.voter, *shown, event.body["outcome"], counted=learnt)

    def _decided(self, voter: str, verdict: str) -> None:
        if verdict == FREE:
            self._suspects.begin_anew(voter)
        else:
            self._suspects.leave_out(voter)
