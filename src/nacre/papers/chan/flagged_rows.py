"""The rows that a vote filter flags, and experiments on them (Chan's chapter 4)."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer

from nacre.datasets.files import folders
from nacre.experiments import experiment as ex
from nacre.experiments.measure import Draw, Trial, loaded
from nacre.filters import VoteFilter
from nacre.models.adaboost import AdaBoostClassifier
from nacre.models.base import BoostClassifier
from nacre.papers.chan.gini_stump import GiniStump

DATA = ["wdbc", "original"]
FILES = {"original": "wisconsin-breast-cancer-original"}
FOLDS, VOTERS = 3, 4
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9)
WHICH = (
    "The thesis describes the original Wisconsin set (699 rows) and names the diagnostic one (wdbc,"
    " 569 rows): both are run. Gaps are filled with the column's mean."
)


def rows_of(data: str) -> tuple[np.ndarray, np.ndarray]:
    """A Wisconsin set, its gaps filled with the mean of their column."""
    if data == "wdbc":
        X, y = load_breast_cancer(return_X_y=True)
        return X, y
    found = loaded(FILES[data])
    return np.where(np.isnan(found.X), np.nanmean(found.X, axis=0), found.X), found.y


def with_number(X: np.ndarray) -> np.ndarray:
    """The original set with the number of each sample as its tenth column."""
    for folder in folders():
        path = folder / f"{FILES['original']}.csv.gz"
        if path.is_file():
            return np.column_stack([np.loadtxt(path, delimiter=",", skiprows=1, usecols=0), X])
    raise FileNotFoundError(f"{FILES['original']}.csv.gz, with its column id, is not here.")


def draw_all(cell: ex.Cell) -> Draw:
    """All rows, as they are."""
    X, y = rows_of(cell["data"])
    return Draw(X, y, X, y)


def draw_flagged(cell: ex.Cell) -> Draw:
    """All rows, and the score that a filter of four voters gives them."""
    X, y = rows_of(cell["data"])
    if cell.setting.get("columns") == "ten" and cell["data"] == "original":
        X = with_number(X)
    own = stump(cell)
    voters = None if own is None else AdaBoostClassifier(own, VOTERS)
    filtering = VoteFilter(voters, n_voters=VOTERS, n_folds=FOLDS, random_state=cell.seed("data"))
    found = filtering.fit(X, y)
    return Draw(X, y, X, y, truth={"score": found.scores_})


def stump(cell: ex.Cell) -> GiniStump | None:
    """The weak learner: stumps of least error or, under some readings, of least Gini index."""
    return GiniStump() if cell.setting.get("stump") == "gini" else None


def adaboost(cell: ex.Cell) -> BoostClassifier:
    """AdaBoost on stumps."""
    return AdaBoostClassifier(stump(cell), n_estimators=cell["rounds"])


def both(results: ex.Results) -> list[str]:
    """Both sets, which a claim on either of them needs, or the one of a reading."""
    if results.choices("meant"):
        return results.choices("data")
    if results.choices("data") != DATA:
        raise ex.NotRun("The thesis may mean either set.")
    return DATA


AS_PRINTED: dict[str, Any] = {"pad": 0.01, "rescale": False}
GROUPS = ("flagged", "others")
GROUP_NOTE = (
    "Flagged: three of four voters, or all, against the label (so that thresholds of .5 to .7 are "
    "the same, as are .8 and .9). Volumes are measured as in the "
    "thesis, in the units of the columns; curves are means over random folds of the filter."
)


def group_experiment(number: int, title: str, rounds: int, **parts: Any) -> ex.Experiment:
    """An experiment on flagged and other rows under one run of AdaBoost."""
    record = parts.pop("record")
    return ex.Experiment(
        name=f"chan-4-{number}",
        title=title,
        version=1,
        settings={
            size: ex.grid(trials, data=DATA, model="adaboost", rounds=rounds)
            for size, trials in (("quick", 5), ("paper", 50))
        },
        measure=Trial(draw_flagged, {"adaboost": adaboost}, record),
        files=FILES,
        notes=(WHICH, GROUP_NOTE),
        **parts,
    )
