"""AnswerLog: a file of answers for a learner without an arena, for one process at a time."""

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sparring import checks, locks
from sparring.durations import Moment, moment
from sparring.problem import Duel, duel_outcome


class AnswerLog:
    """Answers in a file, a line each, on disk before `write` returns.

    With a snapshot it is all that a learner needs after a crash: `sparring.replay(snapshot, log)`.
    The file is locked while it is open, so a second process fails loudly instead of asking
    the same rounds with other arms. For several processes there is `sparring.Arena`.

    Parameters
    ----------
    path
        The file, made if it is not there.

    Examples
    --------
    >>> import sparring, tempfile, os.path
    >>> learner = sparring.steady(3, seed=1)
    >>> snapshot = learner.snapshot()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with AnswerLog(os.path.join(folder, "answers.jsonl")) as log:
    ...         duel = learner.ask()
    ...         log.write(duel, 1.0)
    ...         learner.tell(duel, 1.0)
    ...         again = sparring.replay(snapshot, log)
    >>> bool((again.p == learner.p).all())
    True
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._file = open(self._path, "a+b", buffering=0)  # noqa: SIM115  as long as the log
        self._turn = threading.Lock()
        try:
            self._lock()
            self._drop_torn_line()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The answers, oldest first, as `sparring.replay` takes them."""
        with self._path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    yield json.loads(line)
                except ValueError:
                    raise ValueError(
                        f"{self._path}: line {number} is damaged. Bring back a copy of the file, "
                        "or take the line out: its answer is then lost"
                    ) from None

    def write(self, duel: Duel, outcome: float | str, *, at: Moment | None = None) -> None:
        """Write an answer; acknowledge it, and tell it to the learner, when this has returned."""
        if isinstance(outcome, str):
            duel_outcome(duel, outcome)
        else:
            outcome = checks.outcome(outcome)
        event = {"duel": duel.to_json(), "outcome": outcome}
        if at is not None:
            event["at"] = moment("at", at)
        line = json.dumps(event).encode() + b"\n"
        with self._turn:
            end = self._file.seek(0, os.SEEK_END)
            try:
                if self._file.write(line) != len(line):
                    raise OSError(f"{self._path}: the disk is full. Free some space, and try again")
                os.fsync(self._file.fileno())
            except BaseException:
                os.ftruncate(self._file.fileno(), end)  # nobody was told that it is there
                raise

    def close(self) -> None:
        """Close the file, and let another process have it."""
        self._file.close()

    def _lock(self) -> None:
        if not locks.lock(self._file.fileno()):
            raise RuntimeError(
                f"{self._path} is in use by another process, and two would ask the same rounds "
                "with other arms. Run one process, or use sparring.Arena"
            )

    def _drop_torn_line(self) -> None:
        """Take out a last line that was cut off in a crash: its answer was not acknowledged."""
        self._file.seek(0)
        content = self._file.read()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            self._file.truncate(whole)
