"""What else a person should know of a table: each finding with its evidence and its rows.

At most a handful, and none where there is no need: every search here asks for more than chance, or
the usual unevenness of tables, would give.
"""

from __future__ import annotations

import re
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.stats import hypergeom
from sklearn.neighbors import NearestNeighbors

from nacre.auditing.explain import shortened
from nacre.data import TrainingRows
from nacre.data.column import MAYBE_ROW_NAME, ROW_NAME
from nacre.data.embed import embed
from nacre.data.features import spelled
from nacre.data.folds import find_units
from nacre.io.arrow import plain_values
from nacre.io.frames import is_missing
from nacre.noise.quality import LabelQuality

if TYPE_CHECKING:
    from nacre.auditing.load import Loaded

LISTED = 1000
"""Rows of a finding, at most, that are listed."""

POOL = 4000
"""Rows whose neighbours are looked for; of more, a random sample."""

ALONE, OTHERS = 0.005, 0.05
"""A column gives the label away that is wrong so seldom, where all others are wrong more often."""

FEWEST = 5
"""Rows outside the commonest class: of fewer, chance puts the values side by side too often."""

AGREE = 0.7
"""Columns of the labels' own words that agree with them so often are somebody's answers."""

SAME = 0.5
"""Rows that belong together have their nearest neighbour among each other so often."""

CHANCE = 0.01
"""The probability that any slice would be named where none is worse."""

SLICES, SMALLEST, LEVELS = 3, 20, 50
"""Slices named, at most; rows of one, at least; values of a column that slices are made of."""

FAR = 4.0
"""Times as far from its neighbours as all but a hundredth of the rows, a row is an outlier."""

NEAR = 5
"""Neighbours that an outlier is far from."""

CLOSE = 0.01
"""Share of the usual distance between neighbours within which rows are near-copies."""


class Finding(NamedTuple):
    """Something that was found."""

    kind: str  # leak, group, conflict, slice, copy or outlier
    said: str
    rows: list[int]  # of the table, from 0; not all where there are many


def find_all(loaded: Loaded, found: LabelQuality, seed: int) -> list[Finding]:
    """All findings, those that make others worthless first."""
    return [
        *leaks(loaded),
        *(groups(loaded, seed) if loaded.group is None else ()),
        *conflicts(loaded),
        *slices(loaded, found),
        *(near_copies(loaded, seed) if loaded.group is not None else ()),
        *outliers(loaded, seed),
    ]


# Columns that give the label away


def leaks(loaded: Loaded) -> list[Finding]:
    """Columns that hold the labels themselves, or tell them alone while no other does."""
    out = []
    answers = _answers(loaded)
    if answers:
        named = _listed([f"{shortened(name)!r} ({share:.0%})" for name, share in answers.items()])
        options = " ".join(f"--ignore {quote(name)}" for name in answers)
        out.append(
            Finding(
                "leak",
                f"Labels in other columns: {named} {'holds' if len(answers) == 1 else 'hold'} the "
                f"same words as {shortened(loaded.schema.label)!r} and {_agree(len(answers))} "
                "with it so often. If these are somebody's answers, or the label before or after, "
                "what is said here of wrong labels is worth nothing: leave them out "
                f"({options}), or name them as labels beside it (--label).",
                [],
            )
        )
    errors = {name: wrong for name, wrong in _errors(loaded).items() if name not in answers}
    base = 1.0 - np.bincount(loaded.training.y).max() / len(loaded.rows)
    telling = [name for name, wrong in errors.items() if wrong <= min(ALONE, base / 10)]
    rest = [wrong for name, wrong in errors.items() if name not in telling]
    if 0 < len(telling) <= SLICES and min(rest, default=1.0) >= OTHERS:
        for name in telling:
            best = f", no other in more than {1 - min(rest):.0%}" if rest else ""
            out.append(
                Finding(
                    "leak",
                    f"Column {shortened(name)!r} gives the label away: alone it is right in "
                    f"{1 - errors[name]:.1%} of the rows{best}. If it was made from the label, "
                    "what is said here of wrong labels is worth nothing: leave it out (--ignore "
                    f"{quote(name)}).",
                    [],
                )
            )
    return out


