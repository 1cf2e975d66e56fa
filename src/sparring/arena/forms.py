"""Forms: what a stored value may be. A file from elsewhere may hold anything under our names."""

from collections.abc import Callable
from typing import Any

from sparring import checks

Form = Callable[[Any], bool]

DEEPEST = 100  # levels; no release could show what was deeper, as whatever copies it recurses
FAR = 2**62  # in microseconds 146,000 years, and more than anything is counted


def whole(value: Any) -> bool:
    """A whole number, not negative: an arm, a count, a time."""
    return type(value) is int and 0 <= value < FAR


def moment(value: Any) -> bool:
    """A time in microseconds that a calendar has."""
    return type(value) is int and 0 <= value < 10**17


def number(value: Any) -> bool:
    """A finite number."""
    return type(value) in (int, float) and -1e300 < value < 1e300


def share(value: Any) -> bool:
    """A number from 0 to 1."""
    return type(value) in (int, float) and 0 <= value <= 1


def text(value: Any) -> bool:
    """Text."""
    return type(value) is str


def name(value: Any) -> bool:
    """Text that can be the name of an arm."""
    return _are_names([value])


def names(*, least: int) -> Form:
    """A list of names of arms, all different."""
    return lambda value: (
        isinstance(value, list | tuple) and least <= len(value) and _are_names(value)
    )


def flag(value: Any) -> bool:
    """True or False."""
    return type(value) is bool


def dictionary(value: Any) -> bool:
    """A dictionary of anything that is not nested beyond all use."""
    return type(value) is dict and is_shallow(value, DEEPEST)


def is_shallow(value: Any, most: int) -> bool:
    """Whether lists and dictionaries are in each other to so many levels at most."""
    level = [value]
    for _ in range(most):
        level = [
            one
            for found in level
            if isinstance(found, dict | list | tuple)
            for one in (found.values() if isinstance(found, dict) else found)
        ]
        if not level:
            return True
    return not any(isinstance(one, dict | list | tuple) for one in level)


def maybe(form: Form) -> Form:
    """None, or a value of this form."""
    return lambda value: value is None or form(value)


def among(known: tuple[str, ...]) -> Form:
    """One of these words."""
    return lambda value: type(value) is str and value in known


def each(form: Form, *, least: int = 0, most: int = FAR) -> Form:
    """A list, all of one form."""
    return lambda value: (
        isinstance(value, list | tuple) and least <= len(value) <= most and all(map(form, value))
    )


def row(*forms: Form) -> Form:
    """A list with one value of each form."""
    return lambda value: (
        isinstance(value, list | tuple)
        and len(value) == len(forms)
        and all(form(one) for form, one in zip(forms, value, strict=True))
    )


def _are_names(values: Any) -> bool:
    try:
        checks.names("names", values)
    except ValueError:
        return False
    return True


def by_name(form: Form) -> Form:
    """A dictionary from text to values of a form."""
    return lambda value: (
        type(value) is dict and all(map(text, value)) and all(map(form, value.values()))
    )


class Fields:
    """The fields of a dictionary, each with its form; a name that ends in _ may be missing."""

    def __init__(self, **forms: Form) -> None:
        self._needed = {name: form for name, form in forms.items() if name[-1] != "_"}
        self._others = {name[:-1]: form for name, form in forms.items() if name[-1] == "_"}

    def __call__(self, value: Any) -> bool:
        """Whether a value has these fields, each in its form."""
        return type(value) is dict and self.wrong(value) is None

    def wrong(self, value: dict[str, Any]) -> str | None:
        """The first field that is missing or has another form, if there is one."""
        for name, form in self._needed.items():
            if name not in value or not form(value[name]):
                return name
        for name, form in self._others.items():
            if name in value and not form(value[name]):
                return name
        return None
