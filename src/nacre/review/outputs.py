"""What a review leaves behind: the corrected table, decisions, tasks for others, a certificate."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from nacre.auditing.load import DECIDED
from nacre.auditing.tasks import written
from nacre.io import write_table
from nacre.io.argilla import argilla_record
from nacre.io.arrow import as_column, pa
from nacre.io.delimited import MIXED, Format, find_format
from nacre.io.excel import Sheet, write_workbook
from nacre.io.frames import free_name
from nacre.io.label_studio import label_studio_task, label_studio_view
from nacre.io.labelling import write_json
from nacre.io.lines import read_rows
from nacre.io.read import START, packing
from nacre.io.whole import whole_file, whole_folder
from nacre.review.certificate import render_certificate
from nacre.review.session import Review
from nacre.review.store import Decision
from nacre.review.view import plain_cell

CORRECTED = ("corrected.csv", "corrected.parquet", "corrected.xlsx")
DECISIONS, LABEL_STUDIO, LABELLING = "decisions.csv", "label-studio.json", "label-studio.xml"
ARGILLA, CERTIFICATE, EXCEL = "argilla.json", "certificate.html", "review.xlsx"
OUTPUTS = (*CORRECTED, DECISIONS, EXCEL, LABEL_STUDIO, LABELLING, ARGILLA, CERTIFICATE)
"""What is written."""

CELLS = 3_000_000
"""Of a table with more of them no workbook is made, which no spreadsheet would open."""


def write_outputs(review: Review, folder: Path | None = None) -> list[Path]:
    """Write everything that follows from the decisions; files of an earlier time are replaced.

    Decisions that are made meanwhile are in none of the files.

    Parameters
    ----------
    review : with its decisions
    folder : default that of the audit

    Returns
    -------
    list of Path
        The corrected table first.
    """
    folder, review = review.folder if folder is None else folder, review.snapshot()
    with whole_folder(folder, True, OUTPUTS) as half:
        write_corrected(review, half)
        decisions = decisions_table(review)
        write_table(decisions, half / DECISIONS, safe=True)
        corrected = corrected_table(review)
        if len(corrected) * corrected.num_columns <= CELLS:
            sheets = {"corrected": _lines(corrected), "decisions": _lines(decisions)}
            write_workbook(half / EXCEL, sheets)
        tasks = list(_tasks(review))
        write_json([_label_studio(review, *one) for one in tasks], half / LABEL_STUDIO)
        (half / LABELLING).write_text(label_studio_view(review.classes), encoding="utf-8")
        write_json([_argilla(review, *one) for one in tasks], half / ARGILLA)
        (half / CERTIFICATE).write_bytes(certificate(review)[0].encode("utf-8", "replace"))
        names = [name for name in OUTPUTS if (half / name).exists()]
    return [folder / name for name in names]


def _lines(table: Any) -> Sheet:
    columns = (column.to_pylist() for column in table.columns)
    return table.column_names, zip(*columns, strict=True)


def standing(review: Review) -> dict[int, Decision]:
    """The decisions that stand, by place, in the order of the rows."""
    return {place: review.last[place] for place in sorted(review.last)
            if review.last[place].verdict != "open"}  # fmt: skip


def decisions_table(review: Review) -> Any:
    """One line for each row that is decided."""
    id, all_of = review.loaded.schema.id, list(standing(review).values())
    columns: dict[str, list[Any]] = {
        "row": [one.row for one in all_of],
        "given": [one.given for one in all_of],
        "decision": [one.verdict for one in all_of],
        "label": [one.label for one in all_of],
        "suggested": [one.suggested for one in all_of],
        "probability": [round(one.probability, 6) for one in all_of],
        "how": [one.kind for one in all_of],
        "who": [one.who for one in all_of],
        "when": [one.at for one in all_of],
    }
    if id is not None:
        own = [written(plain_cell(review, id, one.row)) for one in all_of]
        columns = {"row": columns["row"], free_name(id, columns): own} | columns
    types = {"row": pa.int64(), "probability": pa.float64()}
    return pa.table(
        {name: pa.array(one, types.get(name, pa.string())) for name, one in columns.items()}
    )


# The corrected table


def write_corrected(review: Review, folder: Path) -> str:
    """The table as it came with the right labels in it, and the decisions beside them.

    Columns, order and format are those of the file: of a text file the delimiter, the encoding and
    every field that was not decided about stay as they are. Rows to be left out are.

    Returns
    -------
    str
        The name of the file.
    """
    path = review.loaded.path
    if path is not None and review.loaded.spelling is not None:  # a text file
        with path.open("rb") as file:
            packed = packing(file.read(START))
        return _rewrite(review, path, packed, folder / CORRECTED[0])
    name = f"corrected{review.loaded.suffix}"
    write_table(corrected_table(review), folder / name)
    return name


def corrected_table(review: Review) -> Any:
    """The corrected table as values: for the workbook, and where the table is no text file."""
    loaded = review.loaded
    frame, label = loaded.frame, loaded.schema.label
    columns = {name: as_column(frame[name]) for name in frame.columns}
    labels = columns[label].to_pylist()
    for one in standing(review).values():
        if one.verdict == "change" and one.label is not None:
            labels[one.row] = loaded.schema.classes[review.codes[one.label]]
    columns[label] = pa.array(labels, columns[label].type)
    for name, values in _added(review).items():
        columns[name] = pa.array(
            values, pa.bool_() if name == checked_name(review) else pa.string()
        )
    keep = np.ones(len(labels), bool)
    keep[[one.row for one in standing(review).values() if one.verdict == "exclude"]] = False
    return pa.table(columns).filter(pa.array(keep))


def checked_name(review: Review) -> str:
    """What to call the column that says which labels were checked."""
    there, plain = review.loaded.frame.columns, DECIDED[-1]
    ours = plain not in there or plain == review.loaded.clean or DECIDED[0] in there
    return plain if ours else f"nacre_{plain}"


def _added(review: Review) -> dict[str, list[Any]]:
    """Columns to add, for all rows of the table; what an earlier review has put there stays."""
    loaded = review.loaded
    there = set(loaded.frame.columns)
    n = len(loaded.codes)
    columns: list[list[str | None]] = [
        [None if one is None else str(one) for one in loaded.frame[name].to_list()]
        if name in there
        else [None] * n
        for name in DECIDED[:-1]
    ]
    decision, given, who, when = columns
    checked = np.zeros(n, bool)
    if loaded.trusted is not None:
        checked[loaded.rows[loaded.trusted]] = True
    for one in standing(review).values():
        decision[one.row], given[one.row] = one.verdict, one.given
        who[one.row], when[one.row] = one.who, one.at
        checked[one.row] = one.label is not None
    values = (decision, given, who, when, checked.tolist())
    return dict(zip((*DECIDED[:-1], checked_name(review)), values, strict=True))


def _rewrite(review: Review, path: Path, packed: str | None, out: Path) -> str:
    """A text file again, field by field."""
    form = find_format(path, packed)
    label, added = review.loaded.schema.label, _added(review)
    here = form.names.index(label)
    extra = [name for name in added if name not in form.names]
    spelled = _spellings(review, path, packed, here)
    found = {one.row: one for one in standing(review).values()}
    with (
        whole_file(out) as half,
        half.open("w", encoding=_encoding(form), newline="") as file,
    ):
        writer = csv.writer(file, delimiter=form.delimiter, lineterminator=_ending(path, packed))
        for row, (*_, fields) in enumerate(read_rows(path, packed), start=-1):
            if row < 0:
                writer.writerow([*fields, *extra])
                continue
            one = found.get(row)
            if one is not None and one.verdict == "exclude":
                continue
            if one is not None and one.verdict == "change" and one.label is not None:
                fields[here] = spelled.get(one.label, one.label)
            for name in added:
                if name in form.names:
                    fields[form.names.index(name)] = _field(added[name][row])
            writer.writerow([*fields, *(_field(added[name][row]) for name in extra)])
    return out.name


def _field(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _spellings(review: Review, path: Path, packed: str | None, here: int) -> dict[str, str]:
    """How the file writes each label: the commonest way is the first, nearly always the only."""
    codes, out = review.loaded.codes, dict[str, str]()
    rows = 0
    for row, (*_, fields) in enumerate(read_rows(path, packed), start=-1):
        rows = row + 1
        if 0 <= row < len(codes) and codes[row] >= 0:
            out.setdefault(review.classes[codes[row]], fields[here])
    if rows != len(codes):
        raise ValueError(f"{path.name!r} has changed while it was reviewed: it has {rows} rows.")
    return out


def _encoding(form: Format) -> str:
    """The encoding of the file, with its mark if it has one."""
    if form.encoding not in ("utf-8", MIXED):
        return form.encoding
    return "utf-8-sig" if form.marked else "utf-8"


def _ending(path: Path, packed: str | None) -> str:
    """How lines end."""
    with pa.input_stream(path, compression=packed) as stream:
        return "\r\n" if b"\r" in stream.read(1 << 16) else "\n"


# Tasks for other tools


def _tasks(review: Review) -> Iterator[tuple[int, Decision | None]]:
    """The suspects and all rows that are decided, by place."""
    found = standing(review)
    suspects = review.audit.model.found_.suspects.tolist()
    for place in dict.fromkeys([*suspects, *found]):
        yield place, found.get(place)


def _values(review: Review, place: int) -> dict[str, str | None]:
    label, frame = review.loaded.schema.label, review.loaded.frame
    row = int(review.loaded.rows[place])
    return {name: written(plain_cell(review, name, row)) for name in frame.columns if name != label}


def _label_studio(review: Review, place: int, one: Decision | None) -> dict[str, Any]:
    decided = None if one is None else one.label
    return label_studio_task(
        _values(review, place),
        int(review.loaded.rows[place]),
        review.classes[review.given[place]],
        review.classes[review.suggested[place]],
        float(review.wrong[place]),
        decided,
        None if one is None else one.at,
    )


def _argilla(review: Review, place: int, one: Decision | None) -> dict[str, Any]:
    if one is not None and one.label is not None:
        label, chance, who = one.label, 1.0, one.who
    else:
        code = review.suggested[place]
        label, chance, who = review.classes[code], float(review.posterior[place, code]), "nacre"
    return argilla_record(
        _values(review, place),
        int(review.loaded.rows[place]),
        review.classes[review.given[place]],
        label,
        chance,
        who,
        "open" if one is None else one.verdict,
    )


def certificate(review: Review) -> tuple[str, str]:
    """The certificate, and the hash of its style for a policy."""
    mark = review.audit.summary.get("file") or {}
    found = list(standing(review).values())
    who = Counter(sorted(one.who for one in found))
    verdicts = Counter(sorted(one.verdict for one in found))
    times = sorted(one.at for one in found)
    return render_certificate(
        review.outlook(),
        {
            "source": review.audit.summary["source"],
            "label": review.loaded.schema.label,
            "sha256": mark.get("sha256") or review.store.facts["table"],
            "whole": "sha256" in mark,
            "who": dict(who.most_common()),
            "verdicts": dict(verdicts.most_common()),
            "first": times[0] if times else None,
            "last": times[-1] if times else None,
            "seed": review.seed,
            "trusted": review.audit.summary["trusted"],
            "changes": review.changes,
            "nacre": review.audit.summary["nacre"],
        },
    )
