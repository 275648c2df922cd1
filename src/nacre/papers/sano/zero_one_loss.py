"""Sano's figure 2: the derivative of the zero-one loss by noise reaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nacre.boost.cost import ZeroOne
from nacre.experiments.experiment import Cell, Claim, Experiment, Finding, Record, Results, grid
from nacre.experiments.plot import BLACK, BLUE, RED, panels
from nacre.kernels.formulas import reaction

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
        "are off is {gap:.2f} on average."
    ),
    numbers=lambda found: {"gap": found.value("largest_gap_to_limit", sigma2=1)},
)

EXPERIMENTS = (DERIVATIVE,)
