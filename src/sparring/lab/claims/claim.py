"""What a claim is: a statement, its source, and how a panel decides it."""

from dataclasses import asdict, dataclass
from typing import Any

from sparring.lab.claims.decisions import Decision

PAPER, THEORY = "paper", "theory"
ORIGINS = {
    PAPER: "What the paper says of its experiments",
    THEORY: "What theory and errata let one expect of the further panels",
}


@dataclass(frozen=True)
class Claim:
    """A statement about a panel that results may support or refute.

    Parameters
    ----------
    name
        Its name for programs.
    says
        The statement.
    source
        Where it comes from.
    panel
        Which panel decides it.
    decision
        How it is decided.
    origin
        "paper" for what Sec. 7 says about its figures, "theory" for what theorems and our errata
        predict for the further panels.
    T
        The largest number of rounds that it is about.
    """

    name: str
    says: str
    source: str
    panel: str
    decision: Decision
    origin: str = PAPER
    T: int = 0

    @property
    def labels(self) -> set[str]:
        """The curves that it is about."""
        fields = asdict(self.decision)  # type: ignore[call-overload]
        named = {fields[name] for name in ("label", "other") if name in fields}
        return named | set(fields.get("labels", ()))

    def to_json(self) -> dict[str, Any]:
        """The claim as a dictionary for `json.dumps`."""
        decision = {"kind": type(self.decision).__name__, **asdict(self.decision)}  # type: ignore[call-overload]
        return {**vars(self), "decision": decision}
