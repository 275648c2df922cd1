"""scikit-learn's own checks of an estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from nacre import (
    AdaBoostClassifier,
    AveBoostClassifier,
    CoreBoostClassifier,
    MarginBoostClassifier,
    PBoostClassifier,
    SNRBoostClassifier,
    Stump,
)

DRAWN = {
    "check_sample_weight_equivalence_on_dense_data": (
        "a bootstrap sample draws rows: a row of weight two is drawn once or not, two equal rows "
        "may be drawn apart"
    )
}


def expected_failures(estimator):
    drawn = getattr(estimator, "bootstrap", False) or getattr(estimator, "stochastic", False)
    return DRAWN if drawn else {}


# Some checks have random labels of three classes, where nothing beats chance: a warning is right.
@pytest.mark.filterwarnings("ignore:Boosting stopped in the first round")
@parametrize_with_checks(
    [
        AdaBoostClassifier(n_estimators=10),
        AdaBoostClassifier(n_estimators=10, variant="m1"),
        AdaBoostClassifier(n_estimators=10, variant="m2"),
        AdaBoostClassifier(n_estimators=10, max_bins=None),
        AveBoostClassifier(n_estimators=50),
        AveBoostClassifier(n_estimators=50, version=1),
        CoreBoostClassifier(n_estimators=50, noise_rate=0.1),
        CoreBoostClassifier(n_estimators=50, noise_rate=0.0, stochastic=False),
        MarginBoostClassifier(n_estimators=50),
        MarginBoostClassifier(n_estimators=50, cost="exponential", bootstrap=False),
        SNRBoostClassifier(n_estimators=50),
        SNRBoostClassifier(n_estimators=50, sigma2=1.0, draws=100),
        PBoostClassifier(n_estimators=50),
        PBoostClassifier(n_estimators=50, variant="strict"),
        PBoostClassifier(n_estimators=50, variant="naive", p=0.8),
        PBoostClassifier(n_estimators=50, variant="gravity"),
        Stump(),
    ],
    expected_failed_checks=expected_failures,
)
def test_estimator(estimator, check):
    check(estimator)
