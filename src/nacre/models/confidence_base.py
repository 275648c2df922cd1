"""What boosters share whose trees say in each leaf how sure they are, by the weights there."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nacre.boost.gradient import Aim, Label
from nacre.data import TrainingRows
from nacre.learners.stump import Stump
from nacre.learners.tree import Tree, TreeFitter
from nacre.models.gradient_base import GradientBooster


class Leaves(NamedTuple):
    """The weight in each leaf; all rows of a column of scores weigh 1 together.

    Attributes
    ----------
    own, other : arrays, a number a leaf
        Weight of the rows whose class is that of the column, and of the others.
    own_easy, other_easy : arrays
        The same under the inverse weights, 1 less a row's weight, brought to sum 1.
    n : float
        How many rows there are.
    """

    own: np.ndarray
    other: np.ndarray
    own_easy: np.ndarray
    other_easy: np.ndarray
    n: float


class LeafFitter:
    """Trees that are grown by least squares; what their leaves say, a booster decides."""

    def __init__(self, fitter: TreeFitter, training: TrainingRows, booster: ConfidenceRated):
        self.fitter, self.booster = fitter, booster
        self.count = counted(training)
        self.collect = fitter.collect

    def fit_response(
        self,
        response: np.ndarray,
        weights: np.ndarray,
        seed: int = 0,
        curvature: np.ndarray | None = None,
    ) -> tuple[Any, np.ndarray]:
        """The tree of the labels +1 and -1, and what it says for the training rows."""
        tree, _ = self.fitter.fit_response(response, weights, seed)
        leaf, w = self.fitter.leaf, weights / weights.sum()
        easy = self.count - w
        easy = easy / easy.sum() if easy.sum() > 0.0 else w  # one row alone
        own = response > 0.0

        def total(mass: np.ndarray, rows: np.ndarray) -> np.ndarray:
            return np.bincount(leaf, np.where(rows, mass, 0.0), len(tree))

        hard, light = ((total(mass, own), total(mass, ~own)) for mass in (w, easy))
        values = self.booster._say(Leaves(*hard, *light, float(self.count.sum())))
        leaves = tree.feature < 0
        tree.value[leaves] = values[leaves]
        return tree, tree.value[leaf]


def counted(training: TrainingRows) -> np.ndarray:
    """How many rows each row stands for: whole numbers, or weights of mean 1."""
    n, count = len(training.y), training.count
    if count is None:
        return np.ones(n)
    whole = bool(np.all(count == np.round(count)))
    return count if whole else count * (n / count.sum())


@dataclass(eq=False, repr=False, kw_only=True)
class ConfidenceRated(GradientBooster):
    """A booster with AdaBoost's weights whose trees say numbers, found from the weights in a leaf.

    A subclass has parameters, a docstring and ``_say``, its formula.

    Parameters
    ----------
    estimator : Tree or Stump, default=None
        The weak learner: None for a native stump. No other will do, since its leaves are needed.
    """

    @abstractmethod
    def _say(self, leaves: Leaves) -> np.ndarray:
        """What each leaf says."""

    def _aim(self) -> Aim:
        return Label()

    def _learner(self) -> Any:
        if not isinstance(self.estimator, (Stump, Tree, type(None))):
            raise TypeError(
                f"estimator of {type(self).__name__} must be a Tree or a Stump, whose leaves are "
                f"known, got {self.estimator!r}."
            )
        return super()._learner()

    def _prepare(self, learner: Any, training: TrainingRows) -> Any:
        return LeafFitter(super()._prepare(learner, training), training, self)
