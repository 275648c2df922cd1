"""Weil's figures 1 to 3: the loss of a noisy label, and the weights that follow from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nacre.experiments.experiment import Cell, Claim, Experiment, Finding, Record, Results, grid
from nacre.experiments.plot import BLACK, BLUE, ORANGE, PALETTE, RED, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCORES = np.linspace(-2.0, 2.0, 161)
"""Losses and weights are functions of -y f(x)."""


def corrected(scores: np.ndarray, rate: float) -> np.ndarray:
    """The loss of a noisy label, whose mean over flips is the exponential loss."""
    return ((1 - rate) * np.exp(scores) - rate * np.exp(-scores)) / (1 - 2 * rate)


def measure_losses(cell: Cell) -> Record:
    """The curves, and what they are said to do."""
    rate = cell["rate"]
    right = (1 - rate) / (1 - 2 * rate) * np.exp(SCORES)
    flipped = rate / (1 - 2 * rate) * np.exp(-SCORES)
    mean = (1 - rate) * corrected(SCORES, rate) + rate * corrected(-SCORES, rate)
    return {
        "mean_off": np.abs(mean - np.exp(SCORES)).max(),
        "least_weight_at": SCORES[np.argmin(right + flipped)],
        "exponential": np.exp(SCORES).tolist(),
        "logistic": np.log2(1 + np.exp(SCORES)).tolist(),
        "hinge": np.maximum(0.0, 1 + SCORES).tolist(),
        "zero_one": (SCORES >= 0).astype(float).tolist(),
        "corrected": corrected(SCORES, rate).tolist(),
        "weight_right": right.tolist(),
        "weight_flipped": flipped.tolist(),
        "weight": (right + flipped).tolist(),
    }


def _unbiased(results: Results) -> Finding:
    off = float(results.get("mean_off")[0])
    return Finding(f"off by {off:.0e} at most", off < 1e-12)


def _rises_again(results: Results) -> Finding:
    at = float(results.get("least_weight_at")[0])
    return Finding(f"least at {at:.2f}, so it rises for surer right answers", at > SCORES[0])


def draw_losses(results: Results, figure: Figure) -> None:
    """Figures 1, 2 and 3."""
    losses, new, weights = panels(figure, 3, 3)
    styles = ("-", "--", ":", "-.")
    names = {"zero_one": "zero-one", "exponential": "exponential", "logistic": "logistic"}
    for (name, words), style, colour in zip(
        {**names, "hinge": "hinge"}.items(), styles, PALETTE, strict=False
    ):
        losses.plot(
            SCORES, results.get(name)[0], style, c=colour, label=words,
            drawstyle="steps-post" if name == "zero_one" else "default",
        )  # fmt: skip
    new.plot(SCORES, results.get("exponential")[0], "--", c=BLACK, label="clean label")
    new.plot(SCORES, results.get("corrected")[0], c=RED, label="noisy label, e = 1/5")
    for name, words, style, colour in (
        ("weight_right", "as given", "--", BLUE),
        ("weight_flipped", "flipped back", ":", ORANGE),
        ("weight", "both: a noisy row", "-", RED),
        ("exponential", "a clean row", "-.", BLACK),
    ):
        weights.plot(SCORES, results.get(name)[0], style, c=colour, label=words)
    for ax, title, up in (
        (losses, "Losses", "loss"),
        (new, "The corrected loss", "loss"),
        (weights, "Weights", "weight"),
    ):
        ax.set(title=title, xlabel="$-y f(x)$", ylabel=up)
        ax.legend()


LOSSES = Experiment(
    name="weil-1-3",
    title="The losses of figures 1 and 2 and the weights of figure 3",
    version=1,
    settings=dict.fromkeys(("quick", "paper"), grid(rate=0.2)),
    measure=measure_losses,
    claims=(
        Claim("the corrected loss has the clean loss as its mean over flips", "yes", _unbiased),
        Claim("the weight of a noisy row may grow after right answers", "yes", _rises_again),
    ),
    figures={"": draw_losses},
    conclusion=(
        "Agrees, as formulas must: over flips the corrected loss is the clean one up to rounding, "
        "and the weight of a noisy row is least where y f(x) = {at:.1f} and rises for surer right "
        "answers."
    ),
    numbers=lambda found: {"at": -found.value("least_weight_at")},
)

EXPERIMENTS = (LOSSES,)
