"""Text becomes numbers: TF-IDF of words and of character n-grams, reduced by truncated SVD."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from scipy import sparse

from nacre.data.check import check_form

MOST_TERMS = 10_000
"""Words, or character n-grams, that are told apart: the commonest."""

RANK = 30
"""Components, at most, of each kind of terms."""

TEXTS_PER_COMPONENT = 5
"""Of few texts, there are no more components than one for so many."""

LEARNED_FROM = 20_000
"""Texts that the terms are learned from; of more, a sample."""

LONGEST = {"words": 20_000, "characters": 1_000}
"""Characters of a text, at most, whose terms are read: the first ones."""

SHORT = 30
"""Texts of fewer characters on average, such as names, are read by characters alone."""

TEXTS_AT_ONCE = 2_000
"""Read together, so that memory does not grow with the table."""

ANALYZERS: dict[str, dict[str, Any]] = {
    "words": {"analyzer": "word", "token_pattern": r"(?u)\b\w\w+\b"},
    "characters": {"analyzer": "char_wb", "ngram_range": (2, 4)},
}
"""How texts are taken apart: as scikit-learn's vectorizers are told.

Character n-grams do not cross the ends of words; where a language has no spaces, they are n-grams
of the sentence.
"""


@dataclass(frozen=True, eq=False)
class Terms:
    """TF-IDF of one kind of terms, and its truncated SVD: latent semantic analysis [1]_.

    Sublinear term frequency, smoothed inverse document frequency, rows of length 1, as
    scikit-learn's ``TfidfTransformer`` has them; then the projection on the first right singular
    vectors. It is learned without labels, so no label leaks into a feature.

    Attributes
    ----------
    kind : words or characters
    terms : the terms, ascending
    idf : array of shape (terms,)
    components : float32 array of shape (terms, rank)

    References
    ----------
    .. [1] S. Deerwester et al., "Indexing by latent semantic analysis", Journal of the American
       Society for Information Science 41, 1990.
    """

    kind: str
    terms: tuple[str, ...]
    idf: np.ndarray
    components: np.ndarray

    def __post_init__(self) -> None:
        _check_terms(self)

    @classmethod
    def learn(cls, texts: Sequence[str], kind: str) -> Terms | None:
        """The terms of texts that are in two of them or more; None where there are none.

        The order of the texts makes no difference.
        """
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.utils.extmath import randomized_svd

        texts = sorted(_sample(texts))
        reader = CountVectorizer(min_df=2, max_features=MOST_TERMS, **ANALYZERS[kind])
        try:
            counts = reader.fit_transform(text[: LONGEST[kind]] for text in texts)
        except ValueError:  # no term is in two texts
            return None
        n, V = counts.shape
        idf = np.log((1.0 + n) / (1.0 + counts.getnnz(axis=0))) + 1.0
        weighted = tf_idf(counts, idf)
        rank = max(1, min(RANK, V - 1, n // TEXTS_PER_COMPONENT))
        components = np.ones((V, 1), np.float32)
        if V > 1:
            axes = randomized_svd(weighted, rank, random_state=0)[2]
            components = np.ascontiguousarray(axes.T, np.float32)
        return cls(kind, tuple(reader.get_feature_names_out().tolist()), idf, components)

    def read(self, texts: Sequence[str]) -> np.ndarray:
        """Components of texts, of shape (n, rank); 0 where no term is known."""
        parts = [one @ self.components for one in self._weighed(texts)]
        return np.concatenate([np.zeros((0, self.components.shape[1])), *parts])

    def weigh(self, texts: Sequence[str]) -> sparse.csr_matrix:
        """TF-IDF of the terms of texts, of shape (n, terms)."""
        none = sparse.csr_matrix((0, len(self.terms)))
        return sparse.vstack([none, *self._weighed(texts)], "csr")

    def heaviest(self, texts: Sequence[str], count: int = 3) -> list[list[str]]:
        """The terms of each text that weigh most."""
        rows = self.weigh(texts)
        ends = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
        best = [a + np.argsort(-rows.data[a:b], kind="stable")[:count] for a, b in ends]
        return [[self.terms[rows.indices[k]].strip() for k in some] for some in best]

    def _weighed(self, texts: Sequence[str]) -> Iterator[sparse.csr_matrix]:
        reader = self._reader()
        for some in _batches(texts, LONGEST[self.kind]):
            yield tf_idf(reader.transform(some), self.idf)

    def _reader(self) -> Any:
        from sklearn.feature_extraction.text import CountVectorizer

        known = {term: place for place, term in enumerate(self.terms)}
        return CountVectorizer(vocabulary=known, **ANALYZERS[self.kind])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Terms) and (
            (self.kind, self.terms) == (other.kind, other.terms)
            and np.array_equal(self.idf, other.idf)
            and np.array_equal(self.components, other.components)
        )

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, and arrays."""
        return {
            "kind": self.kind,
            "terms": list(self.terms),
            "idf": self.idf,
            "components": self.components,
        }

    @classmethod
    def from_dict(cls, plain: Any) -> Terms:
        """From what ``to_dict`` gave; ValueError for anything else."""
        if not isinstance(plain, dict) or set(plain) != {"kind", "terms", "idf", "components"}:
            raise ValueError("terms have a kind, words and arrays.")
        if not isinstance(plain["terms"], list):
            raise ValueError("terms must be a list.")
        return cls(plain["kind"], tuple(plain["terms"]), plain["idf"], plain["components"])


