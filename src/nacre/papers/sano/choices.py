"""Sano's sections 3 and 4: SNRBoost with other steps, on other losses, on one joint objective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nacre.boost import Algorithm, ConvexHull, NoiseReaction
from nacre.boost.reaction import LOSSES
from nacre.experiments import experiment as ex
from nacre.experiments.measure import Trial, few_rounds
from nacre.experiments.plot import PALETTE, panels
from nacre.models.base import BoostClassifier
from nacre.models.boosted import BoostedClassifier
from nacre.papers.sano.networks import NEAR, draw_sine, network, record_errors
from nacre.papers.sano.toy_data import CASES
from nacre.papers.sano.zero_one_loss import DRAWS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIGMA2 = 1.0
EPOCHS = 50
STEPS = [1, 10, 100, 1_000_000]
"""K of the steps K / (K + t) beside K = T, which the paper has; the last are all but constant."""
ITS_OWN: dict[str, Any] = {"loss": "zero-one", "k": "rounds", "objective": "row"}
"""What the paper chooses."""


def snrboost(cell: ex.Cell) -> BoostClassifier:
    """SNRBoost with draws of each row, and the loss, steps and objective that the cell names."""
    cost = NoiseReaction(SIGMA2, DRAWS, cell["loss"], joint=cell["objective"] == "joint")
    step = ConvexHull(None if cell["k"] == "rounds" else cell["k"])
    algorithm = Algorithm(cost, step, stops=False)
    return BoostedClassifier(network(cell), cell["rounds"], algorithm=algorithm)


def _error(results: ex.Results, case: str, **other: Any) -> float:
    return float(results.mean("last", case=case, **{**ITS_OWN, **other}))


def _any_step(results: ex.Results) -> ex.Finding:
    words, near = [], []
    for case in CASES:
        errors = [_error(results, case, k=k) for k in (*STEPS, "rounds")]
        words.append(f"{case} " + ", ".join(f"{error:.3f}" for error in errors))
        near.append(max(errors) - min(errors) <= NEAR)
    return ex.Finding("; ".join(words) + " by K, T last", all(near))


def _more_robust(results: ex.Results) -> ex.Finding:
    words, lower = [], []
    for case in ("far", "near"):
        ours = _error(results, case)
        others = {loss: _error(results, case, loss=loss) for loss in ("exponential", "squared")}
        theirs = ", ".join(f"{loss} {error:.3f}" for loss, error in others.items())
        words.append(f"{case} {ours:.3f}, {theirs}")
        lower.append(all(ours < error for error in others.values()))
    return ex.Finding("; ".join(words), all(lower))


def _joint_will_do(results: ex.Results) -> ex.Finding:
    pairs = {
        case: (_error(results, case, objective="joint"), _error(results, case)) for case in CASES
    }
    words = ", ".join(f"{case} {a:.3f} against {b:.3f}" for case, (a, b) in pairs.items())
    return ex.Finding(words, bool(all(abs(a - b) <= NEAR for a, b in pairs.values())))


def draw_choices(results: ex.Results, figure: Figure) -> None:
    """Mean test errors over the rounds: a row for steps, a row for losses and objectives."""
    lines = [
        {f"K = {k}": {"k": k} for k in (*STEPS[:-1], "rounds")},
        {
            **{loss: {"loss": loss} for loss in LOSSES},
            "zero-one, joint": {"objective": "joint"},
        },
    ]
    axes = panels(figure, 2 * len(CASES), len(CASES), 3.2, 2.6, sharey=True)
    for row, named in enumerate(lines):
        for column, (case, words) in enumerate(CASES.items()):
            ax = axes[row * len(CASES) + column]
            for (name, other), colour in zip(named.items(), PALETTE, strict=False):
                (setting,) = results.where(case=case, **{**ITS_OWN, **other})
                curve, places = results.mean("test", **setting), few_rounds(setting["rounds"])
                there = ~np.isnan(curve)
                ax.semilogx(places[there], curve[there], c=colour, label=name)
            ax.set(title=f"Flipped: {words}", xlabel="rounds", ylabel="test error")
        axes[row * len(CASES)].legend()


def settings(trials: int, rounds: int) -> list[ex.Setting]:
    """One thing changed at a time."""
    changes = [
        {},
        *({"k": k} for k in STEPS),
        *({"loss": loss} for loss in LOSSES if loss != ITS_OWN["loss"]),
        {"objective": "joint"},
    ]
    common = {"case": list(CASES), "model": "snr", "rounds": rounds, "epochs": EPOCHS}
    return [one for change in changes for one in ex.grid(trials, **{**common, **ITS_OWN, **change})]


CHOICES = ex.Experiment(
    name="sano-choices",
    title="SNRBoost's choices: other steps, other losses, one joint objective, on the toy data",
    version=1,
    settings={"quick": settings(2, 20), "paper": settings(5, 1000)},
    measure=Trial(draw_sine, {"snr": snrboost}, record_errors),
    claims=(
        ex.Claim(
            f"steps K / (K + t): errors of K = 1, 10, 100, a million and T within {NEAR:g}, in "
            "every case",
            "a suitable integer",
            _any_step,
        ),
        ex.Claim(
            "by noise reaction on each, where labels are flipped: the zero-one loss's mean error "
            "is below the exponential's and the squared's",
            "far more robust",
            _more_robust,
        ),
        ex.Claim(
            f"on the loss of all rows together (equation 5) errors are within {NEAR:g} of those "
            "row by row, in every case",
            "equation 5",
            _joint_will_do,
        ),
    ),
    figures={"": draw_choices},
    notes=(
        f"Networks train for {EPOCHS} passes, the reading under which figure 4 comes out; draws "
        f"are of each row, of variance {SIGMA2:g}. The paper runs K = T on the zero-one loss only.",
    ),
    conclusion="By step: {steps}. By loss: {losses}. Joint against row by row: {joint}.",
    numbers=lambda found: {
        name: one.ours
        for name, one in zip(("steps", "losses", "joint"), found.verdicts, strict=True)
    },
)

EXPERIMENTS = (CHOICES,)
