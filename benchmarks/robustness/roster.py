"""The contenders: every classifier of nacre, and peers at their defaults, on one thread each."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

import nacre
from robustness.data import N_CLASSES, columns


@dataclass(frozen=True)
class Contender:
    """How to make a model, from a seed and the columns that hold categories, and feed it.

    ``version`` is part of the name of its cells: raise it when the contender has changed, and
    these cells, and no others, are measured again. ``dear`` contenders are spared tables of many
    classes and of many columns of categories, where one fit takes as long as a hundred of others.
    """

    make: Callable[[int, list[int]], Any]
    table: Callable[[np.ndarray, list[int]], Any]
    module: str
    version: int = 1
    dear: bool = False

    @property
    def ours(self):
        return self.module == "nacre"

    def takes(self, data, noise):
        """Real noise in any case: there are few such sets."""
        cheap = N_CLASSES.get(data, 2) <= 3 and data not in DEAR
        return cheap or not self.dear or noise == "real"


DEAR = ("amazon-isbook", "connect-4", "connect-4-win", "mushroom", "promoters", "sms-spam")

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


def extra_trees(seed, categorical):
    from sklearn.ensemble import ExtraTreesClassifier

    return ExtraTreesClassifier(random_state=seed)


def logistic(seed, categorical):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    return make_pipeline(columns(categorical), LogisticRegression(random_state=seed))


def adaboost(seed, categorical):
    from sklearn.ensemble import AdaBoostClassifier

    return AdaBoostClassifier(random_state=seed)


class Around:
    """Predictions are those of ``model``."""

    def predict(self, X):
        return self.model.predict(X)

    def predict_proba(self, X):
        return self.model.predict_proba(X)


class Cleaned(Around):
    """cleanlab's CleanLearning around another peer, its findings under nacre's names."""

    def __init__(self, model, seed):
        from cleanlab.classification import CleanLearning

        self.model = CleanLearning(model, seed=seed, find_label_issues_kwargs={"n_jobs": 1})

    def fit(self, X, y):
        self.model.fit(X, y)
        self.classes_ = self.model.clf.classes_
        issues = self.model.get_label_issues()
        self.label_quality_ = issues["label_quality"].to_numpy()
        order = np.argsort(self.label_quality_, kind="stable")
        self.suspects_ = order[issues["is_label_issue"].to_numpy()[order]]
        joint = self.model.confident_joint
        self.noise_rate_ = 1.0 - np.trace(joint) / joint.sum()
        return self


def cleaned(peer):
    return lambda seed, categorical: Cleaned(peer(seed, categorical), seed)


class Edited(Around):
    """A forest of the rows that a filter of imbalanced-learn keeps.

    The filters compare rows with their neighbours, so they see columns as a logistic regression
    does. They look at all classes; by default the rarest would be spared.
    """

    def __init__(self, filter_name, seed, categorical):
        import imblearn.under_sampling

        self.filter = getattr(imblearn.under_sampling, filter_name)(sampling_strategy="all")
        self.columns, self.model = columns(categorical), forest(seed, categorical)

    def fit(self, X, y):
        self.filter.fit_resample(self.columns.fit_transform(X), y)
        kept = self.filter.sample_indices_
        self.model.fit(X[kept], y[kept])
        self.classes_ = self.model.classes_
        return self


def edited(filter_name):
    return lambda seed, categorical: Edited(filter_name, seed, categorical)


class Limit(Around):
    """What could be had by knowing the truth while learning: no contender, and no peer.

    A mean of three models is fitted to the true labels. Its held-out probabilities of the labels
    given rank these, and its error is that of right training labels, whatever the noise.
    """

    def __init__(self, seed, categorical):
        from sklearn.ensemble import VotingClassifier

        parts = {"forest": forest, "boosting": lightgbm, "logistic": logistic}
        members = [(name, make(seed, categorical)) for name, make in parts.items()]
        self.model, self.seed = VotingClassifier(members, voting="soft"), seed

    def fit(self, X, y):
        from sklearn.model_selection import StratifiedKFold, cross_val_predict

        folds = StratifiedKFold(5, shuffle=True, random_state=self.seed)
        self.held_out = cross_val_predict(self.model, X, y, cv=folds, method="predict_proba")
        self.model.fit(X, y)
        self.classes_ = self.model.classes_
        return self

    def judge(self, given):
        """The held-out probability of each label."""
        self.label_quality_ = self.held_out[np.arange(len(given)), given]


def booster(name, estimator=None, version=1, **options):
    """A classifier of nacre at its defaults but for what is named."""
    if estimator is not None:
        options["estimator"] = estimator

    def make(seed, categorical):
        return getattr(nacre, name)(categorical_features=categorical, random_state=seed, **options)

    return Contender(make, matrix, "nacre", version)


PEERS = {  # the most telling first: a run that was stopped has measured these
    "forest": Contender(forest, matrix, "sklearn"),
    "cleanlab forest": Contender(cleaned(forest), matrix, "cleanlab"),
    "LightGBM": Contender(lightgbm, frame, "lightgbm"),
    "ExtraTrees": Contender(extra_trees, matrix, "sklearn"),
    "CatBoost": Contender(catboost, integers, "catboost", dear=True),
    "cleanlab LightGBM": Contender(cleaned(lightgbm), frame, "cleanlab"),
    "logistic regression": Contender(logistic, matrix, "sklearn"),
    "cleanlab logistic": Contender(cleaned(logistic), matrix, "cleanlab"),
    "ENN forest": Contender(edited("EditedNearestNeighbours"), matrix, "imblearn"),
    "Tomek forest": Contender(edited("TomekLinks"), matrix, "imblearn"),
    "HistGB": Contender(hist, frame, "sklearn"),
    "XGBoost": Contender(xgboost, matrix, "xgboost"),
    "sklearn AdaBoost": Contender(adaboost, filled, "sklearn"),
}
LIMIT = "limit"
STUMPS = [  # GradientBoost has trees by default
    name.removesuffix("Classifier")
    for name in nacre.__all__
    if "Boost" in name and name not in ("BoostedClassifier", "GradientBoostClassifier")
]
OURS = {
    "nacre": booster("NacreClassifier", version=18),
    "nacre fast": booster("NacreClassifier", version=18, effort="fast"),
    **{name: booster(f"{name}Classifier") for name in STUMPS},
    **{f"{name} Tree": booster(f"{name}Classifier", nacre.Tree()) for name in STUMPS},
    "GradientBoost": booster("GradientBoostClassifier"),
    **{
        f"GradientBoost {loss}": booster("GradientBoostClassifier", loss=loss)
        for loss in ("gce", "tanh")
    },
}
OTHERS = {**PEERS, LIMIT: Contender(Limit, matrix, "lightgbm")}
ROSTER = {**OURS, **{name: one for name, one in OTHERS.items() if find_spec(one.module)}}
