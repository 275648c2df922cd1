"""From a table to an answer."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from nacre.auditing.compare import compare
from nacre.auditing.crowd import judge_crowd
from nacre.auditing.explain import explain_suspects
from nacre.auditing.findings import find_all
from nacre.auditing.influence import held_out_importances
from nacre.auditing.load import Loaded, load
from nacre.auditing.picture import picture_suspects
from nacre.auditing.result import Audit
from nacre.auditing.summary import cleaned_table, ranked_table, summarize
from nacre.bins import Bins, bin_training
from nacre.consensus.classifier import NacreClassifier
from nacre.io.hugging_face import as_dataset, is_dataset
from nacre.io.size import check_memory
from nacre.progress import Event, Progress, silent, within

MANY = 100_000
"""Of more rows, an audit takes less trouble over each unless it is told to."""


def audit(
    table: Any,
    label: str | int | Sequence[str | int] | None = None,
    *,
    annotator: str | None = None,
    answers: Any = None,
    clean: str | None = None,
    original: str | None = None,
    id: str | None = None,
    group: str | None = None,
    categorical_features: Iterable[str] = (),
    text: Iterable[str] = (),
    ignore: Iterable[str] = (),
    read: Mapping[str, str] | None = None,
    join_labels: bool = False,
    pred_probs: Any = None,
    effort: str | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Progress = silent,
) -> Audit:
    """Find out how wrong the labels of a table are, which, and what can be learned all the same.

    Parameters
    ----------
    table : path, data frame or NumPy array
        A file, a sheet or table in one (``book.xlsx::Sheet``, ``shop.db::orders``), a folder of
        Parquet files, or "-" for standard input, as ``read_table`` takes them; a pandas, polars or
        pyarrow table, or a data set of Hugging Face ``datasets``.
    label : str, int or list of them
        The column of labels. Rows without one get a predicted label. Several columns are the
        answers of several annotators: a column ``consensus`` is added, and judged.
    annotator : str, optional
        A column that says who gave the label: it is not learned from, but labels of those who are
        often wrong are more suspect.
    answers : path or data frame, optional
        Instead of ``label``: a table with the columns ``row`` (counted from 0, or a value of the
        column ``id``), ``annotator`` and ``answer``.
    clean : str, optional
        A column that says whose label is trusted: true, yes or 1.
    original : str, optional
        A column of the labels as they were before rows were checked; a table that a review has
        written has one, which is found without asking. What was found wrong among the trusted rows
        tells how many of the others are.
    id : str, optional
        A column that identifies the rows; it is shown, and not learned from.
    group : str, optional
        A column that says which rows belong together, such as the visits of a patient: none of
        them has a say in how another is judged. It is not learned from.
    categorical_features : names of columns, optional
        Columns that hold categories, whatever they look like.
    text : names of columns, optional
        Columns that hold text to read, whatever they look like.
    ignore : names of columns, optional
        Columns to leave out.
    read : dict, optional
        What columns are, by their names, where nacre would understand their text otherwise:
        "number", "decimal-comma", "decimal-point", "time", "boolean", "date", "day-first",
        "month-first", "category", "text" or "ignore".
    join_labels : bool, default=False
        Take labels for one that differ in case, spaces or the form of letters only, such as "Yes",
        "yes " and "YES"; the commonest spelling counts.
    pred_probs : path, data frame or array of shape (rows, classes), optional
        Held-out probabilities of the classes by a model of your own, a row for each row of the
        table: columns named by the classes or, of an array, in their order. They are one more
        member beside nacre's own; where no other column is left to learn from, they judge alone.
        A note says which.
    effort : {"full", "fast"}, optional
        As for :class:`~nacre.NacreClassifier`; "full" unless there are more than 100 000 rows.
    random_state : int, default=0
        Seeds all that is drawn, so that the same table gets the same answer.
    n_jobs : int or None, default=None
        Threads; the result is the same for any number.
    progress : callback, optional
        Is told how far the audit is: see :mod:`nacre.progress`.

    Returns
    -------
    Audit
        Its ``noise`` (how many labels are wrong), ``suspects`` and ``cleaned`` (tables of the kind
        that was given), ``model``, ``metrics`` and ``notes``; ``report`` and ``save`` write files.

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
    Where classes overlap, ``noise`` may say that it is not settled whether labels are wrong, and
    how many random rows to check (``clean``) to settle it.
    Of text, words and parts of words are read, not what they mean together: where you have an
    embedding, give its columns instead. More than 1000 classes are refused.

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
    progress(Event("Reading the table"))
    loaded = load(
        table,
        label,
        annotator=annotator,
        answers=answers,
        clean=clean,
        original=original,
        id=id,
        group=group,
        categorical_features=categorical_features,
        text=text,
        ignore=ignore,
        read=read,
        join_labels=join_labels,
        pred_probs=pred_probs,
    )
    found = examine(loaded, effort, random_state, n_jobs, progress)
    if is_dataset(table):
        tables = (as_dataset(one, table) for one in (found.suspects, found.cleaned))
        found = replace(found, **dict(zip(("suspects", "cleaned"), tables, strict=True)))
    return found


