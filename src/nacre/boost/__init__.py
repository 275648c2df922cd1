"""One boosting loop: a cost, a step, a draw, and the round that puts them together."""

from nacre.boost.algorithm import Algorithm
from nacre.boost.compiled import boost, boosting
from nacre.boost.cost import Cost, CustomCost, Exponential, Logistic, Sigmoid, Tanh, ZeroOne
from nacre.boost.draw import AllRows, Bootstrap, Subsample
from nacre.boost.hull import RawHull
from nacre.boost.loop import Boosting
from nacre.boost.loss import Backward, CrossEntropy, Forward, LogLoss, TanhLoss
from nacre.boost.pairs import PairBoosting
from nacre.boost.reaction import NoiseReaction
from nacre.boost.result import Run, Steps
from nacre.boost.step import (
    AverageBoth,
    AverageWeights,
    ConvexHull,
    CoreLogOdds,
    CustomStep,
    Gravity,
    Harmonic,
    LogOdds,
    Move,
    NaiveHull,
    Round,
    Rules,
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
    "Cost",
    "CrossEntropy",
    "CustomCost",
    "CustomStep",
    "Exponential",
    "Forward",
    "Gravity",
    "Harmonic",
    "LogLoss",
    "LogOdds",
    "Logistic",
    "Move",
    "NaiveHull",
    "NoiseReaction",
    "PairBoosting",
    "RawHull",
    "Round",
    "Rules",
    "Run",
    "Sigmoid",
    "SloppyHull",
    "Step",
    "Steps",
    "StrictHull",
    "Subsample",
    "Tanh",
    "TanhLoss",
    "ZeroOne",
    "boost",
    "boosting",
]
