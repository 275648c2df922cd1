"""From a table to an answer."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

from nacre.auditing.compare import compare
from nacre.auditing.load import Loaded, load
from nacre.auditing.result import Audit
from nacre.consensus.classifier import NacreClassifier
from nacre.models.gradientboost import GradientBoostClassifier

Watch = Callable[[str], None]

MANY = 100_000
"""Of more rows, an audit takes less trouble over each unless it is told to."""


def audit(
    table: Any,
    label: str,
    *,
    clean: str | None = None,
    id: str | None = None,
    categorical_features: Iterable[str] = (),
    ignore: Iterable[str] = (),
    effort: str | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Audit:
    """Find out how wrong the labels of a table are, which, and what can be learned all the same.

    Parameters
    ----------
    table : path, data frame or NumPy array
        A CSV, Parquet or Arrow file; a pandas, polars or pyarrow table.
    label : str
        The column of labels. Rows without one get a predicted label.
    clean : str, optional
        A column that says whose label is trusted: true, yes or 1.
    id : str, optional
        A column that identifies the rows; it is shown, and not learned from.
    categorical_features : names of columns, optional
        Columns that hold categories, whatever they look like.
    ignore : names of columns, optional
        Columns to leave out.
    effort : {"full", "fast"}, optional
        As for :class:`~nacre.NacreClassifier`; "full" unless there are more than 100 000 rows.
    random_state : int, default=0
        Seeds all that is drawn, so that the same table gets the same answer.
    n_jobs : int or None, default=None
        Threads; the result is the same for any number.

    Returns
    -------
    Audit
        Its ``noise`` (how many labels are wrong), ``suspects`` and ``cleaned`` (tables of the kind
        that was given), ``model``, ``scores`` and ``notes``; ``report`` and ``save`` write files.

    Raises
    ------
    ValueError
        Where the table has no such column, too few labels, or nothing to learn them from.

    See Also
    --------
    nacre.find_mislabeled : Only which labels are wrong, of numbers in an array or data frame.

    Notes
    -----
    *When it helps.* A table as it comes, with text, dates and gaps, whose labels somebody typed in.

    *When it does not.* A suspect is a question, not a verdict: rare but true rows are among them.
    Free text is not read, and more than 1000 classes are refused.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from nacre import audit
    >>> from nacre.noise import flip_labels
    >>> frame = load_iris(as_frame=True).frame
    >>> frame["target"], flipped = flip_labels(frame["target"], 0.1, random_state=0)
    >>> found = audit(frame, label="target", effort="fast")
    >>> bool(flipped[found.suspects["row"]].mean() > 0.8)
    True
    """
    loaded = load(
        table,
        label,
        clean=clean,
        id=id,
        categorical_features=categorical_features,
        ignore=ignore,
    )
    return examine(loaded, effort, random_state, n_jobs)


def examine(
    loaded: Loaded,
    effort: str | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    watch: Watch = lambda doing: None,
) -> Audit:
    """Audit a table that has been read; ``watch`` is told what is being done."""
    loaded.require_rows()
    watch("Learning, and looking for wrong labels")
    settings: dict[str, Any] = {
        "categorical_features": list(loaded.columns.categorical),
        "random_state": seed,
        "n_jobs": n_jobs,
    }
    training, trusted = loaded.training, loaded.trusted
    if effort is None:
        effort = "full" if len(training.y) <= MANY else "fast"
    model = NacreClassifier(effort, **settings)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.fit(training.X, loaded.labels, clean=trusted)
    notes = [*loaded.columns.notes, *(str(one.message) for one in said)]
    ordinary = GradientBoostClassifier(**settings)
    scores = compare(model, ordinary, training, trusted, model.noise_matrix_, seed, watch)
    unlabelled = loaded.matrix[~loaded.known]
    predicted = model.predict(unlabelled) if len(unlabelled) else loaded.labels[:0]
    return Audit(loaded, model, scores, predicted, {"effort": effort, "seed": seed}, notes)
