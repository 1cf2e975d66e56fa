"""What is shown while tastes change: shares of the arms over time, under the crowd's favourite."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from sparring import checks
from sparring.lab.draw.axes import write_numbers
from sparring.lab.draw.panels import axes_at, figure_of
from sparring.lab.draw.settings import settings
from sparring.lab.draw.styles import BLUE, GREEN, GREY, PURPLE, SKY, TONES, VERMILLION

if TYPE_CHECKING:
    import polars

COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, SKY, GREY)
# Inches: the width, the margins, and from the top down a title, a line of text, the strip of the
# crowd, the band of a learner, the axis.
WIDE, SIDE, TITLE, LINE, STRIP, BAND, FOOT = 6.4, 0.15, 0.38, 0.34, 0.34, 0.62, 0.56
LIFT = 0.08  # of a line of text over what it is about
INSIDE: dict[str, Any] = {"color": "white", "weight": "bold", "parse_math": False}


def shown_figure(
    table: "polars.DataFrame",
    best: Sequence[int] | NDArray[np.integer[Any]],
    *,
    names: Sequence[str],
    title: str = "",
    dark: bool = False,
) -> Figure:
    """How often each learner showed each arm, below the arm that the crowd liked best.

    A band is as high as the arm's share of what was shown since the last checkpoint, on average
    over runs. Above it is the share of all that was shown that was the best arm at its time.

    Parameters
    ----------
    table
        From `sparring.simulate` with `plays=True` and one regret; a hundred checkpoints look good.
    best
        The best arm of each stretch that ends with a checkpoint.
    names
        Names of the arms, at most six; short ones, as they are written in the picture.
    title
        The title, if there should be one.
    dark
        Whether it is for a dark page; then save it with `transparent=True`.

    Examples
    --------
    >>> import sparring
    >>> P = [[[0.5, 0.8], [0.2, 0.5]], [[0.5, 0.2], [0.8, 0.5]]]
    >>> world = sparring.worlds.Recorded(P, T=400)
    >>> table = sparring.simulate(world, "tracker", runs=2, checkpoints=4, plays=True)
    >>> len(shown_figure(table, [0, 0, 1, 1], names=["tea", "coffee"]).axes)
    2
    """
    edges, shares = _shares(table)
    arms = _best(best, len(edges) - 1, len(names))
    K = next(iter(shares.values())).shape[1]
    if not len(names) == K <= len(COLOURS):
        rule = f"those of the {K} arms, and those not more than {len(COLOURS)}"
        raise checks.refuse("names", rule, list(names))
    tones = [TONES[colour][dark] for colour in COLOURS]
    height = TITLE * bool(title) + LINE + STRIP + len(shares) * (LINE + BAND) + FOOT
    with settings(large=True, dark=dark):
        figure = figure_of((WIDE, height))
        if title:
            _write(figure, height, title, fontsize="large", weight="bold", va="top")
        place = height - TITLE * bool(title) - LINE
        _write(figure, place, "the crowd's favourite", weight="bold")
        axes = _axes(figure, place - STRIP, STRIP, edges)
        _draw_strip(axes, edges, arms, names, tones)
        place -= STRIP
        for entrant, share in shares.items():
            place -= LINE
            right = np.diff(edges) @ share[np.arange(len(arms)), arms] / edges[-1]
            _write(figure, place, entrant, weight="bold")
            _write(figure, place, f"shows the favourite {right:.0%} of the time", ha="right")
            axes = _axes(figure, place - BAND, BAND, edges)
            _draw_shares(axes, edges, share, tones)
            for change in edges[1:-1][np.diff(arms) != 0]:
                axes.axvline(change, color="white", linewidth=1.2, linestyle=(0, (3, 2)))
            place -= BAND
        axes.tick_params(labelbottom=True)
        axes.set_xlabel(f"pairs shown so far ({_runs(table)})", labelpad=2)
        return figure


def _shares(table: Any) -> tuple[NDArray[np.int64], dict[str, NDArray[np.float64]]]:
    """Where stretches begin and end, and of each entrant the shares (stretches, arms)."""
    if "plays" not in table.columns or table["regret"].n_unique() > 1:
        rule = "one of simulate(..., plays=True) with one regret"
        raise checks.refuse("table", rule, checks.Shown(f"columns {table.columns}"))
    found = {}
    for (entrant,), rows in table.group_by("entrant", maintain_order=True):
        stops = np.sort(rows["t"].unique().to_numpy())
        counts = np.stack(rows.sort("run", "t")["plays"].to_list())
        counts = counts.reshape(-1, len(stops), counts.shape[-1]).mean(axis=0)
        new = np.diff(counts, axis=0, prepend=np.zeros((1, counts.shape[1])))
        found[str(entrant)] = new / new.sum(axis=1, keepdims=True)
    return np.concatenate([[0], stops]), found


def _runs(table: Any) -> str:
    count = table["run"].n_unique()
    return "one run" if count == 1 else f"mean of {count} runs"


def _best(best: Any, stretches: int, K: int) -> NDArray[np.int64]:
    arms = np.asarray(best)
    fits = arms.shape == (stretches,) and arms.dtype.kind == "i"
    if not fits or arms.min() < 0 or arms.max() >= K:
        raise checks.refuse("best", f"one of {K} arms for each of {stretches} stretches", best)
    return arms


def _write(figure: Figure, above: float, text: str, **look: Any) -> None:
    """A line of text at a height in inches, at the left or right margin."""
    width, height = figure.get_size_inches()
    x = (width - SIDE if look.get("ha") == "right" else SIDE) / width
    up = -LIFT if look.get("va") == "top" else LIFT
    figure.text(x, (above + up) / height, text, parse_math=False, **look)


def _axes(figure: Figure, bottom: float, tall: float, edges: NDArray[np.int64]) -> Axes:
    """Axes from margin to margin that show nothing yet but may have ticks below."""
    axes = axes_at(figure, SIDE, bottom, WIDE - 2 * SIDE, tall)
    axes.set(xlim=(0, edges[-1]), ylim=(0, 1), yticks=[])
    axes.spines[:].set_visible(False)
    axes.grid(visible=False)
    axes.tick_params(bottom=False, labelbottom=False)
    axes.xaxis.set_major_locator(MaxNLocator(4, prune="both"))
    write_numbers(axes.xaxis)
    return axes


def _draw_strip(
    axes: Axes,
    edges: NDArray[np.int64],
    arms: NDArray[np.int64],
    names: Sequence[str],
    tones: Sequence[str],
) -> None:
    """The best arm of each time, by colour and name."""
    starts = np.concatenate([[0], np.flatnonzero(np.diff(arms)) + 1])
    for start, stop in zip(starts, [*starts[1:], len(arms)], strict=True):
        low, high, arm = edges[start], edges[stop], arms[start]
        axes.axvspan(low, high, color=tones[arm], linewidth=0)
        axes.text((low + high) / 2, 0.46, names[arm], ha="center", va="center", **INSIDE)


def _draw_shares(
    axes: Axes, edges: NDArray[np.int64], share: NDArray[np.float64], tones: Sequence[str]
) -> None:
    """The arms on top of each other, the first at the bottom.

    Each is drawn from the ground up over those above it, so that no seam shows between two.
    """
    above = share.cumsum(axis=1)
    for arm in reversed(range(share.shape[1])):
        axes.stairs(above[:, arm], edges, fill=True, color=tones[arm], linewidth=0)
