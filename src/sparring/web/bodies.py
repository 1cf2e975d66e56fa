"""What the routes take and return; pydantic checks it and OpenAPI shows it."""

from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field

from sparring.arena.settings import MODES, STATUSES
from sparring.arena.voters import VERDICTS
from sparring.checks import LONGEST_NAME
from sparring.web.hooks import KINDS
from sparring.web.invites import MOST_USES
from sparring.web.keys import ROLES
from sparring.web.listing import MOST_ROWS

LONGEST_TICKET = 200
LONGEST_URL = 2000
ARENA = r"^[A-Za-z0-9][A-Za-z0-9_-]*$"  # as it stands in addresses
VOTER = r"^[A-Za-z0-9_.~+/=-]{8,128}$"

ArenaName = Annotated[str, Path(alias="name", max_length=LONGEST_NAME, examples=["arena"])]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, examples=["terse"])]
Word = Literal["first", "second", "tie", "both good", "both bad", "skip"]
TicketText = Annotated[str, Field(min_length=1, max_length=LONGEST_TICKET)]
Voter = Annotated[
    str, Field(min_length=1, max_length=LONGEST_NAME, description="Only with a writer key.")
]


class Body(BaseModel):
    """Strict: fields of a wrong type and unknown fields are refused."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


class ArenaBody(Body):
    """A new arena, and the names of its first items."""

    name: Annotated[str, Field(pattern=ARENA, max_length=LONGEST_NAME, examples=["headlines"])]
    items: list[Name] = Field(min_length=2, max_length=1000)
    learner: str | None = Field(None, description="By default the tracker.")


class AskBody(Body):
    """How many pairs."""

    n: int = Field(1, ge=1, le=1000, description="How many pairs the voter should have open.")
    voter: Voter | None = None


class VoteBody(Body):
    """An answer on a ticket."""

    ticket: TicketText
    answer: Word | Annotated[float, Field(ge=0, le=1)] = Field(
        description="A number says how good the first is beside the second; only with a writer key."
    )
    next: int = Field(0, ge=0, le=1000, description="How many pairs the voter should have then.")
    voter: Voter | None = None


class TicketBody(Body):
    """A ticket."""

    ticket: TicketText
    voter: Voter | None = None


class PairReply(Body):
    """Two items to show side by side."""

    ticket: str
    first: dict[str, Any]
    second: dict[str, Any]
    expires: float = Field(description="Until when an answer is learnt; seconds since 1970.")


class PairsReply(Body):
    """Pairs, oldest first."""

    pairs: list[PairReply]


class RevealReply(Body):
    """The names behind a pair."""

    first: str
    second: str


class VoteReply(Body):
    """What happened to a vote. It is on disk."""

    number: int = Field(description="Its number in the log.")
    learnt: bool
    why: str = Field(description="Why it is not learnt, if so.")
    reveal: RevealReply | None
    pairs: list[PairReply]


class FactsReply(Body):
    """What everyone may know about an arena."""

    name: str
    status: str
    answers: list[str]
    page: dict[str, Any]
    grace: float


class FavouriteReply(Body):
    """What to show to someone who is not asked."""

    name: str | None = Field(description="In a blind arena only with a key.")
    item: dict[str, Any]


class ContentBody(Body):
    """What people see of an item; its name, if there is no content."""

    content: dict[str, Any] | None = Field(
        None, examples=[{"kind": "text", "text": "Answer in one sentence."}]
    )


class NewItemBody(ContentBody):
    """A new item."""

    name: Name
    boost: float = Field(1.0, gt=0, le=1e6, description="Its first weight, relative to the mean.")


class ItemReply(Body):
    """An item and how it does."""

    name: str
    content: dict[str, Any] | None
    version: int
    since: float
    withdrawn: float | None
    share: float
    votes: int
    wins: float


class ItemsReply(Body):
    """All items, also withdrawn ones."""

    items: list[ItemReply]


class BulkReply(Body):
    """What was done with many items."""

    added: int
    edited: int
    unchanged: int


class PageBody(BaseModel):
    """What pages need to know; unknown members are kept as they are."""

    model_config = ConfigDict(strict=True, extra="allow", allow_inf_nan=False)
    title: str = Field("", max_length=200)
    question: str = Field("", max_length=500)
    blind: bool = Field(False, description="Whether names are hidden before the vote.")
    reveal: bool = Field(False, description="In a blind arena: show names after the vote.")
    board: str = Field("private", json_schema_extra={"enum": ["private", "public"]})
    origins: list[Annotated[str, Field(max_length=200)]] = Field(
        [], max_length=50, description="Sites from which pictures, sounds and films may come."
    )


class SettingsBody(Body):
    """The settings to change."""

    mode: str = Field("live", json_schema_extra={"enum": list(MODES)})
    status: str = Field("open", json_schema_extra={"enum": list(STATUSES)})
    uniform: float = Field(0.0, ge=0, le=1)
    answers: list[str] = Field([], max_length=10)
    grace: float = Field(0.0, ge=0)
    dwell: float = Field(0.0, ge=0)
    cap: int | None = Field(None, ge=1)
    hold: bool = Field(False, description="Set aside voters who disagree with everyone.")
    invited: bool = Field(False, description="Ask only voters who came by an invite.")
    page: PageBody = Field(default=PageBody.model_construct())


class SettingsReply(SettingsBody):
    """All settings."""


class ArenasReply(Body):
    """The arenas of a service."""

    arenas: list[str]


class StatusReply(Body):
    """The status."""

    status: str


class VoterReply(Body):
    """A voter with a verdict, by pseudonym."""

    voter: str
    verdict: str


class VotersReply(Body):
    """Voters that are held or banned."""

    voters: list[VoterReply]


class VerdictBody(Body):
    """What to do with a voter's answers."""

    voter: Name = Field(description="The pseudonym, as the export has it.")
    verdict: str = Field(json_schema_extra={"enum": list(VERDICTS)})


