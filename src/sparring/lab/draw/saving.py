"""Figures as files: complete or not at all, and the same bytes each time."""

import io
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from matplotlib.figure import Figure

from sparring import atomic, checks
from sparring.lab.draw.settings import settings

DPI = 160

# What each format takes; the hour at which a figure was drawn is kept out of it.
FORMATS: Mapping[str, dict[str, Any]] = MappingProxyType(
    {
        "svg": {"metadata": {"Date": None}, "dpi": DPI},  # of dots that are a picture
        "pdf": {"metadata": {"CreationDate": None}},
        "png": {"dpi": DPI},
    }
)
"""The files that `save` can write, and what each of them takes."""


def save(
    figure: Figure,
    folder: str | Path,
    name: str,
    *,
    formats: Sequence[str] = tuple(FORMATS),
    transparent: bool = False,
) -> list[Path]:
    """Write a figure in some formats; returns the paths.

    The same figure gives the same bytes, each time it is saved.

    Parameters
    ----------
    figure
        From `panel_figure`, `over_time_figure` or `overview`.
    folder
        The folder; it is created if needed.
    name
        Name of the files, without an ending.
    formats
        Among "svg", "pdf" and "png".
    transparent
        Whether the background is transparent.
    """
    formats = (formats,) if isinstance(formats, str) else tuple(dict.fromkeys(formats))
    if not set(formats) <= set(FORMATS):
        raise checks.refuse("formats", f"among {tuple(FORMATS)}", formats)
    if not atomic.is_name(name):
        raise checks.refuse("name", "a name for files, without folders", name)
    folder = Path(folder)
    paths = [folder / f"{name}.{ending}" for ending in formats]
    with atomic.explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for path in paths:
        data = rendered(figure, path.suffix[1:], transparent=transparent)
        with atomic.explained(path):
            atomic.write(path, data)
    return paths


def rendered(figure: Figure, ending: str, *, transparent: bool = False) -> bytes:
    """The figure as the bytes of a file."""
    buffer = io.BytesIO()
    with settings(), warnings.catch_warnings():
        if ending == "svg":  # text stays text there, and whoever shows it has the letters
            warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from font", UserWarning)
        figure.savefig(buffer, format=ending, transparent=transparent, **FORMATS[ending])
    return buffer.getvalue()
