"""Which folder of results a command means."""

import argparse
from pathlib import Path


def folder_of(options: argparse.Namespace, prefix: str = "", suffix: str = "") -> Path:
    """The one given, or that of the scale, whose name may begin and end with something."""
    if options.out == "":
        raise ValueError("--out must be the name of a folder; got nothing")
    return Path(options.out) if options.out else Path("results", prefix + options.scale + suffix)
