"""The demonstration: real data, some labels flipped on purpose, and what an audit makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer

from nacre.auditing import Audit
from nacre.auditing.audit import examine
from nacre.auditing.load import load
from nacre.noise import flip_labels
from nacre.progress import Progress, silent

SOURCE, LABEL, TRUTH = "breast cancer, labels flipped", "diagnosis", "true diagnosis"


@dataclass(frozen=True)
class Demo:
    """What the demonstration found.

    Attributes
    ----------
    rate : share of labels to flip
    flipped : how many were
    suspected, caught : how many labels are suspect, and how many of those were flipped
    left : how many labels are wrong after cleaning
    truth : the true labels
    audit : the audit, which did not know them
    """

    rate: float
    flipped: int
    suspected: int
    caught: int
    left: int
    truth: list[str]
    audit: Audit

    def to_dict(self) -> dict[str, Any]:
        """Plain data: that of the audit, and what is known of the truth."""
        known = ("rate", "flipped", "suspected", "caught", "left")
        return {**self.audit.to_dict(), "truth": {name: getattr(self, name) for name in known}}


def run_demo(
    rate: float = 0.1,
    effort: str | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress = silent,
) -> Demo:
    """Flip labels of scikit-learn's breast-cancer data, and audit them."""
    data = load_breast_cancer()
    truth = np.array([str(name) for name in data.target_names])[data.target]
    given, flipped = flip_labels(truth, rate, random_state=seed)
    names = [str(name) for name in data.feature_names]
    kinds = [*((name, float) for name in names), (LABEL, truth.dtype), (TRUTH, truth.dtype)]
    table = np.empty(len(truth), kinds)
    for name, column in zip(names, data.data.T, strict=True):
        table[name] = column
    table[LABEL], table[TRUTH] = given, truth
    loaded = load(table, LABEL, ignore=[TRUTH], source=SOURCE)
    audit = examine(loaded, effort, seed, n_jobs, progress)
    suspect = audit.model.found_.suspected
    cleaned = np.array(audit.cleaned["nacre_label"])
    return Demo(
        rate,
        int(flipped.sum()),
        int(suspect.sum()),
        int(flipped[suspect].sum()),
        int(np.sum(cleaned != truth)),
        truth.tolist(),
        audit,
    )
