"""How a battery of checks is run: every one, and a verdict by name."""

from collections.abc import Callable, Sequence
from typing import Any

from sparring._jit import compile_from_now_on


def run(checks: Sequence[Callable[..., None]], *arguments: Any) -> dict[str, str]:
    """The verdict of each check by name; raises AssertionError naming each failed check."""
    from unittest import SkipTest  # here, since it would take a tenth of the package's import

    compile_from_now_on()  # `play` is compared with asking to the last bit
    verdicts: dict[str, str] = {}
    failures: list[str] = []
    for check in checks:
        name = check.__name__
        try:
            check(*arguments)
            verdicts[name] = "passed"
        except SkipTest as reason:
            verdicts[name] = f"skipped: {reason}"
        except Exception as error:
            failures.append(f"{name}: {type(error).__name__}: {error}")
    if failures:
        raise AssertionError(
            f"{len(failures)} of {len(checks)} checks failed:\n" + "\n".join(failures)
        )
    return verdicts


def skip(reason: str) -> None:
    """Skip a check if a learner or world lacks what it looks at."""
    from unittest import SkipTest  # which pytest knows too

    raise SkipTest(reason)


def demand(holds: object, message: str) -> None:
    """What `assert` does, also under `python -O`."""
    if not holds:
        raise AssertionError(message)
