"""Which words of a text speak for another class: reasons that a person can read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from nacre.data.text import ANALYZERS, LONGEST
from nacre.io.arrow import plain_values

if TYPE_CHECKING:
    from nacre.auditing.load import Loaded

NAMED = 3
"""Words, at most, that are named."""

TELLING = 2.0
"""Times as common as a word must be in the suggested class to be named."""

SURE = 2.0
"""Standard errors that the log of this must be above 0."""

LEAST = 3
"""Texts that a word must be in."""

MOST_WORDS = 20_000


class Wording:
    """Counts in how many texts of each class a word is, column by column.

    Parameters
    ----------
    loaded : the table
    pool : numbers of labelled rows to count in
    """

    def __init__(self, loaded: Loaded, pool: np.ndarray) -> None:
        self._loaded = loaded
        labels = loaded.training.y[pool]
        names = [column.name for column in loaded.schema.columns if column.kind == "text"]
        self._columns = {
            name: [
                one
                for kind in ANALYZERS
                if (one := _count(self._texts(name, pool), labels, len(loaded.classes), kind))
            ]
            for name in names
        }

    def reasons(
        self, rows: np.ndarray, given: np.ndarray, suggested: np.ndarray, words: Sequence[str]
    ) -> list[list[str]]:
        """For each row a sentence on each text that has words commoner in the suggested class.

        ``words`` are the classes in words.
        """
        out: list[list[str]] = [[] for _ in rows]
        for name, counts in self._columns.items():
            texts = self._texts(name, rows)
            left = list(range(len(rows)))
            for one in counts:  # words first; characters where no word is known
                found = one.telling([texts[i] for i in left], given[left], suggested[left])
                for i, pairs in zip(left, found, strict=True):
                    if pairs:
                        out[i].append(_sentence(name, pairs, words[suggested[i]], words[given[i]]))
                left = [i for i, pairs in zip(left, found, strict=True) if pairs is None]
        return out

    def _texts(self, name: str, rows: np.ndarray) -> list[str]:
        loaded = self._loaded
        values = plain_values(loaded.frame[name][loaded.rows[rows]])
        return ["" if value is None else str(value) for value in values]


class _Counts:
    """In how many texts of each class a term is."""

    def __init__(self, reader: Any, counts: np.ndarray, sizes: np.ndarray, kind: str) -> None:
        self._reader, self._counts, self._sizes, self._kind = reader, counts, sizes, kind
        self._terms = reader.get_feature_names_out()

    def telling(
        self, texts: list[str], given: np.ndarray, suggested: np.ndarray
    ) -> list[list[tuple[str, float]] | None]:
        """Terms of each text that tell, the clearest first, and how much commoner they are.

        None where no term of a text is known.
        """
        if not texts:
            return []
        there = self._reader.transform(text[: LONGEST[self._kind]] for text in texts)
        return [
            self._of_one(there.indices[first:last], own, other) if first < last else None
            for first, last, own, other in zip(
                there.indptr[:-1], there.indptr[1:], given, suggested, strict=True
            )
        ]

    def _of_one(self, places: np.ndarray, own: int, other: int) -> list[tuple[str, float]]:
        here, there = self._counts[own, places] + 0.5, self._counts[other, places] + 0.5
        ratio = (there / (self._sizes[other] + 1.0)) / (here / (self._sizes[own] + 1.0))
        error = np.sqrt(1.0 / here + 1.0 / there)
        sure = np.log(ratio) - SURE * error > 0.0
        order = np.lexsort((places, error - np.log(ratio)))
        found: list[tuple[str, float]] = []
        for k in order:
            term = self._terms[places[k]].strip()
            if ratio[k] < TELLING or not sure[k] or len(found) == NAMED:
                continue
            if not any(term in one or one in term for one, _ in found):
                found.append((term, float(ratio[k])))
        return found


def _count(texts: list[str], labels: np.ndarray, classes: int, kind: str) -> _Counts | None:
    from sklearn.feature_extraction.text import CountVectorizer

    reader = CountVectorizer(binary=True, min_df=LEAST, max_features=MOST_WORDS, **ANALYZERS[kind])
    try:
        found = reader.fit_transform(text[: LONGEST[kind]] for text in texts)
    except ValueError:  # no term is in so many texts
        return None
    one_hot = sparse.csr_matrix(
        (np.ones(len(labels)), labels, np.arange(len(labels) + 1)), (len(labels), classes)
    )
    counts = np.asarray((one_hot.T @ found).todense(), float)
    return _Counts(reader, counts, np.bincount(labels, minlength=classes), kind)


def _sentence(name: str, pairs: list[tuple[str, float]], other: str, own: str) -> str:
    said = ", ".join(f"*{term}*" for term, _ in pairs)
    times = [f"{ratio:.0f}" for _, ratio in pairs]
    many = " and ".join([", ".join(times[:-1]), times[-1]] if times[1:] else times)
    return f"{name} says {said}: {many} times commoner in {other} than in {own}."
