"""nacre: learning from wrong labels by boosting.

Names are loaded when they are first used, so that ``import nacre`` is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nacre.auditing.audit import audit as audit
    from nacre.consensus.classifier import NacreClassifier as NacreClassifier
    from nacre.filters.find import find_mislabeled as find_mislabeled
    from nacre.learners.naive_bayes import NaiveBayes as NaiveBayes
    from nacre.learners.network import Network as Network
    from nacre.learners.stump import Stump as Stump
    from nacre.learners.tree import Tree as Tree
    from nacre.models.adaboost import AdaBoostClassifier as AdaBoostClassifier
    from nacre.models.aveboost import AveBoostClassifier as AveBoostClassifier
    from nacre.models.boosted import BoostedClassifier as BoostedClassifier
    from nacre.models.brownboost import BrownBoostClassifier as BrownBoostClassifier
    from nacre.models.coreboost import CoreBoostClassifier as CoreBoostClassifier
    from nacre.models.gentleboost import GentleBoostClassifier as GentleBoostClassifier
    from nacre.models.gradientboost import GradientBoostClassifier as GradientBoostClassifier
    from nacre.models.l2boost import L2BoostClassifier as L2BoostClassifier
    from nacre.models.logitboost import LogitBoostClassifier as LogitBoostClassifier
    from nacre.models.marginboost import MarginBoostClassifier as MarginBoostClassifier
    from nacre.models.pboost import PBoostClassifier as PBoostClassifier
    from nacre.models.snrboost import SNRBoostClassifier as SNRBoostClassifier
    from nacre.persistence import load_model as load_model
    from nacre.persistence import save_model as save_model

__version__ = "0.1.0"

_HOMES = {
    "AdaBoostClassifier": "nacre.models.adaboost",
    "AveBoostClassifier": "nacre.models.aveboost",
    "BoostedClassifier": "nacre.models.boosted",
    "BrownBoostClassifier": "nacre.models.brownboost",
    "CoreBoostClassifier": "nacre.models.coreboost",
    "GentleBoostClassifier": "nacre.models.gentleboost",
    "GradientBoostClassifier": "nacre.models.gradientboost",
    "L2BoostClassifier": "nacre.models.l2boost",
    "LogitBoostClassifier": "nacre.models.logitboost",
    "MarginBoostClassifier": "nacre.models.marginboost",
    "NacreClassifier": "nacre.consensus.classifier",
    "NaiveBayes": "nacre.learners.naive_bayes",
    "Network": "nacre.learners.network",
    "PBoostClassifier": "nacre.models.pboost",
    "SNRBoostClassifier": "nacre.models.snrboost",
    "Stump": "nacre.learners.stump",
    "Tree": "nacre.learners.tree",
    "audit": "nacre.auditing.audit",
    "find_mislabeled": "nacre.filters.find",
    "load_model": "nacre.persistence",
    "save_model": "nacre.persistence",
}

__all__ = [
    "AdaBoostClassifier",
    "AveBoostClassifier",
    "BoostedClassifier",
    "BrownBoostClassifier",
    "CoreBoostClassifier",
    "GentleBoostClassifier",
    "GradientBoostClassifier",
    "L2BoostClassifier",
    "LogitBoostClassifier",
    "MarginBoostClassifier",
    "NacreClassifier",
    "NaiveBayes",
    "Network",
    "PBoostClassifier",
    "SNRBoostClassifier",
    "Stump",
    "Tree",
    "__version__",
    "audit",
    "find_mislabeled",
    "load_model",
    "save_model",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'nacre' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
