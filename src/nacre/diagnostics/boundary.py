"""Decision boundaries in two dimensions, after any rounds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from nacre.diagnostics.drawing import STYLE, as_table, axes_for, color_of, dress, pyplot
from nacre.diagnostics.ensemble import as_codes, as_numbers, pick_rounds
from nacre.io.frames import as_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GRID = 300
"""Points a side at which a decision boundary is drawn."""


def plot_boundary(
    model: Any, X: Any, y: Any, *, weights: Any = None, rounds: int = -1, ax: Axes | None = None
) -> Axes:
    """The decision boundary in two dimensions, and the rows as large as their weights.

    Parameters
    ----------
    model : fitted booster with ``staged_predict``
    X : array or data frame of shape (n, 2)
    y : labels, n of them
    weights : n numbers, optional
        The area of a point is in proportion. Default equal.
    rounds : int, default=-1
        The boundary after so many rounds; -1 for all.
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from nacre import AdaBoostClassifier
    >>> from nacre.diagnostics import hits, plot_boundary, weight_paths
    >>> X, y = make_moons(100, noise=0.3, random_state=0)
    >>> model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    >>> weights = weight_paths(hits(model, X, y), model.estimator_weights_)
    >>> plot_boundary(model, X, y, weights=weights[-1]).get_title()
    'round 20'
    """
    check_is_fitted(model)
    chosen, single = pick_rounds(rounds, len(model.estimators_))
    if not single:
        raise ValueError(f"rounds must be one number, got {rounds!r}: see plot_boundaries.")
    shares = None if weights is None else as_numbers(weights, "weights", len(y))[None]
    ax = axes_for(ax)
    _draw_boundaries(model, X, y, shares, chosen, [ax])
    return ax


def plot_boundaries(
    model: Any,
    X: Any,
    y: Any,
    rounds: Sequence[int],
    *,
    weights: Any = None,
    axes: Any = None,
) -> np.ndarray:
    """Decision boundaries after several rounds, side by side.

    Parameters
    ----------
    model : fitted booster with ``staged_predict``
    X : array or data frame of shape (n, 2)
    y : labels, n of them
    rounds : list of int
    weights : array of shape (all rounds, n), optional
        As :func:`~nacre.diagnostics.weight_paths` gives them: each panel shows the weights to which
        its last hypothesis was fitted.
    axes : as many Axes, optional

    Returns
    -------
    array of Axes

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from nacre import AdaBoostClassifier
    >>> from nacre.diagnostics import plot_boundaries
    >>> X, y = make_moons(100, noise=0.3, random_state=0)
    >>> model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    >>> [ax.get_title() for ax in plot_boundaries(model, X, y, rounds=[1, 5, 20])]
    ['round 1', 'round 5', 'round 20']
    """
    check_is_fitted(model)
    chosen, _ = pick_rounds(list(rounds), len(model.estimators_))
    shares = None
    if weights is not None:
        shares = as_table(weights, "weights")
        if shares.shape != (len(model.estimators_), len(y)):
            raise ValueError(
                f"weights has shape {shares.shape}: there are {len(model.estimators_)} rounds and "
                f"{len(y)} rows."
            )
        shares = shares[chosen - 1]
    placed = axes is not None
    axes = np.ravel(axes) if placed else _panels(len(chosen))
    if axes.shape != (len(chosen),):
        raise ValueError(f"axes must be {len(chosen)} Axes, one per round.")
    _draw_boundaries(model, X, y, shares, chosen, axes)
    if not placed:
        _name_outer(axes)
    return axes


def _across(count: int) -> int:
    """Panels side by side: four at most, rows as even as can be."""
    return -(-count // -(-count // 4))


def _panels(count: int) -> np.ndarray:
    across = _across(count)
    down = -(-count // across)
    width, height = STYLE["panel"]
    figure, grid = pyplot().subplots(
        down, across, squeeze=False, sharex=True, sharey=True, layout="constrained",
        figsize=(width * across, height * down),
    )  # fmt: skip
    for spare in grid.flat[count:]:
        figure.delaxes(spare)
    axes: np.ndarray = grid.ravel()[:count]
    return axes


def _name_outer(axes: np.ndarray) -> None:
    """Leave names and numbers to the panels at the left and at the bottom."""
    across = _across(len(axes))
    for k, ax in enumerate(axes):
        left, bottom = k % across == 0, k + across >= len(axes)
        ax.tick_params(labelleft=left, labelbottom=bottom)
        ax.xaxis.label.set_visible(bottom)
        ax.yaxis.label.set_visible(left)


def _draw_boundaries(
    model: Any, X: Any, y: Any, shares: np.ndarray | None, chosen: np.ndarray, axes: Any
) -> None:
    """One panel for each chosen round, rows sized by its row of ``shares``."""
    points = np.asarray(X, float)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(
            f"A boundary is drawn in two columns, X has shape {points.shape}: choose two of them."
        )
    if not np.all(np.isfinite(points)):
        raise ValueError("X contains NaN or infinity: only rows with both values can be drawn.")
    codes = as_codes(model, y, len(points))
    frame = as_frame(X)
    names = ["column 0", "column 1"] if frame is None else [str(one) for one in frame.columns]
    low, high = points.min(axis=0), points.max(axis=0)
    room = 0.06 * np.where(high > low, high - low, 1.0)
    ends = np.column_stack([low - room, high + room])
    probes = np.stack(np.meshgrid(*(np.linspace(a, b, GRID) for a, b in ends)), axis=-1)
    rows = _rows_like(frame, probes.reshape(-1, 2))
    said = _stages(model, rows, chosen)
    for k, (ax, t) in enumerate(zip(axes, chosen, strict=True)):
        regions = np.searchsorted(model.classes_, said[int(t)]).reshape(GRID, GRID)
        _draw_regions(ax, regions, probes, ends, len(model.classes_))
        _draw_rows(ax, points, codes, None if shares is None else shares[k], model.classes_)
        ax.set_title(f"round {t}", fontsize=STYLE["small"] + 1)
        dress(ax, names[0], names[1])
        if k == 0:
            title = None if shares is None else "area: weight"
            legend = ax.legend(title=title, fontsize=STYLE["small"], title_fontsize=STYLE["small"])
            for handle in legend.legend_handles:
                handle.set_sizes([30])


def _stages(model: Any, rows: Any, chosen: np.ndarray) -> dict[int, np.ndarray]:
    """Labels said for the rows after the chosen rounds, in one pass."""
    staged = islice(model.staged_predict(rows), int(chosen.max()))
    return {t: said for t, said in enumerate(staged, start=1) if t in chosen}


def _rows_like(frame: Any, rows: np.ndarray) -> Any:
    """Rows as a data frame of the same library and names, where there is one."""
    if frame is None:
        return rows
    import narwhals as nw

    columns = dict(zip(frame.columns, rows.T, strict=True))
    return nw.from_dict(columns, backend=frame.implementation).to_native()


def _draw_regions(
    ax: Axes, regions: np.ndarray, probes: np.ndarray, ends: np.ndarray, n_classes: int
) -> None:
    from matplotlib.colors import to_rgb

    paints = np.array([to_rgb(color_of(k)) for k in range(n_classes)])
    ax.imshow(
        (1.0 - 0.16 * (1.0 - paints))[regions], extent=tuple(ends.ravel()), origin="lower",
        aspect="auto", interpolation="nearest", zorder=0,
    )  # fmt: skip
    for k in np.unique(regions)[1:]:
        own = (regions == k).astype(float)
        ax.contour(
            probes[..., 0], probes[..., 1], own, levels=[0.5], colors="0.35", linewidths=1.0,
            zorder=1,
        )  # fmt: skip


def _draw_rows(
    ax: Axes, points: np.ndarray, codes: np.ndarray, shares: np.ndarray | None, classes: np.ndarray
) -> None:
    """The rows, the heavy ones below so that none hides another."""
    sizes = np.full(len(points), 22.0)
    if shares is not None:
        sizes = np.clip(sizes * shares / (shares.mean() or 1.0), 3.0, 420.0)
    for k, name in enumerate(classes):
        rows = np.flatnonzero(codes == k)
        rows = rows[np.argsort(-sizes[rows], kind="stable")]
        ax.scatter(
            points[rows, 0], points[rows, 1], s=sizes[rows], color=color_of(k), alpha=0.8,
            edgecolor="white", linewidth=0.6, marker=STYLE["markers"][k % len(STYLE["markers"])],
            label=str(name), zorder=2,
        )  # fmt: skip
