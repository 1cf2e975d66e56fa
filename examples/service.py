"""A voting service in sixty lines: two prompts side by side, one click, and the learner follows.

    pip install 'sparring[fast]' fastapi uvicorn
    ARENA=prompts.db uvicorn service:app

Any number of processes may serve one arena: uvicorn service:app --workers 4.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import FastAPI, HTTPException, Request
from pydantic import BaseModel, Field

import sparring
from sparring.arena import Answer, AnswerConflictError, StorageError, TicketError

PROMPTS = ["plain", "polite", "terse"]


class Pair(BaseModel):
    first: str
    second: str
    ticket: str


class Vote(BaseModel):
    ticket: str
    answer: Annotated[str, Field(description="the winner's name, or tie")]


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    with sparring.Arena(os.environ.get("ARENA", "prompts.db"), PROMPTS) as app.state.arena:
        yield


app = FastAPI(lifespan=lifespan)


def arena(request: Request) -> sparring.Arena:
    found: sparring.Arena = request.app.state.arena
    return found


# Plain functions, not async ones: FastAPI runs them in threads, whose commits the arena groups.


@app.get("/pair")
def ask(request: Request, voter: str | None = None) -> Pair:
    try:
        ticket = arena(request).ask(voter)
    except StorageError as error:
        raise HTTPException(503, str(error)) from None
    return Pair(first=ticket.first, second=ticket.second, ticket=ticket.text)


@app.post("/vote")
def tell(request: Request, vote: Vote) -> Answer:
    try:
        return arena(request).tell(vote.ticket, vote.answer)
    except AnswerConflictError as error:
        raise HTTPException(409, str(error)) from None
    except TicketError as error:
        raise HTTPException(404, str(error)) from None
    except ValueError as error:
        raise HTTPException(422, str(error)) from None
    except StorageError as error:
        raise HTTPException(503, str(error)) from None


@app.get("/best")
def serve(request: Request) -> str:
    return arena(request).serve()
