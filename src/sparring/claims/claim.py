"""What a claim is: a statement, where it stands, and how a panel decides it."""

from dataclasses import asdict, dataclass
from typing import Any

from sparring.claims.decisions import Test

PAPER, THEORY = "paper", "theory"


@dataclass(frozen=True)
class Claim:
    """A statement about a panel that can turn out true or false.

    Parameters
    ----------
    name
        What a program calls it.
    says
        The statement.
    source
        Where it stands.
    panel
        Which panel decides it.
    test
        How.
    origin
        "paper" for what Sec. 7 says of its figures, "theory" for what theorems and our errata make
        one expect of the further panels.
    """

    name: str
    says: str
    source: str
    panel: str
    test: Test
    origin: str = PAPER

    def to_json(self) -> dict[str, Any]:
        """The claim as a dictionary for `json.dumps`."""
        kind = type(self.test).__name__
        test = {"kind": kind, **asdict(self.test)}  # type: ignore[call-overload]
        return {name: test if name == "test" else value for name, value in vars(self).items()}
