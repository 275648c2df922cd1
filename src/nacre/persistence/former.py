"""Files of earlier versions: where their classes are now, and what became of their attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nacre.data.training import MOST_FEATURES

FORMAT_1 = {
    "nacre.boost.gradient": "Additive",
    "nacre.boost.result": "Run",
    "nacre.consensus.classifier": "NacreClassifier",
    "nacre.consensus.crossfit": "CrossFitted",
    "nacre.consensus.members": "BaggedTrees BayesFolds",
    "nacre.consensus.ridge": "Landmarks",
    "nacre.data.features": "Layout",
    "nacre.filters.cut": "Budget Consensus EstimatedRate Fraction Threshold",
    "nacre.filters.named": "MarginFilter NeighborFilter VolumeFilter VoteFilter WeightFilter",
    "nacre.filters.treat": "DownWeight Drop Relabel",
    "nacre.learners.branches": "Trees",
    "nacre.learners.naive_bayes": "BayesHypotheses NaiveBayes",
    "nacre.learners.network": "Network Networks",
    "nacre.learners.stump": "Stump Stumps",
    "nacre.learners.tree": "Tree",
    "nacre.models.adaboost": "AdaBoostClassifier",
    "nacre.models.aveboost": "AveBoostClassifier",
    "nacre.models.coreboost": "CoreBoostClassifier",
    "nacre.models.gentleboost": "GentleBoostClassifier",
    "nacre.models.gradientboost": "GradientBoostClassifier",
    "nacre.models.l2boost": "L2BoostClassifier",
    "nacre.models.logitboost": "LogitBoostClassifier",
    "nacre.models.marginboost": "MarginBoostClassifier",
    "nacre.models.pboost": "PBoostClassifier",
    "nacre.models.snrboost": "SNRBoostClassifier",
    "nacre.noise.quality": "NoiseRate",
}
"""Homes of the classes that format 1 (nacre 0.1) named without them. Not for new ones."""

MOVED = {name: f"{home}.{name}" for home, names in FORMAT_1.items() for name in names.split()} | {
    "Columns": "nacre.data.standardize.Standardizer",
    "Forest": "nacre.learners.binned.BinnedTrees",
    "nacre.consensus.crossfit.CrossFitted": "nacre.consensus.crossfit.CrossFitted",
    "nacre.consensus.forest.Forest": "nacre.learners.binned.BinnedTrees",
    "nacre.consensus.members.BaggedTrees": "nacre.consensus.members.BaggedTrees",
    "Link": "nacre.noise.noise_model.NoiseModel",
    "Mislabeled": "nacre.noise.quality.LabelQuality",
}
"""What classes were called in files of earlier versions, and what they are called now."""

State = dict[str, Any]


def _renamed(**names: str) -> Callable[[State], State]:
    return lambda state: {names.get(key, key): part for key, part in state.items()}


def _loss_of_parts(state: State) -> State:
    """``q`` and ``noise_rate`` were parameters beside ``loss``."""
    from nacre.boost.loss import Backward, CrossEntropy, Forward

    q, rate = state.pop("q", 0.7), state.pop("noise_rate", 0.1)
    match state.get("loss"):
        case "gce" if q != 0.7:
            return state | {"loss": CrossEntropy(q)}
        case "forward":
            return state | {"loss": Forward(rate)}
        case "backward":
            return state | {"loss": Backward(rate)}
    return state


def _run_of_trace(state: State) -> State:
    """A trace had six columns, whose meaning went by the family."""
    from nacre.boost.gradient import Additive
    from nacre.boost.result import Steps

    error, cost, shrink, vote, drive, memory = np.ascontiguousarray(state.pop("trace").T)
    state.pop("state")
    steps = Steps(shrink, vote, drive)
    gradient = isinstance(state["hypotheses"], Additive)
    return state | {
        "votes": steps.votes,
        "errors": error,
        "log_costs": None if gradient else cost,
        "losses": cost if gradient else None,
        "steps": None if gradient else steps,
        "staged_votes": None,
        "states": memory[:, None],
    }


def _noise_model_of_link(state: State) -> State:
    """A link had a temperature and shifts, left all overlap to the classes, kept what is rare."""
    from nacre.noise.noise_model import NEGLIGIBLE, POWERS

    steep, shift, weight = state["steep"], state["shift"], state["weight"]
    return state | {
        "weight": np.where(weight > NEGLIGIBLE, weight, 0.0),  # it had no say
        "slopes": np.ones(shift.shape),
        "shift": steep[:, None] * shift,
        "overlap": np.eye(len(POWERS))[np.zeros(len(steep), int)],
    }


def _binned_forest(state: State) -> State:
    """Trees had thresholds, and every node a row of shares."""
    from nacre.learners.binned import former_trees

    trees, shares = state["trees"], state["shares"]
    if len(shares) != trees.nodes:
        raise ValueError("shares must be of all nodes.")
    gains = trees.importances(np.full(len(trees), 1.0 / len(trees)), _width(trees))
    return former_trees(trees, shares[:, shares.shape[1] == 2 :], gains).__getstate__()


def _merged_runs(state: State) -> State:
    """Every fold had a run of its own, and every column of scores a tree a round."""
    from nacre.learners.binned import former_trees
    from nacre.learners.branches import Trees

    if "runs" not in state:
        return state
    runs, share = state["runs"], 1.0 / len(state["runs"])
    columns = runs[0].hypotheses.columns
    width = max(_width(run.hypotheses) for run in runs)
    trees, values, gains = [], [np.empty((0, columns))], np.zeros(width)
    for run in runs:
        for i, tree in enumerate(run.hypotheses.regressors):
            value = np.zeros((len(tree), columns))
            value[:, i % columns] = share * run.votes[i // columns] * tree.value
            trees.append(tree)
            values.append(value)
        gains += share * run.hypotheses.importances(run.votes, width)
    one = runs[0].hypotheses.regressors
    joint = Trees(trees, one.categories, one.n_classes)
    start = np.mean(state["starts"], axis=0)
    return {"trees": former_trees(joint, np.concatenate(values), gains), "start": start}


def _width(trees: Any) -> int:
    """How many columns trees know of: so many that an array may have a place for each."""
    if trees.width > MOST_FEATURES:
        raise ValueError(f"trees of more than {MOST_FEATURES} columns.")
    return int(trees.width)


CONVERSIONS: dict[str, Callable[[State], State]] = {
    "BaggedTrees": _renamed(forest="trees"),
    "CrossFitted": _merged_runs,
    "Forest": _binned_forest,
    "GradientBoostClassifier": _loss_of_parts,
    "Link": _noise_model_of_link,
    "Mislabeled": _renamed(behind="posterior"),
    "NacreClassifier": _renamed(_link="_noise_model"),
    "Run": _run_of_trace,
    "nacre.consensus.crossfit.CrossFitted": _merged_runs,
    "nacre.consensus.forest.Forest": _binned_forest,
    "nacre.consensus.members.BaggedTrees": _renamed(forest="trees"),
}
"""From the attributes under a former name, a key of ``MOVED``, to those of today."""
