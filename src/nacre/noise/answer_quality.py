"""From answers of several annotators to labels, how sure they are, and how good each annotator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nacre.data.answers import Answers, read_answers
from nacre.data.training import as_mask
from nacre.noise.annotators import Unseen, Witness, draw_rates, fit_crowd, left_open, unseen
from nacre.noise.judge import by_names, judge, read_probabilities
from nacre.noise.noise_model import log_scores
from nacre.noise.quality import LEVEL, MOST, SURE, LabelQuality, NoiseRate, noise_matrix

UNLIKE = 3.0
"""Log-likelihood that annotators of one answer a row must gain to be judged each by a matrix."""

TAILS = 0.5 - LEVEL / 2, 0.5 + LEVEL / 2


@dataclass(frozen=True, eq=False, repr=False)
class AnnotatorQuality:
    """How good annotators are.

    Attributes
    ----------
    names : ndarray of shape (J,)
    counts : ndarray of shape (J,)
        How many answers each has given.
    rates : ndarray of shape (J,)
        The share of these that are wrong.
    intervals : ndarray of shape (J, 2)
        Where that lies, at the 95 % level. It allows for other rows than these too, though less
        surely; and, where rows have several answers, for half as many mistakes that all annotators
        make alike, and the model with them, as are seen: an assumption, since nothing shows these.
    agreement : ndarray of shape (J,)
        The share of answers that are the consensus.
    matrices : ndarray of shape (J, K, K)
        The noise matrices: how often each class (a column) is said where another (a row) is true,
        shrunk to what all annotators have in common.
    classes : ndarray
    """

    names: np.ndarray
    counts: np.ndarray
    rates: np.ndarray
    intervals: np.ndarray
    agreement: np.ndarray
    matrices: np.ndarray
    classes: np.ndarray

    @property
    def order(self) -> np.ndarray:
        """Annotators, the worst first: by the lower end of the interval, then by the rate."""
        return np.lexsort((-self.rates, -self.intervals[:, 0]))

    def to_dicts(self) -> list[dict[str, Any]]:
        """A line for each annotator, the worst first, as plain data."""
        return [
            {
                "name": self.names[j].item(),
                "answers": int(self.counts[j]),
                "rate": float(self.rates[j]),
                "interval": self.intervals[j].tolist(),
                "agreement": float(self.agreement[j]),
            }
            for j in self.order
        ]

    def __repr__(self) -> str:
        shown = self.to_dicts()[:10]
        lines = [
            f"{one['name']}: {one['rate']:.1%} of {one['answers']} answers wrong "
            f"({one['interval'][0]:.1%} to {one['interval'][1]:.1%})"
            for one in shown
        ]
        more = [f"and {len(self.names) - len(shown)} more"] if len(self.names) > len(shown) else []
        return "\n".join(lines + more)


@dataclass(frozen=True, eq=False, repr=False)
class AnswerQuality(LabelQuality):
    """What several annotators' answers come to: a :class:`LabelQuality` of the consensus labels.

    ``given`` is the consensus: of the classes that somebody has said of a row the likeliest, of a
    row without an answer the likeliest of all. So ``quality`` is the probability that the consensus
    is right, ``suspects`` are rows whose consensus looks wrong, ``corrected`` are the consensus
    labels but for rows where a class that nobody has said has 80 % or more.

    Attributes
    ----------
    posterior, probabilities, given, classes, noise
        As of :class:`LabelQuality`. ``probabilities`` are the witness's alone, calibrated.
    answers : Answers
        Who said what of which row, as codes.
    annotators : AnnotatorQuality
    """

    answers: Answers
    annotators: AnnotatorQuality

    @property
    def consensus(self) -> np.ndarray:
        """The consensus label of each row."""
        out: np.ndarray = self.classes[self.given]
        return out

    @property
    def n_answers(self) -> np.ndarray:
        """How many answers each row has."""
        out: np.ndarray = self.answers.votes.sum(axis=1)
        return out

    @property
    def agreement(self) -> np.ndarray:
        """The share of a row's answers that are the consensus; NaN where there are none."""
        votes = self.answers.votes[np.arange(len(self.given)), self.given]
        return np.where(self.n_answers > 0, votes / np.maximum(self.n_answers, 1), np.nan)

    @property
    def answer_quality(self) -> np.ndarray:
        """The probability that each answer is right, in the order of ``answers``."""
        out: np.ndarray = self.posterior[self.answers.row, self.answers.said]
        return out

    @property
    def to_ask(self) -> np.ndarray:
        """The rows that deserve another opinion, most doubtful first: no class has 80 %."""
        top = self.posterior.max(axis=1)
        order = np.argsort(top, kind="stable")
        out: np.ndarray = order[top[order] < SURE]
        return out

    def __repr__(self) -> str:
        return (
            f"{len(self.answers.row)} answers of {len(self.annotators.names)} annotators on "
            f"{len(self.given)} rows; {len(self.to_ask)} rows deserve another opinion; {self.noise}"
        )


