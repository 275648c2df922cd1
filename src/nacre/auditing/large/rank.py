"""Suspects of all parts in one order: radix selection, whose counts merge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nacre.auditing.large.judging import Cut, Verdict
from nacre.auditing.summary import BARS, QUEUE
from nacre.noise.quality import rows_to_list

LISTED = 100_000
"""Suspects, at most, that are listed one by one; all of them are marked in the cleaned table."""

DIGIT = 16
"""Bits that are looked at together."""


def kth_smallest(arrays: Callable[[], Iterable[np.ndarray]], k: int) -> float:
    """The k-th smallest of floats from 0 on (k from 1), exactly, one array in memory at a time.

    Floats that are not negative are in the order of their bits. Each pass counts the next 16 of
    these among the numbers that agree in those before.
    """
    prefix, left = 0, k
    for shift in range(64 - DIGIT, -1, -DIGIT):
        counts = np.zeros(1 << DIGIT, np.int64)
        for values in arrays():
            bits = (values + 0.0).view(np.uint64)
            if shift < 64 - DIGIT:
                bits = bits[bits >> np.uint64(shift + DIGIT) == np.uint64(prefix)]
            digit = (bits >> np.uint64(shift)) & np.uint64((1 << DIGIT) - 1)
            counts += np.bincount(digit.astype(np.int64), minlength=1 << DIGIT)
        up_to = np.cumsum(counts)
        place = int(np.searchsorted(up_to, left))
        left -= int(up_to[place - 1]) if place else 0
        prefix = prefix << DIGIT | place
    return float(np.array(prefix, np.uint64).view(np.float64))


@dataclass(frozen=True, eq=False)
class Ranked:
    """The suspects of all parts.

    Attributes
    ----------
    count, changed : suspects, and labels that are changed in the cleaned table
    cuts : Cut of each part
    listed : parts and rows of the first suspects, most suspect first
    queue : how many of the first suspects are expected to be wrong
    joint, trusted : of all rows, as of a verdict
    given, suspect, suggested, predicted : rows by class
    flagged, others : histograms of the quality of suspects and of other rows
    """

    count: int
    changed: int
    cuts: list[Cut]
    listed: tuple[np.ndarray, np.ndarray]
    queue: list[dict[str, float]]
    joint: np.ndarray
    trusted: int
    given: np.ndarray
    suspect: np.ndarray
    suggested: np.ndarray
    predicted: np.ndarray
    flagged: np.ndarray
    others: np.ndarray


def rank(paths: Sequence[Path], n_classes: int) -> Ranked:
    """Rank the suspects: as many as labels seem to be wrong, and all that are to be changed.

    These are the rules of :class:`~nacre.noise.LabelQuality`, for rows that are not in memory at
    once.

    Parameters
    ----------
    paths : the verdicts on all parts, in their order
    n_classes : int
    """
    K, wrong, trusted, changed, worst = n_classes, 0.0, 0, 0, 0.0
    joint = np.zeros((K, K))
    given, predicted = np.zeros(K, np.int64), np.zeros(K, np.int64)
    for one in map(Verdict.read, paths):
        known = one.given >= 0
        sure = known & (one.label != one.given)
        joint, trusted = joint + one.joint, trusted + int(one.trusted)
        wrong += float((1.0 - one.quality[known]).sum())
        changed += int(sure.sum())
        worst = max(worst, float(one.quality[sure].max(initial=0.0)))
        given += np.bincount(one.given[known], minlength=K)
        predicted += np.bincount(one.label[~known], minlength=K)

    def qualities() -> Iterable[np.ndarray]:
        return map(Verdict.qualities, paths)

    count = rows_to_list(wrong)
    if changed:
        count = max(count, sum(int((one <= worst).sum()) for one in qualities()))
    cuts = cut_at(qualities, count)
    first = cut_at(qualities, min(count, LISTED))
    places, rows, quality = [], [], []
    suspect, suggested = np.zeros(K, np.int64), np.zeros(K, np.int64)
    flagged, others = np.zeros(BARS, np.int64), np.zeros(BARS, np.int64)
    edges = np.linspace(0.0, 1.0, BARS + 1)
    each = zip(map(Verdict.read, paths), cuts, first, strict=True)
    for number, (one, cut, top) in enumerate(each):
        mask, known = cut.suspected(one), one.given >= 0
        suspect += np.bincount(one.given[mask], minlength=K)
        suggested += np.bincount(one.other[mask], minlength=K)
        flagged += np.histogram(one.quality[mask], edges)[0]
        others += np.histogram(one.quality[known & ~mask], edges)[0]
        rows.append(np.flatnonzero(top.suspected(one)))
        places.append(np.full(len(rows[-1]), number))
        quality.append(one.quality[rows[-1]])
    order = np.lexsort((np.concatenate(rows), np.concatenate(places), np.concatenate(quality)))
    listed = np.concatenate(places)[order], np.concatenate(rows)[order]
    cuts = [cut._replace(listed=own) for cut, own in zip(cuts, rows, strict=True)]
    return Ranked(
        count, changed, cuts, listed, _queue(qualities, count), joint, trusted, given,
        suspect, suggested, predicted, flagged, others,
    )  # fmt: skip


def cut_at(qualities: Callable[[], Iterable[np.ndarray]], count: int) -> list[Cut]:
    """Where to cut each part so that ``count`` rows of the lowest quality are on one side.

    Of rows of equal quality the first count.
    """
    none = np.empty(0, np.int64)
    if count == 0:
        return [Cut(0.0, 0, none) for _ in qualities()]
    at = kth_smallest(qualities, count)
    left = count - sum(int((one < at).sum()) for one in qualities())
    cuts = []
    for one in qualities():
        ties = min(left, int((one == at).sum()))
        left -= ties
        cuts.append(Cut(at, ties, none))
    return cuts


def _queue(qualities: Callable[[], Iterable[np.ndarray]], count: int) -> list[dict[str, float]]:
    """How many of the first suspects are expected to be wrong: of a tenth, a half, all of them."""
    out = []
    for first in sorted({max(1, round(share * count)) for share in QUEUE}) if count else []:
        wrong = 0.0
        for one, cut in zip(qualities(), cut_at(qualities, first), strict=True):
            wrong += float((1.0 - one[one < cut.below]).sum() + cut.ties * (1.0 - cut.below))
        out.append({"first": first, "wrong": wrong})
    return out
