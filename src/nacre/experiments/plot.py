"""Figures: what they share. Matplotlib is imported only when one is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nacre.experiments.experiment import Results
from nacre.io.whole import whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, PINK, SKY, RED, BLACK = PALETTE = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#000000",
)
"""Okabe and Ito's colours, which colour-blind readers can tell apart, without the yellow."""

STYLE = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": "medium",
    "font.size": 9,
    "legend.frameon": False,
    "legend.fontsize": "small",
    "lines.linewidth": 1.4,
}


COLOURS = 64
"""Colours of a file: with their shades as many as these figures need, at a third of the bytes."""


def save(
    draw: Callable[[Results, Figure], None], results: Results, path: Path, dpi: int = 120
) -> None:
    """Draw a figure and write it; a reader finds the old file or the whole new one."""
    from matplotlib import rc_context, rcsetup
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullLocator
    from PIL import Image

    style: Any = {**STYLE, "axes.prop_cycle": rcsetup.cycler(color=PALETTE)}
    with rc_context(style):
        figure = Figure(layout="constrained")
        draw(results, figure)
        for axes in figure.axes:  # small ticks across are half of the time that a figure takes
            axes.xaxis.set_minor_locator(NullLocator())
        drawn = BytesIO()
        figure.savefig(drawn, dpi=dpi)
    with whole_file(path) as half:
        Image.open(drawn).convert("RGB").quantize(COLOURS).save(half, "PNG", optimize=True)


def panels(
    figure: Figure, count: int, columns: int, width: float = 3.3, height: float = 2.7, **shared: Any
) -> Any:
    """So many axes in rows, each of a readable size."""
    columns = min(columns, count)
    rows = -(-count // columns)
    figure.set_size_inches(width * columns, height * rows)
    axes = figure.subplots(rows, columns, squeeze=False, **shared).ravel()
    for spare in axes[count:]:
        spare.remove()
    return axes[:count]


def draw_lines(
    axes: Axes, places: Sequence[float], curves: Mapping[str, Sequence[float]], **words: str
) -> None:
    """A line with dots for each curve; dashed from where colours begin again."""
    for k, (name, values) in enumerate(curves.items()):
        style = "os"[k // len(PALETTE) % 2] + ("-" if k < len(PALETTE) else "--")
        axes.plot(places, values, style, ms=3, c=PALETTE[k % len(PALETTE)], label=name)
    axes.set(**words)


def cumulative(axes: Axes, values: np.ndarray, **look: Any) -> None:
    """The share of values up to each point, which runs from 0 to 1."""
    ordered = np.sort(values.ravel())
    shares = np.arange(len(ordered) + 1) / len(ordered)
    axes.step(np.append(ordered[0], ordered), shares, where="post", **look)
