"""One of each booster, for tests that all of them must pass."""

from nacre import (
    AdaBoostClassifier,
    AveBoostClassifier,
    BoostedClassifier,
    BrownBoostClassifier,
    CoreBoostClassifier,
    GentleBoostClassifier,
    GradientBoostClassifier,
    L2BoostClassifier,
    LogitBoostClassifier,
    MarginBoostClassifier,
    PBoostClassifier,
    SNRBoostClassifier,
    Tree,
)
from nacre.boost import Algorithm, AverageBoth, Logistic

# Steps that depend on the number of rounds are pinned by k.
BOOSTERS = {
    "samme": AdaBoostClassifier(),
    "m1 of trees": AdaBoostClassifier(Tree(max_depth=2), variant="m1"),
    "m2": AdaBoostClassifier(variant="m2"),
    "aveboost": AveBoostClassifier(version=1),
    "aveboost2": AveBoostClassifier(),
    "boosted": BoostedClassifier(Algorithm(Logistic(), AverageBoth())),
    "brownboost": BrownBoostClassifier(),
    "core": CoreBoostClassifier(noise_rate=0.02, stochastic=False),
    "stochastic core": CoreBoostClassifier(noise_rate=0.1),
    "marginboost": MarginBoostClassifier(k=10.0),
    "snrboost": SNRBoostClassifier(k=10.0),
    "sloppy": PBoostClassifier(),
    "strict": PBoostClassifier(variant="strict"),
    "naive": PBoostClassifier(variant="naive", p=0.8),
    "gravity": PBoostClassifier(variant="gravity", p=0.8),
    "l2": L2BoostClassifier(),
    "logit": LogitBoostClassifier(),
    "gentle": GentleBoostClassifier(),
    "gradient": GradientBoostClassifier(),
    "gradient, gce, drawn": GradientBoostClassifier(loss="gce", subsample=0.6, max_features=2),
}
