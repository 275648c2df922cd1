"""One scikit-learn estimator per algorithm."""

from nacre.models.adaboost import AdaBoostClassifier
from nacre.models.aveboost import AveBoostClassifier
from nacre.models.coreboost import CoreBoostClassifier
from nacre.models.marginboost import MarginBoostClassifier
from nacre.models.pboost import PBoostClassifier
from nacre.models.snrboost import SNRBoostClassifier

__all__ = [
    "AdaBoostClassifier",
    "AveBoostClassifier",
    "CoreBoostClassifier",
    "MarginBoostClassifier",
    "PBoostClassifier",
    "SNRBoostClassifier",
]
