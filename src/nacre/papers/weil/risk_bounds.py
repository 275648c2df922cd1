"""Weil's sections 2.2 and 3.2: Zhang's inequality, and the bound of proposition 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize

from nacre.experiments import experiment as ex
from nacre.experiments.plot import BLACK, BLUE, RED, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Zhang's inequality: R - R* <= factor (R_L - R_L*)^(1 / root), pointwise in P(Y = 1 | x)

LOSSES: dict[str, tuple[Callable[[np.ndarray], np.ndarray], float, int]] = {
    "exponential": (np.exp, float(np.sqrt(2.0)), 2),
    "logistic": (lambda x: np.log2(1.0 + np.exp(x)), float(np.sqrt(2.0 * np.log(2.0))), 2),
    "hinge": (lambda x: np.maximum(0.0, 1.0 + x), 1.0, 1),
}
"""Losses of -y f with the numbers of the inequality (Zhang 2004)."""
CHANCES = np.linspace(0.005, 0.995, 199)
SCORES = np.linspace(-8.0, 8.0, 3201)

# Proposition 1: thresholds on one column, combined within the L1 ball

THRESHOLDS = np.linspace(-0.9, 0.9, 10)
RATE, BORDER, DIM = 0.2, 0.3, 0.1
SIZES = [100, 400, 1600, 6400]
MANY = 100_000


def corrected(x: np.ndarray, rate: float | np.ndarray) -> np.ndarray:
    """The exponential loss of -y f, corrected for flips."""
    return ((1.0 - rate) * np.exp(x) - rate * np.exp(-x)) / (1.0 - 2.0 * rate)


def corrected_slope(x: np.ndarray, rate: float | np.ndarray) -> np.ndarray:
    """Its derivative, on [-1, 1] at most that at 1: the Lipschitz constant."""
    return ((1.0 - rate) * np.exp(x) + rate * np.exp(-x)) / (1.0 - 2.0 * rate)


def measure_risks(cell: ex.Cell) -> ex.Record:
    """The inequality on a grid, or the excess risk of one sample."""
    return zhang(cell) if cell["part"] == "zhang" else excess(cell)


def zhang(cell: ex.Cell) -> ex.Record:
    """How far the excess error stays below the bound, at worst, over chances and scores."""
    loss, factor, root = LOSSES[cell["loss"]]
    error, surrogate = [], []
    for chance in CHANCES:
        risk = chance * loss(-SCORES) + (1.0 - chance) * loss(SCORES)
        surrogate.append(risk - risk.min())
        wrong = np.where(SCORES > 0.0, chance < 0.5, chance > 0.5)
        error.append(np.abs(2.0 * chance - 1.0) * wrong)
    gap = factor * np.array(surrogate) ** (1.0 / root) - np.array(error)
    return {"slack": gap.min()}


def draw_column(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """What the dictionary's thresholds say of a column, and labels, which are noisy of "
    "themselves."""
    x = rng.uniform(-1.0, 1.0, n)
    y = np.where((x > BORDER) ^ (rng.random(n) < DIM), 1.0, -1.0)
    return np.where(x[:, None] > THRESHOLDS, 1.0, -1.0), y


