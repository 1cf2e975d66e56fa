"""A voting service in seventy lines: two prompts side by side, one click, and the learner follows.

pip install sparring fastapi uvicorn
ARENA=prompts.db uvicorn service:app --workers 4
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel

import sparring
from sparring.arena import AnswerConflictError, StorageError, TicketError

PROMPTS = ["plain", "polite", "terse"]
STATUS = {AnswerConflictError: 409, TicketError: 404, StorageError: 503, ValueError: 422}


class Vote(BaseModel):
    """What a page sends back: the text of its ticket, and the winner's name or "tie"."""

    ticket: str
    answer: str


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Open the arena when the process starts, and save its state when it stops."""
    with sparring.Arena(os.environ.get("ARENA", "prompts.db"), PROMPTS) as app.state.arena:
        yield


app = FastAPI(lifespan=lifespan)


def arena(request: Request) -> sparring.Arena:
    """The arena of this process."""
    found: sparring.Arena = request.app.state.arena
    return found


# The functions below are not async: FastAPI runs them in threads, and the arena commits together
# what many threads ask for.


@app.get("/pair")
def ask(request: Request, voter: str | None = None) -> dict[str, str]:
    """Two prompts to show; a voter who has not answered is shown the same two again."""
    ticket = arena(request).ask(voter)
    return {"first": ticket.first, "second": ticket.second, "ticket": ticket.text}


@app.post("/vote")
def tell(request: Request, vote: Vote) -> dict[str, object]:
    """Learn an answer; it is on disk when the reply is sent. Sent twice, it counts once."""
    return arena(request).tell(vote.ticket, vote.answer)._asdict()


@app.get("/best")
def serve(request: Request) -> str:
    """The prompt for somebody who will not be asked."""
    return arena(request).serve()


def explain(request: Request, error: Exception) -> JSONResponse:
    """Say what was wrong, in sparring's words; those about storage are for the operator."""
    status = next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)
    detail = "try again in a moment" if status == 503 else str(error)
    return JSONResponse({"detail": detail}, status)


for kind in STATUS:
    app.add_exception_handler(kind, explain)
