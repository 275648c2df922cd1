"""Held-out probabilities of somebody's own model, beside a table."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from nacre.auditing.explain import shortened
from nacre.io.arrow import plain_values
from nacre.io.frames import as_frame
from nacre.io.read import read_table
from nacre.noise.judge import named_columns, read_probabilities


def read_pred_probs(pred_probs: Any, classes: Sequence[Any], n: int) -> np.ndarray:
    """Probabilities of all rows of a table, a column a class, in the order of ``classes``.

    Parameters
    ----------
    pred_probs : path, data frame or array
        Of a file or a data frame the columns are named by the classes, and others are ignored; of
        an array they are in the order of the classes.
    classes : the classes of the table, ascending
    n : rows of the table
    """
    named = isinstance(pred_probs, (str, os.PathLike)) or as_frame(pred_probs) is not None
    what = Path(pred_probs).name if isinstance(pred_probs, (str, os.PathLike)) else "pred_probs"
    if named:
        pred_probs = _by_class(read_table(pred_probs), classes, what)
    try:
        chances = read_probabilities(pred_probs)
    except ValueError as error:
        said = str(error).replace("pred_probs", what).replace("row of y", "row of the table")
        raise ValueError(said) from None
    if chances.shape[1] != len(classes):
        raise ValueError(
            f"{what} has {chances.shape[1]} columns, the table has {len(classes)} classes: give a "
            "column for each."
        )
    if len(chances) != n:
        raise ValueError(
            f"{what} has {len(chances)} rows, the table has {n}: give one for each, in the same "
            "order."
        )
    return chances


def with_probabilities(
    frame: nw.DataFrame[Any], chances: np.ndarray, classes: Iterable[Any]
) -> nw.DataFrame[Any]:
    """A table with what a model says of its rows beside its own columns."""
    names = [f"probability of {one}" for one in classes]
    columns = zip(names, chances.T.tolist(), strict=True)
    backend = frame.implementation
    return frame.with_columns(
        **{name: nw.new_series(name, values, backend=backend) for name, values in columns}
    )


def _by_class(frame: nw.DataFrame[Any], classes: Sequence[Any], what: str) -> np.ndarray:
    places = named_columns(frame.columns, classes)
    if None in places:
        lacking = classes[places.index(None)]
        raise ValueError(
            f"{what} has no column {str(lacking)!r}: name the columns of probabilities by the "
            "classes."
        )
    names = [frame.columns[one] for one in places if one is not None]
    return np.array([_numbers(plain_values(frame[name]), name, what) for name in names]).T


def _numbers(values: Sequence[Any], name: str, what: str) -> list[float]:
    """Values of a column as floats; raise with the first that is none."""
    out = []
    for value in values:
        try:
            out.append(np.nan if value is None else float(value))
        except (TypeError, ValueError):
            raise ValueError(
                f"{what} must hold numbers, but column {name!r} has {shortened(value)!r}: write "
                "probabilities with a decimal point, such as 0.5."
            ) from None
    return out