class NewKeyBody(Body):
    """A key to make."""

    role: str = Field(json_schema_extra={"enum": list(ROLES)})
    label: Name


class KeyReply(Body):
    """A key, without its secret."""

    id: int
    role: str
    label: str
    made: float


class NewKeyReply(KeyReply):
    """A new key: this is the only time that it is shown."""

    key: str


class KeysReply(Body):
    """The keys in use."""

    keys: list[KeyReply]


class NewHookBody(Body):
    """A webhook to make."""

    url: str = Field(min_length=1, max_length=LONGEST_URL, examples=["https://example.org/hook"])
    kinds: list[Annotated[str, Field(json_schema_extra={"enum": list(KINDS)})]] = Field(
        list(KINDS), min_length=1, max_length=len(KINDS)
    )


class HookReply(Body):
    """A webhook."""

    id: int
    url: str
    kinds: list[str]
    made: float


class NewHookReply(HookReply):
    """A new webhook: this is the only time that its secret is shown."""

    secret: str


class HooksReply(Body):
    """The webhooks of an arena."""

    hooks: list[HookReply]


class NewInviteBody(Body):
    """An invite to make."""

    label: Name = Field(description="What it is for.")
    uses: int = Field(1, ge=1, le=MOST_USES, description="How many voters may use it.")
    expires: float | None = Field(
        None, ge=0, le=1e11, description="Until when; seconds since 1970, in the future."
    )


class InviteReply(Body):
    """An invite, without its secret."""

    id: int
    label: str
    uses: int
    used: int
    expires: float | None
    made: float


class NewInviteReply(InviteReply):
    """A new invite: this is the only time that it and its link are shown."""

    invite: str
    link: str


class InvitesReply(Body):
    """The invites of an arena."""

    invites: list[InviteReply]


class RowBody(Body):
    """A comparison from outside."""

    first: Name
    second: Name
    outcome: float = Field(ge=0, le=1, description="1: the first won.")
    at: float | None = Field(None, ge=0, le=1e11, description="Seconds since 1970.")


class ImportBody(Body):
    """Comparisons from outside."""

    source: Name
    rows: list[RowBody] = Field(min_length=1, max_length=MOST_ROWS)


class ImportReply(Body):
    """How many were imported."""

    imported: int


class ProblemReply(BaseModel):
    """A problem document (RFC 9457)."""

    type: str = Field(examples=["urn:sparring:problem:bad-input"])
    title: str
    status: int
    detail: str
    instance: str
    stored: str | float | None = Field(
        default=None, description="Of a vote that was answered otherwise: the answer that counts."
    )
