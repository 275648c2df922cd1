"""Stump and tree ensembles as plain data, and files to score with where nacre is not installed."""

from __future__ import annotations

import json
import os
from importlib.resources import files
from typing import Any

import numpy as np

from nacre.boost.gradient import Additive
from nacre.boost.stopping import TIE
from nacre.diagnostics.contributions import (
    ShapeFunction,
    additive,
    column_names,
    shape_functions,
    tree_ensemble,
)
from nacre.io.whole import whole_folder
from nacre.learners.branches import Branches

FILES = ("model.json", "score.py")
"""What is written: the model, and a scorer that needs Python only."""


def export_model(
    model: Any, folder: str | os.PathLike[str] | None = None, *, force: bool = False
) -> dict[str, Any]:
    """A booster of stumps or trees as plain data, to score with where nacre is not installed.

    Stumps become a table a column (their shape functions), trees lists of nodes; numbers are exact.
    The scorer, ``score.py``, is a page of Python without any package, to be used as it is or
    written again in another language: ``python score.py model.json table.csv``.

    Parameters
    ----------
    model : fitted booster
        Of stumps or trees of nacre.
    folder : path, optional
        Where to write ``model.json`` and ``score.py``; default nowhere.
    force : bool, default=False
        Replace files of these names.

    Returns
    -------
    dict
        What ``model.json`` holds.

    See Also
    --------
    nacre.save_model : Files that become a model of nacre again.

    Notes
    -----
    Why not ONNX: its trees have thresholds in single precision, which sends values next to a
    threshold to the other side, and common versions have neither sets of categories nor sides for
    missing values at every node.

    Examples
    --------
    >>> from nacre import AdaBoostClassifier
    >>> from nacre.export import export_model
    >>> model = AdaBoostClassifier(n_estimators=1).fit([[1.0], [2.0]], ["no", "yes"])
    >>> plain = export_model(model)
    >>> plain["functions"][0]["edges"]
    [1.5]
    """
    whole = {"format": "nacre-scorer", "version": 1, **_plain(model)}
    if folder is not None:
        with whole_folder(folder, force, FILES) as half:
            text = json.dumps(whole, ensure_ascii=False, allow_nan=False)
            (half / FILES[0]).write_text(text, encoding="utf-8")
            scorer = files("nacre.export").joinpath(FILES[1]).read_text(encoding="utf-8")
            (half / FILES[1]).write_text(scorer, encoding="utf-8")
    return whole


def _plain(model: Any) -> dict[str, Any]:
    """Classes, columns and numbers of a model: an intercept, and functions or trees that add."""
    try:
        ensemble = tree_ensemble(model)
    except TypeError:
        raise TypeError(
            f"model must be a booster of stumps or trees of nacre, got {type(model).__name__}: "
            "other models are kept by nacre.save_model."
        ) from None
    begin = getattr(model, "_begin", np.zeros(1))  # of gradient boosters
    functions, trees = [], []
    if additive(model):
        found = shape_functions(model)
        intercept = np.atleast_1d(found.intercept)
        functions = [_function(one) for one in found.functions]
    else:
        intercept = np.broadcast_to(begin, 1 if ensemble.n_classes == 2 else ensemble.n_classes)
        known = _known(model, ensemble.categories)
        trees = [_tree(tree, says, known) for tree, says in _said(model, ensemble)]
    return {
        "classes": model.classes_.tolist(),
        "columns": list(column_names(model)),
        "scale": float(model.link_scale_),
        "near": float(TIE * (np.abs(begin).max() + np.abs(model.estimator_weights_).sum())),
        "intercept": intercept.tolist(),
        "functions": functions,
        "trees": trees,
    }


def _function(one: ShapeFunction) -> dict[str, Any]:
    rows = one.values if one.values.ndim == 2 else one.values[:, None]
    plain: dict[str, Any] = {
        "column": one.feature,
        "values": rows.tolist(),
        "missing": np.atleast_1d(one.missing).tolist(),
    }
    if one.categories is None:
        plain["edges"] = one.edges.tolist()
    else:
        plain["categories"] = one.categories
    return plain


def _said(model: Any, ensemble: Any) -> Any:
    """Each tree, and what its nodes add to the scores: (nodes, columns)."""
    votes = model.estimator_weights_
    if isinstance(model.estimators_, Additive):
        columns = model.estimators_.columns
        for i, tree in enumerate(ensemble):
            t, k = divmod(i, columns)
            yield tree, votes[t] * tree.value[:, None] * (np.arange(columns) == k)
        return
    K = ensemble.n_classes
    signed = np.array([[-1.0], [1.0]]) if K == 2 else np.eye(K)
    for tree, vote in zip(ensemble, votes, strict=True):
        yield tree, vote * signed[np.clip(tree.value.astype(int), 0, K - 1)]


def _known(model: Any, categories: dict[int, np.ndarray]) -> dict[int, list[Any]]:
    """The categories of each column, as they stand in a table."""
    levels = model._layout.levels
    return {
        j: [levels[j][int(code)] for code in values] if j in levels else values.tolist()
        for j, values in categories.items()
    }


def _tree(tree: Branches, says: np.ndarray, known: dict[int, list[Any]]) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = []
    for node, j in enumerate(tree.feature.tolist()):
        if j < 0:
            nodes.append({"says": says[node].tolist()})
            continue
        made: dict[str, Any] = {
            "column": j,
            "gap": bool(tree.gap[node]),
            "left": int(tree.left[node]),
            "right": int(tree.right[node]),
        }
        if tree.table[node] >= 0:
            side = tree.sides[tree.table[node]]
            made["known"] = known[j]
            made["in"] = [one for code, one in enumerate(known[j]) if side[code]]
        else:
            upto = float(tree.threshold[node])
            made["upto"] = upto if np.isfinite(upto) else None
        nodes.append(made)
    return nodes
