"""One boosting loop: a cost, a step, a draw, and the round that puts them together."""

from nacre.boost.algorithm import Algorithm
from nacre.boost.cost import Exponential, Logistic, Sigmoid, Tanh, ZeroOne
from nacre.boost.draw import AllRows, Bootstrap, Subsample
from nacre.boost.loop import Boosting, Run, boost, boosting
from nacre.boost.loss import Backward, CrossEntropy, Forward, LogLoss, TanhLoss
from nacre.boost.pairs import PairBoosting
from nacre.boost.step import (
    AverageBoth,
    AverageWeights,
    ConvexHull,
    CoreLogOdds,
    Gravity,
    Harmonic,
    LogOdds,
    NaiveHull,
    SloppyHull,
    Step,
    StrictHull,
)

__all__ = [
    "Algorithm",
    "AllRows",
    "AverageBoth",
    "AverageWeights",
    "Backward",
    "Boosting",
    "Bootstrap",
    "ConvexHull",
    "CoreLogOdds",
    "CrossEntropy",
    "Exponential",
    "Forward",
    "Gravity",
    "Harmonic",
    "LogLoss",
    "LogOdds",
    "Logistic",
    "NaiveHull",
    "PairBoosting",
    "Run",
    "Sigmoid",
    "SloppyHull",
    "Step",
    "StrictHull",
    "Subsample",
    "Tanh",
    "TanhLoss",
    "ZeroOne",
    "boost",
    "boosting",
]
