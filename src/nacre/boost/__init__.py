"""One boosting loop: a cost, a step, a draw, and the round that puts them together."""

from nacre.boost.algorithm import Algorithm
from nacre.boost.cost import Exponential, Logistic, Sigmoid, Tanh, ZeroOne
from nacre.boost.draw import AllRows, Bootstrap, Subsample
from nacre.boost.loop import Boosting, Run, boost, boosting
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
    "Boosting",
    "Bootstrap",
    "ConvexHull",
    "CoreLogOdds",
    "Exponential",
    "Gravity",
    "Harmonic",
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
    "ZeroOne",
    "boost",
    "boosting",
]
