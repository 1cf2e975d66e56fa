"""Labels for a table: given in a dictionary, or a thing's own name."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sparring import checks

REMEDY = "Give a dictionary with a label for each"


def by_label(what: str, rule: str, things: Any, own: Callable[[Any], str]) -> dict[str, Any]:
    """One or more things by label, no label twice; `own` names a thing without a label."""
    if isinstance(things, Mapping):
        pairs = list(things.items())
    elif isinstance(things, Iterable) and not isinstance(things, str):
        pairs = [(own(thing), thing) for thing in things]
    else:
        raise checks.refuse(what, rule, things)
    labels = [label for label, _ in pairs]
    for label in labels:
        if not writable(label):
            raise checks.refuse(f"a label of the {what}", "a text", label)
    if not labels:
        raise checks.refuse(what, "one or more", things)
    if len(set(labels)) < len(labels):
        raise checks.refuse(f"the labels of the {what}", "different", labels, REMEDY)
    return dict(pairs)


def writable(text: Any) -> bool:
    """Whether it is text that a table can hold; half a surrogate pair is not."""
    if not isinstance(text, str):
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
