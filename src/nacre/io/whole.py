"""Files and folders that are there whole, or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAMES = (
    "report.html",
    "suspects.csv",
    "cleaned.csv",
    "cleaned.parquet",
    "model.nacre",
    "audit.json",
)
"""What an audit writes."""


@contextmanager
def whole_folder(folder: str | os.PathLike[str], force: bool) -> Iterator[Path]:
    """A folder to write to, whose files come to their place together once all are written."""
    folder = Path(folder)
    old = [folder / name for name in NAMES if (folder / name).exists()]
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{str(folder)!r} is a file: name a folder.")
    if old and not force:
        raise FileExistsError(f"{str(old[0])!r} is there: --force (force=True) replaces it.")
    name = f".{folder.name}.{os.getpid()}"
    half = folder / name if folder.exists() else folder.with_name(name)
    half.mkdir()
    try:
        yield half
        if folder.exists():
            written = [path.name for path in half.iterdir()]
            for name in written:
                (half / name).replace(folder / name)
            for path in old:
                if path.name not in written:
                    path.unlink()
        else:
            half.rename(folder)
    finally:
        shutil.rmtree(half, ignore_errors=True)


@contextmanager
def whole_file(path: str | os.PathLike[str], force: bool = True) -> Iterator[Path]:
    """A file to write to, which comes to its place once it is written; its ending is the same."""
    path = Path(path)
    if path.exists() and not force:
        raise FileExistsError(f"{str(path)!r} is there: --force (force=True) replaces it.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {str(path.parent)!r}: make it first.")
    half = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        yield half
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)
