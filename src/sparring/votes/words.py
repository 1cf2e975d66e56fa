"""The words by which files say who won: common ones, and those that the user adds."""

from collections.abc import Mapping

from sparring import checks

FIRST = {
    *("a", "left", "first", "home", "white", "model_a", "player1", "player_1", "team1", "team_1"),
    *("home win", "white win", "white wins", "1-0"),
}
SECOND = {
    *("b", "right", "second", "away", "black", "model_b", "player2", "player_2", "team2", "team_2"),
    *("away win", "black win", "black wins", "0-1"),
}
TIES = {
    *("tie", "ties", "tied", "draw", "drawn", "equal", "same", "both", "neither"),
    *("both_good", "both good", "bothgood", "both_bad", "both bad", "bothbad"),
    *("tie (bothbad)", "tie (both bad)", "tie(bothbad)", "tie (bothgood)"),
    *("1/2-1/2", "½-½", "0.5-0.5"),
}
SILENT = {"", "skip", "skipped", "none", "null", "nan", "n/a", "na", "*"}
# One letter each, where the columns say what it stands for: in H, D, A the last is not the first.
LETTERS = {
    ("home", "away"): {"h": 1.0, "d": 0.5, "a": 0.0},
    ("white", "black"): {"w": 1.0, "d": 0.5, "b": 0.0},
}
DASHES = str.maketrans("\N{EN DASH}\N{MINUS SIGN}", "--")  # in 1-0, as books print it

Words = Mapping[str, float | None]


def known(first: str, second: str, words: Words | None = None) -> dict[str, float | None]:
    """What each word means for the first arm, for columns with these names; None is no answer.

    Examples
    --------
    >>> [known("home", "away")[word] for word in ("h", "a", "draw", "1-0")]
    [1.0, 0.0, 0.5, 1.0]
    >>> known("a", "b", {"Left one": 1, "n.r.": None})["left one"]
    1.0
    """
    found: dict[str, float | None] = {
        **dict.fromkeys(FIRST | {first.casefold()}, 1.0),
        **dict.fromkeys(SECOND | {second.casefold()}, 0.0),
        **dict.fromkeys(TIES, 0.5),
    }
    for (one, other), letters in LETTERS.items():
        if first.casefold().startswith(one) and second.casefold().startswith(other):
            for letter in ("a", "b"):
                del found[letter]
            found.update(letters)
    return {**found, **_given(words)}


def plain(text: str) -> str:
    """A word as it is looked up."""
    return text.translate(DASHES).casefold()


def parse(texts: list[str]) -> dict[str, float | None]:
    """Words as typed: WORD=1, WORD=0, WORD=0.5, or WORD=skip for no answer.

    Examples
    --------
    >>> parse(["H=1", "n.r.=skip"])
    {'H': 1.0, 'n.r.': None}
    """
    found: dict[str, float | None] = {}
    rule = "WORD=1 (the first has won), WORD=0, WORD=0.5 or WORD=skip"
    for text in texts:
        word, _, says = text.rpartition("=")
        if not word.strip():
            raise checks.refuse("word", rule, text)
        try:
            value = None if says.strip() == "skip" else float(says)
        except ValueError:
            raise checks.refuse("word", rule, text) from None
        if word in found:
            raise checks.refuse("word", "given once", word)
        found[word] = value
    return found


def _given(words: Words | None) -> dict[str, float | None]:
    """The user's words, checked."""
    if words is None:
        return {}
    if not isinstance(words, Mapping):
        rule = 'a dictionary such as {"H": 1, "A": 0, "D": 0.5, "abandoned": None}'
        raise checks.refuse("words", rule, words)
    remedy = "1: the first has won, 0: the second, 0.5: a tie, None: no answer"
    found: dict[str, float | None] = {}
    for word, says in words.items():
        if not isinstance(word, str):
            raise checks.refuse("words", "texts and what they say", word)
        value = None if says is None else checks.real("words", says, low=0, high=1, remedy=remedy)
        if found.setdefault(plain(word.strip()), value) != value:
            raise checks.refuse("words", "one meaning of each, large or small letters", word)
    return found