def _answers(loaded: Loaded) -> dict[str, float]:
    """Columns that hold the same words as the labels, and how often they agree with them.

    Where labels are numbers, or yes and no, so are many columns: those are answers that are the
    label, or whose vote is.
    """
    classes = [str(one) for one in loaded.schema.classes]
    words = not any(re.fullmatch(r"[-+.\d]+|(?i:true|false|yes|no)", one) for one in classes)
    given = np.array(classes)[loaded.training.y]
    most = np.bincount(loaded.training.y).max() / len(given)
    out, voters = {}, {}
    votes = np.zeros((len(given), len(classes)))
    for column in loaded.schema.columns:
        if column.kind == "category":
            if not 2 <= len(set(column.levels) & set(classes)) == len(column.levels):
                continue
        elif words or column.kind not in ("number", "boolean"):
            continue
        values = plain_values(loaded.frame[column.name][loaded.rows])
        there = np.array([not is_missing(one) for one in values])
        told = np.array([spelled(one).strip() for one in values])
        if not set(told[there].tolist()) <= set(classes):
            continue
        share = float(np.mean(told[there] == given[there]))
        if share >= (max(AGREE, most + 0.1) if words else 1.0 - ALONE) and share > most:
            out[column.name] = share
        elif not words and share >= most + 0.1:
            voters[column.name] = share
            votes += told[:, None] == np.array(classes)
    voted = votes[np.arange(len(given)), loaded.training.y] == votes.max(axis=1)
    if len(voters) > 2 and voted.mean() >= 1.0 - ALONE:
        out |= voters
    return out


def _errors(loaded: Loaded) -> dict[str, float]:
    """How often each column alone is wrong of a row's label, by its feature that is so least.

    A row's label is guessed by the other rows of its category or bin. Those of a number are many,
    so that in a small table few rows share one: there the rows of the nearest values may do better.
    """
    training = loaded.training
    # In random order: of equal values, neighbours in the table are no nearer than others.
    rows = np.random.default_rng(0).permutation(len(training.y))[: 5 * POOL]
    y, categorical = training.y[rows], set(training.categorical)
    read = {one.name for one in loaded.schema.columns if one.kind in ("text", "vector")}
    out: dict[str, float] = {}
    for j, name in enumerate(loaded.schema.sources):
        if name in read:
            continue
        values = training.X[rows, j]
        if j in categorical:
            if len(np.unique(values)) > max(LEVELS, 2 * training.n_classes):  # a group, if anything
                continue
            wrong = _wrong_by_bins(values, y).mean()
        else:
            wrong = _wrong_by_number(values, y)
        out[name] = min(out.get(name, 1.0), float(wrong))
    return out


def _wrong_by_number(values: np.ndarray, y: np.ndarray) -> float:
    """How often a number is wrong of a row's label, by its bins or by the nearest values."""
    there = ~np.isnan(values)
    cuts = np.unique(np.nanquantile(values, np.linspace(0, 1, 101)[1:-1]))
    by_bins = _wrong_by_bins(np.where(there, np.searchsorted(cuts, values, "right"), -1), y)
    shared = 2 * len(np.unique(values[there])) < there.sum()  # then equal values are a group
    if shared or np.bincount(y).max() > len(y) - FEWEST:
        return float(by_bins.mean())
    by_nearest = by_bins.copy()  # gaps are a bin of their own
    by_nearest[there] = _wrong_by_nearest(values[there], y[there])
    return float(min(by_bins.mean(), by_nearest.mean()))


