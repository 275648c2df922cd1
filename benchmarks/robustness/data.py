"""The data sets, which of them may be looked at while tuning, and how rows are drawn."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from sklearn import datasets
from sklearn.model_selection import train_test_split

from nacre.datasets import load, make_ring, make_sine, make_sphere

TRAIN, TEST = 700, 2000
RARE = 10  # classes of fewer rows are left out: nursery has one of two rows

# Fixed before the first run. Only the sets of "tuning" may decide anything about nacre's defaults.
GROUPS = {
    "held-out, two classes": (
        "wisconsin-breast-cancer-original",
        "wisconsin-breast-cancer-prognostic",
        "adult",
        "banana",
        "promoters",
        "kr-vs-kp",
        "mushroom",
        "ring",
        "sphere",
        "moons",
        "gaussian-quantiles",
        "connect-4-win",
    ),
    "tuning": (
        "sonar",
        "german-credit",
        "breast-cancer",
        "sine",
        "hastie-10-2",
        "balance-scale",
        "wine",
    ),
    "held-out, several classes": ("digits", "car", "nursery", "connect-4", "iris"),
    "made to defeat convex boosters": ("long-servedio",),
}
SETS = [name for group in GROUPS.values() for name in group]
HELD_OUT = [
    name for group, names in GROUPS.items() if group.startswith("held-out") for name in names
]
GROUP = {name: group for group, names in GROUPS.items() for name in names}


def make_long_servedio(n_samples, random_state):
    """21 columns of -1 and 1, a vote of which is always right, but not the votes boosters find.

    P. Long, R. Servedio, "Random classification noise defeats all convex potential boosters",
    Machine Learning 78, 2010.
    A quarter of the rows have all columns right; a quarter ("pullers") the first 11 and not the
    other 10; half ("penalizers") 5 of the first 11 and 6 of the other 10, drawn at random.
    """
    rng = np.random.default_rng(random_state)
    y = rng.choice([-1, 1], n_samples)
    kind = rng.choice(3, n_samples, p=[0.25, 0.25, 0.5])
    right = np.ones((n_samples, 21), bool)
    right[kind == 1, 11:] = False
    for row in np.flatnonzero(kind == 2):
        right[row] = False
        right[row, rng.choice(11, 5, replace=False)] = True
        right[row, 11 + rng.choice(10, 6, replace=False)] = True
    return np.where(right, y[:, None], -y[:, None]).astype(float), y


GENERATORS = {
    "ring": make_ring,
    "sine": make_sine,
    "sphere": make_sphere,
    "moons": lambda n, random_state: datasets.make_moons(n, noise=0.25, random_state=random_state),
    "gaussian-quantiles": lambda n, random_state: datasets.make_gaussian_quantiles(
        n_samples=n, n_features=6, n_classes=2, random_state=random_state
    ),
    "hastie-10-2": lambda n, random_state: datasets.make_hastie_10_2(n, random_state=random_state),
    "long-servedio": make_long_servedio,
}
BUNDLED = {
    "breast-cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
}
FILES = {name: name for name in SETS if name not in GENERATORS and name not in BUNDLED}
FILES["connect-4-win"] = "connect-4"


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to train on and to test on, all labels right and coded 0, 1, ...; gaps are NaN."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    categorical: list[int]

    @property
    def n_classes(self):
        return int(self.y.max()) + 1


def draw(name, seed):
    """700 rows to train on, or two thirds of a small set, and up to 2000 others to test on."""
    if name in GENERATORS:
        X, y = GENERATORS[name](TRAIN + TEST, random_state=seed)
        categorical = []
    else:
        X, y, categorical = whole(name)
    y = np.unique(y, return_inverse=True)[1]
    train = min(TRAIN, 2 * len(y) // 3)
    rows, others = train_test_split(
        np.arange(len(y)),
        train_size=train,
        test_size=min(TEST, len(y) - train),
        stratify=y,
        random_state=seed,
    )
    return Split(X[rows], y[rows], X[others], y[others], categorical)


@cache
def whole(name):
    """All rows of a set that is not made, its labels, and which columns hold categories."""
    if name in BUNDLED:
        X, y = BUNDLED[name](return_X_y=True)
        return X, y, []
    data = load(FILES[name])
    X, y, categorical = data.X, data.y, list(data.categorical)
    if name == "wisconsin-breast-cancer-prognostic":  # the time is known after the outcome only
        X = np.delete(X, data.features.index("time"), axis=1)
    if name == "connect-4-win":
        y = y == "win"
    _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    kept = counts[codes] >= RARE
    return X[kept], y[kept], categorical
