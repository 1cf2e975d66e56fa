"""Matplotlib's settings while a figure is drawn or saved; what a user has set stays as it was."""

from contextlib import AbstractContextManager
from typing import Any

from matplotlib import style

INK = "#222222"
MUTED = "#5A5A5A"
FAINT = "#E6E6E6"
SHADE = 0.14  # how opaque a band is

SETTINGS: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "sans-serif"],
    "font.size": 9,
    "text.color": INK,
    "axes.titlesize": 10.5,
    "axes.titlelocation": "left",
    "axes.titlepad": 19,  # room for what stands under the title
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.7,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "lines.linewidth": 1.6,
    "lines.markersize": 6,
    "lines.markeredgecolor": "white",
    "lines.markeredgewidth": 0.5,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "legend.handlelength": 3.6,
    "legend.labelspacing": 0.7,
    "svg.fonttype": "none",  # text stays text: small files that can be searched
    "svg.hashsalt": "sparring",  # or names within a file would differ each time
    "pdf.fonttype": 3,  # a fifth of the time of 42, TrueType, which some publishers ask for
}

SMALL: dict[str, Any] = {
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.titlepad": 16,
    "lines.linewidth": 1.3,
    "lines.markersize": 4.6,
    "legend.fontsize": 8,
    "legend.handlelength": 3.4,
    "legend.columnspacing": 1.6,
    "figure.constrained_layout.h_pad": 0.06,  # inches
    "figure.constrained_layout.w_pad": 0.06,
}


LARGE: dict[str, Any] = {"font.size": 12}  # a phone shows a page's width at half its size

PALE, DIM, NIGHT = "#E2E4E8", "#9AA1A9", "#14171B"
DARK: dict[str, Any] = {
    "text.color": PALE,
    "axes.labelcolor": PALE,
    "xtick.labelcolor": PALE,
    "ytick.labelcolor": PALE,
    "axes.edgecolor": DIM,
    "xtick.color": DIM,
    "ytick.color": DIM,
    "figure.facecolor": NIGHT,
    "axes.facecolor": NIGHT,
    "grid.color": "#30353B",
}


def settings(
    *, small: bool = False, large: bool = False, dark: bool = False
) -> AbstractContextManager[None]:
    """Matplotlib's defaults with ours on top, for as long as the context lasts."""
    ours = SETTINGS.copy()
    for some, wanted in ((SMALL, small), (LARGE, large), (DARK, dark)):
        ours |= some if wanted else {}
    return style.context(ours, after_reset=True)
