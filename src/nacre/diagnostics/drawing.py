"""What all pictures share: one look, axes to draw on, and how they take their input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, VERMILLION, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
SKY, PURPLE, BLACK, GREY = "#56B4E9", "#CC79A7", "#000000", "#8A8A8A"

STYLE: dict[str, Any] = {
    "colors": [BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY, BLACK],  # Okabe and Ito
    "markers": ["o", "s", "^", "D", "v", "P", "X"],
    "width": 1.8,
    "band": 0.18,
    "size": (6.0, 3.8),
    "panel": (3.1, 2.9),
    "small": 9,
}
"""The one look of all plots."""

ROUND = "round"
"""Name of an axis of rounds, whose ticks are whole numbers."""


def pyplot() -> Any:
    """Matplotlib, loaded when the first picture is drawn."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("Plots need Matplotlib: pip install 'nacre-boost[plot]'.") from None
    return plt


def axes_for(ax: Axes | None) -> Axes:
    """The axes given, or those of a new figure."""
    if ax is not None:
        return ax
    made: Axes = pyplot().subplots(figsize=STYLE["size"], layout="constrained")[1]
    return made


def color_of(k: int) -> str:
    """The colour of curve or class number k."""
    one: str = STYLE["colors"][k % len(STYLE["colors"])]
    return one


def dress(ax: Axes, x: str, y: str) -> None:
    """Name the axes and clear away what is not needed."""
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.tick_params(labelsize=STYLE["small"])


def finish(ax: Axes, x: str, y: str) -> Axes:
    """Dress axes of curves: a grid behind them, and a legend above, where it hides none."""
    from matplotlib.ticker import MaxNLocator

    dress(ax, x, y)
    ax.grid(True, color="0.92", lw=0.8)
    ax.set_axisbelow(True)
    if ax.get_autoscalex_on():
        ax.margins(x=0.01)
    if x == ROUND and ax.get_xscale() == "linear":
        ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
    entries = len(ax.get_legend_handles_labels()[1])
    ax.legend(
        loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2 if entries in (2, 4) else 3,
        fontsize=STYLE["small"], frameon=False, borderaxespad=0.2,
    )  # fmt: skip
    return ax


def as_table(values: Any, name: str) -> np.ndarray:
    """Read a table with a row for each round."""
    array = np.asarray(values, float)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(f"{name} must be of shape (rounds, rows), got shape {array.shape}.")
    return array