def _wrong_by_bins(values: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Rows whose label is not the commonest of the others that have the same value."""
    bins, K = np.unique(values, return_inverse=True)[1], int(y.max()) + 1
    counts = np.bincount(bins * K + y, minlength=(bins.max() + 1) * K).reshape(-1, K)
    others = counts[bins]
    others[np.arange(len(y)), y] -= 1
    return np.asarray(others.argmax(axis=1) != y)


def _wrong_by_nearest(values: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Rows whose label is not what the three of the nearest values vote for; of a tie, the first.

    In order of the values these are among the three before and the three behind.
    """
    n = len(values)
    if n <= 3:
        return np.ones(n, bool)
    order = np.argsort(values, kind="stable")
    others = np.arange(n)[:, None] + [-1, 1, -2, 2, -3, 3]
    outside = (others < 0) | (others >= n)
    others = order[others.clip(0, n - 1)]
    with np.errstate(over="ignore"):
        distance = np.abs(values[others] - values[order, None])
    distance[outside] = np.inf
    nearest = np.argsort(distance, axis=1, kind="stable")[:, :3]
    first, second, third = y[np.take_along_axis(others, nearest, axis=1)].T
    wrong = np.empty(n, bool)
    wrong[order] = np.where(second == third, second, first) != y[order]
    return wrong


# Rows that belong together


def groups(loaded: Loaded, seed: int) -> list[Finding]:
    """Columns whose equal values mark near-copies: those should be held out together."""
    found = []
    for name in loaded.frame.columns:
        if name in (loaded.schema.label, loaded.schema.id, loaded.clean):
            continue
        codes = _group_codes(loaded, name)
        if codes is None:
            continue
        same, chance = _kin(loaded, name, codes, seed)
        if same >= SAME and same >= 5 * chance:
            found.append((same, name, int(codes.max()) + 1))
    return [
        Finding(
            "group",
            f"Column {shortened(name)!r} looks like a group: of {count} values each comes "
            f"{len(loaded.rows) / count:.0f} times, and {same:.0%} of the rows have their nearest "
            "neighbour under the same value. Rows so alike vouch for each other's wrong labels: "
            f"hold them out together (--group {quote(name)}).",
            [],
        )
        for same, name, count in sorted(found, reverse=True)[:1]
    ]


def _group_codes(loaded: Loaded, name: str) -> np.ndarray | None:
    """The values of a column that may say which rows belong together, as codes."""
    column = next((one for one in loaded.schema.columns if one.name == name), None)
    named = re.fullmatch(f"{ROW_NAME}|{MAYBE_ROW_NAME}", name) is not None
    if not named and (column is None or column.kind != "category" or len(column.levels) < LEVELS):
        return None
    values = plain_values(loaded.frame[name][loaded.rows])
    if any(is_missing(one) or isinstance(one, float) for one in values):
        return None
    codes = np.unique([str(one) for one in values], return_inverse=True)[1]
    count = int(codes.max()) + 1
    return codes if 10 <= count <= len(codes) / 2 else None


def _kin(loaded: Loaded, name: str, codes: np.ndarray, seed: int) -> tuple[float, float]:
    """How often the nearest row by all other columns is of the same group; how often by chance."""
    order = np.random.default_rng(seed).permutation(int(codes.max()) + 1)[codes]
    rows = np.argsort(order, kind="stable")[:POOL]  # whole groups, but for the last
    columns = [j for j, source in enumerate(loaded.schema.sources) if source != name]
    if not columns:
        return 0.0, 1.0
    points, own = embed(_part(loaded.training, rows, columns)), codes[rows]
    near = NearestNeighbors(n_neighbors=2).fit(points).kneighbors(points, return_distance=False)
    other = np.where(near[:, 0] == np.arange(len(rows)), near[:, 1], near[:, 0])
    chance = (np.bincount(own)[own] - 1) / (len(rows) - 1)
    return float(np.mean(own[other] == own)), float(chance.mean())


def _part(training: TrainingRows, rows: np.ndarray, columns: list[int] | None = None) -> Any:
    """Some rows, and some columns."""
    part = training.take(rows)
    if columns is None:
        return part
    held = [new for new, j in enumerate(columns) if j in set(training.categorical)]
    return replace(part, X=part.X[:, columns], categorical=held)


def conflicts(loaded: Loaded) -> list[Finding]:
    """Rows that are equal in all columns that are learned from, and labelled differently."""
    training = loaded.training
    units = find_units(training.X)
    if units.single:
        return []
    same = units.of
    for column in loaded.schema.columns:
        if column.kind == "text":  # the same words in another order are the same numbers
            values = plain_values(loaded.frame[column.name][loaded.rows])
            words = [" ".join(str(one).casefold().split()) for one in values]
            codes = np.unique(words, return_inverse=True)[1]
            same = np.unique(same * (codes.max() + 1) + codes, return_inverse=True)[1]
    pairs = np.unique(same * training.n_classes + training.y) // training.n_classes
    several = np.bincount(pairs, minlength=int(same.max()) + 1) > 1
    rows = np.flatnonzero(several[same])
    if not len(rows):
        return []
    rows = rows[np.argsort(same[rows], kind="stable")]
    sets = int(several.sum())
    return [
        Finding(
            "conflict",
            f"{len(rows)} rows in {sets} {'sets' if sets > 1 else 'set'} are equal in every column "
            "that was learned from and labelled differently: of each set, one label at least is "
            "wrong, or a column is missing that tells them apart.",
            loaded.numbered(rows[:LISTED]).tolist(),
        )
    ]


def near_copies(loaded: Loaded, seed: int) -> list[Finding]:
    """Rows of different groups that are all but the same."""
    training = loaded.training
    assert training.groups is not None
    rows = _sample(len(training.y), seed)
    points, own = embed(training.take(rows)), training.groups[rows]
    asked = min(len(rows), int(np.bincount(own).max()) + 1)
    distance, near = NearestNeighbors(n_neighbors=asked).fit(points).kneighbors(points)
    foreign = own[near] != own[:, None]
    first = foreign.argmax(axis=1)
    least = np.where(foreign.any(axis=1), distance[np.arange(len(rows)), first], np.inf)
    usual = float(np.median(least))
    close = np.flatnonzero(least <= CLOSE * usual) if 0.0 < usual < np.inf else rows[:0]
    if not len(close):
        return []
    return [
        Finding(
            "copy",
            f"{len(close)} rows are all but the same as a row of another "
            f"{shortened(loaded.group)!r}: does it say which rows belong together?",
            loaded.numbered(rows[close][:LISTED]).tolist(),
        )
    ]


# Parts of the table


def slices(loaded: Loaded, found: LabelQuality) -> list[Finding]:
    """Values of columns under which labels are worst, by more than chance among all looked at."""
    if not found.noise.settled:
        return []
    wrong, suspect = found.scores, found.suspected
    total, n = int(suspect.sum()), len(suspect)
    tested, worst = 0, []
    for name, codes, words in _levels(loaded):
        sizes = np.bincount(codes, minlength=len(words))
        hits = np.bincount(codes, suspect, len(words)).astype(int)
        sums = np.bincount(codes, wrong, len(words))
        for k in np.flatnonzero((sizes >= SMALLEST) & (sizes <= n - SMALLEST)):
            tested += 1
            inside = sums[k] / sizes[k]
            outside = (wrong.sum() - sums[k]) / (n - sizes[k])
            if inside > 2 * outside and inside > outside + 0.05:
                chance = hypergeom.sf(hits[k] - 1, n, total, sizes[k])
                worst.append((float(chance), name, words[k], inside, outside, codes == k))
    named = sorted((one for one in worst if one[0] * tested < CHANCE), key=lambda one: one[0])
    out: list[Finding] = []
    taken = np.zeros(n, bool)
    for chance, name, word, inside, outside, rows in named:
        if len(out) == SLICES or taken[rows].mean() > SAME:  # the same rows by another name
            continue
        taken |= rows
        said = f"{chance * tested:.1g}" if chance * tested >= 1e-6 else "less than 1e-06"
        out.append(
            Finding(
                "slice",
                f"{shortened(name)} = {word}: {inside:.0%} of the labels wrong, "
                f"{outside:.0%} elsewhere ({rows.sum()} rows; by chance in any of {tested} "
                f"slices: {said}).",
                loaded.numbered(np.flatnonzero(rows & suspect)[:LISTED]).tolist(),
            )
        )
    return out


def _levels(loaded: Loaded) -> list[tuple[str, np.ndarray, list[str]]]:
    """Columns of few values: name, codes of the labelled rows, and what the codes stand for."""
    out = []
    for column in loaded.schema.columns:
        if column.kind not in ("category", "boolean", "number"):
            continue
        values = plain_values(loaded.frame[column.name][loaded.rows])
        words, codes = np.unique([spelled(one).strip() for one in values], return_inverse=True)
        if column.kind == "category" or len(words) <= LEVELS:
            out.append((column.name, codes, [shortened(word) for word in words.tolist()]))
    return out


def outliers(loaded: Loaded, seed: int) -> list[Finding]:
    """Rows that are far from everything."""
    rows = _sample(len(loaded.rows), seed)
    if len(rows) < 10 * NEAR:
        return []
    points = embed(loaded.training.take(rows))
    distance = NearestNeighbors(n_neighbors=NEAR + 1).fit(points).kneighbors(points)[0][:, -1]
    usual = float(np.quantile(distance, 0.99))
    far = np.flatnonzero(distance > FAR * usual) if usual else rows[:0]
    if not len(far):
        return []
    far = far[np.argsort(-distance[far], kind="stable")]
    times = distance[far[0]] / float(np.median(distance))
    return [
        Finding(
            "outlier",
            f"{len(far)} {'rows are' if len(far) > 1 else 'row is'} far from all others, up to "
            f"{times:.0f} times as far from {'their' if len(far) > 1 else 'its'} neighbours as is "
            "usual: wrong numbers or units?",
            loaded.numbered(rows[far][:LISTED]).tolist(),
        )
    ]


def _sample(n: int, seed: int) -> np.ndarray:
    """Rows to look at: all, or a random sample."""
    return np.sort(np.random.default_rng(seed).permutation(n)[:POOL])


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _agree(count: int) -> str:
    return "agrees" if count == 1 else "agree"
