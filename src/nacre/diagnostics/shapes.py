"""Pictures of shape functions: what each value of a column contributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nacre.diagnostics.contributions import ShapeFunction, ShapeFunctions, shape_functions
from nacre.diagnostics.drawing import BLUE, GREY, STYLE, VERMILLION, color_of, dress, pyplot
from nacre.io.frames import as_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN = 6
"""Columns, at most, that are drawn unless they are named."""

ACROSS = 3
"""Panels beside each other."""

MOST_CATEGORIES = 12
"""Categories of a column that are drawn: those that contribute most, up or down."""


def plot_shapes(
    model: Any, X: Any, *, features: Sequence[Any] | None = None, axes: Any = None
) -> np.ndarray:
    """The shape functions of an ensemble of stumps, and how the rows lie along them.

    A panel a column: the step function of what its values contribute to the score, its mean over
    the rows 0, above a histogram of the rows. A line across says what a missing value contributes,
    where there are such. Of two classes, up speaks for the second.

    Parameters
    ----------
    model : fitted booster of stumps
    X : array or data frame of shape (n, d)
        The rows to compare with, such as the training rows.
    features : columns (numbers or names), optional
        Which to draw; default those whose functions vary most over the rows, six or as many as
        there are ``axes``.
    axes : Axes, optional

    Returns
    -------
    ndarray of Axes

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import AdaBoostClassifier
    >>> from nacre.diagnostics import plot_shapes
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> axes = plot_shapes(AdaBoostClassifier().fit(X, y), X, features=["mean texture"])
    >>> axes[0].get_xlabel()
    'mean texture'
    """
    found = shape_functions(model, background=X)
    columns = {one.feature: column_of(X, one.feature) for one in found.functions}
    chosen = _chosen(found, columns, features, SHOWN if axes is None else np.size(axes))
    axes = _axes(len(chosen)) if axes is None else np.ravel(axes)
    if len(axes) != len(chosen):
        raise ValueError(
            f"axes must be {len(chosen)}, one for each column to draw; got {len(axes)}."
        )
    names = _curves(found)
    low = min(float(one.values.min()) for one in chosen)
    high = max(float(one.values.max()) for one in chosen)
    room = max(high - low, np.finfo(float).tiny)
    for ax, one in zip(axes, chosen, strict=True):
        values = columns[one.feature]
        (_draw_numbers if one.categories is None else _draw_categories)(ax, one, values, names)
        ax.axhline(0.0, color=GREY, lw=0.8, zorder=1)
        ax.set_ylim(low - 0.35 * room, high + 0.1 * room)  # the rows are below
        dress(ax, one.name, "")
    axes[0].set_ylabel(f"contribution to {names[0][1]}" if len(names) == 1 else "contribution")
    if len(names) > 1:
        axes[0].legend(
            loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=6, fontsize=STYLE["small"],
            frameon=False, borderaxespad=0.2,
        )  # fmt: skip
    return axes


def column_of(X: Any, j: int) -> np.ndarray:
    """One column of a table as an array."""
    frame = as_frame(X)
    if frame is None:
        return np.asarray(X)[:, j]
    out: np.ndarray = np.asarray(frame[:, j].to_list(), object)
    return out


def _chosen(
    found: ShapeFunctions,
    columns: dict[int, np.ndarray],
    features: Sequence[Any] | None,
    count: int,
) -> list[ShapeFunction]:
    if not found.functions:
        raise ValueError("model uses no column: there is nothing to draw.")
    if features is None:
        spread = [float(np.ptp(one(columns[one.feature]), axis=0).max()) for one in found.functions]
        return [found.functions[k] for k in np.argsort(spread)[::-1][:count]]
    known = {one.name: one for one in found.functions}
    known |= {one.feature: one for one in found.functions}  # type: ignore[misc]
    missing = [one for one in features if one not in known]
    if missing:
        raise ValueError(f"features must name columns that the model uses, got {missing[0]!r}.")
    return [known[one] for one in features]


def _axes(count: int) -> np.ndarray:
    across = min(ACROSS, count)
    down = -(-count // across)
    width, height = STYLE["panel"]
    _, axes = pyplot().subplots(
        down, across, figsize=(width * across, height * down), squeeze=False, sharey=True,
        layout="constrained",
    )  # fmt: skip
    for spare in axes.ravel()[count:]:
        spare.set_visible(False)
    out: np.ndarray = axes.ravel()[:count]
    return out


def _curves(found: ShapeFunctions) -> list[tuple[Any, str]]:
    """Which part of the values each curve draws, and its name: one, or one for each class."""
    if np.ndim(found.intercept) == 0:
        return [(slice(None), str(found.classes[1]))]
    return [((slice(None), k), str(name)) for k, name in enumerate(found.classes.tolist())]


def _draw_numbers(ax: Axes, one: ShapeFunction, values: np.ndarray, names: list[Any]) -> None:
    numbers = values.astype(float)
    gaps = np.isnan(numbers)
    low, high = np.nanmin(numbers), np.nanmax(numbers)
    inside = one.edges[(one.edges > low) & (one.edges < high)]
    points = np.concatenate([[low], inside, [high]])
    for k, (part, name) in enumerate(names):
        heights = np.append(one(points[1:])[part], one(points[-1:])[part])
        color = BLUE if len(names) == 1 else color_of(k)
        ax.step(points, heights, where="post", color=color, lw=STYLE["width"], label=name)
        if gaps.any():
            missing = np.asarray(one.missing)[None][part].item()
            ax.axhline(missing, color=color, lw=1.0, ls=":", label=None)
            ax.annotate(
                "missing", (1.0, missing), xycoords=("axes fraction", "data"), ha="right",
                va="bottom", color=color, fontsize=STYLE["small"] - 1,
            )  # fmt: skip
    _draw_rows(ax, *np.histogram(numbers[~gaps], bins=30))


def _draw_categories(ax: Axes, one: ShapeFunction, values: np.ndarray, names: list[Any]) -> None:
    assert one.categories is not None
    size = np.abs(one.values.reshape(len(one.categories), -1)).max(axis=1)
    kept = np.sort(np.argsort(-size, kind="stable")[:MOST_CATEGORIES])
    places, shown = np.arange(len(kept)), [one.categories[k] for k in kept]
    for k, (part, name) in enumerate(names):
        heights = one.values[kept][part]
        if len(names) == 1:
            colors = [BLUE if height >= 0 else VERMILLION for height in heights]
            ax.bar(places, heights, color=colors, width=0.7, label=name)
        else:
            ax.bar(
                places + (k - (len(names) - 1) / 2) * 0.8 / len(names), heights,
                color=color_of(k), width=0.8 / len(names), label=name,
            )  # fmt: skip
    told = values.tolist()
    _draw_rows(ax, np.array([told.count(value) for value in shown]), np.arange(len(kept) + 1) - 0.5)
    ax.set_xticks(places, [str(value)[:12] for value in shown], rotation=45, ha="right")


def _draw_rows(ax: Axes, counts: np.ndarray, edges: np.ndarray) -> None:
    """A histogram of the rows, along the lower end of a panel."""
    heights = counts / max(counts.max(), 1) * 0.16
    ax.bar(
        edges[:-1], heights, np.diff(edges), align="edge", color=GREY, alpha=0.45, lw=0,
        transform=ax.get_xaxis_transform(), zorder=0,
    )  # fmt: skip
