"""The first pass: what is in each part, and a sample of the rows of all.

Rows are chosen by a hash of what stands in them, or of their group: the same ones whoever looks,
and copies of a row together, so that none of them is judged by a model that has seen another. Of a
group that would fill the sample, only some rows are drawn together; the others one by one.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from nacre.auditing.load import added_columns
from nacre.data.column import ROW_NAME
from nacre.data.labels import MOST_CLASSES
from nacre.data.schema import find_column
from nacre.io.arrow import TEXT, as_column, is_plain, is_text, pa, pc, spelled
from nacre.io.kinds import trimmed
from nacre.io.parts import Part, PartedTable
from nacre.io.read import read_table
from nacre.io.whole import whole_file
from nacre.kernels.random import mixed, mixed_pairs

FEWEST = 20
"""Rows of each class that are in the sample, where there are so many."""

COMMON = 20
"""Rows that are equal so often in a part are no copies, but have few values to differ in."""

GROUPS = 10
"""Groups that a sample has at least, where there are so many."""

LEVELS = 10_000
"""Different values of a column whose rows are counted; of more, the sample has to do."""

PLACE = ("nacre part", "nacre row", "nacre key")
"""Columns that say where the rows of a sample come from."""


@dataclass(frozen=True)
class Asked:
    """What somebody wants to know of a table; names of columns as for an audit."""

    label: str
    clean: str | None = None
    id: str | None = None
    group: str | None = None
    categorical: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    read: tuple[tuple[str, str], ...] = ()
    join_labels: bool = False
    effort: str | None = None
    sample: int = 100_000
    held: int = 50_000
    seed: int = 0

    def most_of_group(self, share: float = 1.0) -> int:
        """Rows of one group that are drawn together, of a share of the table."""
        return max(COMMON, int(share * (self.sample + self.held) / GROUPS))

    def within(self, names: Sequence[str]) -> Asked:
        """The same with the names that the table has; ValueError where it has none of that name."""
        known = list(names)
        found = {
            one: name if name is None else find_column(name, known)
            for one, name in (("label", self.label), ("clean", self.clean), ("id", self.id),
                              ("group", self.group))
        }  # fmt: skip
        return Asked(**{**vars(self), **found})

    def left_out(self, names: Sequence[str]) -> list[str]:
        """Columns that are not learned from, besides label and id."""
        own = added_columns(names, self.label)
        return [*self.ignore, *own, *(one for one in (self.clean, self.group) if one is not None)]


def survey(table: PartedTable, asked: Asked, share: float, part: Part, path: Path) -> None:
    """Count what is in a part, and take its rows of the lowest keys.

    Parameters
    ----------
    table : PartedTable
    asked : Asked
    share : of all rows, that the part has, about
    part : Part
    path : of an Arrow file: the rows, and what was counted as its metadata
    """
    text = None if table.form is None else table.text(part)
    rows = table.read(part) if text is None else table.as_types(text)
    n, frame = len(rows), read_table(rows)
    words = _words(as_column(frame[asked.label]))
    labels = words.dictionary_encode().combine_chunks()
    codes = labels.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    names = labels.dictionary.to_pylist()
    if len(names) > MOST_CLASSES:
        raise ValueError(
            f"Column {asked.label!r} holds more than {MOST_CLASSES} different values, such as "
            f"{names[0]!r}: labels must be classes, of which there are fewer."
        )
    keys = row_keys(frame, asked, part.number)
    clump, large = 1, np.zeros(n, bool)
    if asked.group is not None:
        clump = asked.most_of_group(share)
        keys, large = group_keys(keys, as_column(frame[asked.group]), clump, asked.seed)
    order = np.argsort(keys, kind="stable")
    order = order[codes[order] >= 0]
    expected = (asked.sample + asked.held) * share
    count = int(1.2 * expected + 6 * np.sqrt(expected * clump)) + 50
    chosen = np.zeros(n, bool)
    chosen[order[:count]] = True
    chosen[order[ranks(codes[order]) < FEWEST]] = True
    picked = np.flatnonzero(chosen)
    bound = int(keys[order[count - 1]]) if len(order) > count else 2**64 - 1
    columns = {name: as_column(frame[name]) for name in frame.columns}
    facts = {
        "rows": n,
        "labels": dict(zip(names, np.bincount(codes[codes >= 0], minlength=len(names)).tolist(),
                           strict=True)),
        "bound": bound,
        "large": bool(large.any()),
        "types": {name: _type(column) for name, column in columns.items()},
        "range": {name: _range(one) for name, one in columns.items() if _whole(one)},
        "counts": {
            name: _counts(column)
            for name, column in columns.items()
            if name != asked.label and (is_text(column.type) or name in asked.categorical)
        },
    }  # fmt: skip
    kept = (rows if text is None else text).take(pa.array(picked))
    for name, values in zip(PLACE, (np.full(len(picked), part.number), picked, keys[picked]),
                            strict=True):  # fmt: skip
        kept = kept.append_column(name, pa.array(values))
    kept = kept.replace_schema_metadata({b"nacre": json.dumps(facts).encode()})
    with whole_file(path) as half, pa.ipc.new_file(str(half), kept.schema) as file:
        file.write_table(kept)


def row_keys(frame: Any, asked: Asked, part: int) -> np.ndarray:
    """A number for each row by what stands in its columns, but for label, id and group."""
    aside = {asked.label, asked.id, *asked.left_out(frame.columns)}
    names = [name for name in frame.columns if name not in aside]
    keys = np.full(len(frame), asked.seed, np.uint64)
    for name in [one for one in names if not re.fullmatch(ROW_NAME, one)] or names:
        keys = _mix(keys, as_column(frame[name]))
    _, place, times = np.unique(keys, return_inverse=True, return_counts=True)
    common = times[place] > COMMON
    keys[common] = mixed(
        keys[common] ^ np.flatnonzero(common).astype(np.uint64), np.uint64(part), np.uint64(2)
    )
    return keys


def group_keys(
    keys: np.ndarray, column: pa.ChunkedArray, most: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Keys by group, but for rows beyond the first ``most`` of theirs: a mask says which.

    These keep a key of their own: few groups with all of their rows would be no sample.
    """
    groups = _mix(np.full(len(keys), seed, np.uint64), column)
    order = np.argsort(keys, kind="stable")
    beyond = np.ones(len(keys), bool)
    beyond[order[ranks(groups[order]) < most]] = False
    return np.where(beyond, mixed_pairs(keys, groups), groups), beyond


