"""Sets that do not come with nacre: from a folder, or from OpenML where there is a network."""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nacre.datasets.dataset import Dataset, from_text
from nacre.datasets.rules import balance, car, nursery

MADE: dict[str, Callable[[], Dataset]] = {"balance-scale": balance, "car": car, "nursery": nursery}


class Known(NamedTuple):
    """What a set must look like, so that a damaged file or another version is noticed.

    Attributes
    ----------
    columns : number of features
    classes : rows of each class, the largest first
    openml : number of the set there, if it is there
    parts : endings of the names of its files, where there are several
    """

    columns: int
    classes: tuple[int, ...]
    openml: int | None = None
    parts: tuple[str, ...] = ("",)


KNOWN = {
    "adult": Known(14, (37155, 11687), 1590, ("-train", "-test")),
    "banana": Known(2, (2924, 2376), 1460),
    "connect-4": Known(42, (44473, 16635, 6449), 40668),
    "german-credit": Known(20, (700, 300), 31),
    "kr-vs-kp": Known(36, (1669, 1527), 3),
    "mushroom": Known(22, (4208, 3916), 24),
    "promoters": Known(57, (53, 53), 164),
    "sonar": Known(60, (111, 97), 40),
    "wisconsin-breast-cancer-original": Known(9, (458, 241), 15),
    "wisconsin-breast-cancer-prognostic": Known(33, (151, 47)),
}
NOT_FEATURES = ("id", "name", "instance")


def load(name: str) -> Dataset:
    """A data set by name.

    Looked for as ``NAME.csv.gz`` in the folder that the environment variable ``NACRE_DATA`` names,
    then in ``~/.cache/nacre``, then on OpenML. A file has a header row, features first, a last
    column ``label``, and empty fields where values are missing; columns ``id`` and ``name`` are
    dropped. Balance scale, car and nursery follow rules and need no file. Adult is two files,
    ``adult-train`` and ``adult-test``, whose rows follow each other.

    Parameters
    ----------
    name : str
        adult, balance-scale, banana, car, connect-4, german-credit, kr-vs-kp, mushroom, nursery,
        promoters, sonar, wisconsin-breast-cancer-original or wisconsin-breast-cancer-prognostic.

    Returns
    -------
    Dataset

    Raises
    ------
    FileNotFoundError
        Where the set cannot be had; the message says where to put it.

    Examples
    --------
    >>> from nacre.datasets import load
    >>> load("car").X.shape
    (1728, 6)
    """
    if name in MADE:
        return MADE[name]()
    if name not in KNOWN:
        names = sorted([*MADE, *KNOWN])
        near = get_close_matches(name, names, 3, 0.4) or names
        raise ValueError(f"There is no data set {name!r}: did you mean {' or '.join(near)}?")
    for folder in folders():
        paths = [folder / f"{name}{part}.csv.gz" for part in KNOWN[name].parts]
        if all(path.is_file() for path in paths):
            return _checked(read_files(paths, name), str(paths[0]))
    return _checked(_from_openml(name), "OpenML")


def folders() -> list[Path]:
    """Where files are looked for."""
    own = os.environ.get("NACRE_DATA")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nacre"
    return [Path(own), cache] if own else [cache]


def read_files(paths: list[Path], name: str) -> Dataset:
    """A data set from compressed CSV files, one after the other."""
    rows: list[list[str]] = []
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            header, *more = csv.reader(file)
        if header[-1] != "label":
            raise ValueError(f"The last column of {path} must be 'label', not {header[-1]!r}.")
        rows += more
    kept = [j for j, column in enumerate(header[:-1]) if column not in NOT_FEATURES]
    return from_text(
        name,
        [header[j] for j in kept],
        [[row[j] for j in kept] for row in rows],
        [row[-1] for row in rows],
    )


def _from_openml(name: str) -> Dataset:
    from sklearn.datasets import fetch_openml

    *_, cache = folders()
    known = KNOWN[name]
    reason = "no copy of it on OpenML is known"
    if known.openml is not None:
        try:
            return from_openml(
                name,
                fetch_openml(
                    data_id=known.openml,
                    data_home=str(cache),
                    as_frame=False,
                    parser="liac-arff",
                    n_retries=1,
                ),
            )
        except OSError as error:
            reason = f"OpenML did not answer ({error})"
    files = " and ".join(f"{name}{part}.csv.gz" for part in known.parts)
    raise FileNotFoundError(
        f"The data set {name} is not here, and {reason}: put {files} (features, then a column "
        f"'label') into {cache}, or into a folder that NACRE_DATA names."
    )


def from_openml(name: str, found: Mapping[str, Any]) -> Dataset:
    """What scikit-learn read, without the columns that are no features."""
    kept = [j for j, one in enumerate(found["feature_names"]) if one not in NOT_FEATURES]
    features = tuple(found["feature_names"][j] for j in kept)
    names = found["categories"]
    levels = {j: tuple(names[one]) for j, one in enumerate(features) if names.get(one)}
    X = np.asarray(found["data"][:, kept], float)
    return Dataset(name, X, np.asarray(found["target"]), features, tuple(levels), levels)


def _checked(data: Dataset, source: str) -> Dataset:
    known = KNOWN[data.name]
    classes = tuple(sorted(np.unique(data.y, return_counts=True)[1].tolist(), reverse=True))
    if (data.X.shape[1], classes) != (known.columns, known.classes):
        raise ValueError(
            f"{source} is not the data set {data.name}: it has {data.X.shape[1]} features and "
            f"classes of {classes} rows instead of {known.columns} and {known.classes}."
        )
    return data
