"""scikit-learn's own checks of an estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import nacre
from nacre import (
    AdaBoostClassifier,
    AveBoostClassifier,
    BoostedClassifier,
    CoreBoostClassifier,
    GradientBoostClassifier,
    MarginBoostClassifier,
    NacreClassifier,
    NaiveBayes,
    Network,
    PBoostClassifier,
    SNRBoostClassifier,
    Tree,
)
from nacre.boost import Algorithm, AverageBoth, Bootstrap, Forward, Logistic
from nacre.learners.base import Learner
from nacre.models.base import BoostClassifier
from nacre.models.gradient_base import GradientBooster

pytestmark = pytest.mark.slow

HELD = {
    f"check_sample_weight_equivalence_on_{kind}_data": (
        "rows are held out one by one: a row of weight two is held out or not, two equal rows may "
        "be parted"
    )
    for kind in ("dense", "sparse")
}


def at_defaults(kind):
    """One of a public class, of few rounds."""
    if not issubclass(kind, BoostClassifier):
        return kind()
    given = {"noise_rate": 0.1} if kind is CoreBoostClassifier else {}  # not estimated every time
    return kind(n_estimators=20 if issubclass(kind, GradientBooster) else 50, **given)


KINDS = [getattr(nacre, name) for name in nacre.__all__ if isinstance(getattr(nacre, name), type)]
EACH = [
    at_defaults(kind)
    for kind in KINDS
    if issubclass(kind, (BoostClassifier, Learner, NacreClassifier))
]
FORMS = [
    BoostedClassifier(n_estimators=50, algorithm=Algorithm(Logistic(), AverageBoth(), Bootstrap())),
    AdaBoostClassifier(n_estimators=10, variant="m1"),
    AdaBoostClassifier(n_estimators=10, variant="m2"),
    AdaBoostClassifier(n_estimators=10, max_bins=None),
    AdaBoostClassifier(Tree(max_depth=2), n_estimators=10),
    AdaBoostClassifier(NaiveBayes(), n_estimators=10),
    AdaBoostClassifier(Network(), n_estimators=5),
    AdaBoostClassifier(n_estimators=20, n_iter_no_change=20, validation_fraction=0.5),
    AveBoostClassifier(n_estimators=50, version=1),
    CoreBoostClassifier(n_estimators=50, noise_rate=0.0, stochastic=False),
    MarginBoostClassifier(n_estimators=50, cost="exponential", bootstrap=False),
    SNRBoostClassifier(n_estimators=50, sigma2=1.0, draws=100),
    PBoostClassifier(n_estimators=50, variant="strict"),
    PBoostClassifier(n_estimators=50, variant="naive", p=0.8),
    PBoostClassifier(n_estimators=50, variant="gravity"),
    GradientBoostClassifier(n_estimators=20, loss="gce"),
    GradientBoostClassifier(n_estimators=20, loss=Forward(0.1)),
    GradientBoostClassifier(n_estimators=20, subsample=0.5),
    NacreClassifier("fast"),
]


def expected_failures(estimator):
    stops = getattr(estimator, "n_iter_no_change", None) is not None
    return HELD if stops or isinstance(estimator, NacreClassifier) else {}


# Some checks have random labels of three classes, where nothing beats chance: a warning is right.
@pytest.mark.filterwarnings("ignore:Boosting stopped in the first round")
@pytest.mark.filterwarnings("ignore:The labels carry no signal")
@parametrize_with_checks(
    [*EACH, *FORMS],
    expected_failed_checks=expected_failures,
)
def test_estimator(estimator, check):
    check(estimator)
