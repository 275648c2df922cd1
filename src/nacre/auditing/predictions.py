"""What a saved model says of a table, and why."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from scipy import sparse

from nacre.auditing.explain import NAMED, shortened
from nacre.auditing.load import cell
from nacre.consensus.classifier import NacreClassifier
from nacre.data import Schema
from nacre.data.column import Column
from nacre.data.labels import label_words
from nacre.io.arrow import as_column, pa
from nacre.io.read import Source, read_source
from nacre.io.size import MOST
from nacre.persistence import load_model

PREDICTED = ("nacre_predicted", "nacre_probability", "nacre_reason")
"""Columns that predictions add to a table."""

FALLS = 0.01
"""The least fall of a probability that is worth naming."""


def predict_table(
    model_file: str | os.PathLike[str], table: Any, explain: bool = False, max_size: float = MOST
) -> Source:
    """A table with what a saved model predicts beside its own columns.

    ``nacre_predicted`` is the label, ``nacre_probability`` its probability and, if asked for,
    ``nacre_reason`` the values that it hangs on.
    """
    model, plain = load_model(model_file)
    if plain is None:
        raise ValueError(
            f"{os.fspath(model_file)} does not say how its table was read: use load_model and "
            "predict in Python."
        )
    schema, read = Schema.from_dict(plain), read_source(table, max_size=max_size)
    frame, spelled = read.frame, schema.by_rule(read)
    X, words = schema.matrix(spelled), schema.words(spelled)
    chances = said_by(model, X, words)
    said = chances.argmax(axis=1)
    added: list[list[Any]] = [model.classes_[said].tolist(), chances.max(axis=1).tolist()]
    if explain:
        falls = chances.max(axis=1)[:, None] - without_each(model, X, said, schema.columns, words)
        added.append([_reason(spelled, schema, i, fall) for i, fall in enumerate(falls)])
    values, backend = dict(zip(PREDICTED, added, strict=False)), frame.implementation
    series = {name: nw.new_series(name, one, backend=backend) for name, one in values.items()}
    spelling = read.spelling and read.spelling.without(values)
    notes = [*read.notes, *_unseen(schema, spelled, X)]
    return Source(frame.with_columns(**series), spelling, notes)


def _unseen(schema: Schema, frame: nw.DataFrame[Any], X: np.ndarray) -> list[str]:
    """Notes on categories that were not learned from, and are missing in a matrix."""
    notes = []
    for j in schema.categorical:
        name = schema.sources[j]
        words = label_words(name, as_column(frame[name]))
        gone = words.filter(pa.array(np.isnan(X[:, j]))).drop_null()
        if len(gone):
            shown = ", ".join(repr(shortened(word)) for word in gone.unique()[:3].to_pylist())
            notes.append(
                f"Column {name!r}: {len(gone)} of {len(words) - words.null_count} values are "
                f"categories that were not learned from, and taken for missing ({shown})."
            )
    return notes


def said_by(model: Any, X: np.ndarray, words: Any = None) -> np.ndarray:
    """Probabilities of the classes; words are for models that learn from them."""
    if words is None or not isinstance(model, NacreClassifier):
        return np.asarray(model.predict_proba(X))
    return model.predict_proba(X, words)


def without_each(
    model: Any, X: np.ndarray, said: np.ndarray, columns: Sequence[Column], words: Any = None
) -> np.ndarray:
    """The probability of what is said of each row if what one column says were missing."""
    out = np.empty((len(X), len(columns)))
    rows, feature, word = np.arange(len(X)), 0, 0
    for j, column in enumerate(columns):
        part = slice(feature, feature := feature + len(column.features))
        spoken = slice(word, word := word + sum(len(one.terms) for one in column.terms))
        held, X[:, part] = X[:, part].copy(), np.nan
        out[:, j] = said_by(model, X, _without(words, spoken))[rows, said]
        X[:, part] = held
    return out


def _without(words: Any, some: slice) -> Any:
    """Sparse words, some of them 0."""
    if words is None or some.start == some.stop:
        return words
    left = np.ones(words.shape[1])
    left[some] = 0.0
    return words @ sparse.diags_array(left)


def _reason(frame: nw.DataFrame[Any], schema: Schema, row: int, falls: np.ndarray) -> str:
    best = [j for j in np.argsort(-falls, kind="stable")[:NAMED] if falls[j] >= FALLS]
    if not best:
        return "No single value decides."
    values = (
        f"{shortened(schema.names[j])} = {cell(frame, schema.names[j], row)} "
        f"(without it {-falls[j]:+.0%})"
        for j in best
    )
    return f"{', '.join(values)}."
