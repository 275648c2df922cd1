"""A table, and what models say of its rows: the same for every version that wrote model files."""

import numpy as np
import pandas as pd


def table(n_classes, n=24, seed=0):
    """Numbers with gaps, a column of categories, and labels in words."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 3] = rng.integers(0, 4, n)
    score = X[:, 0] + (X[:, 3] > 1) + 0.5 * rng.normal(size=n)
    X[rng.random((n, 4)) < 0.1] = np.nan
    cuts = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return X, np.array(["no", "perhaps", "yes"])[np.searchsorted(cuts, score)]


def frame(X):
    """The same table with names, and words for the categories."""
    words = np.array(["red", "green", "blue", "grey"], object)
    known = np.isfinite(X[:, 3])
    colour = np.full(len(X), None, object)
    colour[known] = words[X[known, 3].astype(int)]
    out = pd.DataFrame(X[:, :3], columns=["a", "b", "c"])
    return out.assign(colour=pd.Categorical(colour, categories=words))


def said(model, X):
    """All that a model says of new rows, or a filter found, as one vector of numbers."""
    asked = "predict", "predict_proba", "decision_function", "staged_decision_function"
    kept = (
        "scores_", "mislabeled_", "suggested_", "estimator_weights_", "estimator_errors_",
        "estimator_steps_", "log_costs_", "train_losses_", "validation_scores_",
        "feature_importances_", "label_quality_", "noise_matrix_", "suspects_",
    )  # fmt: skip
    found = [np.array(list(getattr(model, name)(X))) for name in asked if hasattr(model, name)]
    found += [np.asarray(getattr(model, name)) for name in kept if hasattr(model, name)]
    codes = [
        np.searchsorted(model.classes_, one) if one.dtype.kind == "U" else one for one in found
    ]
    return np.concatenate([one.astype(float).ravel() for one in codes])
