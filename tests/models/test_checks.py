"""scikit-learn's own checks of an estimator; none is expected to fail."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from nacre import AdaBoostClassifier, Stump


# Some checks have random labels of three classes: M1 rightly warns that nothing beats chance.
@pytest.mark.filterwarnings("ignore:Boosting stopped in the first round")
@parametrize_with_checks(
    [
        AdaBoostClassifier(n_estimators=10),
        AdaBoostClassifier(n_estimators=10, variant="m1"),
        AdaBoostClassifier(n_estimators=10, variant="m2"),
        AdaBoostClassifier(n_estimators=10, max_bins=None),
        Stump(),
    ]
)
def test_estimator(estimator, check):
    check(estimator)
