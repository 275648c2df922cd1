# ruff: noqa: I001 (modules as they were named then)
"""Writes the files beside it, and what their models say. It ran with nacre 0.1.0; keep it to read.

Usage: python make.py FOLDER
"""

import sys
import warnings
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np

from nacre import (
    AdaBoostClassifier,
    AveBoostClassifier,
    CoreBoostClassifier,
    GentleBoostClassifier,
    GradientBoostClassifier,
    L2BoostClassifier,
    LogitBoostClassifier,
    MarginBoostClassifier,
    NacreClassifier,
    NaiveBayes,
    Network,
    PBoostClassifier,
    SNRBoostClassifier,
    Stump,
    Tree,
    save_model,
)
from nacre.filters import (
    Budget,
    Consensus,
    DownWeight,
    Drop,
    EstimatedRate,
    Fraction,
    MarginFilter,
    NeighborFilter,
    Relabel,
    Threshold,
    VolumeFilter,
    VoteFilter,
    WeightFilter,
)
from nacre.models import members
from nacre.models.nacre import EFFORTS

sys.path.insert(0, str(Path(__file__).parents[1]))
from answers import frame, said, table

FEW = {"n_estimators": 2, "random_state": 0}
BOTH = {  # of two classes and of three
    "adaboost": AdaBoostClassifier(**FEW),
    "adaboost-tree": AdaBoostClassifier(Tree(2), categorical_features=[3], **FEW),
    "gradientboost": GradientBoostClassifier(**FEW),
}
THREE = {
    "adaboost-m2": AdaBoostClassifier(variant="m2", **FEW),
    "adaboost-bayes": AdaBoostClassifier(NaiveBayes(), **FEW),
    "adaboost-network": AdaBoostClassifier(Network(epochs=5), **FEW),
    "aveboost": AveBoostClassifier(**FEW),
    "coreboost": CoreBoostClassifier(noise_rate=0.1, **FEW),
    "marginboost": MarginBoostClassifier(**FEW),
}
TWO = {
    "adaboost-exact": AdaBoostClassifier(max_bins=None, **FEW),
    "adaboost-stopped": AdaBoostClassifier(n_iter_no_change=1, **FEW),
    "aveboost-1": AveBoostClassifier(version=1, variant="m1", learning_rate=0.5, **FEW),
    "coreboost-steps": CoreBoostClassifier(noise_rate=0.02, stochastic=False, **FEW),
    "gradientboost-tanh": GradientBoostClassifier(loss="tanh", **FEW),
    "gradientboost-gce": GradientBoostClassifier(loss="gce", q=0.5, warm_start=True, **FEW),
    "gradientboost-forward": GradientBoostClassifier(loss="forward", noise_rate=0.2, **FEW),
    "gradientboost-backward": GradientBoostClassifier(loss="backward", noise_rate=0.2, **FEW),
    "gentleboost": GentleBoostClassifier(**FEW),
    "l2boost": L2BoostClassifier(subsample=0.7, **FEW),
    "logitboost": LogitBoostClassifier(**FEW),
    "pboost": PBoostClassifier(**FEW),
    "pboost-gravity": PBoostClassifier(variant="gravity", p=0.8, **FEW),
    "snrboost": SNRBoostClassifier(**FEW),
    "stump": Stump(categorical_features=[3]),
    "tree": Tree(2, categorical_features=[3]),
    "bayes": NaiveBayes(categorical_features=[3]),
    "network": Network(epochs=5, categorical_features=[3], random_state=0),
}
FILTERS = {
    "margin-filter": MarginFilter(AdaBoostClassifier(**FEW), cut=Threshold(0.1)),
    "neighbor-filter": NeighborFilter(5, cut=Fraction(0.2), treatment=DownWeight(0.5)),
    "volume-filter": VolumeFilter(cut=Budget(4), treatment=Drop()),
    "vote-filter": VoteFilter([NaiveBayes(), Tree(2)], cut=Consensus(), treatment=Relabel()),
    "weight-filter": WeightFilter(cut=EstimatedRate()),
}


def small_nacre(X, y, **more):
    """A default classifier with members of each kind, but of few trees and rounds."""
    kinds = {type(one): one for one in EFFORTS["full"]}
    bagged = replace(kinds.pop(members.Bagged), trees=2)
    with (
        mock.patch.dict(EFFORTS, full=(bagged, *kinds.values())),
        mock.patch.object(members, "ROUNDS", (1, 2)),
    ):
        return NacreClassifier(random_state=0).fit(X, y, **more)


def main(folder):
    """Fit, save, and keep what each says of the same rows."""
    made = {}
    for n_classes in (2, 3):
        X, y = table(n_classes)
        for name, model in BOTH.items():
            made[f"{name}-{n_classes}"] = type(model)(**model.get_params(deep=False)).fit(X, y)
    made |= {name: model.fit(X, y) for name, model in THREE.items()}
    made["nacre"] = small_nacre(X, y)
    X, y = table(2)
    made |= {name: model.fit(X, y) for name, model in TWO.items()}
    made |= {
        name: model.set_params(random_state=0, categorical_features=[3]).fit(np.nan_to_num(X), y)
        for name, model in FILTERS.items()
    }
    made["adaboost-frame"] = AdaBoostClassifier(n_estimators=2).fit(frame(X), y)
    made["nacre-trusted-frame"] = small_nacre(frame(X), y, clean=np.arange(len(y)) < 10)
    new = table(2, seed=1)[0]
    answers = {}
    for name, model in made.items():
        save_model(model, folder / f"{name}.nacre", {"made": "with 0.1.0"})
        answers[name] = said(model, frame(new) if name.endswith("frame") else new)
    np.savez_compressed(folder / "answers.npz", **answers)


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main(Path(sys.argv[1]))
