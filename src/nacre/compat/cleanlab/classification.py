"""As ``cleanlab.classification``: a classifier that learns from the labels that seem right."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import _safe_indexing

from nacre.compat.cleanlab.count import estimate_cv_predicted_probabilities, latent
from nacre.compat.cleanlab.frames import pd
from nacre.compat.cleanlab.judgement import as_codes, judged, refuse
from nacre.consensus.classifier import NacreClassifier
from nacre.noise.judge import read_probabilities
from nacre.noise.quality import LabelQuality


class CleanLearning(BaseEstimator):
    """Find wrong labels by a classifier, and fit it to the others.

    Parameters
    ----------
    clf : classifier, optional
        Any of scikit-learn's kind. Default: :class:`~nacre.NacreClassifier`, which judges labels
        and learns from all of them at once; cleanlab's is a logistic regression.
    seed : int or None
        Of the folds, and of the default classifier.
    cv_n_folds : int, default=5
    converge_latent_estimates, label_quality_scores_kwargs, verbose, low_memory
        Make no difference.
    pulearning, find_label_issues_kwargs
        Are refused: nacre estimates a rate for each class, and has one way to choose suspects.

    Attributes
    ----------
    label_issues_df : DataFrame
        What ``find_label_issues`` returned.
    label_issues_mask, sample_weight : its columns
    py, ps, noise_matrix, inverse_noise_matrix, confident_joint, num_classes
        As :mod:`nacre.compat.cleanlab.count` has them.
    clf : the classifier, fitted after ``fit``

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from nacre.compat.cleanlab.classification import CleanLearning
    >>> from nacre.noise import flip_labels
    >>> X, y = load_iris(return_X_y=True)
    >>> labels, flipped = flip_labels(y, 0.2, random_state=0)
    >>> model = CleanLearning(GaussianNB(), seed=0).fit(X, labels)
    >>> issues = model.get_label_issues()
    >>> bool(flipped[issues["is_label_issue"]].mean() > 0.8)
    True
    >>> model.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        clf: Any = None,
        *,
        seed: int | None = None,
        cv_n_folds: int = 5,
        converge_latent_estimates: bool = False,
        pulearning: Any = None,
        find_label_issues_kwargs: dict[str, Any] | None = None,
        label_quality_scores_kwargs: dict[str, Any] | None = None,
        verbose: bool = False,
        low_memory: bool = False,
    ) -> None:
        self.clf = clf
        self.seed = seed
        self.cv_n_folds = cv_n_folds
        self.converge_latent_estimates = converge_latent_estimates
        self.pulearning = pulearning
        self.find_label_issues_kwargs = find_label_issues_kwargs
        self.label_quality_scores_kwargs = label_quality_scores_kwargs
        self.verbose = verbose
        self.low_memory = low_memory
        self.label_issues_df: Any = None

    def find_label_issues(
        self,
        X: Any = None,
        labels: Any = None,
        *,
        pred_probs: Any = None,
        thresholds: Any = None,
        noise_matrix: Any = None,
        inverse_noise_matrix: Any = None,
        save_space: bool = False,
        clf_kwargs: dict[str, Any] | None = None,
        validation_func: Any = None,
    ) -> Any:
        """Find the labels that are wrong.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
            None, with ``pred_probs``.
        labels : whole numbers from 0, n of them
        pred_probs : array of shape (n, K), optional
            Out-of-fold probabilities; default: those of the classifier.
        save_space : bool
            Do not keep the answer.
        clf_kwargs : dict, optional
            For ``fit`` of the classifier.
        thresholds, noise_matrix, inverse_noise_matrix, validation_func
            Are refused.

        Returns
        -------
        DataFrame
            ``is_label_issue``, ``label_quality`` (the probability that the label is right),
            ``given_label`` and ``predicted_label``.
        """
        refuse(
            thresholds=thresholds,
            noise_matrix=noise_matrix,
            inverse_noise_matrix=inverse_noise_matrix,
            validation_func=validation_func,
            pulearning=self.pulearning,
            find_label_issues_kwargs=self.find_label_issues_kwargs or None,
        )
        if labels is None:
            raise ValueError("labels must be given.")
        found, predicted = self._judge(X, labels, pred_probs, clf_kwargs)
        issues = pd.DataFrame(
            {
                "is_label_issue": found.suspected,
                "label_quality": found.quality,
                "given_label": found.given,
                "predicted_label": predicted,
            }
        )
        self.py, self.noise_matrix, self.inverse_noise_matrix, self.confident_joint = latent(found)
        self.num_classes = len(self.py)
        self.ps = np.bincount(found.given, minlength=self.num_classes) / len(found.given)
        if not save_space:
            self._keep(issues)
        return issues

    def _judge(
        self, X: Any, labels: Any, pred_probs: Any, clf_kwargs: dict[str, Any] | None
    ) -> tuple[LabelQuality, np.ndarray]:
        """The quality of labels, and the likeliest class of each row."""
        self._robust: NacreClassifier | None = None
        if pred_probs is None and self._judges:
            codes = as_codes(labels, len(labels), int(np.max(labels)) + 1)
            self._robust = self._new().fit(X, codes, **(clf_kwargs or {}))
            found = self._robust.found_
            if not np.array_equal(found.classes, np.arange(len(found.classes))):
                raise ValueError("labels must have every class from 0 to the largest.")
            return found, found.probabilities.argmax(axis=1)
        if pred_probs is None:
            pred_probs = estimate_cv_predicted_probabilities(
                X, labels, self.clf, cv_n_folds=self.cv_n_folds, seed=self.seed,
                clf_kwargs=clf_kwargs,
            )  # fmt: skip
        return judged(labels, pred_probs), read_probabilities(pred_probs).argmax(axis=1)

    @property
    def _judges(self) -> bool:
        """Whether the classifier judges labels itself, and learns from all of them."""
        return self.clf is None or isinstance(self.clf, NacreClassifier)

    def _new(self) -> Any:
        return NacreClassifier(random_state=self.seed) if self.clf is None else clone(self.clf)

    def _keep(self, issues: Any) -> None:
        self.label_issues_df = issues
        self.label_issues_mask = issues["is_label_issue"].to_numpy()

    def fit(
        self,
        X: Any,
        labels: Any = None,
        *,
        pred_probs: Any = None,
        thresholds: Any = None,
        noise_matrix: Any = None,
        inverse_noise_matrix: Any = None,
        label_issues: Any = None,
        sample_weight: Any = None,
        clf_kwargs: dict[str, Any] | None = None,
        clf_final_kwargs: dict[str, Any] | None = None,
        validation_func: Any = None,
        y: Any = None,
    ) -> CleanLearning:
        """Find the labels that are wrong, and fit the classifier to the others.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
        labels : whole numbers from 0, n of them
        y : the same, as scikit-learn calls it
        label_issues : DataFrame, boolean mask or row numbers, optional
            The wrong labels, where they are known: nothing is judged.
        sample_weight : weights of the rows, optional
            For the last fit; cleanlab's default weights have no counterpart.
        clf_final_kwargs : dict, optional
            For the last ``fit`` of the classifier, with ``clf_kwargs``.
        pred_probs, clf_kwargs, thresholds, noise_matrix, inverse_noise_matrix, validation_func
            As for ``find_label_issues``.

        Returns
        -------
        self
        """
        labels = y if labels is None else labels
        if labels is None:
            raise ValueError("labels must be given.")
        if label_issues is None:
            self.find_label_issues(
                X, labels, pred_probs=pred_probs, thresholds=thresholds,
                noise_matrix=noise_matrix, inverse_noise_matrix=inverse_noise_matrix,
                clf_kwargs=clf_kwargs, validation_func=validation_func,
            )  # fmt: skip
        else:
            self._keep(as_issues(label_issues, len(labels)))
        weight = np.ones(len(labels)) if sample_weight is None else np.asarray(sample_weight, float)
        model = self._robust if label_issues is None else None
        if model is None or clf_final_kwargs or sample_weight is not None:
            keep = np.flatnonzero(~self.label_issues_mask)
            options = {**(clf_kwargs or {}), **(clf_final_kwargs or {})}
            if sample_weight is not None:
                options["sample_weight"] = weight[keep]
            model = self._new().fit(_safe_indexing(X, keep), np.asarray(labels)[keep], **options)
            weight = np.where(self.label_issues_mask, 0.0, weight)
        self.clf = model
        self.sample_weight = weight
        self.label_issues_df = self.label_issues_df.assign(sample_weight=weight)
        return self

    def predict(self, *args: Any, **kwargs: Any) -> Any:
        """Predict, by the classifier."""
        return self.clf.predict(*args, **kwargs)

    def predict_proba(self, *args: Any, **kwargs: Any) -> Any:
        """Predict probabilities, by the classifier."""
        return self.clf.predict_proba(*args, **kwargs)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The classifier's own score: accuracy as a rule."""
        options = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self.clf.score(X, y, **options))

    def get_label_issues(self) -> Any:
        """What ``find_label_issues`` returned last, or None."""
        return self.label_issues_df

    def save_space(self) -> CleanLearning:
        """Forget all that was found, to be smaller on disk; the classifier stays."""
        for name in ("label_issues_mask", "sample_weight", "noise_matrix", "inverse_noise_matrix",
                     "confident_joint", "py", "ps", "_robust"):  # fmt: skip
            if hasattr(self, name):
                delattr(self, name)
        self.label_issues_df = None
        return self


def as_issues(label_issues: Any, n: int) -> Any:
    """Wrong labels, in any of the forms that cleanlab takes, as a data frame."""
    if isinstance(label_issues, pd.DataFrame):
        if "is_label_issue" not in label_issues.columns or len(label_issues) != n:
            raise ValueError(f"label_issues must have a column is_label_issue, and {n} rows.")
        return label_issues
    issues = np.asarray(label_issues)
    if issues.dtype == bool and issues.shape == (n,):
        return pd.DataFrame({"is_label_issue": issues})
    whole = issues.dtype.kind in "iu" and issues.ndim == 1
    if not whole or (len(issues) and not 0 <= issues.min() <= issues.max() < n):
        raise ValueError(f"label_issues must be a mask of {n} rows, or numbers of rows.")
    mask = np.zeros(n, bool)
    mask[issues] = True
    return pd.DataFrame({"is_label_issue": mask})
