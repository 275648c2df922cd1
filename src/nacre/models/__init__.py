"""One scikit-learn estimator per algorithm."""

from nacre.models.adaboost import AdaBoostClassifier

__all__ = ["AdaBoostClassifier"]
