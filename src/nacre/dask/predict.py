"""Predictions of any classifier on Dask collections, still to be computed."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from nacre.dask.blocks import is_array, is_frame


def predict(model: Any, X: Any) -> Any:
    """The classes of rows of a Dask collection, still to be computed.

    Parameters
    ----------
    model : fitted classifier
        Any of nacre or scikit-learn.
    X : Dask array or data frame

    Returns
    -------
    Dask array (of an array) or series (of a data frame), with the partitions of ``X``

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from nacre import Stump
    >>> from nacre.dask import predict
    >>> model = Stump().fit([[1.0], [2.0], [3.0]], ["no", "yes", "yes"])
    >>> predict(model, da.from_array(np.array([[0.0], [5.0]]), (1, 1))).compute()
    array(['no', 'yes'], dtype='<U3')
    """
    check_is_fitted(model)
    return _lazily(model, X, "predict")


def predict_proba(model: Any, X: Any) -> Any:
    """The probabilities of the classes, still to be computed.

    Parameters
    ----------
    model : fitted classifier
    X : Dask array or data frame

    Returns
    -------
    Dask array of shape (n, K), or a data frame with a column for each class

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from nacre import AdaBoostClassifier
    >>> from nacre.dask import predict_proba
    >>> model = AdaBoostClassifier().fit([[1.0], [2.0], [3.0]], ["no", "yes", "yes"])
    >>> predict_proba(model, da.from_array(np.array([[0.0], [5.0]]), (1, 1))).compute().round(2)
    array([[1., 0.],
           [0., 1.]])
    """
    check_is_fitted(model)
    return _lazily(model, X, "predict_proba")


def _lazily(model: Any, X: Any, method: str) -> Any:
    classes = model.classes_
    wide = method == "predict_proba"
    if is_array(X):
        import dask.array as da

        if X.ndim != 2:
            raise ValueError(f"Expected 2D array for X, got {X.ndim}D array instead.")
        X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
        chunks = (X.chunks[0], (len(classes),)) if wide else (X.chunks[0],)
        dtype = np.dtype(float) if wide else classes.dtype
        return da.map_blocks(
            _predict_block, X, model=model, method=method, dtype=dtype, chunks=chunks,
            drop_axis=None if wide else 1, meta=np.empty((0,) * (1 + wide), dtype),
        )  # fmt: skip
    if is_frame(X):
        meta = _predict_frame(X._meta, model, method)
        return X.map_partitions(_predict_frame, model=model, method=method, meta=meta)
    raise TypeError(f"X must be a Dask array or data frame, got {type(X).__name__}.")


def _predict_block(block: np.ndarray, model: Any, method: str) -> np.ndarray:
    if not len(block):
        shape = (0, len(model.classes_)) if method == "predict_proba" else (0,)
        return np.empty(shape, float if method == "predict_proba" else model.classes_.dtype)
    out: np.ndarray = getattr(model, method)(block)
    return out


def _predict_frame(frame: Any, model: Any, method: str) -> Any:
    import pandas as pd

    said = _predict_block(frame, model, method)
    if method == "predict":
        dtype = pd.Series(model.classes_).dtype
        return pd.Series(said, index=frame.index, name=method, dtype=dtype)
    return pd.DataFrame(said, index=frame.index, columns=model.classes_.tolist())
