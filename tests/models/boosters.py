"""One of each booster, and of each of their forms, for tests that all of them must pass."""

import nacre
from nacre import (
    AdaBoostClassifier,
    AveBoostClassifier,
    BoostedClassifier,
    CoreBoostClassifier,
    GradientBoostClassifier,
    PBoostClassifier,
    Tree,
)
from nacre.boost import Algorithm, AverageBoth, Logistic
from nacre.models.base import BoostClassifier

PUBLIC = [getattr(nacre, name) for name in nacre.__all__ if name.endswith("Classifier")]

# Steps that depend on the number of rounds are pinned by k; a rate that is given is not estimated.
PINNED = {
    "CoreBoostClassifier": {"noise_rate": 0.1},
    "MarginBoostClassifier": {"k": 10.0},
    "SNRBoostClassifier": {"k": 10.0},
}
EACH = {
    kind.__name__.removesuffix("BoostClassifier").lower(): kind(**PINNED.get(kind.__name__, {}))
    for kind in PUBLIC
    if issubclass(kind, BoostClassifier)
}
FORMS = {
    "any composition": BoostedClassifier(algorithm=Algorithm(Logistic(), AverageBoth())),
    "m1 of trees": AdaBoostClassifier(Tree(max_depth=2), variant="m1"),
    "m2": AdaBoostClassifier(variant="m2"),
    "ave of 2003": AveBoostClassifier(version=1),
    "core, not stochastic": CoreBoostClassifier(noise_rate=0.02, stochastic=False),
    "strict": PBoostClassifier(variant="strict"),
    "naive": PBoostClassifier(variant="naive", p=0.8),
    "gravity": PBoostClassifier(variant="gravity", p=0.8),
    "gradient, gce, drawn": GradientBoostClassifier(loss="gce", subsample=0.6, max_features=2),
}
BOOSTERS = EACH | FORMS