def least_risk(said: np.ndarray, y: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """The weights within the L1 ball of least mean loss."""
    count = said.shape[1]

    def mean_loss(parts: np.ndarray) -> tuple[float, np.ndarray]:
        x = -y * (said @ (parts[:count] - parts[count:]))
        slope = -(y * corrected_slope(x, rates)) @ said / len(y)
        return float(corrected(x, rates).mean()), np.append(slope, -slope)

    found = minimize(
        mean_loss,
        np.full(2 * count, 0.01),
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * (2 * count),
        constraints={
            "type": "ineq",
            "fun": lambda parts: 1.0 - parts.sum(),
            "jac": lambda parts: -np.ones(2 * count),
        },
    )
    weights: np.ndarray = found.x[:count] - found.x[count:]
    return weights


def excess(cell: ex.Cell) -> ex.Record:
    """The risk of what a noisy sample makes best, above the least in the ball, and the bound."""
    n, rng = cell["rows"], np.random.default_rng(cell.seed("rows"))
    said, y = draw_column(n, rng)
    rates = np.where(np.arange(n) < n // 10, 0.0, RATE)
    noisy = np.where(rng.random(n) < rates, -y, y)
    fresh, truth = draw_column(MANY, rng)
    ours = least_risk(said, noisy, rates)
    best = least_risk(fresh, truth, np.zeros(MANY))
    risks = [float(np.exp(-truth * (fresh @ weights)).mean()) for weights in (ours, best)]
    steepest = float(corrected_slope(np.ones(1), RATE)[0])
    bound = 8.0 * steepest * np.sqrt(2.0 * np.log(2.0 * len(THRESHOLDS)) / n)
    return {"excess": risks[0] - risks[1], "bound": float(bound)}


def _holds_pointwise(results: ex.Results) -> ex.Finding:
    slacks = {loss: float(results.get("slack", loss=loss)[0]) for loss in LOSSES}
    words = ", ".join(f"{loss} {slack:.1e}" for loss, slack in slacks.items())
    return ex.Finding(f"least slack: {words}", min(slacks.values()) > -1e-9)


def _means(results: ex.Results, quantity: str) -> list[float]:
    return [float(results.mean(quantity, rows=n)) for n in results.choices("rows")]


def _bound_holds(results: ex.Results) -> ex.Finding:
    excesses, bounds = _means(results, "excess"), _means(results, "bound")
    words = ", ".join(f"{e:.4f} of {b:.2f}" for e, b in zip(excesses, bounds, strict=True))
    return ex.Finding(words, all(e <= b for e, b in zip(excesses, bounds, strict=True)))


def _falls(results: ex.Results) -> ex.Finding:
    excesses = _means(results, "excess")
    return ex.Finding(", ".join(f"{e:.4f}" for e in excesses), bool(np.all(np.diff(excesses) < 0)))


def draw_bound(results: ex.Results, figure: Figure) -> None:
    """Excess risks under the bound."""
    (ax,) = panels(figure, 1, 1, 5.0, 3.4)
    rows = results.choices("rows")
    for n in rows:
        single = results.get("excess", rows=n)
        ax.loglog(np.full(len(single), n), np.maximum(single, 1e-6), ".", c=BLUE, ms=3, alpha=0.4)
    ax.loglog(
        rows, _means(results, "excess"), "o-", c=RED, label="excess risk, mean of the samples"
    )
    ax.loglog(rows, _means(results, "bound"), "--", c=BLACK, label="bound of proposition 1")
    ax.set(title="Excess risk of the corrected loss", xlabel="rows", ylabel="risk above the least")
    ax.legend()


def settings(trials: int, sizes: list[int]) -> list[ex.Setting]:
    """The inequality for each loss, and samples of each size."""
    return [*ex.grid(part="zhang", loss=list(LOSSES)), *ex.grid(trials, part="bound", rows=sizes)]


RISKS = ex.Experiment(
    name="weil-3-2",
    title="Zhang's inequality, and the bound on the corrected loss's excess risk (proposition 1)",
    version=1,
    settings={"quick": settings(5, SIZES[:3]), "paper": settings(50, SIZES)},
    measure=measure_risks,
    claims=(
        ex.Claim(
            "the excess error is at most the bound by the excess loss, at all chances and scores",
            "Zhang's inequality",
            _holds_pointwise,
        ),
        ex.Claim(
            "mean excess risk of noisy samples is below the bound", "proposition 1", _bound_holds
        ),
        ex.Claim("it falls with every size of the sample", "consistent", _falls),
    ),
    figures={"": draw_bound},
    notes=(
        "Ten thresholds on one column, combined with weights of 1-norm up to 1; a tenth of the "
        "rows is clean, a fifth of the other labels is flipped. The bound is an expectation's.",
    ),
    conclusion=(
        "Both hold, as theorems must. The bound is far from sharp: at {rows} rows the excess risk "
        "is {excess:.4f}, the bound {bound:.2f}."
    ),
    numbers=lambda found: {
        "rows": SIZES[-1],
        "excess": found.value("excess", rows=SIZES[-1]),
        "bound": found.value("bound", rows=SIZES[-1]),
    },
)

EXPERIMENTS = (RISKS,)
