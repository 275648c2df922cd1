r"""MarginBoost on out-of-bag margins: bagged trees whose rows are reweighted by them.

Every tree is grown on a bootstrap sample, and a row's margin is taken from the trees whose sample
it was not in: no row is judged by a tree that has seen its label, so weights cannot chase labels
that are wrong. With the bounded cost of MarginBoost, rows far on the wrong side lose weight as do
rows far on the right side, and trees work on where classes meet.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nacre.boost.draw import Bootstrap, draw_times
from nacre.data import TrainingRows
from nacre.data.seeds import derive_seed
from nacre.kernels.tree import add_held_out
from nacre.learners.branches import Branches
from nacre.learners.tree import TreeFitter
from nacre.noise.quality import label_margins

MOST_ROWS = 50_000
"""A bootstrap sample has no more rows."""


@dataclass(frozen=True)
class OutOfBag:
    r"""Trees on bootstrap samples, their rows weighted by the pull of their out-of-bag margins.

    The weight of a row of margin z is :math:`1 - \tanh^2(s z / 2 \sigma)`, where :math:`\sigma` is
    the standard deviation of all margins: Sano's tanh cost, its steepness set by the data.

    Attributes
    ----------
    rounds : int
        Trees.
    warm : int
        Trees before them, of equal weights, which have no vote but begin the margins.
    slope : float
        The s above.
    """

    rounds: int = 130
    warm: int = 30
    slope: float = 1.5

    def run(
        self, fitter: TreeFitter, training: TrainingRows, clean: np.ndarray, seed: int
    ) -> tuple[list[Branches], list[np.ndarray], np.ndarray]:
        """The trees, the shares in their nodes, and each row's mean by those that have not seen it.

        Clean rows keep their weight whatever their margin.
        """
        n, K = len(training.y), training.n_classes
        votes, asked = np.zeros((n, K)), np.zeros(n, np.int64)
        weight = base = training.weight
        sample = Bootstrap(min(1.0, MOST_ROWS / n))
        trees, shares = [], []
        for t in range(self.warm + self.rounds):
            if t >= self.warm:
                pull = pulls(
                    label_margins(votes / np.maximum(asked, 1)[:, None], training.y), self.slope
                )
                weight = base * np.where(clean, 1.0, pull)
            times = draw_times(sample, training, seed, t + 1)
            if not times.any():
                times[:] = 1
            tree, said = fitter.fit_shares(weight * times, derive_seed(seed, t + 1))
            add_held_out(fitter.leaf, times, said, votes, asked)
            if t >= self.warm:
                trees.append(tree)
                shares.append(said)
        votes[asked == 0] = 1.0 / K
        mean = votes / np.maximum(asked, 1)[:, None]
        return trees, shares, mean


def pulls(z: np.ndarray, slope: float) -> np.ndarray:
    """The tanh cost's pull at each margin, its steepness set by their spread."""
    spread = max(float(z.std()), np.finfo(float).tiny)
    out: np.ndarray = 1.0 - np.tanh(slope * z / (2.0 * spread)) ** 2
    return out
