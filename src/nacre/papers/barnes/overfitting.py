"""Barnes' chapter 3: his data, and how AdaBoost overfits the ring as labels get noisier."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import spearmanr

from nacre.datasets import make_ring
from nacre.diagnostics import hits, margins
from nacre.experiments import experiment as ex
from nacre.experiments.measure import (
    Draw,
    Trial,
    error_curve,
    few_rounds,
    loaded,
    split,
    thinned,
)
from nacre.experiments.plot import BLACK, BLUE, ORANGE, RED, cumulative, panels
from nacre.models.adaboost import AdaBoostClassifier
from nacre.models.base import BoostClassifier
from nacre.noise import flip_labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RINGS = ["ring0", "ring10", "ring20", "ring30"]
ROWS, TEST_ROWS = 50, 5000
WPBC = "wisconsin-breast-cancer-prognostic"


def draw_rows(cell: ex.Cell) -> Draw:
    """The data of table 5.1. Only training labels are noisy, and no row has gaps.

    Of wpbc the time to recurrence is left out, which is known later, but under one reading.
    """
    seed = cell.seed("data")
    if cell["data"] == "sonar":
        data = loaded("sonar")
        return split(data.X, data.y, 70, seed)
    if cell["data"] == "wpbc":
        data = loaded(WPBC)
        whole = ~np.isnan(data.X).any(axis=1)
        later = [] if cell.setting.get("inputs") == "all" else [data.features.index("time")]
        return split(np.delete(data.X, later, axis=1)[whole], data.y[whole], 97, seed)
    X, y = make_ring(ROWS + TEST_ROWS, random_state=seed)
    noise = float(cell["data"].removeprefix("ring")) / 100
    noisy, _ = flip_labels(y[:ROWS], noise, random_state=cell.seed("data", use="noise"))
    return Draw(X[:ROWS], noisy, X[ROWS:], y[ROWS:])


def adaboost(cell: ex.Cell) -> BoostClassifier:
    """AdaBoost on stumps."""
    return AdaBoostClassifier(n_estimators=cell["rounds"])


SNAPSHOTS = (5, 50, 1000)
EARLY, LATE = 5, 100


def record_overfitting(model: BoostClassifier, rows: Draw) -> ex.Record:
    """Error curves, margins and row weights over the rounds."""
    test = error_curve(model, rows.X_test, rows.y_test)
    train = error_curve(model, rows.X, rows.y)
    rounds = model.n_estimators
    votes = np.cumsum(model.estimator_weights_)
    reached = {t: min(t, len(votes)) for t in (*SNAPSHOTS, LATE)}
    found = margins(hits(model, rows.X, rows.y), model.estimator_weights_, list(reached.values()))
    after = dict(zip(reached, found, strict=True))
    away = np.abs(np.hypot(*(rows.X - 0.5).T) - np.sqrt(0.125))
    weights = {t: _weights(after[t] * votes[reached[t] - 1]) for t in (EARLY, LATE)}
    return {
        "best": test.min(),
        "last": test[-1],
        "train_last": train[-1],
        "smallest_margin": after[SNAPSHOTS[-1]].min(),
        "weight_by_distance": spearmanr(weights[LATE], away).statistic,
        "test": thinned(test, rounds),
        "train": thinned(train, rounds),
        "raw_X": rows.X.tolist(),
        "raw_y": rows.y.tolist(),
        **{f"raw_weight_{t}": weights[t].tolist() for t in weights},
        **{f"raw_margin_{t}": after[t].tolist() for t in SNAPSHOTS},
        **{f"raw_votes_{t}": votes[reached[t] - 1] for t in SNAPSHOTS},
    }


def _weights(z: np.ndarray) -> np.ndarray:
    pull = np.exp(z.min() - z)
    return pull / pull.sum()


def _overfitting(results: ex.Results) -> ex.Finding:
    curves = [results.mean("test", data=data) for data in RINGS]
    sizes = [float(curve[-1] - curve.min()) for curve in curves]
    return ex.Finding(
        ", ".join(f"{size:.3f}" for size in sizes) + " at 0, 10, 20, 30 %",
        all(np.diff(sizes) > 0),
    )


def _overfitting_in_runs(results: ex.Results) -> ex.Finding:
    """The mean over the runs of what each loses, instead of what their mean curve loses."""
    losses = [
        float((results.get("last", data=data) - results.get("best", data=data)).mean())
        for data in RINGS
    ]
    return ex.Finding(
        ", ".join(f"{loss:.3f}" for loss in losses) + " at 0, 10, 20, 30 %",
        all(np.diff(losses) > 0),
    )


def _all_right(results: ex.Results) -> ex.Finding:
    least = results.get("smallest_margin", data="ring0")
    return ex.Finding(
        f"smallest margin {least.min():.3f} over {len(least)} trials", least.min() > 0
    )


def _near_rows_gain(results: ex.Results) -> ex.Finding:
    rank = float(results.mean("weight_by_distance", data="ring0"))
    return ex.Finding(f"rank correlation of weight and distance {rank:.2f}", rank < 0)


def draw_overfitting(results: ex.Results, figure: Figure) -> None:
    """Figures 3-3, 3-6 and 3-7."""
    axes = panels(figure, 8, 4)
    for ax, t in zip(axes, (EARLY, LATE), strict=False):
        X, y = results.get("raw_X", data="ring0")[0], results.get("raw_y", data="ring0")[0]
        weight = results.get(f"raw_weight_{t}", data="ring0")[0]
        for sign, colour, name in ((1, BLUE, "inside"), (-1, RED, "outside")):
            here = y == sign
            size = 6 + 600 * weight[here]
            ax.scatter(*X[here].T, s=size, c=colour, alpha=0.7, lw=0, label=name)
        angle = np.linspace(0, 2 * np.pi, 200)
        ax.plot(*(0.5 + np.sqrt(0.125) * np.array([np.cos(angle), np.sin(angle)])), "k--", lw=0.8)
        ax.set(title=f"Row weights (areas), {t} rounds", xlabel="$x_1$", ylabel="$x_2$")
        ax.set(aspect="equal", xlim=(-0.05, 1.6))  # room for the legend
    axes[0].legend(loc="center right")
    reach = np.linspace(-1, 1, 200)
    for t, style in zip(SNAPSHOTS, ("-", "--", ":"), strict=True):
        size = results.get(f"raw_votes_{t}", data="ring0")[0]
        axes[2].semilogy(reach, np.exp(-size * reach), style, c=BLACK, label=f"{t} rounds")
        margins = results.get(f"raw_margin_{t}", data="ring0")[0]
        cumulative(axes[3], margins, ls=style, c=BLACK, label=f"{t} rounds")
    axes[2].set(title="Cost, votes normalised", xlabel="margin", ylabel="cost", ylim=(1e-6, 1e6))
    axes[3].set(title="Margins", xlabel="margin", ylabel="share of rows up to it")
    axes[2].legend()
    for ax, data in zip(axes[4:], RINGS, strict=True):
        (setting,) = results.where(data=data)
        rounds = few_rounds(setting["rounds"])
        ax.semilogx(rounds, results.mean("test", data=data), c=BLUE, label="test rows")
        ax.semilogx(rounds, results.mean("train", data=data), "--", c=ORANGE, label="training rows")
        noise = data.removeprefix("ring")
        ax.set(title=f"{noise} % noise", xlabel="rounds", ylabel="error", ylim=(0, 0.5))
    axes[4].legend()


GROWS = ex.Claim(
    "overfitting (the mean test curve's end less its least) grows with every step of noise",
    "mild at 20 %, more as noise grows",
    _overfitting,
    "The mean over runs smooths the curves, and takes the lowest point of all at one round.",
)

OVERFITTING = ex.Experiment(
    name="barnes-3",
    title="AdaBoost on the ring: row weights, margins, and overfitting as labels get noisier",
    version=2,
    settings={
        "quick": ex.grid(20, data=RINGS, model="adaboost", rounds=1000),
        "paper": ex.grid(100, data=RINGS, model="adaboost", rounds=1000),
    },
    measure=Trial(draw_rows, {"adaboost": adaboost}, record_overfitting),
    claims=(
        GROWS,
        ex.Claim("without noise, every margin is positive after 1000 rounds", "yes", _all_right),
        ex.Claim("weight gathers on rows near the boundary", "yes", _near_rows_gain),
    ),
    figures={"": draw_overfitting},
    notes=("The thesis shows single runs on 50 rows; curves here are means over the trials.",),
    readings=(
        ex.Reading(
            "single-runs",
            "The thesis shows single runs: each run's end less its own least, then the mean over "
            "the runs, instead of the mean curve's.",
            {
                "quick": ex.grid(20, data=RINGS, model="adaboost", rounds=1000),
                "paper": ex.grid(100, data=RINGS, model="adaboost", rounds=1000),
            },
            checks={GROWS.what: _overfitting_in_runs},
        ),
    ),
    conclusion=(
        "Overfitting grows over the range, not at every step of it, where the mean curve is looked "
        "at: its end lies above its lowest by {curves}. In single runs, which is what the thesis "
        "shows, the last error is above the best by {runs}, and grows at every step, as it did in "
        "runs of other draws ({before})."
    ),
    numbers=lambda found: {
        "curves": found.verdicts[0].ours,
        "runs": found.readings["single-runs"].verdicts[0].ours,
        "before": ", ".join(f"{row['last'] - row['best']:.3f}" for row in found.table),
    },
)

EXPERIMENTS = (OVERFITTING,)