def judge_answers(
    answers: Any, pred_probs: Any = None, *, clean: Any = None, classes: Any = None
) -> AnswerQuality:
    r"""Judge the answers of several annotators, with a model as one more witness.

    Dawid and Skene's model [1]_: each row has a true class, and each annotator a noise matrix that
    says what is answered where a class is true; both are found by expectation maximisation. The
    prior of the true class is the model's probabilities, calibrated at the same time [2]_. Matrices
    are shrunk to what annotators have in common, so that one of few answers does no harm; answers
    on rows that are hard for everybody count for less; and it tells which rows an annotator chose
    to answer (labelling functions that only ever say one thing).

    Where no row has more than one answer, how sure the model is cannot be told from the answers:
    the noise model of :func:`judge_labels` calibrates it, and annotators get matrices of their own
    if they are more unlike than chance would have it.

    Parameters
    ----------
    answers : table of n rows, or data frame with the columns ``row``, ``annotator``, ``answer``
        A column for each annotator (a missing value where there is no answer; names of columns are
        those of the annotators); or the answers one below the other, rows counted from 0, and
        other columns ignored.
    pred_probs : array of shape (n, K), optional
        Held-out probabilities of the classes by any model, such as one that has learned from the
        majority vote. Needed where no row has more than one answer; where few rows have, intervals
        are wide without it.
    clean : boolean mask of n rows, optional
        Rows whose truth is known: what most have said of them.
    classes : the label of each column of ``pred_probs``, optional
        Default: the distinct answers, ascending.

    Returns
    -------
    AnswerQuality
        Its ``consensus`` labels, ``quality`` (the probability that these are right), ``posterior``,
        ``to_ask`` (rows that deserve another opinion), ``annotators`` (how often each is wrong,
        with intervals, and noise matrices), ``agreement``, ``n_answers``; and all of
        :class:`~nacre.noise.LabelQuality`, of the consensus labels.

    See Also
    --------
    nacre.judge_labels : One label a row, nobody knows by whom.
    nacre.audit : The same for a file, with ``annotator=`` or ``answers=``.

    Notes
    -----
    *When it helps.* Several people, or labelling functions, have answered part of the rows each. It
    takes the place of cleanlab's ``get_label_quality_multiannotator``: ``consensus`` is its
    ``consensus_label``, ``quality`` its ``consensus_quality_score``, ``1 - annotators.rates`` its
    ``annotator_quality``.

    *When it does not.* Mistakes that all annotators make alike look like truth, to them and to a
    model that has learned from them.

    Alternate where you can: fit the model to the consensus, and judge the answers again.
    :func:`nacre.audit` does.

    References
    ----------
    .. [1] A. Dawid, A. Skene, "Maximum likelihood estimation of observer error-rates using the EM
       algorithm", Applied Statistics 28, 1979.
    .. [2] V. Raykar et al., "Learning from crowds", JMLR 11, 2010.
    .. [3] H. Goh, U. Tkachenko, J. Mueller, "CROWDLAB: Supervised learning to infer consensus
       labels and quality scores for data with multiple annotators", 2022; a weighted vote of
       annotators and model, to compare.

    Examples
    --------
    >>> import numpy as np
    >>> from nacre import judge_answers
    >>> truth = np.arange(200) % 2
    >>> rng = np.random.default_rng(0)
    >>> wrong = rng.random((200, 3)) < [0.05, 0.1, 0.4]
    >>> found = judge_answers(np.where(wrong, 1 - truth[:, None], truth[:, None]))
    >>> bool((found.consensus == truth).mean() > 0.9)
    True
    >>> found.annotators.order[0].item()
    2
    """
    chances = None if pred_probs is None else read_probabilities(pred_probs)
    read = read_answers(answers, None if chances is None else len(chances), classes)
    if chances is not None and chances.shape[1] != len(read.classes):
        raise ValueError(
            f"pred_probs has {chances.shape[1]} columns, the answers have {len(read.classes)} "
            "classes: name the label of each column by classes=."
        )
    if chances is not None:
        chances = by_names(pred_probs, chances, read.classes)
    trusted = np.zeros(read.n_rows, bool) if clean is None else as_mask(clean, read.n_rows)
    return judge_read(read, None if chances is None else log_scores(chances), trusted)


