"""Which data sets may be looked at while tuning, and how rows are drawn."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from robustness import packages
from robustness.tables import GENERATORS, made, whole

TRAIN, TEST = 700, 2000
TOPICS = 50  # components that texts are reduced to, the same for every contender
SHARE = 0.1  # of the rarer class, where classes are made uneven
LEAST = 30  # rows of the rarer class: tables that keep fewer are not made uneven

# Fixed before the first run. Only the sets of "tuning" may decide anything about nacre's defaults.
# The tables that came later were dealt out by the alphabet: in turn one for tuning and one for
# reporting, the sets with real noise in turns of their own. Those of R packages are neither: where
# the noise model learns where flips go was decided with them in view.
GROUPS = {
    "reporting, two classes": (
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
        "credit-approval",
        "electricity",
        "ionosphere",
        "kepler-koi",
        "phishing-websites",
        "pima-diabetes",
        "sms-spam",
        "tic-tac-toe",
        "amazon-isbook",
        "szz-jit",
    ),
    "reporting, several classes": (
        "digits",
        "car",
        "nursery",
        "connect-4",
        "iris",
        "mfeat-karhunen",
        "hausa-topics",
        "music-genre",
    ),
    "tuning": (
        "sonar",
        "german-credit",
        "breast-cancer",
        "sine",
        "hastie-10-2",
        "balance-scale",
        "wine",
        "bank-marketing",
        "dry-bean",
        "htru2",
        "jm1",
        "magic-telescope",
        "page-blocks",
        "phoneme",
        "skin-segmentation",
        "spambase",
        "cifar10n-embed",
        "mammographic",
        "nhanes-bmi",
        "youtube-spam",
    ),
    "made to defeat convex boosters": ("long-servedio",),
    "R packages": tuple(packages.N_CLASSES),
}
SETS = [name for group in GROUPS.values() for name in group]
REPORTING = [
    name for group, names in GROUPS.items() if group.startswith("reporting") for name in names
]
QUICK = (  # of the reporting sets: small and large, numbers, categories, gaps, text, real noise
    "wisconsin-breast-cancer-prognostic",
    "adult",
    "kr-vs-kp",
    "moons",
    "credit-approval",
    "kepler-koi",
    "pima-diabetes",
    "sms-spam",
    "amazon-isbook",
    "szz-jit",
    "car",
    "digits",
    "connect-4",
    "music-genre",
)
GROUP = {name: group for group, names in GROUPS.items() for name in names}
REAL = (  # sets whose labels were really given, right or wrong, beside the true ones
    "amazon-isbook",
    "cifar10n-embed",
    "hausa-topics",
    "mammographic",
    "music-genre",
    "nhanes-bmi",
    "szz-jit",
    "youtube-spam",
)
N_CLASSES = {
    "balance-scale": 3,
    "wine": 3,
    "dry-bean": 7,
    "page-blocks": 5,
    "cifar10n-embed": 10,
    "nhanes-bmi": 3,
    "digits": 10,
    "car": 4,
    "nursery": 4,
    "connect-4": 3,
    "iris": 3,
    "mfeat-karhunen": 10,
    "hausa-topics": 5,
    "music-genre": 10,
    **packages.N_CLASSES,
}  # of all others two
SMALL = ("ionosphere", "promoters", "sonar", "wisconsin-breast-cancer-prognostic")
UNEVEN = [
    name
    for name in SETS
    if N_CLASSES.get(name, 2) == 2 and name not in (*SMALL, *packages.N_CLASSES)
]


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to train on and to test on; ``y`` are true classes coded 0, 1, ...; gaps are NaN.

    ``noisy`` are the labels that the training rows were really given, where they are known.
    """

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    categorical: list[int]
    noisy: np.ndarray | None = None

    @property
    def n_classes(self):
        return int(self.y.max()) + 1


@lru_cache(maxsize=128)
def draw(name, seed, uneven=False):
    """700 rows to train on, or two thirds of a small set, and up to 2000 others to test on.

    Parameters
    ----------
    name : str
    seed : int
    uneven : bool
        Whether the rarer of two classes is thinned out to a tenth of the rows beforehand.
    """
    size = (TRAIN + TEST) * (2 if uneven else 1)
    table = made(name, size, seed) if name in GENERATORS else whole(name)
    if uneven:
        table = thinned(table, seed)
    train = table.n_train or min(TRAIN, 2 * len(table) // 3)
    if table.n_train:
        rows, others = np.split(np.arange(len(table)), [train])
    else:
        rows, others = train_test_split(
            np.arange(len(table)),
            train_size=train,
            test_size=min(TEST, len(table) - train),
            stratify=table.y,
            random_state=seed,
        )
    if table.text is None:
        X, X_test = table.X[rows], table.X[others]
    else:
        X, X_test = topics(table.text[rows], table.text[others])
    noisy = None if table.noisy is None else table.noisy[rows]
    return Split(X, table.y[rows], X_test, table.y[others], table.categorical, noisy)


def thinned(table, seed):
    """The table with rows of its rarer class left out until they are a tenth of all."""
    rare = np.bincount(table.y).argmin()
    few, many = np.flatnonzero(table.y == rare), np.flatnonzero(table.y != rare)
    n_kept = min(len(few), round(SHARE / (1.0 - SHARE) * len(many)))
    if n_kept < LEAST:
        raise ValueError(f"Only {n_kept} rows of the rarer class would be left.")
    kept = np.random.RandomState(seed).permutation(few)[:n_kept]
    return table.rows(np.sort(np.concatenate([many, kept])))


def topics(text, others):
    """TF-IDF and truncated SVD, fitted to the training rows without their labels."""
    model = make_pipeline(TfidfVectorizer(), TruncatedSVD(TOPICS, random_state=0))
    return model.fit_transform(text), model.transform(others)


def columns(categorical):
    """A transformer: categories one-hot, gaps of other columns imputed, these standardised."""
    return make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), categorical),
        remainder=make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler()),
    )