def _check_terms(one: Terms) -> None:
    """Raise unless what a file says of terms can be."""
    if one.kind not in tuple(ANALYZERS):
        raise ValueError(f"terms must be {' or '.join(ANALYZERS)}.")
    V = len(one.terms)
    if not 0 < V <= MOST_TERMS or not all(type(term) is str for term in one.terms):
        raise ValueError(f"terms must be text, at most {MOST_TERMS} of them.")
    if any(a >= b for a, b in zip(one.terms, one.terms[1:], strict=False)):
        raise ValueError("terms must ascend.")
    check_form(one.idf, "idf", np.float64, (V,))
    check_form(one.components, "components", np.float32, (V, None))
    if not 0 < one.components.shape[1] <= RANK:
        raise ValueError(f"terms have at most {RANK} components.")
    if not (np.all(np.isfinite(one.idf)) and np.all(np.isfinite(one.components))):
        raise ValueError("numbers of terms must be finite.")


def learn_terms(texts: Sequence[str]) -> tuple[Terms, ...]:
    """The kinds of terms by which texts are read: characters, and words unless texts are short."""
    short = sum(map(len, texts)) < SHORT * len(texts)
    kinds = ["characters"] if short else ["words", "characters"]
    found = [Terms.learn(texts, kind) for kind in kinds]
    return tuple(one for one in found if one is not None)


def tf_idf(counts: sparse.csr_matrix, idf: np.ndarray) -> sparse.csr_matrix:
    """Sublinear TF-IDF of counts, rows of length 1."""
    out = sparse.csr_matrix(
        ((1.0 + np.log(counts.data)) * idf[counts.indices], counts.indices, counts.indptr),
        counts.shape,
    )
    length = np.sqrt(np.asarray(out.multiply(out).sum(axis=1)).reshape(-1))
    out.data /= np.repeat(np.where(length > 0.0, length, 1.0), np.diff(out.indptr))
    return out


def _sample(texts: Sequence[str]) -> list[str]:
    """All texts or, of many, those of the smallest hashes: the same whatever their order."""
    if len(texts) <= LEARNED_FROM:
        return list(texts)
    key = {text: blake2b(text.encode("utf-8", "replace")).digest() for text in set(texts)}
    return sorted(texts, key=key.__getitem__)[:LEARNED_FROM]


def _batches(texts: Sequence[str], longest: int) -> Iterator[list[str]]:
    for first in range(0, len(texts), TEXTS_AT_ONCE):
        yield [text[:longest] for text in texts[first : first + TEXTS_AT_ONCE]]
