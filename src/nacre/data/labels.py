"""Columns of labels: which classes there are, how they are spelled, which may be one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from unicodedata import normalize

from nacre.data.column import many, shortened
from nacre.io.arrow import is_number, is_plain, is_text, pa, pc, spelled
from nacre.io.kinds import MISSING, trimmed

MOST_CLASSES = 1000
LONGEST_LABEL = 200
NAMED = 5
"""Classes of several spellings, at most, that are named."""

JOIN = ": --join-labels (join_labels=True in Python) takes them for one."
"""How a note ends on labels that may be meant to be one."""

Label = str | int | bool


def label_words(label: str, values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Labels as text."""
    if not is_plain(values.type):
        raise ValueError(
            f"Column {label!r} holds values of type {shortened(str(values.type))}: labels must be "
            "text, whole numbers or booleans."
        )
    return trimmed(spelled(values))


def joined(words: pa.ChunkedArray) -> pa.ChunkedArray:
    """Labels without what they may differ in and yet look the same."""
    distinct = words.unique()
    plain = [None if word is None else _same(word) for word in distinct.to_pylist()]
    return pa.array(plain, words.type).take(pc.index_in(words, value_set=distinct))


def commonest(counts: Mapping[str, int]) -> tuple[dict[str, str], list[str]]:
    """For each label the spelling that most of those have that look the same, and a note on it."""
    first: dict[str, str] = {}
    into = {word: first.setdefault(_same(word), word) for word in _by_count(counts)}
    pairs = [f"{quoted(word)} into {quoted(one)}" for word, one in into.items() if word != one]
    return into, [f"Labels are joined: {', '.join(pairs[:10])}."] if pairs else []


def _counted(words: pa.ChunkedArray) -> dict[str, int]:
    found = words.value_counts()
    return dict(zip(*(found.field(name).to_pylist() for name in ("values", "counts")), strict=True))


def _by_count(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda word: (-counts[word], word))


def gap_words(values: pa.ChunkedArray, written: pa.ChunkedArray | None = None) -> dict[str, int]:
    """Words that are taken for no label, such as NA, and how often they stand there.

    ``written`` is the column as its file spells it, where values do not say all of that.
    """
    text = values if written is None else written
    if not is_text(text.type):
        return {}
    short = pc.utf8_trim_whitespace(text)
    words = pa.array([word for word in MISSING if word], short.type)
    found = _counted(short.filter(pc.is_in(short, value_set=words)))
    return {word: found[word] for word in _by_count(found)}


def say_gaps(words: Mapping[str, int]) -> str:
    """Those words, between quotes."""
    return listed([quoted(word) for word in words])


def rename(words: Mapping[str, int]) -> str:
    """What to do about words that are taken for no label."""
    return "rename it if it is a class" if len(words) == 1 else "rename what is a class of them"


def learn_classes(
    label: str,
    values: pa.ChunkedArray,
    join: bool = False,
    written: pa.ChunkedArray | None = None,
) -> tuple[tuple[Label, ...], list[str]]:
    """The labels there are, and notes on them; ``written`` as of ``gap_words``."""
    words = label_words(label, values).drop_null()
    counts = _counted(words)
    distinct = list(counts)
    notes: list[str] = []
    if join:
        into, notes = commonest(counts)
        distinct = list(dict.fromkeys(into[word] for word in distinct))
    gaps = gap_words(values, written)
    taken = f"say {say_gaps(gaps)}, taken for no label: {rename(gaps)}."
    if not len(words):
        why = f"{sum(gaps.values())} {taken}" if gaps else "name another."
        raise ValueError(f"Column {label!r} has no label in any row: {why}")
    if any("\0" in word for word in distinct):
        raise ValueError(f"Column {label!r} holds labels with a NUL character: take it out first.")
    if len(distinct) == 1:
        raise ValueError(
            f"All labels in column {label!r} are {shortened(distinct[0])!r}: "
            "a classifier needs at least two classes."
            + (f" Of the other rows, {sum(gaps.values())} {taken}" if gaps else "")
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
        which = f", {sum(gaps.values())} of which say {say_gaps(gaps)}: {rename(gaps)}"
        notes.append(f"Rows without a label: {unlabelled}{which if gaps else ''}.")
    if pa.types.is_boolean(values.type):
        return (False, True), notes
    if is_number(values.type):
        whole = sorted(map(int, distinct))
        if whole[0] >= -(2**63) and whole[-1] < 2**63:
            return tuple(whole), notes
    return tuple(sorted(distinct)), [*([] if join else alike(counts)), *notes]


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


def alike(counts: Mapping[str, int], unit: str = "row") -> list[str]:
    """One note on labels that somebody may have meant to be one, the spellings of each together."""
    groups: dict[str, list[str]] = {}
    for word in _by_count(counts):
        groups.setdefault(_same(word), []).append(word)
    said = []
    for some in groups.values():
        if len(some) > 1:
            what = next(what for what, plain in ALIKE.items() if len({*map(plain, some)}) == 1)
            each = [
                f"{quoted(word)} ({counts[word]} {unit}{'s' * (counts[word] != 1)})"
                for word in some
            ]
            said.append(f"{listed(each)} differ in {what} only")
    if not said:
        return []
    more = [f"so do spellings of {len(said) - NAMED} more"] if len(said) > NAMED else []
    return [f"The labels {'; '.join([*said[:NAMED], *more])}{JOIN}"]


def listed(words: Sequence[str]) -> str:
    """Words with commas between them, and "and" before the last."""
    return " and ".join([*([", ".join(words[:-1])] if words[1:] else []), *words[-1:]])


def quoted(word: str) -> str:
    """A label between quotes, with codes for what cannot be seen."""
    return re.sub(UNSEEN, lambda found: f"\\u{ord(found[0]):04x}", repr(word))