def _mix(keys: np.ndarray, column: pa.ChunkedArray) -> np.ndarray:
    """Keys with a column taken in."""
    if not is_plain(column.type):
        return keys
    if not is_text(column.type) and not pa.types.is_temporal(column.type):
        values = column.cast(pa.float64(), safe=False).to_numpy() + 0.0
        return np.asarray(mixed_pairs(keys, np.ascontiguousarray(values).view(np.uint64)))
    coded = spelled(column).cast(TEXT).combine_chunks().dictionary_encode()
    words = coded.dictionary.to_pylist()
    digests = b"".join(blake2b(word.encode(), digest_size=8).digest() for word in words)
    hashes = np.append(np.frombuffer(digests, np.uint64), np.uint64(0))
    places = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return np.asarray(mixed_pairs(keys, hashes[places]))


def ranks(codes: np.ndarray) -> np.ndarray:
    """The place of each among those of its code, from 0."""
    order = np.argsort(codes, kind="stable")
    out = np.empty(len(codes), np.int64)
    out[order] = np.arange(len(codes)) - np.searchsorted(codes[order], codes[order])
    return out


def _words(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if not is_plain(column.type):
        raise ValueError(
            f"The labels are of type {column.type}: they must be text, whole numbers or booleans."
        )
    return trimmed(spelled(column).cast(TEXT))


def _type(column: pa.ChunkedArray) -> str:
    return "null" if column.null_count == len(column) else str(column.type)


def _whole(column: pa.ChunkedArray) -> bool:
    return pa.types.is_integer(column.type) and column.null_count < len(column)


def _range(column: pa.ChunkedArray) -> list[int]:
    found = pc.min_max(column).as_py()
    return [found["min"], found["max"], column.null_count]


def _counts(column: pa.ChunkedArray) -> dict[str, int] | None:
    """How often each value comes; None where there are many."""
    if not is_plain(column.type):
        return None
    words, counts = trimmed(spelled(column).cast(TEXT)).drop_null().value_counts().flatten()
    if len(words) > LEVELS:
        return None
    return dict(zip(words.to_pylist(), counts.to_pylist(), strict=True))


@dataclass(frozen=True, eq=False)
class Surveyed:
    """What all parts hold together.

    Attributes
    ----------
    rows : of each part
    labels : how many rows have each label, as text
    types : the Arrow type of each column of a CSV file; None of other tables
    range : least, most and gaps of columns of whole numbers
    counts : how many rows have each value, by column; None where there are too many
    table : the chosen rows; to learn from, then ``held``
    part, row : where each of them stands
    learned : how many of them are to learn from
    large : whether there are groups of more rows than are drawn together
    """

    rows: np.ndarray
    labels: dict[str, int]
    types: dict[str, Any] | None
    range: dict[str, list[int]]
    counts: dict[str, dict[str, int] | None]
    table: pa.Table
    part: np.ndarray
    row: np.ndarray
    learned: int
    large: bool

    @property
    def starts(self) -> np.ndarray:
        """The number of the first row of each part in the table."""
        return np.concatenate([[0], np.cumsum(self.rows)[:-1]])

    @property
    def numbers(self) -> np.ndarray:
        """The number of each chosen row in the table."""
        return self.starts[self.part] + self.row


class Merging:
    """What was found in the parts so far; what is held does not grow with their number.

    Of the rows, those are kept that may still be chosen: of the lowest keys, and the first of each
    class.
    """

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.sizes: list[int] = []
        self.labels: Counter[str] = Counter()
        self.counts: dict[str, Any] = {}
        self.ranges: dict[str, list[int]] = {}
        self.types: dict[str, set[str]] = {}
        self.bound, self.large = 2**64 - 1, False
        self.rows: pa.Table = None

    @property
    def room(self) -> int:
        """More rows than are ever chosen."""
        return 2 * (self.asked.sample + self.asked.held) + FEWEST * len(self.labels)

    def add(self, found: pa.Table) -> None:
        """Take in the survey of the next part."""
        facts = json.loads(found.schema.metadata[b"nacre"])
        self.sizes.append(facts["rows"])
        self.labels.update(facts["labels"])
        if len(self.labels) > MOST_CLASSES:
            raise ValueError(
                f"Column {self.asked.label!r} holds more than {MOST_CLASSES} different values: "
                "labels must be classes, of which there are fewer."
            )
        for name, count in facts["counts"].items():
            self.counts[name] = _added(self.counts.get(name, Counter()), count)
        for name, (least, most, gaps) in facts["range"].items():
            a, b, c = self.ranges.get(name, [least, most, 0])
            self.ranges[name] = [min(a, least), max(b, most), c + gaps]
        for name, kind in facts["types"].items():
            self.types.setdefault(name, set()).add(kind)
        self.bound, self.large = min(self.bound, facts["bound"]), self.large or facts["large"]
        rows = found.replace_schema_metadata(None)
        self.rows = rows if self.rows is None else pa.concat_tables([self.rows, rows])
        if len(self.rows) > 2 * self.room:
            self._prune()

    def _prune(self) -> None:
        key, codes = self.rows[PLACE[2]].to_numpy(), _codes(self.rows, self.asked.label)
        order = np.argsort(key, kind="stable")
        kept = np.zeros(len(key), bool)
        kept[_sure(order, key, self.bound, self.asked)[: self.room]] = True
        kept[order[ranks(codes[order]) < FEWEST]] = True
        self.rows = self.rows.take(pa.array(np.flatnonzero(kept)))


def merge_surveys(table: PartedTable, asked: Asked, paths: Sequence[Path]) -> Surveyed:
    """Merge what was found in all parts, in their order, and choose the sample."""
    found = Merging(asked)
    for path in paths:
        with pa.ipc.open_file(pa.OSFile(str(path))) as file:
            found.add(file.read_all())
    if not found.labels:
        raise ValueError(f"Column {asked.label!r} has no label in any row: name another.")
    rows, kinds = found.rows, None
    labels = rows.select([asked.label])
    if table.form is not None:
        kinds = {name: _joined(some) for name, some in found.types.items()}
        labels = table.as_types(labels, kinds)
    key = rows[PLACE[2]].to_numpy()
    chosen, learned = choose(key, _codes(labels, asked.label), found.bound, asked)
    rows = rows.take(pa.array(chosen))
    part, row = (rows[name].to_numpy() for name in PLACE[:2])
    kept = rows.drop_columns(PLACE)
    kept = kept if kinds is None else table.as_types(kept, kinds)
    return Surveyed(
        np.array(found.sizes), dict(found.labels), kinds, found.ranges, found.counts, kept,
        part, row, learned, found.large,
    )  # fmt: skip


def choose(key: np.ndarray, codes: np.ndarray, bound: int, asked: Asked) -> tuple[np.ndarray, int]:
    """Rows of the lowest keys: those to learn from, then those to hold out; how many the first are.

    The first rows of every class come first, one of each after the other, so that all are known
    from the beginning. A third is held out where there are few rows.
    """
    order = np.argsort(key, kind="stable")
    rank = ranks(codes[order])
    first = order[np.argsort(rank, kind="stable")[: int(np.sum(rank < FEWEST))]]
    sure = _sure(order, key, bound, asked)
    both = np.concatenate([first, sure[~np.isin(sure, first)]])
    count = min(max(asked.sample, len(first)), 2 * len(both) // 3)
    return both[: count + asked.held], count


def _sure(order: np.ndarray, key: np.ndarray, bound: int, asked: Asked) -> np.ndarray:
    """Of rows in the order of their keys, those before which no part has others."""
    sure = order[key[order] <= bound]
    return sure[ranks(key[sure]) < asked.most_of_group()]


def _codes(rows: pa.Table, label: str) -> np.ndarray:
    """The labels of rows, as codes."""
    words = _words(as_column(read_table(rows.select([label]))[label])).dictionary_encode()
    return np.asarray(words.combine_chunks().indices.to_numpy(zero_copy_only=False))


def _added(one: Any, found: dict[str, int] | None) -> Any:
    if one is None or found is None:
        return None
    one.update(found)
    return one if len(one) <= LEVELS else None


def _joined(kinds: set[str]) -> Any:
    """The type of a column of a CSV file whose parts have these."""
    told = kinds - {"null"}
    if not told:
        return None
    if told <= {"int64", "double"}:
        return pa.float64() if "double" in told else pa.int64()
    return pa.string()
