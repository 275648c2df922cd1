"""The demonstration: real data, some labels flipped on purpose, and what nacre makes of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold

from nacre.models.adaboost import AdaBoostClassifier
from nacre.noise import flip_labels

FOLDS = 5
ROUNDS = 50


@dataclass(frozen=True)
class Suspect:
    """A row whose label looks wrong."""

    row: int
    margin: float
    given: str
    suggested: str
    truth: str


@dataclass(frozen=True)
class Demo:
    """What the demonstration found.

    Errors are against the true labels, of rows held out of training and of the hunt for suspects.
    """

    rows: int
    columns: int
    rate: float
    flipped: int
    caught: int
    suspects: list[Suspect]
    error_on_flipped: float
    error_without_suspects: float
    error_on_truth: float

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def run_demo(rate: float = 0.1, seed: int = 0) -> Demo:
    """Flip labels of scikit-learn's breast-cancer data, look for them, train with and without.

    A row is the more suspect the lower its out-of-fold margin: how far models that have not seen
    the row vote against its label. As many rows are taken for wrong as were flipped.
    """
    data = load_breast_cancer()
    X = data.data
    names = np.array([str(name) for name in data.target_names])
    truth = names[data.target]
    given, flipped = flip_labels(truth, rate, random_state=seed)

    margins = held_out_margins(X, given, seed)
    suspects = np.argsort(margins, kind="stable")[: flipped.sum()]

    wrong = np.zeros(3)
    for train, test in _folds(seed).split(X, given):
        keep = np.argsort(held_out_margins(X[train], given[train], seed))[
            round(rate * len(train)) :
        ]
        fits = (train, given), (train[keep], given), (train, truth)
        for k, (rows, labels) in enumerate(fits):
            model = AdaBoostClassifier(n_estimators=ROUNDS).fit(X[rows], labels[rows])
            wrong[k] += np.sum(model.predict(X[test]) != truth[test])
    errors = (wrong / len(truth)).tolist()

    other = {names[0]: names[1], names[1]: names[0]}
    return Demo(
        rows=len(given),
        columns=X.shape[1],
        rate=rate,
        flipped=int(flipped.sum()),
        caught=int(flipped[suspects].sum()),
        suspects=[
            Suspect(int(i), float(margins[i]), str(given[i]), str(other[given[i]]), str(truth[i]))
            for i in suspects
        ],
        error_on_flipped=errors[0],
        error_without_suspects=errors[1],
        error_on_truth=errors[2],
    )


def held_out_margins(X: np.ndarray, given: np.ndarray, seed: int) -> np.ndarray:
    """The margin of every row under a model that has not seen it."""
    margins = np.empty(len(given))
    for train, held in _folds(seed).split(X, given):
        model = AdaBoostClassifier(n_estimators=ROUNDS).fit(X[train], given[train])
        margins[held] = model.margins(X[held], given[held])
    return margins


def _folds(seed: int) -> StratifiedKFold:
    return StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
