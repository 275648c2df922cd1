"""A small neural network as a weak learner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nacre.data import TrainingRows
from nacre.data.check import check_number, check_whole
from nacre.data.seeds import seed_of
from nacre.data.standardize import Standardizer
from nacre.data.storable import storable
from nacre.kernels import network as kernel
from nacre.kernels.formulas import TIE
from nacre.kernels.network import MEMORY, TILE
from nacre.learners.soft import Shown, SoftFitter, SoftHypotheses, SoftLearner

STARTS = 10
"""Tries at beating the heaviest class, each from another start."""


@storable
class Network(SoftLearner):
    r"""A neural network with one small hidden layer.

    Hidden units are the tanh of weighted columns, outputs are weighted units, and the class said
    is the one of the largest output:

    .. math::

        u_h = \tanh\Bigl(b_h + \sum_j a_{hj} x_j\Bigr), \qquad
        f_k = c_k + \sum_h v_{kh} u_h, \quad f_0 = 0.

    From a random start, L-BFGS on all rows lowers the weighted cross-entropy and a penalty,

    .. math::

        \sum_i w_i \Bigl(\log \sum_k e^{f_k(x_i)} - f_{y_i}(x_i)\Bigr)
        + \tfrac{\lambda}{2} \Bigl(\sum a_{hj}^2 + \sum v_{kh}^2\Bigr), \qquad \sum_i w_i = 1.

    Or, with a ``learning_rate``, it is trained by online back-propagation: each epoch draws as many
    rows as there are, by their weights, and after each goes down the gradient of that row alone.

    Numbers are brought to mean 0 and variance 1; a missing one counts as the mean. A category has
    an input of its own, which is 1 or 0; missing and unknown ones have none.

    Parameters
    ----------
    hidden : int, default=3
        Hidden units.
    epochs : int, default=100
        Most passes over the rows, those of step-size searches included.
    learning_rate : float or None, default=None
        Step size of online back-propagation; None trains by L-BFGS.
    decay : float, default=1e-5
        The factor :math:`\lambda` of the penalty; it keeps weights finite where a few units part
        the classes.
    categorical_features : columns (numbers, names or a mask), optional
        Columns that hold categories. Columns of a data frame with a categorical type are
        categories in any case. Of each, the commonest 255 values are known.
    random_state : int, RandomState or None, default=None
        Seeds the start of a network on its own; under a booster that of the booster does.

    Attributes
    ----------
    rule_ : Layers
        The network found, to be read, in the units of the table: ``units`` and ``bias``.
    classes_ : ndarray
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only where ``X`` has column names.

    See Also
    --------
    sklearn.neural_network.MLPClassifier : Larger networks of any depth.

    Notes
    -----
    *When it helps.* Smooth, curved borders between classes that stumps and naive Bayes cannot
    follow. Each round starts elsewhere, so that costs under which a deterministic learner finds
    the same hypothesis for ever (see :class:`~nacre.MarginBoostClassifier`) need no bootstrap.

    *When it does not.* Wrong labels under AdaBoost: three units bend around a few heavy rows, and
    soon fit what is wrong; a bounded cost keeps them from it. Large tables: every round reads all
    rows up to ``epochs`` times.

    *Which training.* L-BFGS gets far in few passes, and fits heavy rows closely. Online
    back-propagation, in the version of [2]_ that draws rows anew in every epoch, is what papers of
    its time used: it stops farther from the bottom, and weights of rows hold on average only.

    A start from which training ends no better than saying the heaviest class is given up for
    another one, nine times at most: boosting would end there. Sums use vector instructions, so
    that results are the same to the last bit on one machine, but may differ in it between
    machines.

    References
    ----------
    .. [1] D. Liu, J. Nocedal, "On the limited memory BFGS method for large scale optimization",
       Mathematical Programming 45, 1989.
    .. [2] H. Schwenk, Y. Bengio, "Boosting neural networks", Neural Computation 12, 2000.
    .. [3] N. Sano, H. Suzuki, M. Koda, "A robust ensemble learning using zero-one loss function",
       Journal of the Operations Research Society of Japan 50, 2007.

    Examples
    --------
    >>> from nacre import Network
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["equal", "other", "other", "equal"]
    >>> Network(random_state=0).fit(X, y).predict(X).tolist()
    ['equal', 'other', 'other', 'equal']
    >>> from nacre import AdaBoostClassifier
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(400, noise=0.2, random_state=0)
    >>> boosted = AdaBoostClassifier(Network(epochs=30), n_estimators=20, random_state=0)
    >>> boosted.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    def __init__(
        self,
        hidden: int = 3,
        *,
        epochs: int = 100,
        decay: float = 1e-5,
        learning_rate: float | None = None,
        categorical_features: Any = None,
        random_state: Any = None,
    ) -> None:
        self.hidden = hidden
        self.epochs = epochs
        self.decay = decay
        self.learning_rate = learning_rate
        self.categorical_features = categorical_features
        self.random_state = random_state

    def prepare(self, training: TrainingRows, n_jobs: int = 1) -> NetworkFitter:
        """Bring numbers to standard units and categories to places, once for all rounds."""
        check_whole(self.hidden, "hidden", 1)
        check_whole(self.epochs, "epochs", 1)
        check_number(self.decay, "decay", zero=True)
        if self.learning_rate is not None:
            check_number(self.learning_rate, "learning_rate")
        return NetworkFitter(
            training, self.hidden, self.epochs, float(self.decay), self.learning_rate
        )

    def _seed(self) -> int:
        return seed_of(self.random_state)


