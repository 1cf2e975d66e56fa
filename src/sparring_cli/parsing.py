"""Parsing the command line: help begins with examples, errors suggest names."""

import argparse
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from sparring_cli.outcome import clean

MISUSED = 2  # what shells expect of a program that was not understood

Example = tuple[str, str]
"""A command to type, and what it does."""


class Parser(argparse.ArgumentParser):
    """A command whose help begins with examples and whose errors are one line.

    Options cannot be abbreviated: a script with `--run` would change its meaning, or fail, once
    another option begins like that. The error gives the whole name instead.
    """

    def __init__(self, *, examples: Sequence[Example] = (), **options: Any) -> None:
        super().__init__(
            **{
                **options,
                "allow_abbrev": False,
                "formatter_class": argparse.RawDescriptionHelpFormatter,
            }
        )
        self.examples = examples
        self.commands: dict[str, Parser] = {}

    def format_help(self) -> str:
        """Examples, then what argparse says."""
        return f"{listed(self.examples, 'examples:')}\n\n{super().format_help()}"

    def error(self, message: str) -> NoReturn:
        """Say what was not understood, and leave."""
        end = "" if message.endswith("?") else "."
        self.exit(MISUSED, clean(f"{self.prog}: {message}{end} See {self.prog} --help\n"))

    def options(self) -> list[str]:
        """Every option as you type it."""
        return [text for action in self._actions for text in action.option_strings]

    def parse(self, words: list[str]) -> argparse.Namespace:
        """Parse the words. `help` before a command is the same as `--help` after it.

        Unknown commands and options are refused first: argparse would rather complain that an
        argument is missing, or take the word after the unknown option for something else.
        """
        while words[:1] == ["help"]:
            words = [*words[1:], "--help"]
        chosen = self
        for word in words:
            if word == "--":  # what follows are no options, whatever they look like
                break
            if not word.startswith("-"):
                if chosen is self:
                    chosen = self._command(word)
            elif _is_option(word) and (name := word.partition("=")[0]) not in chosen.options():
                chosen.error(f"there is no option {name}{meant(name, chosen.options())}")
        return self.parse_args(words)

    def _command(self, word: str) -> "Parser":
        if word not in self.commands:
            self.error(f"there is no command {word}{meant(word, self.commands)}")
        return self.commands[word]


def _is_option(word: str) -> bool:
    """Whether argparse reads a word that begins with a dash as an option."""
    return " " not in word and word.lstrip("-")[:1].isalpha()


def meant(word: str, known: Iterable[str]) -> str:
    """A sentence with the known names that may have been meant, to follow an error."""
    from sparring.checks import nearest  # only now: NumPy comes with it

    close = nearest(word, known)
    return f". Did you mean {' or '.join(close)}?" if close else ""


def listed(examples: Sequence[Example], title: str) -> str:
    """Examples under a title, each with what it does."""
    width = max(len(typed) for typed, _ in examples) + 2
    return "\n".join([title, *(f"  {typed:{width}}{does}".rstrip() for typed, does in examples)])


Command = Callable[..., Parser]
"""What adds a command: `command` in `arguments.py`."""
