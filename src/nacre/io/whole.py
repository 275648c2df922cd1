"""Files and folders that are there whole, or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: str | os.PathLike[str], force: bool = True) -> Iterator[Path]:
    """A file to write to, which comes to its place once it is written; its ending is the same.

    Parameters
    ----------
    path : where the file is to be
    force : bool
        Replace a file that is there.

    Yields
    ------
    Path
        To write to, in the same folder. It is gone afterwards, whatever happens.

    Raises
    ------
    OSError
        Where the file is there and may not be replaced, or cannot be written; it names ``path``.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder: name a file.")
    if path.exists() and not force:
        raise FileExistsError(f"{str(path)!r} is there: --force (force=True) replaces it.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {str(path.parent)!r}: make it first.")
    half = path.with_name(_unused_name(path))
    try:
        with _blamed_on(path, half):
            yield half
            half.replace(path)
    finally:
        half.unlink(missing_ok=True)


@contextmanager
def whole_folder(
    folder: str | os.PathLike[str], force: bool, names: Sequence[str]
) -> Iterator[Path]:
    """A folder to write to, whose files come to their place together once all are written.

    Parameters
    ----------
    folder : where the files are to be; other files that are there stay
    force : bool
        Replace files of these names that are there; those that are not written again are removed.
    names : what may be written, now or by a former run

    Yields
    ------
    Path
        An empty folder to write to. It is gone afterwards, whatever happens.

    Raises
    ------
    OSError
        Where a file is there and may not be replaced, or the folder cannot be written.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{str(folder)!r} is a file: name a folder.")
    old = [folder / name for name in names if (folder / name).exists()]
    if old and not force:
        raise FileExistsError(f"{str(old[0])!r} is there: --force (force=True) replaces it.")
    if not folder.exists() and not folder.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {str(folder.parent)!r}: make it first.")
    unused = _unused_name(folder)
    half = folder / unused if folder.exists() else folder.with_name(unused)
    try:
        with _blamed_on(folder, half):
            half.mkdir()
            yield half
            _move_in(half, folder, old)
    finally:
        shutil.rmtree(half, ignore_errors=True)


def _move_in(half: Path, folder: Path, old: list[Path]) -> None:
    """Put what is written in its place, and remove what a former run has left."""
    if not folder.exists():
        half.rename(folder)
        return
    written = [path.name for path in half.iterdir()]
    for name in written:
        (half / name).replace(folder / name)
    for path in old:
        if path.name not in written:
            path.unlink()


def _unused_name(path: Path) -> str:
    """Random: two containers that share a folder may have the same process ids."""
    return f".{secrets.token_hex(4)}.{path.name}"


@contextmanager
def _blamed_on(path: Path, half: Path) -> Iterator[None]:
    """Have errors name the place that was asked for, which users know."""
    try:
        yield
    except OSError as error:
        if error.filename is None or half not in (known := Path(error.filename), *known.parents):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
