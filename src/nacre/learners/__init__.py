"""Weak learners: prepare the data once, fit every round."""

from nacre.learners.adapter import AnyFitter
from nacre.learners.base import Fitter, Hypotheses, Learner
from nacre.learners.stump import Rule, Stump, StumpFitter, Stumps

__all__ = [
    "AnyFitter",
    "Fitter",
    "Hypotheses",
    "Learner",
    "Rule",
    "Stump",
    "StumpFitter",
    "Stumps",
]
