"""Why a label looks wrong, and what a prediction hangs on, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from nacre.auditing.wording import Wording
from nacre.data import TrainingRows
from nacre.data.embed import embed
from nacre.filters.score import nearest_others

if TYPE_CHECKING:
    from nacre.auditing.load import Loaded
    from nacre.noise.quality import LabelQuality

POOL = 20_000
"""Rows that suspects are compared with; of more, a random sample."""

EXPLAINED = 10_000
"""Suspects, the first ones, whose neighbours and values are looked at."""

NEAR = 10
"""Neighbours."""

TENTHS = np.linspace(0.1, 0.9, 9)
"""A number is like those in the same tenth of all."""

NAMED = 3
"""Values, at most, that are named as speaking against a label."""

TELLING = 2.0
"""Times as common as a value must be in the suggested class to be named."""

OBJECTION = "But "
"""How a sentence begins that speaks for the label as it is."""

Cells = Callable[[int, int], str]
"""What stands in the table at a row and column."""


def explain_suspects(
    loaded: Loaded, found: LabelQuality, rows: np.ndarray, seed: int
) -> list[list[str]]:
    """Up to three sentences on each of ``rows``, most suspect first, of a table that was judged."""
    schema = loaded.schema
    return reasons(
        loaded.training, found.suspected, rows, found.suggested_codes[rows], found.probabilities,
        schema.classes, schema.features, loaded.cell, seed, schema.shown, partial(Wording, loaded),
    )  # fmt: skip


def reasons(
    training: TrainingRows,
    flagged: np.ndarray,
    rows: np.ndarray,
    suggested: np.ndarray,
    chances: np.ndarray,
    classes: Sequence[Any],
    names: Sequence[str],
    cells: Cells,
    seed: int,
    shown: Sequence[int] | None = None,
    wording: Callable[[np.ndarray], Wording] | None = None,
) -> list[list[str]]:
    """Some sentences on each of ``rows``: held-out models, neighbours, telling values and words.

    Parameters
    ----------
    training : the labelled rows
    flagged : which of them are suspects
    rows : row numbers, most suspect first
    suggested : codes of the labels suggested for them
    chances : probabilities of the classes, by models that have not seen the row
    classes : what the codes stand for
    names : of the features
    cells : what stands in the table at a row and column
    seed : of the sample of rows to compare with, where there are many
    shown : features whose values a person can read; default all
    wording : makes the words of texts of rows to compare with
    """
    words = [shortened(name) for name in classes]
    given = training.y[rows]
    said = [[vote(chances[i], a, b, words)] for i, a, b in zip(rows, given, suggested, strict=True)]
    close = np.flatnonzero((flagged[rows] & (given != suggested))[:EXPLAINED])
    if not len(close):
        return said
    near = rows[close]
    pool = compared(training, seed)
    around = training.y[nearest_others(training, NEAR, near, pool)]
    fair = pool[~flagged[pool]]
    shares = shares_alike(training, fair, near, shown)
    texts = wording(fair).reasons(near, given[close], suggested[close], words) if wording else []
    for i, (k, labels, alike) in enumerate(zip(close.tolist(), around, shares, strict=True)):
        cell = partial(cells, int(rows[k]))
        said[k] += evidence(words, given[k], suggested[k], labels, alike, names, cell)
        said[k] += texts[i] if texts else []
    return said


def nearest_agreeing(
    training: TrainingRows, flagged: np.ndarray, rows: np.ndarray, suggested: np.ndarray, seed: int
) -> list[int | None]:
    """For each row the nearest one that is no suspect and has the label suggested for it.

    Copies of a row and rows of its group are no others; None where there is none.
    """
    if not len(rows):
        return []
    pool = compared(training, seed)
    pool = pool[~flagged[pool]]
    points = embed(training.take(np.concatenate([pool, rows])))
    there, here = np.split(points, [len(pool)])
    out: list[int | None] = [None] * len(rows)
    for k in np.unique(suggested).tolist():
        label, asked = np.flatnonzero(training.y[pool] == k), np.flatnonzero(suggested == k)
        if not len(label):
            continue
        search = NearestNeighbors(n_neighbors=min(NEAR, len(label))).fit(there[label])
        found = pool[label[search.kneighbors(here[asked], return_distance=False)]]
        of = training.units.of
        for i, near in zip(asked.tolist(), found, strict=True):
            others = near[of[near] != of[rows[i]]]
            out[i] = int(others[0]) if len(others) else None
    return out


def compared(training: TrainingRows, seed: int) -> np.ndarray:
    """The rows that suspects are compared with."""
    return np.sort(training.units.shuffled(seed)[:POOL])


def evidence(
    words: Sequence[str],
    given: int,
    suggested: int,
    labels: np.ndarray,
    alike: np.ndarray,
    names: Sequence[str],
    cell: Callable[[int], str],
) -> list[str]:
    """Sentences on a row's neighbours and telling values.

    Parameters
    ----------
    words : the classes in words
    given, suggested : codes of the row's label and of the one suggested
    labels : codes of the labels of its neighbours
    alike : which share of each class has a value like the row's, column by column: (d, K)
    names : of the features
    cell : what stands in the table, by feature
    """
    own, other = words[given], words[suggested]
    counts = np.bincount(labels, minlength=len(words))
    said = [_neighbors(len(labels), counts[suggested], counts[given], other, own)]
    there, here = alike[:, suggested], alike[:, given]
    values = [
        f"{shortened(names[j])} = {cell(j)} ({there[j]:.0%} against {here[j]:.0%})"
        for j in telling(there, here)[:NAMED]
    ]
    if values:
        said.append(f"Commoner in {other} than in {own}: {', '.join(values)}.")
    return said


def _neighbors(near: int, there: int, here: int, other: str, own: str) -> str:
    """How many neighbours speak for another label; an objection, where more do for the own."""
    if here > there:
        return (
            f"{OBJECTION}of its {near} nearest rows, {here} are labelled {own} and {there} {other}."
        )
    return f"Of its {near} nearest rows, {there} are labelled {other} and {here} {own}."


def main_reason(reasons: Sequence[str]) -> str:
    """The one to show where there is room for one: the last that is no objection."""
    return [one for one in reasons if not one.startswith(OBJECTION)][-1]


def telling(there: np.ndarray, here: np.ndarray) -> list[int]:
    """Columns whose values are much commoner in one class than in another, the clearest first."""
    best = np.argsort(here - there, kind="stable")
    return [int(j) for j in best if there[j] > TELLING * here[j]]


def vote(chances: np.ndarray, given: int, suggested: int, words: Sequence[str]) -> str:
    """What models that have not seen a row say of it."""
    said = f"{words[suggested]} ({chances[suggested]:.0%})"
    if given == suggested:
        return f"Held-out models say {said}, as labelled."
    return f"Held-out models say {said}, not {words[given]} ({chances[given]:.0%})."


def shortened(value: Any) -> str:
    """Text that fits into a sentence."""
    text = " ".join(str(value).split())
    return text if len(text) <= 40 else text[:39] + "…"


def shares_alike(
    training: TrainingRows, pool: np.ndarray, rows: np.ndarray, shown: Sequence[int] | None = None
) -> np.ndarray:
    """Which share of each class has a value like the row's, column by column: (rows, d, K).

    Alike are numbers of the same tenth of all these, equal categories, and gaps. Of columns that
    are not ``shown``, such as components of text, nothing is said: their shares are 0.
    """
    K, y = training.n_classes, training.y[pool]
    sizes = np.maximum(np.bincount(y, minlength=K), 1)
    categorical = set(training.categorical)
    out = np.zeros((len(rows), training.X.shape[1], K))
    for j in range(out.shape[1]) if shown is None else shown:
        there, here = _binned(training.X[pool, j], training.X[rows, j], j in categorical)
        bins = max(there.max(initial=0), here.max()) + 1
        counts = np.bincount(there * K + y, minlength=bins * K).reshape(bins, K)
        out[:, j] = (counts / sizes)[here]
    return out


def _binned(there: np.ndarray, here: np.ndarray, category: bool) -> tuple[np.ndarray, np.ndarray]:
    """Bins of the values of a column in both places; missing ones have a bin of their own."""
    both = np.concatenate([there, here])
    if category:
        bins = np.unique(both, return_inverse=True)[1]
    else:
        gone = np.isnan(both)
        cuts = np.unique(np.quantile(both[~gone], TENTHS)) if not gone.all() else both[:0]
        bins = np.where(gone, len(cuts) + 1, np.searchsorted(cuts, both, "right"))
    return bins[: len(there)], bins[len(there) :]
