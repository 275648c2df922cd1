"""What each column contributes to a row's score, and the shape functions of additive models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from nacre.boost.gradient import Additive
from nacre.data import read_rows
from nacre.diagnostics.volumes import splits, thresholds_by_column
from nacre.learners.branches import Trees
from nacre.learners.stump import Stumps


@dataclass(frozen=True, eq=False)
class Contributions:
    """What each column contributes to the scores of rows.

    Attributes
    ----------
    values : ndarray of shape (n, d) or (n, d, K)
        With more than two classes, a column for each class.
    intercept : float or ndarray of shape (K,)
        The score of a row of which nothing is known.
    names : tuple of str
        The columns.
    """

    values: np.ndarray
    intercept: Any
    names: tuple[str, ...]

    @property
    def scores(self) -> np.ndarray:
        """The ``decision_function`` of the rows: the intercept and the contributions added up."""
        out: np.ndarray = self.intercept + self.values.sum(axis=1)
        return out


def contributions(model: Any, X: Any, *, background: Any = None) -> Contributions:
    r"""What each column contributes to the ``decision_function`` of each row.

    Contributions and intercept add up to the score. An ensemble of stumps is a generalised additive
    model, and a contribution is the sum of what the stumps on the column say. Of trees they are
    Shapley values: with columns S known, a tree is averaged over the others, at each node by how
    many rows go to each side (path-dependent TreeSHAP [1]_).

    Parameters
    ----------
    model : fitted booster
        Of stumps or trees of nacre.
    X : array or data frame of shape (n, d)
    background : array or data frame of shape (m, d), optional
        Rows to compare with, such as the training rows: contributions are then differences from
        their mean, and trees are averaged over them. Default: the votes of stumps as they are, and
        trees averaged over the rows they were grown on, with their weights in that round. Boosting
        puts weight on rows that are hard to get right, wrong labels among them, so that trees are
        better compared with a background.

    Returns
    -------
    Contributions

    See Also
    --------
    shape_functions : The same for all values of a column, where columns do not interact.

    Notes
    -----
    *When it helps.* To see why a model scores a row as it does, in a sum that leaves nothing out.

    *When it does not.* A contribution says what the model uses, not what causes the label, and
    columns that say the same share what they contribute by chance of the fit.
    :class:`~nacre.NacreClassifier` blends trees with kernels and naive Bayes, which do not add up
    by columns: ``shap.PermutationExplainer(model.predict_proba, X)`` of the package shap takes it
    as it takes any model.

    References
    ----------
    .. [1] S. Lundberg et al., "From local explanations to global understanding with explainable AI
       for trees", Nature Machine Intelligence 2, 2020.

    Examples
    --------
    >>> from nacre import AdaBoostClassifier
    >>> from nacre.diagnostics import contributions
    >>> X, y = [[1, 0], [2, 0], [3, 1], [4, 0]], ["a", "a", "b", "b"]
    >>> model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> found = contributions(model, X, background=X)
    >>> bool(abs(found.scores - model.decision_function(X)).max() < 1e-12)
    True
    """
    values, base = _explained(model, X, background)
    names = column_names(model)
    if len(base) == 1:
        return Contributions(values[:, :, 0], float(base[0]), names)
    return Contributions(values, base, names)


@dataclass(frozen=True, eq=False)
class ShapeFunction:
    """What one column contributes to the score, by its value: a step function.

    Attributes
    ----------
    feature : int
        The number of the column.
    name : str
    edges : ndarray of shape (m,)
        Where the function steps, ascending. A value that is equal to an edge is left of it.
    values : ndarray of shape (m + 1,) or (m + 1, K)
        The contribution left of the first edge, between edges, and right of the last; of a
        categorical column, that of each category.
    missing : float or ndarray of shape (K,)
        The contribution of a missing value; of a categorical column, of an unknown one too.
    categories : list or None
        The categories, where the column holds such; there are no edges then.
    """

    feature: int
    name: str
    edges: np.ndarray
    values: np.ndarray
    missing: Any
    categories: list[Any] | None = None

    def __call__(self, x: Any) -> np.ndarray:
        """The contributions of some values."""
        if self.categories is not None:
            known = {one: self.values[k] for k, one in enumerate(self.categories)}
            return np.array([known.get(one, self.missing) for one in np.asarray(x).tolist()])
        number = np.asarray(x, float)
        out = self.values[np.searchsorted(self.edges, number)]
        out[np.isnan(number)] = self.missing
        return out


@dataclass(frozen=True, eq=False)
class ShapeFunctions:
    """A generalised additive model: an intercept, and a function of each column that is used.

    Attributes
    ----------
    intercept : float or ndarray of shape (K,)
    functions : list of ShapeFunction
        By column; those that are not used have none.
    classes : ndarray
        The classes. Of two, the functions speak for the second.
    """

    intercept: Any
    functions: list[ShapeFunction]
    classes: np.ndarray


def shape_functions(model: Any, *, background: Any = None) -> ShapeFunctions:
    """The exact shape functions of an ensemble of stumps: what each value of a column contributes.

    The score of a row is the intercept and the sum of the functions of its values, as in a
    generalised additive model [1]_ (or an explainable boosting machine without pairs [2]_), but for
    nothing being smoothed or left out.

    Parameters
    ----------
    model : fitted booster
        Whose hypotheses decide on one column each: stumps, or trees of one level.
    background : array or data frame, optional
        Rows over which every function has mean 0. Default: as for :func:`contributions`.

    Returns
    -------
    ShapeFunctions

    References
    ----------
    .. [1] T. Hastie, R. Tibshirani, "Generalized additive models", Statistical Science 1, 1986.
    .. [2] Y. Lou, R. Caruana, J. Gehrke, "Intelligible models for classification and regression",
       KDD 2012.

    Examples
    --------
    >>> from nacre import AdaBoostClassifier
    >>> from nacre.diagnostics import shape_functions
    >>> X, y = [[1, 0], [2, 0], [3, 1], [4, 0]], ["a", "a", "b", "b"]
    >>> found = shape_functions(AdaBoostClassifier(n_estimators=1).fit(X, y))
    >>> found.functions[0].edges
    array([2.5])
    """
    steps = _steps(model)
    categories = tree_ensemble(model).categories
    points = {
        j: np.append(categories.get(j, edges), np.nan if j in categories else [np.inf, np.nan])
        for j, edges in enumerate(steps)
    }
    grid = np.full((max(map(len, points.values())), len(points)), np.nan)
    for j, own in points.items():
        grid[: len(own), j] = own
    values, base = _explained(model, grid, background, read=False)
    names, levels, found = column_names(model), model._layout.levels, []
    for j, own in points.items():
        if not np.ptp(values[: len(own), j], axis=0).any() and not values[0, j].any():
            continue
        said = values[: len(own), j] if len(base) > 1 else values[: len(own), j, 0]
        known = None
        if j in categories:
            known = categories[j].tolist()
            known = [levels[j][int(code)] for code in known] if j in levels else known
        edges = own[:0] if j in categories else own[:-2]
        found.append(ShapeFunction(j, names[j], edges, said[:-1], said[-1], known))
    return ShapeFunctions(base if len(base) > 1 else float(base[0]), found, model.classes_)


def column_names(model: Any) -> tuple[str, ...]:
    """The names of a model's columns, or their numbers."""
    names = getattr(model, "feature_names_in_", None)
    return (
        tuple(f"column {j}" for j in range(model.n_features_in_))
        if names is None
        else tuple(map(str, names))
    )


