"""Holding: looks at what is new in an arena, and holds whoever the test suspects."""

from sparring.arena.arena import Arena
from sparring.arena.events import Event
from sparring.arena.following import Following
from sparring.arena.questions import Questions
from sparring.arena.suspects import Suspects, Suspicion
from sparring.arena.voters import FREE, HELD


class Holding:
    """Reads the log of an arena beside whoever votes. It holds voters, and deletes nothing.

    The first look reads the whole log. What a person has decided stands: somebody who was freed
    begins anew, with nothing against them.

    Parameters
    ----------
    arena
        The arena.
    alpha
        The share of honest voters that may be held, ever.
    """

    def __init__(self, arena: Arena, *, alpha: float = 0.001) -> None:
        self._arena = arena
        self._suspects = Suspects(alpha=alpha)
        self._questions = Questions()
        self._following = Following(arena.address, arena.name)

    def look(self) -> list[Suspicion]:
        """Hold whoever is suspected by now; who that was, and why.

        It takes a while if much is new: call it in a thread, every few seconds. One process of a
        service is enough, and several do no harm.
        """
        found = self._read()
        known = self._arena.verdicts()
        new = [one for one in found.values() if one.voter not in known]
        for one in new:
            self._arena.judge(one.voter, HELD)
        return new

    def _read(self) -> dict[str, Suspicion]:
        """Suspicions in what is new in the log, on which nobody has decided after them."""
        found: dict[str, Suspicion] = {}
        for event in self._following.news():
            if event.kind == "judged":
                found.pop(event.body["voter"], None)
                self._decided(event.body["voter"], event.body["verdict"])
            suspicion = self._hear(event)
            if suspicion is not None:
                found[suspicion.voter] = suspicion
        return found

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