@dataclass(frozen=True)
class Unit:
    """A hidden unit: the tanh of its bias and of weighted columns, in the units of the table.

    Attributes
    ----------
    bias : float
    numbers : weight of each column of numbers
    categories : weight of each value of each categorical column
    says : weight of the unit in the output of each class but the first
    """

    bias: float
    numbers: dict[int, float]
    categories: dict[int, dict[float, float]]
    says: tuple[float, ...]


@dataclass(frozen=True)
class Layers(Shown):
    """One network in words a person can read; classes are codes, in their order.

    Attributes
    ----------
    units : the hidden units
    bias : of the output of each class but the first, whose output is 0
    """

    units: tuple[Unit, ...]
    bias: tuple[float, ...]


@storable
class Networks(SoftHypotheses):
    """Networks: the arrays that :mod:`nacre.kernels.network` describes."""

    def _show(self, alone: Any, *parts: np.ndarray) -> Layers:
        inner, outer = parts
        columns = self.columns
        slopes = inner[:, : len(columns.numeric)] / columns.scale
        biases = inner[:, -1] - slopes @ columns.mean
        says = outer[:, :-1].T
        units = [
            Unit(
                float(bias),
                dict(zip(columns.numeric.tolist(), slope.tolist(), strict=True)),
                columns.by_category(weights[len(slope) : -1].tolist()),
                tuple(own.tolist()),
            )
            for bias, slope, weights, own in zip(biases, slopes, inner, says, strict=True)
        ]
        return Layers(tuple(units), tuple(outer[:, -1].tolist()), alone=alone)

    def _shapes(self) -> tuple[tuple[int, ...], ...]:
        return network_shapes(len(self), self.parts[0].shape[1], self.columns, self.n_classes)

    def _put_out(self, numbers: np.ndarray, places: np.ndarray, t: int, out: np.ndarray) -> None:
        inner, outer = self.parts
        hidden = np.empty((inner.shape[1], out.shape[1]))
        kernel.forward(numbers, places, 0, out.shape[1], inner[t], outer[t], hidden, out)

    def _vote(
        self, numbers: np.ndarray, places: np.ndarray, votes: np.ndarray, totals: np.ndarray
    ) -> None:
        hidden = np.empty((self.parts[0].shape[1], TILE))
        outputs = np.empty((self.n_classes, TILE))
        kernel.vote_all(numbers, places, *self.parts, votes, hidden, outputs, totals)


def network_shapes(
    count: int, hidden: int, columns: Standardizer, n_classes: int
) -> tuple[tuple[int, ...], ...]:
    """The shapes of the arrays of so many networks."""
    inputs = len(columns.numeric) + columns.firsts[-1]
    return (count, hidden, inputs + 1), (count, n_classes - 1, hidden + 1)


class NetworkFitter(SoftFitter):
    """Trains networks on row weights, from a random start."""

    kind = Networks

    def __init__(
        self,
        training: TrainingRows,
        hidden: int,
        epochs: int,
        decay: float,
        learning_rate: float | None = None,
    ) -> None:
        super().__init__(training, missing=0.0)
        self.learning_rate = learning_rate
        self.y = training.y[self.order]
        self.limits = decay, epochs
        self.inner, self.outer = (
            shape[1:] for shape in network_shapes(0, hidden, self.columns, self.n_classes)
        )
        self.rows = kernel.Rows(self.numbers, self.places, self.starts, self.order)
        self.net, *self.others = (self._weights() for _ in range(4))
        size = len(self.net.flat)
        self.work = kernel.Work(
            hidden=np.empty((hidden, TILE)),
            outputs=np.empty((self.n_classes, TILE)),
            top=np.empty(TILE),
            total=np.empty(TILE),
            direction=np.empty(size),
            moves=np.empty((MEMORY, size)),
            turns=np.empty((MEMORY, size)),
            curvature=np.empty(MEMORY),
            share=np.empty(MEMORY if learning_rate is None else hidden),
        )

    def _weights(self) -> kernel.Weights:
        cut = int(np.prod(self.inner))
        flat = np.empty(cut + int(np.prod(self.outer)))
        return kernel.Weights(flat, flat[:cut].reshape(self.inner), flat[cut:].reshape(self.outer))

    def room(self, count: int) -> tuple[np.ndarray, ...]:
        """Arrays for so many hypotheses."""
        return np.empty((count, *self.inner)), np.empty((count, *self.outer))

    def _train(self, w: np.ndarray, state: np.ndarray) -> None:
        if self.learning_rate is None:
            kernel.train(self.rows, w, *self.limits, self.net, *self.others, self.work)
            return
        chances = np.cumsum(w)
        chances /= chances[-1]
        rate = float(self.learning_rate)
        kernel.train_online(
            self.rows, self.y, chances, *self.limits, rate, state, self.net, self.work
        )

    def fit(self, weights: np.ndarray, seed: int = 0) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        """Train on row weights; return the layers and the class codes they say for the rows."""
        w = self.scaled(weights, 1.0)
        heaviest = np.bincount(self.y, w).max()
        state = np.array([seed], np.uint64)
        said = np.empty(len(w), np.int64)
        for _ in range(STARTS):
            kernel.start_at_random(state, self.net)
            self._train(w, state)
            kernel.say_all(self.rows, self.net.inner, self.net.outer, self.work, said)
            if w[said[self.order] == self.y].sum() > heaviest * (1 + TIE):
                break
        return (self.net.inner.copy(), self.net.outer.copy()), said
