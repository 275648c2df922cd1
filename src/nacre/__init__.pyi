# The public names: all else (``__all__``, tests, the command line) goes by this list.

from .auditing.audit import audit as audit
from .consensus.classifier import NacreClassifier as NacreClassifier
from .filters.find import find_mislabeled as find_mislabeled
from .learners.naive_bayes import NaiveBayes as NaiveBayes
from .learners.network import Network as Network
from .learners.stump import Stump as Stump
from .learners.tree import Tree as Tree
from .models.adaboost import AdaBoostClassifier as AdaBoostClassifier
from .models.adaboostreg import AdaBoostRegClassifier as AdaBoostRegClassifier
from .models.aveboost import AveBoostClassifier as AveBoostClassifier
from .models.boosted import BoostedClassifier as BoostedClassifier
from .models.brownboost import BrownBoostClassifier as BrownBoostClassifier
from .models.coreboost import CoreBoostClassifier as CoreBoostClassifier
from .models.gentleboost import GentleBoostClassifier as GentleBoostClassifier
from .models.gradientboost import GradientBoostClassifier as GradientBoostClassifier
from .models.l2boost import L2BoostClassifier as L2BoostClassifier
from .models.logitboost import LogitBoostClassifier as LogitBoostClassifier
from .models.lpboost import LPBoostClassifier as LPBoostClassifier
from .models.marginboost import MarginBoostClassifier as MarginBoostClassifier
from .models.modestadaboost import ModestAdaBoostClassifier as ModestAdaBoostClassifier
from .models.pboost import PBoostClassifier as PBoostClassifier
from .models.realadaboost import RealAdaBoostClassifier as RealAdaBoostClassifier
from .models.snrboost import SNRBoostClassifier as SNRBoostClassifier
from .noise.answer_quality import judge_answers as judge_answers
from .noise.judge import judge_labels as judge_labels
from .persistence import load_model as load_model
from .persistence import save_model as save_model

__version__: str
