"""Pictures of what goes on inside an ensemble.

Every function draws on ``ax``, or on axes of a new figure, and returns them. Nothing is shown and
no setting of Matplotlib is changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from nacre.diagnostics.diversity import overlaps
from nacre.diagnostics.ensemble import as_codes, as_groups, as_numbers, pick_rounds
from nacre.table.matrix import as_frame

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

GRID = 300
"""Points a side at which a decision boundary is drawn."""


def plot_boundary(
    model: Any, X: Any, y: Any, weights: Any = None, rounds: int = -1, ax: Axes | None = None
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
    >>> plot_boundary(model, X, y, weights[-1]).get_title()
    'round 20'
    """
    check_is_fitted(model)
    chosen, single = pick_rounds(rounds, len(model.estimators_))
    if not single:
        raise ValueError(f"rounds must be one number, got {rounds!r}: see plot_boundaries.")
    shares = None if weights is None else as_numbers(weights, "weights", len(y))[None]
    ax = _axes(ax)
    _draw_boundaries(model, X, y, shares, chosen, [ax])
    return ax


def plot_boundaries(
    model: Any,
    X: Any,
    y: Any,
    rounds: Sequence[int],
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
        shares = _table(weights, "weights")
        if shares.shape != (len(model.estimators_), len(y)):
            raise ValueError(
                f"weights has shape {shares.shape}: there are {len(model.estimators_)} rounds and "
                f"{len(y)} rows."
            )
        shares = shares[chosen - 1]
    given = axes is not None
    axes = np.ravel(axes) if given else _panels(len(chosen))
    if axes.shape != (len(chosen),):
        raise ValueError(f"axes must be {len(chosen)} Axes, one per round.")
    _draw_boundaries(model, X, y, shares, chosen, axes)
    if not given:
        _name_outer(axes)
    return axes


def plot_errors(
    curves: Mapping[str, Any],
    bounds: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Errors round by round, and under which bounds they stay.

    Parameters
    ----------
    curves : dict of names and numbers, one per round
    bounds : the same, drawn dashed, optional
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> from nacre.diagnostics import adaboost_bound, plot_errors
    >>> weak, training = [0.2, 0.3, 0.3], [0.2, 0.2, 0.1]
    >>> ax = plot_errors({"training": training}, bounds={"AdaBoost": adaboost_bound(weak)})
    >>> [one.get_label() for one in ax.get_lines()]
    ['training', 'bound: AdaBoost']
    """
    lines = {name: as_numbers(one, f"curves[{name!r}]") for name, one in curves.items()}
    for name, one in (bounds or {}).items():
        lines[f"bound: {name}"] = as_numbers(one, f"bounds[{name!r}]")
    if not lines:
        raise ValueError("curves must name at least one curve.")
    ax = _axes(ax)
    for k, (name, one) in enumerate(lines.items()):
        ax.plot(
            np.arange(1, len(one) + 1), one, label=name, color=_color(k), lw=STYLE["width"],
            ls="-" if k < len(curves) else "--",
        )  # fmt: skip
    ax.set_ylim(bottom=0.0)
    return _finish(ax, ROUND, "error")


def plot_margins(
    margins: Any, rounds: Any = None, suspects: Any = None, ax: Axes | None = None
) -> Axes:
    """Cumulative distributions of the margins after some rounds.

    Parameters
    ----------
    margins : array of shape (k, n)
        As :func:`~nacre.diagnostics.margins` gives them.
    rounds : k whole numbers, optional
        Which rounds these are, for the legend; default 1, 2, ...
    suspects : boolean mask of n rows, optional
        Draws suspects (dashed) and others apart.
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> from nacre.diagnostics import plot_margins
    >>> ax = plot_margins([[-1.0, 1.0, 1.0], [0.2, 0.4, 0.4]], rounds=[1, 50])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['round 1', 'round 50']
    """
    table = _table(margins, "margins")
    names = _round_numbers(rounds, len(table))
    groups = {"": np.ones(table.shape[1], bool)}
    if suspects is not None:
        mask = as_groups(suspects, table.shape[1])
        groups = {", others": ~mask, ", suspects": mask}
    ax = _axes(ax)
    ax.axvline(0.0, color=GREY, lw=0.8)
    for k, (one, t) in enumerate(zip(table, names, strict=True)):
        for (group, rows), dashes in zip(groups.items(), ("-", "--"), strict=False):
            ax.ecdf(
                one[rows], label=f"round {t}{group}", color=_color(k), lw=STYLE["width"], ls=dashes
            )
    ax.set_xlim(-1.02, 1.02)
    ax.set_xticks([-1.0, -0.5, 0.0, 0.5, 1.0])
    ax.set_ylim(0.0, 1.02)
    return _finish(ax, "margin", "share of rows up to it")


def plot_volumes(
    volumes: Any, suspects: Any, rounds: Any = None, logs: bool = True, ax: Axes | None = None
) -> Axes:
    """Volumes around suspect rows and around others, round by round.

    The line is the mean, the band holds the middle 80 % of the rows.

    Parameters
    ----------
    volumes : array of shape (rounds, n)
        Log volumes: of :func:`~nacre.diagnostics.decision_volumes` or
        :func:`~nacre.diagnostics.cell_volumes`.
    suspects : boolean mask of n rows
    rounds : whole numbers, optional
        Which rounds these are; default 1, 2, ...
    logs : bool, default=True
        Draw the logs. False draws the volumes themselves, whose mean is that of the largest ones.
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> from nacre.diagnostics import plot_volumes
    >>> ax = plot_volumes([[0.0, 0.0, 0.0], [-1.0, -1.0, -2.0]], suspects=[False, False, True])
    >>> ax.get_ylabel()
    'log volume'
    """
    table = _table(volumes, "volumes")
    ax = _axes(ax)
    _draw_groups(ax, table if logs else np.exp(table), suspects, rounds)
    return _finish(ax, ROUND, "log volume" if logs else "volume")


def plot_weights(paths: Any, suspects: Any, rounds: Any = None, ax: Axes | None = None) -> Axes:
    """Weights of suspect rows and of others, round by round, in fair shares of 1/n.

    The line is the mean, the band holds the middle 80 % of the rows.

    Parameters
    ----------
    paths : array of shape (rounds, n)
        As :func:`~nacre.diagnostics.weight_paths` gives them.
    suspects : boolean mask of n rows
    rounds : whole numbers, optional
        Which rounds these are; default 1, 2, ...
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> from nacre.diagnostics import plot_weights
    >>> ax = plot_weights([[0.3, 0.3, 0.4], [0.1, 0.2, 0.7]], suspects=[False, False, True])
    >>> ax.get_ylabel()
    'weight, in fair shares'
    """
    table = _table(paths, "paths")
    ax = _axes(ax)
    _draw_groups(ax, table * table.shape[1], suspects, rounds)
    ax.axhline(1.0, color=GREY, lw=0.8)
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter("{x:g}")
    return _finish(ax, ROUND, "weight, in fair shares")


def plot_noise_rate(
    neighbours: Any,
    rates: Any,
    interval: Any = None,
    chosen: int | None = None,
    truth: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The estimated noise rate against the size of the neighbourhoods.

    Parameters
    ----------
    neighbours : whole numbers
    rates : as many numbers
    interval : pair of a lower and an upper end, optional
        Each a number, or one for each size.
    chosen : int, optional
        The size that was chosen.
    truth : float, optional
        The true rate, where it is known.
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> from nacre.diagnostics import plot_noise_rate
    >>> ax = plot_noise_rate([5, 10, 20], [0.31, 0.22, 0.21], interval=(0.15, 0.27), chosen=20)
    >>> ax.get_legend().get_texts()[-1].get_text()
    'chosen: 0.210 at 20'
    """
    m = as_numbers(neighbours, "neighbours")
    e = as_numbers(rates, "rates", len(m))
    if interval is not None and len(interval) != 2:
        raise ValueError("interval must be a pair: the lower and the upper end.")
    if chosen is not None and chosen not in m:
        raise ValueError(f"chosen must be one of neighbours, got {chosen!r}.")
    ax = _axes(ax)
    if interval is not None:
        low, high = (np.broadcast_to(np.asarray(end, float), m.shape) for end in interval)
        ax.fill_between(m, low, high, color=BLUE, alpha=STYLE["band"], lw=0, label="interval")
    ax.plot(m, e, color=BLUE, lw=STYLE["width"], label="estimate")
    if chosen is not None:
        rate = e[m == chosen][0]
        ax.plot([chosen], [rate], "o", color=VERMILLION, label=f"chosen: {rate:.3f} at {chosen}")
    if truth is not None:
        ax.axhline(truth, color=BLACK, ls="--", lw=1.0, label=f"truth: {truth:.3f}")
    ax.set_ylim(0.0, max(0.5, float(e.max())))
    return _finish(ax, "noisy rows in a neighbourhood", "noise rate")


def plot_overlaps(flags: Mapping[str, Any], ax: Axes | None = None) -> Axes:
    """How far filters agree on the suspects, as a table of colours and numbers.

    Parameters
    ----------
    flags : dict of names and boolean masks, or of names and scores
        Of masks, the rows both flag over the rows either flags; of scores, the rank correlation.
        See :func:`~nacre.diagnostics.overlaps`.
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> from nacre.diagnostics import plot_overlaps
    >>> ax = plot_overlaps({"vote": [True, True, False], "margin": [True, False, False]})
    >>> [text.get_text() for text in ax.texts]
    ['1.00', '0.50', '0.50', '1.00']
    """
    table = overlaps(flags)
    masks = all(np.asarray(one).dtype == bool for one in flags.values())
    ax = _axes(ax)
    low = 0.0 if masks else min(0.0, float(table.min()))
    image = ax.imshow(table, cmap="cividis", vmin=low, vmax=1.0)
    for (i, j), value in np.ndenumerate(table):
        shown = f"{round(value, 2) + 0.0:.2f}"  # no -0.00
        ink = "black" if (value - low) / (1.0 - low) > 0.55 else "white"
        ax.text(j, i, shown, ha="center", va="center", color=ink, fontsize=STYLE["small"])
    names = [f"{name} ({np.sum(one)})" if masks else name for name, one in flags.items()]
    ax.set_yticks(range(len(names)), names)
    ax.set_xticks(range(len(names)), list(flags), rotation=30, ha="right", rotation_mode="anchor")
    what = "rows both flag / rows either flags" if masks else "rank correlation"
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.9)
    bar.set_label(what, fontsize=STYLE["small"])
    for part in (ax, bar.ax):
        part.tick_params(labelsize=STYLE["small"], length=0)
        for spine in part.spines.values():
            spine.set_visible(False)
    return ax


# What they share


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("Plots need Matplotlib: pip install 'nacre[plot]'.") from None
    return plt


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    made: Axes = _pyplot().subplots(figsize=STYLE["size"], layout="constrained")[1]
    return made


def _color(k: int) -> str:
    color: str = STYLE["colors"][k % len(STYLE["colors"])]
    return color


def _across(count: int) -> int:
    """Panels side by side: four at most, rows as even as can be."""
    return -(-count // -(-count // 4))


def _panels(count: int) -> np.ndarray:
    across = _across(count)
    down = -(-count // across)
    width, height = STYLE["panel"]
    figure, grid = _pyplot().subplots(
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


def _dress(ax: Axes, x: str, y: str) -> None:
    """Name the axes and clear away what is not needed."""
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.tick_params(labelsize=STYLE["small"])


def _finish(ax: Axes, x: str, y: str) -> Axes:
    """The same for curves: a grid behind them, and a legend above, where it hides none."""
    from matplotlib.ticker import MaxNLocator

    _dress(ax, x, y)
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


def _table(values: Any, name: str) -> np.ndarray:
    array = np.asarray(values, float)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(f"{name} must be of shape (rounds, rows), got shape {array.shape}.")
    return array


def _round_numbers(rounds: Any, count: int) -> np.ndarray:
    numbers = np.arange(1, count + 1) if rounds is None else np.asarray(rounds)
    if numbers.shape != (count,):
        raise ValueError(f"rounds must be {count} numbers, one per row of the table.")
    return numbers


def _draw_groups(ax: Axes, values: np.ndarray, suspects: Any, rounds: Any) -> None:
    """Mean and middle 80 % of suspects and of others, round by round."""
    mask = as_groups(suspects, values.shape[1])
    t = _round_numbers(rounds, len(values))
    ax.fill_between([], [], [], color=GREY, alpha=STYLE["band"], lw=0, label="middle 80 %")
    for name, rows, color in (("others", ~mask, BLUE), ("suspects", mask, VERMILLION)):
        low, high = np.quantile(values[:, rows], [0.1, 0.9], axis=1)
        ax.fill_between(t, low, high, color=color, alpha=STYLE["band"], lw=0)
        mean = values[:, rows].mean(axis=1)
        ax.plot(t, mean, color=color, lw=STYLE["width"], label=f"{name} ({rows.sum()})")


def _draw_boundaries(
    model: Any, X: Any, y: Any, shares: np.ndarray | None, chosen: np.ndarray, axes: Any
) -> None:
    """One panel for each chosen round, rows sized by its row of ``shares``."""
    points = np.asarray(X, float)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"A boundary is drawn in two columns, X has shape {points.shape}.")
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
        _dress(ax, names[0], names[1])
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

    paints = np.array([to_rgb(_color(k)) for k in range(n_classes)])
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
            points[rows, 0], points[rows, 1], s=sizes[rows], color=_color(k), alpha=0.8,
            edgecolor="white", linewidth=0.6, marker=STYLE["markers"][k % len(STYLE["markers"])],
            label=str(name), zorder=2,
        )  # fmt: skip
