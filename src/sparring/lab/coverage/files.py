"""Coverage in a folder of results: one file of numbers."""

import json
import math
from collections.abc import Sequence
from pathlib import Path

from sparring import atomic
from sparring.lab import results
from sparring.lab.coverage.judging import Covered

FILE = "coverage.json"


def write(folder: str | Path, found: Sequence[Covered]) -> Path:
    """Write what was found into a folder, which is created if needed."""
    path = Path(folder) / FILE
    with atomic.explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic.write(path, json.dumps([case.to_json() for case in found], indent=1).encode())
    return path


def read(folder: str | Path) -> list[Covered]:
    """What is in a folder; nothing if nothing was played there."""
    path = Path(folder) / FILE
    with atomic.explained(path):
        if not path.exists():
            return []
        text = path.read_text(encoding="utf-8")
    try:
        return [_case(fields) for fields in json.loads(text)]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise results.ResultsError(
            f"{path} is damaged: {error!r:.80}. Make it again with sparring coverage"
        ) from None


def _case(fields: dict[str, object]) -> Covered:
    given = {name: fields[name] for name in Covered.__dataclass_fields__}
    ratios = given["ratios"]
    assert isinstance(ratios, list)
    given["ratios"] = tuple(math.inf if ratio is None else float(ratio) for ratio in ratios)
    return Covered(**given)  # type: ignore[arg-type]
