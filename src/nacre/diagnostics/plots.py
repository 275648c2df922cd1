"""Pictures of what goes on inside an ensemble: curves round by round, and how far filters agree.

Every function draws on ``ax``, or on axes of a new figure, and returns them. Nothing is shown and
no setting of Matplotlib is changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from nacre.diagnostics.diversity import overlaps
from nacre.diagnostics.drawing import (
    BLACK,
    BLUE,
    GREY,
    ROUND,
    STYLE,
    VERMILLION,
    as_table,
    axes_for,
    color_of,
    finish,
)
from nacre.diagnostics.ensemble import as_mislabeled, as_numbers, hits, pick_rounds
from nacre.diagnostics.margins import margins as margins_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


CURVES = 6
"""Rounds, at most, that are drawn unless they are named."""


def plot_errors(
    curves: Mapping[str, Any], *, bounds: Mapping[str, Any] | None = None, ax: Axes | None = None
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
    ax = axes_for(ax)
    for k, (name, one) in enumerate(lines.items()):
        ax.plot(
            np.arange(1, len(one) + 1), one, label=name, color=color_of(k), lw=STYLE["width"],
            ls="-" if k < len(curves) else "--",
        )  # fmt: skip
    ax.set_ylim(bottom=0.0)
    return finish(ax, ROUND, "error")


def plot_margins(
    margins: Any,
    X: Any = None,
    y: Any = None,
    *,
    rounds: Any = None,
    mislabeled: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Cumulative distributions of the margins after some rounds.

    Parameters
    ----------
    margins : fitted booster whose hypotheses vote, or array of shape (k, n)
        An array as :func:`~nacre.diagnostics.margins` gives it.
    X : array or data frame of shape (n, d), with a booster only
        The rows.
    y : their labels, with a booster only
    rounds : whole numbers, optional
        Of a booster, the rounds to draw; of an array, which rounds its rows are. Default all up to
        six, and of more six of them, from the first to the last.
    mislabeled : boolean mask of n rows, optional
        Draws these, the suspects (dashed), and others apart.
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
    >>> from nacre import AdaBoostClassifier
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "a"]
    >>> ax = plot_margins(AdaBoostClassifier(n_estimators=2).fit(X, y), X, y)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['round 1', 'round 2']
    """
    table, names = _margins(margins, X, y, rounds)
    groups = {"": np.ones(table.shape[1], bool)}
    if mislabeled is not None:
        mask = as_mislabeled(mislabeled, table.shape[1])
        groups = {", others": ~mask, ", suspects": mask}
    ax = axes_for(ax)
    ax.axvline(0.0, color=GREY, lw=0.8)
    for k, (one, t) in enumerate(zip(table, names, strict=True)):
        for (group, rows), dashes in zip(groups.items(), ("-", "--"), strict=False):
            name = f"round {t}{group}"
            ax.ecdf(one[rows], label=name, color=color_of(k), lw=STYLE["width"], ls=dashes)
    ax.set_xlim(-1.02, 1.02)
    ax.set_xticks([-1.0, -0.5, 0.0, 0.5, 1.0])
    ax.set_ylim(0.0, 1.02)
    return finish(ax, "margin", "share of rows up to it")


