"""An algorithm of the family: a cost, a step and a draw."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nacre.boost.cost import CompiledCost, Cost, Exponential
from nacre.boost.draw import AllRows, Draw
from nacre.boost.step import CompiledStep, LogOdds, Rules, Step
from nacre.data.check import check_number
from nacre.data.storable import storable
from nacre.kernels import formulas as fm
from nacre.kernels import random as rd
from nacre.kernels.round_state import Recipe

UNSHRUNK = (fm.LOG_ODDS, fm.AVERAGED, fm.AVERAGED_2, fm.NAIVE, fm.GRAVITY)


@storable
@dataclass(frozen=True)
class Algorithm:
    """What makes a boosting algorithm: parts that the loop puts together.

    Parameters
    ----------
    cost : part, default=Exponential()
        How much a row matters: also ``Logistic``, ``Tanh``, ``Sigmoid``, ``ZeroOne``,
        ``NoiseReaction``, or a
        ``CustomCost``.
    step : part, default=LogOdds()
        How far to go: also ``AverageWeights``, ``AverageBoth``, ``NaiveHull``, ``SloppyHull``,
        ``StrictHull``, ``Gravity``, ``ConvexHull``, ``CoreLogOdds``, ``Harmonic``, or a
        ``CustomStep``.
    draw : part, default=AllRows()
        Which rows the learner sees: also ``Bootstrap``, ``Subsample``.
    samme : bool, default=True
        For K classes, ask for an accuracy above 1/K only, and add 1/2 log(K - 1) to the votes.
    learning_rate : float, default=1.0
        Factor of every vote.
    stops : bool, default=True
        Whether the normalised algorithms stop where they no longer descend.

    Examples
    --------
    >>> from nacre.boost import Algorithm, AverageBoth
    >>> Algorithm(step=AverageBoth()).step  # AveBoost2
    AverageBoth()
    """

    cost: Cost = field(default_factory=Exponential)
    step: Step = field(default_factory=LogOdds)
    draw: Draw = field(default_factory=AllRows)
    samme: bool = True
    learning_rate: float = 1.0
    stops: bool = True

    @property
    def compiled(self) -> bool:
        """Whether the compiled loop knows all parts."""
        return isinstance(self.cost, CompiledCost) and isinstance(self.step, CompiledStep)

    def __post_init__(self) -> None:
        for part, name, method in (
            (self.cost, "cost", "ready"),
            (self.step, "step", "take"),
            (self.draw, "draw", "share"),
        ):
            if not hasattr(part, method):
                raise TypeError(f"{name} must be a {name} of nacre.boost, got {part!r}.")
        check_number(self.learning_rate, "learning_rate")
        check_number(self.draw.share, "share of the draw")

    def rules(self, n_classes: int, rounds: int) -> Rules:
        """What the steps of a run need to know."""
        return Rules(
            n_classes,
            rounds,
            float(self.learning_rate),
            0.5 * float(np.log(n_classes - 1)) if self.samme else 0.0,
            1.0 - 1.0 / n_classes if self.samme else 0.5,
            self.stops,
        )

    def recipe(
        self, n_classes: int, rounds: int, seed: int, noise: np.ndarray | None = None
    ) -> Recipe:
        """The algorithm in numbers, for the compiled loop.

        ``noise`` is a noise rate per row; with it the cost takes its noise-corrected form.
        """
        if not isinstance(self.cost, CompiledCost) or not isinstance(self.step, CompiledStep):
            raise TypeError(f"{self} has a part that is not compiled.")
        cost = self.cost.ready(seed, noise).numbers
        by_class = cost.kind == fm.EXPONENTIAL and self.draw.kind == rd.ALL_ROWS
        incremental = by_class and self.step.kind in UNSHRUNK
        searches = incremental and self.step.kind == fm.GRAVITY
        return Recipe(
            cost=cost,
            step=self.step.ready(self.rules(n_classes, rounds)),
            draw=self.draw.kind,
            share=float(self.draw.share),
            seed=np.uint64(seed),
            incremental=incremental,
            searched=fm.Margins(np.empty(0), np.empty(0), np.empty(0)) if searches else None,
        )


def row_by_row(recipe: Recipe) -> Recipe:
    """The same recipe without the short cut of the exponential cost."""
    return recipe._replace(incremental=False)
