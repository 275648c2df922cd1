"""Columns of labels: which classes there are, how they are spelled, which may be one."""

from __future__ import annotations

import re
from collections.abc import Callable
from unicodedata import normalize

from nacre.data.column import many, shortened
from nacre.io.arrow import is_number, is_plain, pa, pc, spelled
from nacre.io.kinds import trimmed

MOST_CLASSES = 1000
LONGEST_LABEL = 200

Label = str | int | bool


def label_words(label: str, values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Labels as text."""
    if not is_plain(values.type):
        raise ValueError(
            f"Column {label!r} holds values of type {values.type}: labels must be text, "
            "whole numbers or booleans."
        )
    return trimmed(spelled(values))


def joined(words: pa.ChunkedArray) -> pa.ChunkedArray:
    """Labels without what they may differ in and yet look the same."""
    distinct = words.unique()
    plain = [None if word is None else _same(word) for word in distinct.to_pylist()]
    return pa.array(plain, words.type).take(pc.index_in(words, value_set=distinct))


def _commonest(words: pa.ChunkedArray) -> tuple[pa.ChunkedArray, list[str]]:
    """Labels that look the same, each as most of them are written, and a note on it."""
    counted = sorted((-one["counts"], one["values"]) for one in words.value_counts().to_pylist())
    first: dict[str, str] = {}
    into = {word: first.setdefault(_same(word), word) for _, word in counted}
    changed = {word: one for word, one in into.items() if word != one}
    distinct = words.unique()
    joined = pa.array([into[word] for word in distinct.to_pylist()], words.type)
    pairs = [f"{quoted(word)} into {quoted(one)}" for word, one in changed.items()]
    notes = [f"Labels are joined: {', '.join(pairs[:10])}."] if pairs else []
    return joined.take(pc.index_in(words, value_set=distinct)), notes


def learn_classes(
    label: str, values: pa.ChunkedArray, join: bool = False
) -> tuple[tuple[Label, ...], list[str]]:
    """The labels there are, and notes on them."""
    words = label_words(label, values).drop_null()
    words, notes = _commonest(words) if join else (words, [])
    if not len(words):
        raise ValueError(f"Column {label!r} has no label in any row: name another.")
    distinct = words.unique().to_pylist()
    if any("\0" in word for word in distinct):
        raise ValueError(f"Column {label!r} holds labels with a NUL character: take it out first.")
    if len(distinct) == 1:
        raise ValueError(
            f"All labels in column {label!r} are {shortened(distinct[0])!r}: "
            "a classifier needs at least two classes."
        )
    if pa.types.is_floating(values.type):
        fraction = next((word for word in distinct if not word.lstrip("-").isdigit()), None)
        if fraction is not None:
            raise ValueError(
                f"Column {label!r} holds numbers such as {fraction}, {len(distinct)} different "
                "ones: labels must be classes, given as text, whole numbers or booleans."
            )
    if many(len(distinct), len(words)) or len(distinct) > MOST_CLASSES:
        raise ValueError(
            f"Column {label!r} holds {len(distinct)} different values in {len(words)} rows, such "
            f"as {shortened(distinct[0])!r}: labels must be classes, of which there are fewer."
        )
    if max(map(len, distinct)) > LONGEST_LABEL:
        raise ValueError(f"Column {label!r} holds long text, not labels: name another.")
    if unlabelled := len(values) - len(words):
        notes.append(f"Rows without a label: {unlabelled}.")
    if pa.types.is_boolean(values.type):
        return (False, True), notes
    if is_number(values.type):
        whole = sorted(map(int, distinct))
        if whole[0] >= -(2**63) and whole[-1] < 2**63:
            return tuple(whole), notes
    return tuple(sorted(distinct)), notes + _alike(distinct)


UNSEEN = re.compile(r"[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]|[\ufe00-\ufe0f]")
"""Characters that take no place: zero-width spaces and joiners, soft hyphens, variants."""


def _unseen(word: str) -> str:
    return " ".join(UNSEEN.sub("", word).split())


def _same(word: str) -> str:
    return normalize("NFKC", _unseen(word)).casefold()


ALIKE: dict[str, Callable[[str], str]] = {
    "the form of their letters (Unicode)": lambda word: normalize("NFKC", word),
    "spaces and characters that are not seen": _unseen,
    "case": str.casefold,
    "case, spaces and the form of their letters": _same,
}
"""What labels may differ in and yet look the same, and how to take it away: all of it at last."""


def _alike(distinct: list[str]) -> list[str]:
    """Notes on labels that somebody may have meant to be one."""
    notes, met = [], set()
    for what, plain in ALIKE.items():
        first: dict[str, str] = {}
        for word in sorted(distinct):
            other = first.setdefault(plain(word), word)
            if other != word and (other, word) not in met:
                met.add((other, word))
                notes.append(
                    f"The labels {quoted(other)} and {quoted(word)} differ in {what} only."
                )
    return notes


def quoted(word: str) -> str:
    """A label between quotes, with codes for what cannot be seen."""
    return re.sub(UNSEEN, lambda found: f"\\u{ord(found[0]):04x}", repr(word))
