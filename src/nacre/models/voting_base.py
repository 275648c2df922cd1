"""What the voting boosters share: hypotheses that say classes, and votes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier

from nacre.boost.algorithm import Algorithm
from nacre.boost.compiled import boosting
from nacre.boost.loop import Boosting
from nacre.boost.result import Run
from nacre.boost.step import LogOdds
from nacre.boost.stopping import TIE
from nacre.data import TrainingRows, as_labels, encode_known
from nacre.data.check import check_form
from nacre.learners.adapter import AnyFitter
from nacre.learners.base import Fitter, Learner, check_voters
from nacre.learners.stump import Stump
from nacre.models.base import BoostClassifier, workers
from nacre.models.calibration import fit_scale


@dataclass(eq=False, repr=False)
class EnsembleVoter(BoostClassifier):
    """A classifier that lets weak hypotheses vote, wherever their votes come from.

    Parameters
    ----------
    estimator : classifier, default=None
        The weak learner: None for the native stump, another of nacre (:class:`~nacre.Tree`,
        :class:`~nacre.NaiveBayes`, :class:`~nacre.Network`), or any scikit-learn classifier, also
        a pipeline. One whose ``fit`` takes no weights is fitted to rows drawn by weight.
    stop_on : {"error", "loss"}, default="error"
        What held-out rows are judged by: wrong votes, or the mean cost, in which a few wrong
        labels may outweigh all others.
    max_bins : int from 2 to 255, or None, default=255
        Bins of the native stump (``estimator=None``) for columns of more distinct values; None
        tries every threshold.
    random_state : int, RandomState or None, default=None
        Seeds weak learners that need one. The native stump needs none.
    n_jobs : int or None, default=None
        Threads of the native stump, which share out the columns of large tables; -1 for all cores.
        The result is the same for any number.

    Attributes
    ----------
    estimators_ : sequence
        The weak hypotheses; their labels are places in ``classes_``.
    estimator_weights_ : ndarray
        Their votes in the final ensemble.
    estimator_errors_ : ndarray
        Their weighted errors in their rounds.
    link_scale_ : float
        Factor of the votes in ``predict_proba``.
    stop_reason_ : str
        "rounds done", "no better than chance", "perfect", "no better on held-out rows" or "nothing
        to learn".
    feature_importances_ : ndarray
        Share of the votes each column has.
    """

    def _learner(self) -> Any:
        if self.estimator is None:
            return Stump(max_bins=self.max_bins)
        if not isinstance(self.estimator, BaseEstimator) or not is_classifier(self.estimator):
            raise TypeError(
                f"estimator must be a classifier, got {self.estimator!r}: use a learner of nacre "
                "or any scikit-learn classifier."
            )
        return self.estimator

    def _prepare(self, learner: Any, training: TrainingRows) -> Fitter:
        if isinstance(learner, Learner):
            return learner.prepare(training, workers(self.n_jobs))
        return AnyFitter(learner, training)

    def _check_hypotheses(self, d: int, n_classes: int) -> None:
        check_voters(self.estimators_, d, n_classes)

    def _link(self, training: TrainingRows) -> float:
        return fit_scale(self._scores(training.X), training)

    def _scores(self, rows: Any) -> np.ndarray:
        votes = self.estimator_weights_
        return self._level(self.estimators_.scores(rows, votes), np.abs(votes).sum())

    def _staged_scores(self, rows: Any) -> Iterator[np.ndarray]:
        K = len(self.classes_)
        for totals, size in self._run.staged_totals(rows, K):
            yield self._level(totals[:, 1] - totals[:, 0] if K == 2 else totals, size)

    def _level(self, scores: np.ndarray, votes: float) -> np.ndarray:
        """Scores of so many votes with ties made exact; the classes' prior where there are none."""
        if votes == 0:
            prior = self._prior if scores.ndim == 2 else self._prior[1] - self._prior[0]
            scores = scores + prior
        elif scores.ndim == 1:
            scores = np.where(np.abs(scores) <= TIE * votes, 0.0, scores)
        else:
            top = scores.max(axis=1, keepdims=True)
            scores = np.where(scores >= top - TIE * votes, top, scores)
        return scores if scores.ndim == 1 else scores - scores.mean(axis=1, keepdims=True)

    def margins(self, X: Any, y: Any) -> np.ndarray:
        """Normalised margins: votes for the label less votes against it, over all votes.

        From -1 (all against) to 1 (all for). With more than two classes, votes for any other class
        are votes against.
        """
        rows = self._rows(X)
        labels = as_labels(y, rows.shape[0])
        codes = encode_known(labels, self.classes_)
        votes = self.estimator_weights_
        whole = np.abs(votes).sum()
        if whole == 0:
            return np.zeros(len(codes))
        scores = self.estimators_.scores(rows, votes)
        if scores.ndim == 1:
            return np.where(codes == 1, scores, -scores) / whole
        return (2.0 * scores[np.arange(len(codes)), codes] - votes.sum()) / whole


@dataclass(eq=False, repr=False)
class VotingBooster(EnsembleVoter):
    """A classifier that boosts by the loop of :mod:`nacre.boost`.

    A subclass has parameters, a docstring and ``_algorithm``, its composition of parts.

    Attributes
    ----------
    estimator_steps_ : ndarray of shape (rounds, 2)
        What every round did: all earlier votes times the first number, a vote of the second.
    log_costs_ : ndarray
        Log of the mean cost before each round.
    """

    @abstractmethod
    def _algorithm(self) -> Algorithm: ...

    def _boosting(
        self,
        fitter: Any,
        training: TrainingRows,
        seed: int,
        clean: np.ndarray | None,
        before: Run | None,
    ) -> Boosting:
        return boosting(fitter, training, self._algorithm(), self.n_estimators, seed, before=before)

    def _keep(self, run: Run, training: TrainingRows) -> None:
        super()._keep(run, training)
        assert run.steps is not None
        self.estimator_steps_ = np.column_stack([run.steps.shrink, run.steps.vote])
        self.log_costs_ = run.log_costs

    def _check_hypotheses(self, d: int, n_classes: int) -> None:
        super()._check_hypotheses(d, n_classes)
        rounds = len(self.estimators_)
        check_form(self.estimator_steps_, "estimator_steps_", np.float64, (rounds, 2))
        check_form(self.log_costs_, "log_costs_", np.float64, (rounds,))

    def _link(self, training: TrainingRows) -> float:
        if self._is_logistic(training.n_classes):
            return 1.0
        return super()._link(training)

    def _is_logistic(self, n_classes: int) -> bool:
        """Whether votes are half log-odds, so that probabilities follow without a fitted scale.

        With more than two classes, only SAMME's vote makes it so.
        """
        algorithm = self._algorithm()
        return algorithm.step.logistic and (
            n_classes == 2 or (algorithm.samme and isinstance(algorithm.step, LogOdds))
        )