def _explained(
    model: Any, X: Any, background: Any, read: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Contributions of shape (n, d, C) and an intercept of shape (C,)."""
    tree_ensemble(model)
    rows = read_rows(model, X) if read else X
    others = None if background is None else read_rows(model, background)
    if not len(model.estimators_):
        base = np.atleast_1d(model._scores(np.zeros((1, model.n_features_in_)))[0])
        return np.zeros((*rows.shape, len(base))), base
    values, base = model.estimators_.contributions(rows, model.estimator_weights_, others)
    base = base + getattr(model, "_begin", 0.0)  # of gradient boosters
    if len(base) > 1:  # as the scores are
        values, base = values - values.mean(axis=2, keepdims=True), base - base.mean()
    return values, base


def tree_ensemble(model: Any) -> Stumps | Trees:
    """The stumps or trees of a model."""
    if not hasattr(model, "estimators_"):
        check_is_fitted(model)
    found = getattr(model, "estimators_", None)
    found = found.regressors if isinstance(found, Additive) else found
    if not isinstance(found, Stumps | Trees):
        raise TypeError(
            f"model must be a booster of stumps or trees of nacre, got {type(model).__name__}: "
            "shap.PermutationExplainer explains any other."
        )
    return found


def additive(model: Any) -> bool:
    """Whether each hypothesis of a model decides on one column only."""
    found = tree_ensemble(model)
    return isinstance(found, Stumps) or all(
        len(np.unique(tree.feature[tree.feature >= 0])) <= 1 for tree in found
    )


def _steps(model: Any) -> list[np.ndarray]:
    """The thresholds on each column of a model whose hypotheses decide on one column each."""
    if not additive(model):
        raise ValueError(
            "model must be of stumps: its trees decide on several columns, which have no shape of "
            "their own. contributions takes such trees, too."
        )
    return thresholds_by_column(*splits(tree_ensemble(model))[1:], model.n_features_in_)
