"""Tables that do not fit into memory: options of ``nacre audit``, and what comes of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from nacre.cli.options import given
from nacre.progress import Progress

if TYPE_CHECKING:
    from nacre.auditing import Audit

LARGE = "Large tables"
"""What the options are about."""

OnCluster = Annotated[
    str | None,
    given(
        "ADDRESS",
        "Audit in parts on the Dask cluster at this address, whose workers see the same files; "
        "local starts one on this machine.",
        "--cluster",
        rich_help_panel=LARGE,
    ),
]
SampleSize = Annotated[
    int | None,
    given(
        "ROWS",
        "Audit in parts, and learn from so many rows; 100000 where a table does not fit into "
        "memory.",
        "--sample",
        min=100,
        rich_help_panel=LARGE,
    ),
]


def choose_parts(
    file: Path, cluster: str | None, sample: int | None, max_size: float
) -> str | None:
    """Why a table is to be audited in parts; None where it is not."""
    if cluster is not None or sample is not None:
        return (
            "as asked ("
            + ", ".join(
                name
                for name, one in (("--cluster", cluster), ("--sample", sample))
                if one is not None
            )
            + ")"
        )
    from nacre.auditing.large import why_in_parts

    return why_in_parts(file, max_size)


def refuse_in_parts(label: list[str] | None, given: Mapping[str, Any]) -> None:
    """Raise where an option was given that needs a table in memory."""
    if label is None or len(label) != 1:
        raise ValueError("A table that is audited in parts needs one column of labels (--label).")
    for name, value in given.items():
        if value:
            raise ValueError(f"{name} is not possible for a table that is audited in parts.")


def write_parts(
    file: Path,
    label: list[str] | None,
    out: Path | None,
    why: str,
    progress: Progress,
    *,
    categorical: list[str] | None,
    text: list[str] | None,
    ignore: list[str] | None,
    read: list[Any] | None,
    sample: int | None,
    effort: Any,
    seed: int,
    workers: int | None,
    **others: Any,
) -> tuple[Audit, Path]:
    """Audit a table in parts and write the answer to its folder; parameters as of the command."""
    from nacre.auditing.large import SAMPLE, audit_parts
    from nacre.io.place import beside

    assert label is not None
    folder = beside(file, "-audit") if out is None else out
    found = audit_parts(
        file, label[0], folder, categorical_features=categorical or (), text=text or (),
        ignore=ignore or (), read=dict(read or ()), sample=sample or SAMPLE,
        effort=effort and effort.value, random_state=seed, n_jobs=workers, why=why,
        progress=progress, **others,
    )  # fmt: skip
    return found, folder