def plot_volumes(
    volumes: Any,
    mislabeled: Any,
    *,
    rounds: Any = None,
    logs: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Volumes around suspect rows and around others, round by round.

    The line is the mean, the band holds the middle 80 % of the rows.

    Parameters
    ----------
    volumes : array of shape (rounds, n)
        Log volumes: of :func:`~nacre.diagnostics.decision_volumes` or
        :func:`~nacre.diagnostics.cell_volumes`.
    mislabeled : boolean mask of n rows
        The suspects.
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
    >>> ax = plot_volumes([[0.0, 0.0, 0.0], [-1.0, -1.0, -2.0]], mislabeled=[False, False, True])
    >>> ax.get_ylabel()
    'log volume'
    """
    table = as_table(volumes, "volumes")
    ax = axes_for(ax)
    _draw_groups(ax, table if logs else np.exp(table), mislabeled, rounds)
    return finish(ax, ROUND, "log volume" if logs else "volume")


def plot_weights(
    paths: Any, mislabeled: Any, *, rounds: Any = None, ax: Axes | None = None
) -> Axes:
    """Weights of suspect rows and of others, round by round, in fair shares of 1/n.

    The line is the mean, the band holds the middle 80 % of the rows.

    Parameters
    ----------
    paths : array of shape (rounds, n)
        As :func:`~nacre.diagnostics.weight_paths` gives them.
    mislabeled : boolean mask of n rows
        The suspects.
    rounds : whole numbers, optional
        Which rounds these are; default 1, 2, ...
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> from nacre.diagnostics import plot_weights
    >>> ax = plot_weights([[0.3, 0.3, 0.4], [0.1, 0.2, 0.7]], mislabeled=[False, False, True])
    >>> ax.get_ylabel()
    'weight, in fair shares'
    """
    table = as_table(paths, "paths")
    ax = axes_for(ax)
    _draw_groups(ax, table * table.shape[1], mislabeled, rounds)
    ax.axhline(1.0, color=GREY, lw=0.8)
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter("{x:g}")
    return finish(ax, ROUND, "weight, in fair shares")


def plot_noise_rate(
    n_neighbors: Any,
    rates: Any,
    *,
    interval: Any = None,
    chosen: int | None = None,
    truth: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The estimated noise rate against the size of the neighbourhoods.

    Parameters
    ----------
    n_neighbors : whole numbers
        Sizes of neighbourhoods.
    rates : as many numbers
        As in ``curve`` of :class:`~nacre.noise.NoiseRate`.
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
    m = as_numbers(n_neighbors, "n_neighbors")
    e = as_numbers(rates, "rates", len(m))
    if interval is not None and len(interval) != 2:
        raise ValueError("interval must be a pair: the lower and the upper end.")
    if chosen is not None and chosen not in m:
        raise ValueError(f"chosen must be one of n_neighbors, got {chosen!r}.")
    ax = axes_for(ax)
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
    return finish(ax, "noisy rows in a neighbourhood", "noise rate")


def plot_overlaps(flags: Mapping[str, Any], *, ax: Axes | None = None) -> Axes:
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
    ax = axes_for(ax)
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


def _margins(margins: Any, X: Any, y: Any, rounds: Any) -> tuple[np.ndarray, np.ndarray]:
    """A table of margins and its rounds, from a model or as given; few where none are named."""
    if not hasattr(margins, "predict"):
        if X is not None or y is not None:
            raise TypeError("X and y go with a fitted booster: an array holds the margins already.")
        table = as_table(margins, "margins")
        names = _round_numbers(rounds, len(table))
        some = _spread_out(len(table)) if rounds is None else slice(None)
        return table[some], names[some]
    if X is None or y is None:
        raise TypeError("The margins of a booster are those of rows: give X and y, too.")
    said = hits(margins, X, y)
    names = _spread_out(len(said)) + 1 if rounds is None else pick_rounds(rounds, len(said))[0]
    steps = getattr(margins, "estimator_steps_", None)  # votes of boosters that shrink them
    shrinks, votes = (None, margins.estimator_weights_) if steps is None else steps.T
    return margins_of(said, votes, names, shrinks=shrinks), names


def _spread_out(count: int) -> np.ndarray:
    """Places of a few rounds, from the first to the last, closer together at the beginning."""
    if count <= CURVES:
        return np.arange(count)
    return np.unique(np.geomspace(1, count, CURVES).round().astype(int)) - 1


def _round_numbers(rounds: Any, count: int) -> np.ndarray:
    numbers = np.arange(1, count + 1) if rounds is None else np.asarray(rounds)
    if numbers.shape != (count,):
        raise ValueError(f"rounds must be {count} numbers, one per row of the table.")
    return numbers


def _draw_groups(ax: Axes, values: np.ndarray, mislabeled: Any, rounds: Any) -> None:
    """Mean and middle 80 % of suspects and of others, round by round."""
    mask = as_mislabeled(mislabeled, values.shape[1])
    t = _round_numbers(rounds, len(values))
    ax.fill_between([], [], [], color=GREY, alpha=STYLE["band"], lw=0, label="middle 80 %")
    for name, rows, color in (("others", ~mask, BLUE), ("suspects", mask, VERMILLION)):
        low, high = np.quantile(values[:, rows], [0.1, 0.9], axis=1)
        ax.fill_between(t, low, high, color=color, alpha=STYLE["band"], lw=0)
        mean = values[:, rows].mean(axis=1)
        ax.plot(t, mean, color=color, lw=STYLE["width"], label=f"{name} ({rows.sum()})")
