"""As ``cleanlab.multiannotator``: answers of several annotators, by ``nacre.judge_answers``."""

from __future__ import annotations

from typing import Any

import numpy as np

from nacre.compat.cleanlab.frames import pd
from nacre.compat.cleanlab.judgement import refuse
from nacre.noise.answer_quality import AnswerQuality, judge_answers
from nacre.noise.judge import read_probabilities

NUMBERS = "labels_multiannotator must hold whole numbers from 0, or NaN."


def get_label_quality_multiannotator(
    labels_multiannotator: Any,
    pred_probs: Any,
    *,
    consensus_method: str | list[str] = "best_quality",
    quality_method: str = "crowdlab",
    calibrate_probs: bool = False,
    return_detailed_quality: bool = True,
    return_annotator_stats: bool = True,
    return_weights: bool = False,
    verbose: bool = True,
    label_quality_score_kwargs: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Consensus labels of several annotators, how sure they are, and how good each annotator is.

    The consensus is the likeliest class, as cleanlab's is, whether or not somebody has said it;
    ``judge_answers(...).consensus`` is the likeliest of those that somebody has.

    Parameters
    ----------
    labels_multiannotator : data frame or array of shape (n, J)
        A column for each annotator; whole numbers from 0, NaN where there is no answer.
    pred_probs : array of shape (n, K)
        Out-of-fold probabilities.
    return_detailed_quality, return_annotator_stats : bool, default=True
        Whether these tables are wanted.
    consensus_method, quality_method, calibrate_probs, verbose, label_quality_score_kwargs
        Make no difference: nacre has one consensus, and calibrates in any case.
    return_weights : bool
        Is refused: there are noise matrices instead of weights.

    Returns
    -------
    dict of DataFrames
        ``label_quality`` (``consensus_label``, ``consensus_quality_score``, the probability that it
        is right, ``annotator_agreement``, ``num_annotations``), ``detailed_label_quality`` (the
        probability that each answer is right) and ``annotator_stats``, the worst first
        (``annotator_quality``, the share of right answers, ``agreement_with_consensus``,
        ``worst_class``, ``num_examples_labeled``).

    Examples
    --------
    >>> import numpy as np
    >>> from nacre.compat.cleanlab.multiannotator import get_label_quality_multiannotator
    >>> truth = np.arange(200) % 2
    >>> wrong = np.random.default_rng(0).random((200, 3)) < [0.05, 0.1, 0.4]
    >>> answers = np.where(wrong, 1 - truth[:, None], truth[:, None])
    >>> pred_probs = np.where(truth[:, None] == [0, 1], 0.9, 0.1)
    >>> found = get_label_quality_multiannotator(answers, pred_probs)
    >>> int(found["annotator_stats"].index[0])
    2
    """
    refuse(return_weights=return_weights)
    found, names, index = judged_answers(labels_multiannotator, pred_probs)
    likeliest, votes = found.posterior.argmax(axis=1), found.answers.votes
    agreeing = votes[np.arange(len(votes)), likeliest]
    tables = {
        "label_quality": pd.DataFrame(
            {
                "consensus_label": found.classes[likeliest],
                "consensus_quality_score": found.posterior.max(axis=1),
                "annotator_agreement": agreeing / np.maximum(found.n_answers, 1),
                "num_annotations": found.n_answers,
            },
            index=index,
        )
    }
    if return_detailed_quality:
        tables["detailed_label_quality"] = detailed_quality(found, names, index)
    if return_annotator_stats:
        tables["annotator_stats"] = annotator_stats(found, likeliest, names)
    return tables


def read_answers(labels_multiannotator: Any) -> tuple[np.ndarray, list[Any], Any]:
    """Answers as numbers, NaN where there is none, the annotators' names and the rows' index."""
    if isinstance(labels_multiannotator, pd.DataFrame):
        names, index = list(labels_multiannotator.columns), labels_multiannotator.index
    else:
        array = np.asarray(labels_multiannotator)
        if array.ndim != 2:
            raise ValueError("labels_multiannotator must have a column for each annotator.")
        names, index = list(range(array.shape[1])), None
        labels_multiannotator = pd.DataFrame(array)
    try:
        answers = labels_multiannotator.astype("Float64").astype(float).to_numpy()
    except (TypeError, ValueError):
        raise ValueError(NUMBERS) from None
    known = answers[~np.isnan(answers)]
    if not len(known) or (known < 0).any() or (known != known.round()).any():
        raise ValueError(NUMBERS)
    return answers, names, index


def judged_answers(
    labels_multiannotator: Any, pred_probs: Any = None
) -> tuple[AnswerQuality, list[Any], Any]:
    """What nacre says of answers, the names of the annotators, and the index of the rows."""
    answers, names, index = read_answers(labels_multiannotator)
    K = int(np.nanmax(answers)) + 1
    if pred_probs is not None:
        pred_probs = read_probabilities(pred_probs)
        K = max(K, pred_probs.shape[1])
    rows, columns = np.nonzero(~np.isnan(answers))
    plain = pd.DataFrame(
        {"row": rows, "annotator": columns, "answer": answers[rows, columns].astype(np.int64)}
    )
    return judge_answers(plain, pred_probs, classes=np.arange(K)), names, index


def detailed_quality(found: AnswerQuality, names: list[Any], index: Any) -> Any:
    """The probability that each answer is right, a column for each annotator."""
    table = np.full((len(found.given), len(names)), np.nan)
    who = found.annotators.names[found.answers.by]
    table[found.answers.row, who] = found.answer_quality
    columns = [f"quality_annotator_{name}" for name in names]
    return pd.DataFrame(table, columns=columns, index=index)


def annotator_stats(found: AnswerQuality, consensus: np.ndarray, names: list[Any]) -> Any:
    """How good each annotator is, the worst first."""
    all_of, answers = found.annotators, found.answers
    agreeing = np.bincount(answers.by, answers.said == consensus[answers.row])
    right = np.diagonal(all_of.matrices, axis1=1, axis2=2)
    table = pd.DataFrame(
        {
            "annotator_quality": 1.0 - all_of.rates,
            "agreement_with_consensus": agreeing / all_of.counts,
            "worst_class": all_of.classes[right.argmin(axis=1)],
            "num_examples_labeled": all_of.counts,
        },
        index=[names[place] for place in all_of.names],
    )
    return table.sort_values("annotator_quality", kind="stable")


def get_majority_vote_label(
    labels_multiannotator: Any, pred_probs: Any = None, verbose: bool = True
) -> np.ndarray:
    """What most annotators say; ties by the probabilities, then by the commoner class.

    Parameters
    ----------
    labels_multiannotator : data frame or array of shape (n, J)
    pred_probs : array of shape (n, K), optional
    verbose : bool
        Makes no difference.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> from nacre.compat.cleanlab.multiannotator import get_majority_vote_label
    >>> get_majority_vote_label([[0, 1, 1], [1, 0, float("nan")], [1, 1, 1]])
    array([1, 1, 1])
    """
    answers = read_answers(labels_multiannotator)[0]
    K = int(np.nanmax(answers)) + 1
    votes = np.stack([(answers == k).sum(axis=1) for k in range(K)], axis=1)
    chances = votes if pred_probs is None else read_probabilities(pred_probs)[:, :K]
    if chances.shape != votes.shape:
        raise ValueError(
            f"pred_probs must have a row for each of {len(votes)} rows of answers, and at least "
            f"{K} columns."
        )
    common = votes.sum(axis=0) / votes.sum()
    out: np.ndarray = (votes + 1e-3 * chances + 1e-6 * common).argmax(axis=1)
    return out


def get_active_learning_scores(
    labels_multiannotator: Any = None, pred_probs: Any = None, pred_probs_unlabeled: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """How sure the true class of each row is; ask about the lowest first.

    Parameters
    ----------
    labels_multiannotator : data frame or array of shape (n, J)
    pred_probs : array of shape (n, K)
    pred_probs_unlabeled : array of shape (m, K), optional
        Of rows that nobody has answered.

    Returns
    -------
    scores : ndarray of shape (n,)
        The probability of the likeliest class.
    scores_unlabeled : ndarray of shape (m,)
        Of the others.

    Examples
    --------
    >>> import numpy as np
    >>> from nacre.compat.cleanlab.multiannotator import get_active_learning_scores
    >>> truth = np.arange(200) % 2
    >>> wrong = np.random.default_rng(0).random((200, 3)) < 0.1
    >>> answers = np.where(wrong, 1 - truth[:, None], truth[:, None])
    >>> pred_probs = np.where(truth[:, None] == [0, 1], 0.9, 0.1)
    >>> scores, others = get_active_learning_scores(answers, pred_probs, [[0.5, 0.5]])
    >>> bool(others[0] < np.median(scores))
    True
    """
    if labels_multiannotator is None or pred_probs is None:
        raise ValueError(
            "labels_multiannotator and pred_probs must be given: nacre learns from them how far "
            "probabilities can be trusted."
        )
    answers = read_answers(labels_multiannotator)[0]
    chances = read_probabilities(pred_probs)
    n = len(answers)
    if pred_probs_unlabeled is not None:
        more = read_probabilities(pred_probs_unlabeled)
        chances = np.vstack([chances, more])
        answers = np.vstack([answers, np.full((len(more), answers.shape[1]), np.nan)])
    scores = judged_answers(answers, chances)[0].posterior.max(axis=1)
    return scores[:n], scores[n:]


def convert_long_to_wide_dataset(labels_multiannotator_long: Any) -> Any:
    """Answers one below the other as a table with a column for each annotator: as cleanlab's.

    Parameters
    ----------
    labels_multiannotator_long : data frame with the columns ``task``, ``annotator``, ``label``

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> import pandas as pd
    >>> from nacre.compat.cleanlab.multiannotator import convert_long_to_wide_dataset
    >>> long = pd.DataFrame({"task": [0, 0, 1], "annotator": ["a", "b", "b"], "label": [1, 0, 1]})
    >>> convert_long_to_wide_dataset(long).shape
    (2, 2)
    """
    wide = labels_multiannotator_long.pivot(index="task", columns="annotator", values="label")
    wide.index.name, wide.columns.name = None, None
    return wide
