"""N. Sano, H. Suzuki, M. Koda, A robust ensemble learning using zero-one loss, JORSJ 50, 2007."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nacre.boost.cost import ZeroOne
from nacre.datasets import make_sine
from nacre.experiments.experiment import Cell, Claim, Experiment, Finding, Record, Results, grid
from nacre.experiments.plot import BLACK, BLUE, ORANGE, RED, panels
from nacre.kernels.formulas import reaction
from nacre.noise import flip_labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Figure 2

MARGINS = np.linspace(-4.0, 4.0, 161)
DRAWS = 100
ALIKE = 0.95


def measure_derivative(cell: Cell) -> Record:
    """The derivative of the zero-one cost by noise reaction, beside that of the tanh cost."""
    draws, sums = ZeroOne(cell["sigma2"], DRAWS).table(cell.seed())
    found = np.array([-reaction(z, draws, sums) for z in MARGINS])
    tanh = -0.5 / np.cosh(MARGINS) ** 2
    limit = -np.exp(-0.5 * MARGINS**2 / cell["sigma2"]) / np.sqrt(2 * np.pi * cell["sigma2"])
    return {
        "correlation": np.corrcoef(found, tanh)[0, 1],
        "least_at": MARGINS[int(found.argmin())],
        "largest_gap_to_limit": np.abs(found - limit).max(),
        "reaction": found.tolist(),
        "tanh": tanh.tolist(),
        "limit": limit.tolist(),
    }


def _alike(results: Results) -> Finding:
    found = results.get("correlation")
    return Finding(f"correlation {found.mean():.3f}", found.mean() >= ALIKE)


def _least_at_zero(results: Results) -> Finding:
    at = np.abs(results.get("least_at"))
    return Finding(f"{at.mean():.2f} from it on average", at.mean() <= 0.5)


def draw_derivative(results: Results, figure: Figure) -> None:
    """Figure 2."""
    (ax,) = panels(figure, 1, 1, 5.0, 3.4)
    ax.plot(MARGINS, results.get("reaction")[0], c=RED, label="noise reaction, 100 draws")
    ax.plot(MARGINS, results.get("limit")[0], ":", c=BLACK, label="its limit: a Gaussian bell")
    ax.plot(MARGINS, results.get("tanh")[0], "--", c=BLUE, label="tanh cost")
    ax.set(title="Derivatives of two costs", xlabel="margin $z$", ylabel="derivative")
    ax.legend(loc="lower right")


DERIVATIVE = Experiment(
    name="sano-2",
    title="The derivative of the zero-one cost by noise reaction, beside the tanh cost's",
    version=1,
    settings=dict.fromkeys(("quick", "paper"), grid(20, sigma2=1.0)),
    measure=measure_derivative,
    claims=(
        Claim(f"it resembles the tanh cost's (mean correlation {ALIKE} or more)", "yes", _alike),
        Claim("it is least at the origin (within 0.5, on average)", "at 0", _least_at_zero),
    ),
    figures={"": draw_derivative},
    conclusion=(
        "Agrees: with 100 draws the derivative looks like that of the tanh cost. In the limit of "
        "many draws it is a Gaussian bell, as Stein's identity says; the worst that 100 draws "
        "are off is 0.06 on average."
    ),
)

# Figure 3

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

EXPERIMENTS = (DERIVATIVE, TOY)
