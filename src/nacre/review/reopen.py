"""An audit read back from its folder, together with the table that was audited."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from nacre.auditing import Audit
from nacre.auditing.load import ADDED, Loaded, trusted_rows
from nacre.auditing.result import CLEANED
from nacre.auditing.stored import require_whole
from nacre.auditing.summary import file_mark
from nacre.io.place import MARK, known_file, split_place
from nacre.io.read import read_source


def reopen(folder: Path, table: str | os.PathLike[str] | None = None) -> tuple[Audit, Loaded]:
    """An audit and its table, from its folder.

    The table is the file that was audited, if it is where it was (or beside the folder) and has
    not changed; else the copy of it in the folder.

    Raises
    ------
    FileNotFoundError, ValueError
        Where there is no audit, or the table is another one.
    """
    audit = Audit.read(folder)
    require_whole(audit.summary)
    summary, schema, found = audit.summary, audit.schema, audit.model.found_
    path = _same_file(summary, folder) if table is None else known_file(table)
    part = (summary.get("file") or {}).get("part") if table is None else split_place(table)[1]
    if path is None and table is None:
        found_in = read_source(audit.cleaned)
        frame = found_in.frame.drop([name for name in ADDED if name in found_in.frame.columns])
        suffix = next(Path(name).suffix for name in CLEANED if (folder / name).exists())
    else:
        place = table if path is None else path if part is None else f"{path}{MARK}{part}"
        found_in = read_source(place)
        frame, suffix = found_in.frame, found_in.suffix
    codes = schema.codes(frame)
    if not np.array_equal(codes[codes >= 0], found.given):
        raise ValueError(f"{summary['source']!r} is not the table that was audited: audit it anew.")
    clean = summary.get("clean")
    trusted = None if clean is None else trusted_rows(frame, clean)[codes >= 0]
    return audit, Loaded(
        summary["source"],
        frame,
        schema,
        schema.matrix(frame),
        codes,
        trusted,
        summary["group"],
        clean=clean,
        former=summary.get("original"),
        path=path,
        part=part,
        suffix=suffix,
        spelling=found_in.spelling,
    )


def _same_file(summary: dict[str, Any], folder: Path) -> Path | None:
    """The file that was audited, if it has not changed."""
    mark = summary.get("file")
    if mark is None:
        return None
    there = Path(mark["path"])
    for path in (folder.absolute().parent / there.name, there):  # both may have been copied
        if path.is_file() and file_mark(path)["sha256"] == mark["sha256"]:
            return path
    return None
