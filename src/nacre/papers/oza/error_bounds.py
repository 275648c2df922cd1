"""Oza's theorem 1: bounds on the training errors of AdaBoost and AveBoost2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nacre.datasets import make_sine
from nacre.diagnostics import adaboost_bound, aveboost2_bound
from nacre.experiments.experiment import Cell, Claim, Experiment, Finding, Record, Results, grid
from nacre.experiments.measure import Draw, Trial, error_curve, few_rounds, loaded, thinned
from nacre.experiments.plot import BLACK, RED, panels
from nacre.models.adaboost import AdaBoostClassifier
from nacre.models.aveboost import AveBoostClassifier
from nacre.models.base import BoostClassifier
from nacre.noise import flip_labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TWO_CLASSES = {
    "breast cancer": "wisconsin-breast-cancer-original",
    "chess": "kr-vs-kp",
    "german credit": "german-credit",
    "mushroom": "mushroom",
    "promoters": "promoters",
}
"""The paper's data sets that have two classes, for which the bounds hold with any stump."""

NAMES = {"adaboost": "AdaBoost", "aveboost2": "AveBoost2"}


def draw_training(cell: Cell) -> Draw:
    """All rows of a data set, to train on."""
    if cell["data"] == "sine":
        X, y = make_sine(300, random_state=cell.seed("data"))
    else:
        data = loaded(TWO_CLASSES[cell["data"]])
        X, y = data.X, data.y
    labels, _ = flip_labels(y, cell["noise"], random_state=cell.seed("data", use="noise"))
    return Draw(X, labels, X, y)


def model_of(cell: Cell) -> BoostClassifier:
    """AdaBoost or AveBoost2 on stumps."""
    file = TWO_CLASSES.get(cell["data"])
    build = AdaBoostClassifier if cell["model"] == "adaboost" else AveBoostClassifier
    categorical = None if file is None else list(loaded(file).categorical)
    return build(n_estimators=cell["rounds"], categorical_features=categorical)


def record_bounds(model: BoostClassifier, rows: Draw) -> Record:
    """Training errors and their bound, round by round."""
    train = error_curve(model, rows.X, rows.y)
    bound_of = adaboost_bound if isinstance(model, AdaBoostClassifier) else aveboost2_bound
    bound = bound_of(model.estimator_errors_)
    return {
        "train_last": train[-1],
        "bound_last": bound[-1],
        "most_above": np.max(train - bound),
        "train": thinned(train, model.n_estimators),
        "bound": thinned(bound, model.n_estimators),
    }


def _never_above(results: Results) -> Finding:
    most = max(results.get("most_above", **setting).max() for setting in results.where())
    return Finding(f"at most {most:+.1e} above it", most <= 1e-9)


def _looser(results: Results) -> Finding:
    pairs = results.where(model="adaboost")
    looser = [
        results.mean("bound_last", **{**pair, "model": "aveboost2"})
        > results.mean("bound_last", **pair)
        for pair in pairs
    ]
    return Finding(f"on {sum(looser)} of {len(pairs)} data sets", all(looser))


def draw_bounds(results: Results, figure: Figure) -> None:
    """Training error and bound of both algorithms."""
    kinds = {(one["data"], one["noise"]): one["rounds"] for one in results.where()}
    axes = panels(figure, len(kinds), 4, 2.9, 2.5)
    for ax, ((data, noise), rounds) in zip(axes, kinds.items(), strict=True):
        for model, colour in (("adaboost", BLACK), ("aveboost2", RED)):
            wanted = {"data": data, "noise": noise, "model": model}
            places = few_rounds(rounds)
            for quantity, style, words in (("train", "-", "error"), ("bound", "--", "bound")):
                curve = results.mean(quantity, **wanted)
                ax.semilogx(places, curve, style, c=colour, label=f"{NAMES[model]}, {words}")
        ax.set(title=f"{data}, {noise:.0%} noise", xlabel="rounds", ylabel="training error")
        ax.set_ylim(0, 1)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)


BOUNDS = Experiment(
    name="oza-bounds",
    title="Training errors of AdaBoost and AveBoost2 under their bounds (theorem 1)",
    version=2,
    settings={
        size: grid(
            trials,
            data=["sine", *TWO_CLASSES],
            noise=[0.0, 0.1],
            model=list(NAMES),
            rounds=100,
        )
        for size, trials in (("quick", 2), ("paper", 10))
    },
    measure=Trial(draw_training, dict.fromkeys(NAMES, model_of), record_bounds),
    claims=(
        Claim("the training error is never above its bound", "yes", _never_above),
        Claim(
            "AveBoost2's bound after the last round is the looser one, on every set",
            "greater than AdaBoost's",
            _looser,
        ),
    ),
    figures={"": draw_bounds},
    files=TWO_CLASSES,
    notes=("Without noise the UCI sets have nothing random, so their trials are equal.",),
    conclusion=(
        "Training errors come nearest to their bounds at {nearest:.1e} below. AveBoost2's bound is "
        "the looser one, and its training error is the higher one: after {rounds} rounds of stumps "
        "{mushroom[1]:.1f} % on mushroom and {promoters[1]:.1f} % on promoters, AdaBoost's "
        "{mushroom[0]:.1f} and {promoters[0]:.1f} %."
    ),
    numbers=lambda found: {
        "rounds": 100,
        "nearest": -max(row["most_above"] for row in found.table),
        **{
            data: [
                found.percent("train_last", data=data, noise=0.0, model=model) for model in NAMES
            ]
            for data in ("mushroom", "promoters")
        },
    },
)

EXPERIMENTS = (BOUNDS,)
