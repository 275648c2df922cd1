"""Sano's figure 3: toy data with labels flipped far from the boundary, or near it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nacre.datasets import make_sine
from nacre.experiments.experiment import Cell, Claim, Experiment, Finding, Record, Results, grid
from nacre.experiments.plot import BLACK, BLUE, ORANGE, RED, panels
from nacre.noise import flip_labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROWS, SHARE = 300, 0.02
CASES = {"far": "far from the boundary", "near": "near the boundary", "none": "none"}


def distance(X: np.ndarray) -> np.ndarray:
    """How far rows are from the boundary, as the paper measures it."""
    return np.abs(X[:, 1] - 3.0 * np.sin(X[:, 0]))


def flip_half(
    y: np.ndarray, away: np.ndarray, case: str, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Labels flipped in the half of rows that are far from the boundary, or near, or in none."""
    far = away > np.median(away)
    half = {"far": far, "near": ~far, "none": None}[case]
    rate = SHARE if half is not None else 0.0
    labels, flipped = flip_labels(y, rate, score=half, random_state=seed)
    return labels, flipped


def measure_toy(cell: Cell) -> Record:
    """The toy data, some labels flipped."""
    X, y = make_sine(ROWS, random_state=cell.seed())
    away = distance(X)
    labels, flipped = flip_half(y, away, cell["case"], cell.seed(use="noise"))
    half = away > np.median(away) if cell["case"] == "far" else away <= np.median(away)
    return {
        "flipped": int(flipped.sum()),
        "mean_distance_flipped": away[flipped].mean() if flipped.any() else np.nan,
        "mean_distance": away.mean(),
        "misplaced": int((flipped & ~half).sum()),
        "raw_X": X.tolist(),
        "raw_labels": labels.tolist(),
        "raw_flipped": flipped.astype(int).tolist(),
    }


def _six(results: Results) -> Finding:
    counts = [results.get("flipped", case=case) for case in CASES]
    stray = sum(results.get("misplaced", case=case).sum() for case in CASES)
    words = ", ".join(f"{case} {count.mean():g}" for case, count in zip(CASES, counts, strict=True))
    right = [np.all(count == wanted) for count, wanted in zip(counts, (6, 6, 0), strict=True)]
    return Finding(f"{words}; {stray:g} outside their half", all(right) and stray == 0)


def draw_toy(results: Results, figure: Figure) -> None:
    """Figure 3."""
    across = np.linspace(-4, 4, 200)
    axes = panels(figure, 3, 3, 3.4, 3.4)
    for ax, (case, words) in zip(axes, CASES.items(), strict=True):
        X, labels = results.get("raw_X", case=case)[0], results.get("raw_labels", case=case)[0]
        which = results.get("raw_flipped", case=case)[0] == 1
        ax.plot(across, 3 * np.sin(across), c=BLACK, lw=1)
        for sign, mark, colour, name in ((1, "o", BLUE, "1"), (-1, "x", ORANGE, "-1")):
            here = labels == sign
            ax.plot(*X[here].T, mark, c=colour, ms=4, mew=1, label=f"label {name}")
        ring = {"ms": 11, "mfc": "none", "mec": RED, "mew": 1.4}
        ax.plot(*X[which].T, "o", label="flipped", **ring)
        ax.set(title=f"Flipped: {words}", xlabel="$x_1$", ylabel="$x_2$", ylim=(-4, 4))
    axes[0].legend(loc="lower left", framealpha=0.9, frameon=True)


TOY = Experiment(
    name="sano-3",
    title="The toy data: 2 % of the labels flipped far from the boundary, near it, or not at all",
    version=2,
    settings=dict.fromkeys(("quick", "paper"), grid(5, case=list(CASES))),
    measure=measure_toy,
    claims=(Claim("rows flipped of 300, each within its half", "6, 6 and 0", _six),),
    figures={"": draw_toy},
    conclusion=(
        "Agrees by construction: 6 of 300 labels are flipped, in the half of the rows that is "
        "farther from the boundary, in the nearer half, or nowhere."
    ),
)

EXPERIMENTS = (TOY,)
