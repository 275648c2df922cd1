"""Whole tables by name: made, bundled with scikit-learn, or read from files."""

import csv
import gzip
from dataclasses import dataclass
from functools import cache

import numpy as np
from sklearn import datasets

from nacre.datasets import load, make_ring, make_sine, make_sphere
from nacre.datasets.dataset import from_text
from nacre.datasets.files import KNOWN, MADE, folders
from robustness import packages

RARE = 10  # classes of fewer rows are left out: nursery has one of two rows


@dataclass(frozen=True, eq=False)
class Table:
    """Features, true classes as codes and, where they are known, the labels really given.

    ``text`` takes the place of ``X`` where a row is a text. ``n_train`` is set where the first
    rows are for training and the others for testing; else rows are drawn.
    """

    X: np.ndarray | None
    y: np.ndarray
    categorical: list[int]
    text: np.ndarray | None = None
    noisy: np.ndarray | None = None
    n_train: int | None = None

    def __len__(self):
        return len(self.y)

    def rows(self, kept):
        """Some rows of it."""
        some = [None if one is None else one[kept] for one in (self.X, self.text, self.noisy)]
        return Table(some[0], self.y[kept], self.categorical, some[1], some[2])


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
LOADED = {"connect-4-win": "connect-4"} | {name: name for name in [*KNOWN, *MADE]}
NOT_FEATURES = {  # of files: other labels, groups, and what is known after the outcome only
    "wisconsin-breast-cancer-prognostic": ("time",),
    "amazon-isbook": ("n_answers", "majority_answer"),
    "cifar10n-embed": ("aggregate_label", "worst_label"),
    "hausa-topics": ("part", "n_votes"),
    "mammographic": ("birads",),
    "music-genre": ("song", "n_answers", "majority_answer"),
    "szz-jit": ("project", "label_ag_szz", "label_ma_szz"),
    "youtube-spam": ("video", "part", "n_votes"),
}
NOISY = {"music-genre": "random_answer"}  # the column of the labels really given
PARTS = {"music-genre": ("-train", "-test")}


def made(name, n_samples, seed):
    """A generated table of any size."""
    X, y = GENERATORS[name](n_samples, random_state=seed)
    return Table(X, coded(y), [])


@cache
def whole(name):
    """All rows of a set that is not made, without classes of very few rows."""
    if name in BUNDLED:
        X, y = BUNDLED[name](return_X_y=True)
        return Table(X, coded(y), [])
    if name in packages.N_CLASSES:
        X, y, categorical = packages.read(name)
        return without_rare(Table(X, coded(y), categorical))
    return without_rare(of_load(name) if name in LOADED else of_files(name))


def of_load(name):
    """A set that nacre knows."""
    data = load(LOADED[name])
    kept = [j for j, one in enumerate(data.features) if one not in NOT_FEATURES.get(name, ())]
    categorical = [place for place, j in enumerate(kept) if j in data.categorical]
    y = data.y == "win" if name == "connect-4-win" else data.y
    return Table(data.X[:, kept], coded(y), categorical)


def of_files(name):
    """Any other set: features, perhaps side columns and ``noisy_label``, and last ``label``."""
    parts = [read(path) for path in paths(name)]
    noisy_label = NOISY.get(name, "noisy_label")
    dropped = {*NOT_FEATURES.get(name, ()), noisy_label, "label"}
    features = [one for one in parts[0][0] if one not in dropped]
    rows, labels, noisy, sizes = [], [], [], []
    for header, lines in parts:
        where = {one: j for j, one in enumerate(header)}
        given_by = noisy_label if noisy_label in where else "label"  # test files: the true one
        for line in lines:
            if line[where[given_by]]:  # nobody has labelled the others
                rows.append([line[where[one]] for one in features])
                labels.append(line[where["label"]])
                noisy.append(line[where[given_by]])
        sizes.append(len(rows))
    y, given = np.split(coded(labels + noisy), 2)
    real = given if any(noisy_label in header for header, _ in parts) else None
    n_train = sizes[0] if len(parts) > 1 else None
    if features == ["text"]:
        return Table(None, y, [], np.array(rows, object)[:, 0], real, n_train)
    data = from_text(name, features, rows, labels)
    return Table(data.X, y, list(data.categorical), None, real, n_train)


def read(path):
    """Header and rows of a compressed CSV file."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


def paths(name):
    """The files of a set, in the first folder that has them."""
    names = [f"{name}{part}.csv.gz" for part in PARTS.get(name, ("",))]
    for folder in folders():
        if all((folder / one).is_file() for one in names):
            return [folder / one for one in names]
    raise FileNotFoundError(
        f"The data set {name} is not here: put {' and '.join(names)} (features, then a column "
        "'label') into a folder that NACRE_DATA names."
    )


def coded(y):
    return np.unique(y, return_inverse=True)[1]


def without_rare(table):
    """The table without classes of very few rows, and without labels that name them."""
    counts = np.bincount(table.y)
    if counts.min() >= RARE:
        return table
    often = counts >= RARE
    kept = often[table.y] & (True if table.noisy is None else often[table.noisy])
    code = np.cumsum(often) - 1
    some = table.rows(kept)
    noisy = None if some.noisy is None else code[some.noisy]
    return Table(some.X, code[some.y], some.categorical, some.text, noisy)


def missing(sets):
    """A line on each set that cannot be had."""
    lines = {}
    for name in sets:
        if name not in GENERATORS:
            try:
                whole(name)
            except FileNotFoundError as error:
                lines[name] = str(error)
    return lines