class Judged(NamedTuple):
    """A table whose labels are judged.

    Attributes
    ----------
    loaded : the table; where several annotators have answered, with the labels of their consensus
    model : fitted to all labelled rows
    bins : of the labelled rows
    answers : what was found of annotators, or None
    notes : lines on what was set aside or may surprise
    """

    loaded: Loaded
    model: NacreClassifier
    bins: Bins
    answers: Any
    notes: list[str]


def usual_effort(rows: int) -> str:
    """How much trouble an audit takes over a table of so many labelled rows, where nobody says."""
    return "full" if rows <= MANY else "fast"


def judge_table(
    loaded: Loaded,
    effort: str | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress = silent,
) -> Judged:
    """Learn from a table, and judge its labels."""
    loaded.require_rows()
    schema = loaded.schema
    check_memory(*loaded.size)
    effort = effort or usual_effort(len(loaded.rows))
    learning = within(Event("Learning, and looking for wrong labels"), progress)
    answers = None
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        bins = bin_training(loaded.training)

        def fit(labelled: Loaded, effort: str) -> NacreClassifier:
            model = NacreClassifier(effort, random_state=seed, n_jobs=n_jobs)
            if schema.categorical:
                model.set_params(categorical_features=list(schema.categorical))
            chances = labelled.pred_probs
            return model.fit_training(
                labelled.training,
                loaded.classes,
                clean=loaded.trusted,
                original=loaded.original,
                bins=bins,
                pred_probs=None if chances is None else chances[labelled.known],
                alone=labelled.alone,
                progress=learning,
            )

        if loaded.answers is None:
            model = fit(loaded, effort)
        else:
            loaded, model, answers = judge_crowd(
                loaded, partial(fit, effort=effort), partial(fit, effort="fast")
            )
    notes = [*whose(loaded, model), *loaded.notes, *(str(one.message) for one in said)]
    return Judged(loaded, model, bins, answers, notes)


def examine(
    loaded: Loaded,
    effort: str | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress = silent,
) -> Audit:
    """Audit a table that has been read: judge, compare, explain, sum up."""
    loaded, model, bins, answers, notes = judge_table(loaded, effort, seed, n_jobs, progress)
    schema, found, training = loaded.schema, model.found_, loaded.training
    comparing = within(Event("Comparing models on held-out rows"), progress)
    compared = compare(found, training, bins, loaded.trusted, seed, comparing)
    progress(Event("Explaining"))
    reasons = explain_suspects(loaded, found, found.suspects, seed)
    pictures = picture_suspects(loaded, found, compared.without, seed)
    used = held_out_importances(
        compared.without, compared.training, found.noise.matrix, schema.sources, seed
    )
    open_rows = ~loaded.known
    predicted = loaded.rows[:0]
    if open_rows.any():
        words = None if loaded.text_words is None else loaded.text_words[open_rows]
        predicted = model.predict_proba(loaded.matrix[open_rows], words).argmax(axis=1)
    progress(Event("Looking for what else is wrong"))
    findings = find_all(loaded, found, seed)
    settings = {"effort": model.effort, "seed": seed}
    return Audit(
        summary=summarize(
            loaded,
            found,
            reasons,
            pictures,
            used,
            predicted,
            compared.card,
            findings,
            answers,
            settings,
            notes,
        ),
        suspects=ranked_table(loaded, found, found.suspects, reasons).to_native(),
        cleaned=cleaned_table(loaded, found, predicted).to_native(),
        model=model,
        schema=schema,
        spelling=loaded.spelling,
        ranked=lambda: ranked_table(
            loaded, found, found.order, explain_suspects(loaded, found, found.order, seed)
        ).to_native(),
    )


def whose(loaded: Loaded, model: NacreClassifier) -> list[str]:
    """A line on whose held-out probabilities judge the labels, where some were given."""
    if loaded.pred_probs is None:
        return []
    if loaded.alone:
        return ["Labels are judged by the probabilities that were given, alone."]
    return [
        "Labels are judged by nacre's own models and the probabilities that were given, whose "
        f"weight is {model.pred_probs_weight_:.0%}."
    ]
