"""Problem documents (RFC 9457): what every error looks like, and what none reveals."""

import json
import logging
import uuid
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from sparring.arena import (
    AnswerConflictError,
    ArenaClosedError,
    StorageError,
    TicketError,
    UndoError,
)
from sparring.web.desk import DeskFullError

MEDIA_TYPE = "application/problem+json"
SOON = "1"  # seconds after which to try again
BUSY = "Too much is going on. Nothing was stored: try again in a moment."
LONGEST_DETAIL = 500
NAMED, UNKNOWN_NAMED = 20, 3  # errors in a body; and of these, fields that nobody knows
UNKNOWN = "extra_forbidden"  # as pydantic calls them
ANSWERS: dict[str | float, str] = {1.0: "first", 0.0: "second", 0.5: "tie"}  # as callers say them

log = logging.getLogger("sparring.web")


class ProblemError(Exception):
    """What went wrong, for the caller.

    Parameters
    ----------
    status
        HTTP status.
    kind
        A short name that a program can compare; the end of the problem's type.
    detail
        One or two sentences. They must not reveal a file, a key, an address or a stack.
    headers
        Headers of the response.
    more
        Further members of the document.
    """

    def __init__(
        self,
        status: int,
        kind: str,
        detail: str,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(detail)
        self.status, self.kind, self.detail = status, kind, detail
        self.headers, self.more = dict(headers or {}), more

    def document(self) -> dict[str, Any]:
        """The members of the problem document."""
        return {
            "type": f"urn:sparring:problem:{self.kind}",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail[:LONGEST_DETAIL],
            "instance": f"urn:uuid:{uuid.uuid4()}",
            **self.more,
        }

    def response(self) -> Response:
        """The problem as a response."""
        body = json.dumps(self.document()).encode()
        return Response(body, self.status, headers=self.headers, media_type=MEDIA_TYPE)


def problem_of(error: Exception) -> ProblemError:
    """What to say about an error."""
    if isinstance(error, ProblemError):
        return error
    if isinstance(error, AnswerConflictError):
        return conflict(error, str(error))
    if isinstance(error, UndoError):
        return ProblemError(409, "too-late-to-undo", str(error))
    if isinstance(error, TicketError):
        return ProblemError(404, "no-such-ticket", str(error))
    if isinstance(error, ArenaClosedError):
        return ProblemError(409, "arena-not-open", str(error))
    if isinstance(error, DeskFullError):
        return ProblemError(503, "busy", BUSY, {"Retry-After": SOON})
    if isinstance(error, StorageError):
        log.error("storage: %s", error)  # for the operator: it names the file, not a password
        detail = "The database does not answer. What is acknowledged is safe: try again."
        return ProblemError(503, "storage", detail, {"Retry-After": SOON})
    if isinstance(error, ValueError):
        return ProblemError(422, "bad-input", str(error))
    return _unexpected(error)


def conflict(error: AnswerConflictError, detail: str) -> ProblemError:
    """An answer that differs from the one on disk; the document says which that is."""
    if error.stored is None:
        return ProblemError(409, "answered-otherwise", str(error))
    stored = ANSWERS.get(error.stored, error.stored)
    return ProblemError(409, "answered-otherwise", detail, stored=stored)


def _unexpected(error: Exception) -> ProblemError:
    found = ProblemError(500, "unexpected", "Something is wrong in the service; it was noted.")
    log.error("unexpected: %s", type(error).__name__, exc_info=error)
    return found


def _refused(_: Request, error: Exception) -> Response:
    return problem_of(error).response()


def _http(_: Request, error: Exception) -> Response:
    """404 and 405 of the router, and what FastAPI refuses before a route sees it."""
    assert isinstance(error, HTTPException)
    kinds = {404: "not-found", 405: "method-not-allowed", 400: "bad-input"}
    details = {
        404: "There is nothing here.",
        405: "This method is not for this address.",
        400: "The body is not JSON.",
    }
    kind = kinds.get(error.status_code, "refused")
    detail = details.get(error.status_code, "This was refused.")
    return ProblemError(error.status_code, kind, detail, error.headers).response()


def _invalid(_: Request, error: Exception) -> Response:
    """Which fields are wrong and how; never their values, which may be secrets."""
    assert isinstance(error, RequestValidationError)
    return invalid(error.errors()).response()


def invalid(errors: Any) -> ProblemError:
    """A problem for what pydantic found; of unknown fields it names three."""
    unknown = [one for one in errors if one["type"] == UNKNOWN]
    named = [one for one in errors if one["type"] != UNKNOWN][:NAMED] + unknown[:UNKNOWN_NAMED]
    found = [
        {"where": ".".join(map(str, one["loc"]))[:100], "what": str(one["msg"])[:200]}
        for one in named
    ]
    # The place of an error in the body as a whole has no name.
    details = [": ".join(filter(None, one.values())) for one in found]
    if (more := len(unknown) - UNKNOWN_NAMED) > 0:
        details.append(f"and {more} more unknown field{'' if more == 1 else 's'}")
    return ProblemError(422, "bad-input", "; ".join(details), errors=found)


def add_to(app: FastAPI) -> None:
    """Let the app answer every error with a problem document."""
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    for kind in (ProblemError, ValueError, StorageError, DeskFullError, ArenaClosedError):
        app.add_exception_handler(kind, _refused)
