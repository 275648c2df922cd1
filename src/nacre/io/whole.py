"""Files and folders that are there whole, or not at all."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

fcntl: Any
try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None


@contextmanager
def whole_file(
    path: str | os.PathLike[str], force: bool = True, parents: bool = False
) -> Iterator[Path]:
    """A file to write to, which comes to its place once it is written; its ending is the same.

    Parameters
    ----------
    path : where the file is to be
    force : bool
        Replace a file that is there.
    parents : bool
        Make folders that are not there.

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
    if not parents and not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {str(path.parent)!r}: make it first.")
    half = path.with_name(_unused_name(path))
    with _folder(path.parent):
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
    folder : where the files are to be
        It is made with those above it; other files that are there stay.
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
    _old(folder, force, names)
    _remove_left(folder)
    unused = _unused_name(folder)
    half = folder / unused if folder.exists() else folder.with_name(unused)
    with _folder(half.parent):
        try:
            with _blamed_on(folder, half):
                half.mkdir()
                with _claimed(half):
                    yield half
                    _move_in(half, folder, _old(folder, force, names))
        finally:
            shutil.rmtree(half, ignore_errors=True)


def _old(folder: Path, force: bool, names: Sequence[str]) -> list[Path]:
    """Files of these names that are there; raise where they may not be replaced."""
    old = [folder / name for name in names if (folder / name).exists()]
    if old and not force:
        raise FileExistsError(f"{str(old[0])!r} is there: --force (force=True) replaces it.")
    return old


@contextmanager
def _claimed(half: Path) -> Iterator[None]:
    """Hold a lock on a folder, which ends with the process, whatever ends that."""
    if fcntl is None:
        yield
        return
    place = os.open(half, os.O_RDONLY)
    try:
        with suppress(OSError):  # file systems that know no locks
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(place)


def _remove_left(folder: Path) -> None:
    """Remove what a run that was killed has left; raise where another run is at work."""
    if fcntl is None:  # nothing is known of other runs
        return
    pattern = re.compile(rf"\.[0-9a-f]{{8}}\.{re.escape(folder.name)}")
    for place in (folder, folder.parent):
        for half in place.iterdir() if place.is_dir() else ():
            if not pattern.fullmatch(half.name) or not half.is_dir():
                continue
            if _is_claimed(half):
                raise FileExistsError(
                    f"Another run is writing to {str(folder)!r}: wait for it, or name another "
                    "folder."
                )
            shutil.rmtree(half, ignore_errors=True)


def _is_claimed(half: Path) -> bool:
    try:
        place = os.open(half, os.O_RDONLY)
    except FileNotFoundError:  # it is done
        return False
    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(place)
    return False


@contextmanager
def _folder(folder: Path) -> Iterator[None]:
    """A folder and those above it, made where they are not; gone again where nothing came of it."""
    made = [one for one in (folder, *folder.parents) if not one.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for one in made:
            with suppress(OSError):  # another may have put something there
                one.rmdir()
        raise


def _move_in(half: Path, folder: Path, old: list[Path]) -> None:
    """Put what is written in its place, and remove what a former run has left."""
    if not folder.exists():
        half.rename(folder)
        return
    written = [path.name for path in half.iterdir()]
    for name in written:
        if (folder / name).is_dir():  # which nothing can replace
            shutil.rmtree(folder / name)
        (half / name).replace(folder / name)
    for path in old:
        if path.name not in written:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _unused_name(path: Path) -> str:
    """Random: two containers that share a folder may have the same process ids."""
    return f".{secrets.token_hex(4)}.{path.name}"


@contextmanager
def _blamed_on(path: Path, half: Path) -> Iterator[None]:
    """Have errors name the place that was asked for, which users know."""
    try:
        yield
    except OSError as error:
        known = Path(error.filename or half)  # a full disk has no name
        if error.errno is None or half not in (known, *known.parents):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
