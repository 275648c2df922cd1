"""The contenders: every classifier of nacre, and peers at their defaults, on one thread each."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

import nacre


@dataclass(frozen=True)
class Contender:
    """How to make a model, from a seed and the columns that hold categories, and feed it.

    ``version`` is part of the name of its cells: raise it when the contender has changed, and
    these cells, and no others, are measured again.
    """

    make: Callable[[int, list[int]], Any]
    table: Callable[[np.ndarray, list[int]], Any]
    module: str
    version: int = 1

    @property
    def ours(self):
        return self.module == "nacre"


# Tables: gaps are NaN where the library takes them, else a value of their own.


def matrix(X, categorical):
    return X


def filled(X, categorical):
    return np.where(np.isnan(X), -1.0, X)


def frame(X, categorical):
    out = pd.DataFrame(X)
    return out.astype(dict.fromkeys(categorical, "category"))


def integers(X, categorical):
    out = pd.DataFrame(X)
    out[categorical] = out[categorical].fillna(-1)
    return out.astype(dict.fromkeys(categorical, int))


# Peers import their libraries late: those that are not installed are left out.


def lightgbm(seed, categorical):
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, verbosity=-1, random_state=seed)


def xgboost(seed, categorical):
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=1, random_state=seed)


def catboost(seed, categorical):
    from catboost import CatBoostClassifier

    return CatBoostClassifier(
        thread_count=1,
        verbose=0,
        allow_writing_files=False,
        random_seed=seed,
        cat_features=categorical,
    )


def hist(seed, categorical):
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(random_state=seed)


def forest(seed, categorical):
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(random_state=seed)


def adaboost(seed, categorical):
    from sklearn.ensemble import AdaBoostClassifier

    return AdaBoostClassifier(random_state=seed)


class Cleaned:
    """cleanlab's CleanLearning around another peer, its findings under nacre's names."""

    def __init__(self, model, seed):
        from cleanlab.classification import CleanLearning

        self.model = CleanLearning(model, seed=seed, find_label_issues_kwargs={"n_jobs": 1})

    def fit(self, X, y):
        self.model.fit(X, y)
        self.classes_ = self.model.clf.classes_
        self.label_quality_ = self.model.get_label_issues()["label_quality"].to_numpy()
        joint = self.model.confident_joint
        self.noise_rate_ = 1.0 - np.trace(joint) / joint.sum()
        return self

    def predict(self, X):
        return self.model.predict(X)

    def predict_proba(self, X):
        return self.model.predict_proba(X)


def cleaned(peer):
    return lambda seed, categorical: Cleaned(peer(seed, categorical), seed)


def booster(name, estimator=None, version=1, **options):
    """A classifier of nacre at its defaults but for what is named."""
    if estimator is not None:
        options["estimator"] = estimator

    def make(seed, categorical):
        return getattr(nacre, name)(categorical_features=categorical, random_state=seed, **options)

    return Contender(make, matrix, "nacre", version)


PEERS = {
    "LightGBM": Contender(lightgbm, frame, "lightgbm"),
    "XGBoost": Contender(xgboost, matrix, "xgboost"),
    "CatBoost": Contender(catboost, integers, "catboost"),
    "HistGB": Contender(hist, frame, "sklearn"),
    "forest": Contender(forest, matrix, "sklearn"),
    "sklearn AdaBoost": Contender(adaboost, filled, "sklearn"),
    "cleanlab LightGBM": Contender(cleaned(lightgbm), frame, "cleanlab"),
    "cleanlab forest": Contender(cleaned(forest), matrix, "cleanlab"),
}
STUMPS = [  # GradientBoost has trees by default
    name.removesuffix("Classifier")
    for name in nacre.__all__
    if name.endswith("BoostClassifier") and name != "GradientBoostClassifier"
]
OURS = {
    "nacre": booster("NacreClassifier", version=5),
    "nacre fast": booster("NacreClassifier", version=5, effort="fast"),
    **{name: booster(f"{name}Classifier") for name in STUMPS},
    **{f"{name} Tree": booster(f"{name}Classifier", nacre.Tree()) for name in STUMPS},
    "GradientBoost": booster("GradientBoostClassifier"),
    **{
        f"GradientBoost {loss}": booster("GradientBoostClassifier", loss=loss)
        for loss in ("gce", "tanh")
    },
}
ROSTER = {**OURS, **{name: peer for name, peer in PEERS.items() if find_spec(peer.module)}}
