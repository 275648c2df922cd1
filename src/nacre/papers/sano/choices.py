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
    draws, sigma2 = cell.setting.get("draws", DRAWS), cell.setting.get("sigma2", SIGMA2)
    cost = NoiseReaction(sigma2, draws, cell["loss"], joint=cell["objective"] == "joint")
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
    lines: list[dict[str, dict[str, Any]]] = [
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


def settings(
    trials: int, rounds: int, changes: list[dict[str, Any]], **own: Any
) -> list[ex.Setting]:
    """The paper's choices, and one thing changed at a time."""
    common = {"case": list(CASES), "model": "snr", "rounds": rounds, "epochs": EPOCHS, **own}
    return [
        one
        for change in ({}, *changes)
        for one in ex.grid(trials, **{**common, **ITS_OWN, **change})
    ]


BY_STEP: list[dict[str, Any]] = [{"k": k} for k in STEPS]
BY_LOSS: list[dict[str, Any]] = [{"loss": loss} for loss in LOSSES if loss != ITS_OWN["loss"]]
JOINTLY: list[dict[str, Any]] = [{"objective": "joint"}]
ALL = [*BY_STEP, *BY_LOSS, *JOINTLY]

CHOICES = ex.Experiment(
    name="sano-choices",
    title="SNRBoost's choices: other steps, other losses, one joint objective, on the toy data",
    version=1,
    settings={"quick": settings(2, 20, ALL), "paper": settings(5, 1000, ALL)},
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
            "Votes sum to 1, so that no margin is beyond 1, where the squared loss would rise; up "
            "to there it falls less steeply the better a row is, as a bounded loss does.",
        ),
        ex.Claim(
            f"on the loss of all rows together (equation 5) errors are within {NEAR:g} of those "
            "row by row, in every case",
            "equation 5",
            _joint_will_do,
            "The losses of all other rows come in as noise, which {draws} draws do not average "
            "out.",
        ),
    ),
    figures={"": draw_choices},
    notes=(
        f"Networks train for {EPOCHS} passes, the reading under which figure 4 comes out; draws "
        f"are of each row, of variance {SIGMA2:g}. The paper runs K = T on the zero-one loss only.",
    ),
    readings=(
        ex.Reading(
            "small-variance",
            "Draws of a variance of .1: the paper expects a good approximation as it goes to 0, "
            "and finds smaller ones better on the sphere.",
            {
                size: settings(*count, BY_LOSS, sigma2=0.1)
                for size, count in (("quick", (2, 20)), ("paper", (5, 1000)))
            },
        ),
        ex.Reading(
            "many-draws",
            "A thousand draws instead of 100: equation 5 is about an expectation.",
            {
                size: settings(*count, JOINTLY, draws=1000)
                for size, count in (("quick", (2, 5)), ("paper", (5, 1000)))
            },
        ),
    ),
    conclusion=(
        "The steps make no difference: {steps}. Nor does the zero-one loss stand out among others "
        "where all are found by noise reaction and votes sum to 1: {losses}; with a variance of "
        "a tenth {small}. On the joint objective errors are {joint}, with ten times the draws "
        "{many}."
    ),
    numbers=lambda found: {
        "draws": DRAWS,
        **{
            name: one.ours
            for name, one in zip(("steps", "losses", "joint"), found.verdicts, strict=True)
        },
        "small": found.readings["small-variance"].verdicts[1].ours,
        "many": found.readings["many-draws"].verdicts[2].ours,
    },
)

EXPERIMENTS = (CHOICES,)
