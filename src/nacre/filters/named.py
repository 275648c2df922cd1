"""The filters by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from nacre.data import TrainingRows
from nacre.data.check import check_flag, check_whole
from nacre.data.seeds import set_seeds
from nacre.data.storable import storable
from nacre.filters.base import LabelFilter, folds_for, ready
from nacre.filters.cut import Cut, EstimatedRate, Threshold
from nacre.filters.score import (
    Scored,
    area_scores,
    margin_scores,
    neighbor_scores,
    volume_scores,
    vote_scores,
    weight_scores,
)
from nacre.models.adaboost import AdaBoostClassifier
from nacre.models.voting_base import VotingBooster


@storable
@dataclass(eq=False, repr=False)
class VoteFilter(LabelFilter):
    r"""Rows whose label most of several voters, who have not seen them, disagree with.

    The rows are split into folds. For each fold, voters are trained on the others and label its
    rows. The score of a row is the share of voters against its label.

    Parameters
    ----------
    estimator : classifier, list of classifiers, or None, default=None
        Where the voters come from. A booster of nacre: its weak hypotheses (Chan). A list of
        different classifiers: each of them (Brodley and Friedl). Any other classifier: itself, a
        filter of one voter. None: ``n_voters`` rounds of :class:`~nacre.AdaBoostClassifier`.
    n_voters : int, default=4
        Stumps of the default booster.
    n_folds : int, default=3
    cut : part, default=None
        Which scores are flagged: ``Threshold(above)``, ``Consensus()``, ``Fraction(share)``,
        ``Budget(rows)`` or ``EstimatedRate()``. None is ``Threshold(0.5)``, a strict majority.
    random_state : int, RandomState or None, default=None
        Seeds the folds and the voters.

    Notes
    -----
    *When it helps.* Voters that err on different rows: a row that is merely hard for one of them
    has the others on its side. Consensus throws away little that is good and keeps much that is
    wrong; a majority does the opposite (:func:`majority_discards_good` and its siblings).

    *When it does not.* A few stumps are all wrong in the same places: near the boundary they flag
    good rows. Rare classes look like noise.

    References
    ----------
    .. [1] C. Brodley, M. Friedl, "Identifying mislabeled training data", Journal of Artificial
       Intelligence Research 11, 1999.
    .. [2] J. Chan, "On boosting and noisy labels", MEng thesis, MIT, 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre.filters import VoteFilter
    >>> from nacre.noise import flip_labels
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> labels, flipped = flip_labels(y, 0.1, random_state=0)
    >>> found = VoteFilter(random_state=0).fit(X, labels)
    >>> round(float(flipped[found.mislabeled_].mean()), 2)
    0.6
    """

    estimator: Any = None
    _: KW_ONLY
    n_voters: int = 4
    n_folds: int = 3

    default_cut = Threshold(0.5)

    def _models(self) -> list[Any]:
        if self.estimator is None:
            check_whole(self.n_voters, "n_voters", 1)
            return [AdaBoostClassifier(n_estimators=self.n_voters)]
        if isinstance(self.estimator, Sequence):
            if not len(self.estimator):
                raise ValueError("estimator is an empty list: name at least one classifier.")
            return list(self.estimator)
        return [self.estimator]

    def _score(self, training: TrainingRows, seed: int) -> Scored:
        models = [ready(model, training) for model in self._models()]
        return vote_scores(training, models, folds_for(training, self.n_folds, seed), seed)


@storable
@dataclass(eq=False, repr=False)
class MarginFilter(LabelFilter):
    r"""Rows whose label has the votes of a booster against it.

    The score is minus the normalised margin, :math:`-y F(x) / \sum_t |b_t|`, under a booster that
    has not seen the row; or, in the training rows themselves, minus its mean over the rounds (the
    area under the margin).

    Parameters
    ----------
    estimator : classifier, default=None
        None: :class:`~nacre.AdaBoostClassifier` of 100 stumps. A classifier without ``margins`` is
        asked for twice the probability of the label, less 1.
    out_of_fold : bool, default=True
        False for the area under the margin in the training rows, of one voting booster of nacre.
    n_folds : int, default=5
    cut : part, default=None
        As in :class:`VoteFilter`; None is ``Threshold(0.0)``, all margins below 0.

    Notes
    -----
    *When it helps.* In general; margins rank rows more finely than votes of a few.

    *When it does not.* In-sample areas need a learner that fits slowly. With AdaBoost over deep
    trees every margin ends up positive.

    References
    ----------
    .. [1] R. Schapire, Y. Freund, P. Bartlett, W. S. Lee, "Boosting the margin: a new explanation
       for the effectiveness of voting methods", Annals of Statistics 26, 1998.
    .. [2] G. Pleiss, T. Zhang, E. Elenberg, K. Weinberger, "Identifying mislabeled data using the
       area under the margin ranking", Advances in Neural Information Processing Systems 33, 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre.filters import MarginFilter
    >>> from nacre.noise import flip_labels
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> labels, flipped = flip_labels(y, 0.1, random_state=0)
    >>> found = MarginFilter(random_state=0).fit(X, labels)
    >>> round(float(flipped[found.mislabeled_].mean()), 2)
    0.54
    """

    estimator: Any = None
    _: KW_ONLY
    out_of_fold: bool = True
    n_folds: int = 5

    default_cut = Threshold(0.0)

    def _models(self) -> list[Any]:
        return [AdaBoostClassifier() if self.estimator is None else self.estimator]

    def _score(self, training: TrainingRows, seed: int) -> Scored:
        check_flag(self.out_of_fold, "out_of_fold")
        model = self._models()[0]
        if self.out_of_fold:
            fold = folds_for(training, self.n_folds, seed)
            return margin_scores(training, ready(model, training), fold, seed)
        return area_scores(training, fit_booster(model, training, seed, "out_of_fold=False"))


@storable
@dataclass(eq=False, repr=False)
class WeightFilter(LabelFilter):
    r"""Rows on which a booster keeps its weight.

    The score is a row's weight, averaged over the rounds, times the number of rows: 1 is average.

    Parameters
    ----------
    estimator : voting booster of nacre, default=None
        None: :class:`~nacre.AdaBoostClassifier` of 100 stumps.
    cut : part, default=None
        As in :class:`VoteFilter`; None is ``EstimatedRate()``.

    Notes
    -----
    *When it helps.* Cheap: one run, no folds, and nothing but what boosting computes anyway.

    *When it does not.* AdaBoost weighs hard rows as it weighs wrong ones; where classes overlap,
    the list is of the boundary.

    References
    ----------
    .. [1] N. Oza, "AveBoost2: boosting for noisy data", Multiple Classifier Systems, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre.filters import Fraction, WeightFilter
    >>> from nacre.noise import flip_labels
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> labels, flipped = flip_labels(y, 0.1, random_state=0)
    >>> found = WeightFilter(cut=Fraction(0.1)).fit(X, labels)
    >>> round(float(flipped[found.mislabeled_].mean()), 2)
    0.81
    """

    estimator: Any = None

    default_cut = EstimatedRate()

    def _models(self) -> list[Any]:
        return [AdaBoostClassifier() if self.estimator is None else self.estimator]

    def _score(self, training: TrainingRows, seed: int) -> Scored:
        model = fit_booster(self._models()[0], training, seed, "WeightFilter")
        return weight_scores(training, model)


@storable
@dataclass(eq=False, repr=False)
class VolumeFilter(LabelFilter):
    r"""Rows around which the ensemble's label changes soon.

    The decision volume of a row is the box around it, measured along the axes, in which the
    ensemble keeps its label (:func:`~nacre.diagnostics.decision_volumes`).

    Parameters
    ----------
    estimator : voting booster of nacre over native stumps or trees, default=None
        None: :class:`~nacre.AdaBoostClassifier` of 50 stumps. Volumes of trees are slow.
    signed : bool, default=True
        The paper ranks by volume alone, small ones first, whatever the label. A wrong label that
        the ensemble has not fitted sits in a large volume of the other class: the signed form puts
        rows that the ensemble disagrees with first, large volumes foremost, then the rest by small
        volume. False is the paper's form.
    cut : part, default=None
        As in :class:`VoteFilter`; None is ``EstimatedRate()``. The score is a place in the order,
        from 1 (most suspect) to 0.

    Notes
    -----
    *When it helps.* To look at an ensemble: which rows has it carved out of their surroundings?

    *When it does not.* Volumes of many columns are a product of many lengths, and say as much about
    the density of the data as about labels. The paper's form finds only what the ensemble has
    fitted: after few rounds, little.

    References
    ----------
    .. [1] J. Chan, "On boosting and noisy labels", MEng thesis, MIT, 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre.filters import Fraction, VolumeFilter
    >>> from nacre.noise import flip_labels
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> labels, flipped = flip_labels(y, 0.1, random_state=0)
    >>> found = VolumeFilter(cut=Fraction(0.1)).fit(X, labels)
    >>> round(float(flipped[found.mislabeled_].mean()), 2)
    0.79
    """

    estimator: Any = None
    _: KW_ONLY
    signed: bool = True

    default_cut = EstimatedRate()

    def _models(self) -> list[Any]:
        return [AdaBoostClassifier(n_estimators=50) if self.estimator is None else self.estimator]

    def _score(self, training: TrainingRows, seed: int) -> Scored:
        check_flag(self.signed, "signed")
        model = fit_booster(self._models()[0], training, seed, "VolumeFilter")
        return volume_scores(training, model, self.signed)


@storable
@dataclass(eq=False, repr=False)
class NeighborFilter(LabelFilter):
    r"""Rows whose nearest neighbours have other labels.

    The score is the share of the k nearest other rows that have another label (Wilson) or, with
    ``all_k``, the share of the rules "as most of the j nearest", j = 1 .. k, that contradict it
    (Tomek).

    Parameters
    ----------
    n_neighbors : int, default=3
        k, how many neighbours are asked.
    all_k : bool, default=False
        Ask the 1, 2, .. k nearest in turn.
    cut : part, default=None
        As in :class:`VoteFilter`. None is ``Threshold(0.5)``, a majority of the neighbours, or,
        with ``all_k``, ``Threshold(0.0)``, any of the rules.
    random_state : int, RandomState or None, default=None
        Of the noise rate, where the cut asks for it.

    Notes
    -----
    Distances are Euclidean over standardised numbers (missing ones at the mean), plus 1 for every
    category that differs.

    *When it helps.* Few columns, all of which matter, on scales that compare.

    *When it does not.* Many columns that do not matter drown those that do; labels of neighbours
    are as noisy as the row's own, so that from 30 % noise on the list is mostly wrong.

    References
    ----------
    .. [1] D. Wilson, "Asymptotic properties of nearest neighbor rules using edited data", IEEE
       Transactions on Systems, Man and Cybernetics 2, 1972.
    .. [2] I. Tomek, "An experiment with the edited nearest-neighbor rule", IEEE Transactions on
       Systems, Man and Cybernetics 6, 1976.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre.filters import NeighborFilter
    >>> from nacre.noise import flip_labels
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> labels, flipped = flip_labels(y, 0.1, random_state=0)
    >>> found = NeighborFilter(5).fit(X, labels)
    >>> round(float(flipped[found.mislabeled_].mean()), 2)
    0.76
    """

    n_neighbors: int = 3
    _: KW_ONLY
    all_k: bool = False

    @property
    def default_cut(self) -> Cut:
        """The cut that ``None`` stands for."""
        return Threshold(0.0 if self.all_k else 0.5)

    def _score(self, training: TrainingRows, seed: int) -> Scored:
        check_whole(self.n_neighbors, "n_neighbors", 1)
        check_flag(self.all_k, "all_k")
        return neighbor_scores(training, self.n_neighbors, self.all_k)


def fit_booster(model: Any, training: TrainingRows, seed: int, what: str) -> VotingBooster:
    """Fit a copy of a model that must be a voting booster of nacre."""
    if not isinstance(model, VotingBooster):
        raise TypeError(
            f"{what} needs a voting booster of nacre, got {model!r}: use AdaBoostClassifier, say."
        )
    copy: VotingBooster = ready(model, training)
    set_seeds(copy, seed)
    copy.fit(training.X, training.y)
    return copy
