"""Weak learners: prepare the data once, fit every round."""

from nacre.learners.adapter import AnyFitter
from nacre.learners.base import Fitter, Hypotheses, Learner
from nacre.learners.naive_bayes import BayesFitter, BayesHypotheses, Beliefs, NaiveBayes
from nacre.learners.network import Layers, Network, NetworkFitter, Networks, Unit
from nacre.learners.stump import Rule, Stump, StumpFitter, Stumps

__all__ = [
    "AnyFitter",
    "BayesFitter",
    "BayesHypotheses",
    "Beliefs",
    "Fitter",
    "Hypotheses",
    "Layers",
    "Learner",
    "NaiveBayes",
    "Network",
    "NetworkFitter",
    "Networks",
    "Rule",
    "Stump",
    "StumpFitter",
    "Stumps",
    "Unit",
]