def judge_read(answers: Answers, scores: np.ndarray | None, clean: np.ndarray) -> AnswerQuality:
    """The same of answers that have been read; ``scores`` are centred log-probabilities."""
    votes, alone = answers.votes, None
    several = votes.sum(axis=1).max() > 1
    if not several and scores is None:
        raise ValueError(
            "No row has more than one answer: nothing can be compared without pred_probs, held-out "
            "probabilities of a model."
        )
    logs = scores
    if scores is not None and not several:
        alone = _judge_alone(answers, scores, clean)
        logs = np.log(np.maximum(alone.probabilities, 1e-300))
    witness = Witness(logs, fixed=alone is not None)
    known = np.where(clean & votes.any(axis=1), votes.argmax(axis=1), -1)
    posterior, crowd = fit_crowd(answers, witness, known)
    if alone is not None and crowd.unlike < UNLIKE:
        posterior = alone.posterior
    said = np.where(votes.any(axis=1, keepdims=True) & (votes == 0), -1.0, posterior)
    consensus = said.argmax(axis=1)
    noisy = votes.any(axis=1) & ~clean
    rates, wrong = draw_rates(answers, crowd, posterior, consensus, noisy)
    low, high = np.quantile(wrong, TAILS).tolist()
    hidden, slack = None, np.zeros((2, 2))
    if logs is None:
        slack = left_open(answers, posterior, consensus, noisy)
        low, high = max(low + float(slack[1, 0]), 0.0), high + float(slack[1, 1])
    if alone is None:
        hidden = unseen(answers, 1.0 - posterior[answers.row, answers.said], clean)
        high += hidden.shared + float(hidden.lonely.sum()) / max(int(noisy.sum()), 1)
        high = min(high, MOST)
    else:
        high = max(high, alone.noise.interval[1])
        if alone.noise.settled or crowd.unlike < UNLIKE:
            low = min(low, alone.noise.interval[0])
    matrix, rate = noise_matrix(posterior[noisy], consensus[noisy])
    noise = NoiseRate(rate, (min(low, rate), max(high, rate)), matrix, answers.classes)
    prior = np.exp(crowd.prior)
    return AnswerQuality(
        posterior,
        prior / prior.sum(axis=1, keepdims=True),
        consensus,
        answers.classes,
        noise,
        answers,
        _annotators(
            answers,
            posterior,
            consensus,
            rates,
            crowd.matrices,
            noise if alone else None,
            hidden,
            slack[0],
        ),
    )


def _judge_alone(answers: Answers, scores: np.ndarray, clean: np.ndarray) -> LabelQuality:
    """What the noise model says of labels, not knowing who gave them; rows without one included."""
    labelled = answers.votes.any(axis=1)
    given = answers.votes.argmax(axis=1)
    rows = np.flatnonzero(labelled)
    found, model = judge(scores[rows], given[rows], clean[rows], answers.classes)
    chances = model.true_classes(scores)
    posterior = chances.copy()
    posterior[rows] = found.posterior
    return LabelQuality(posterior, chances, given, answers.classes, found.noise)


def _annotators(
    answers: Answers,
    posterior: np.ndarray,
    consensus: np.ndarray,
    draws: np.ndarray,
    matrices: np.ndarray,
    noise: NoiseRate | None,
    hidden: Unseen | None,
    slack: np.ndarray,
) -> AnnotatorQuality:
    """Rates and intervals: what ``noise`` does not know, or is hidden or open, they do not."""
    counts = answers.by_annotator
    wrong = 1.0 - posterior[answers.row, answers.said]
    rates = np.bincount(answers.by, wrong, len(counts)) / np.maximum(counts, 1)
    agree = (consensus[answers.row] == answers.said).astype(float)
    agreement = np.bincount(answers.by, agree, len(counts)) / np.maximum(counts, 1)
    low, high = np.quantile(draws, TAILS, axis=0)
    least, most = 1.0, 1.0
    if noise is not None and noise.rate:
        least, most = (end / noise.rate for end in noise.interval)
    low = np.minimum(low.min(axis=0), rates * least)
    high = np.maximum(high.max(axis=0), np.minimum(rates * most, 1.0))
    low, high = low + slack[0], high + slack[1]
    if hidden is not None:
        lonely = np.bincount(answers.by, hidden.lonely, len(counts)) / np.maximum(counts, 1)
        low, high = low - hidden.shared - lonely, high + hidden.shared + lonely
    intervals = np.clip(np.stack([low, high], axis=1), 0.0, 1.0)
    return AnnotatorQuality(
        answers.annotators, counts, rates, intervals, agreement, matrices, answers.classes
    )
