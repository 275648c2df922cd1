"""What an audit found."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from nacre.auditing.explain import reasons
from nacre.auditing.load import ADDED, Loaded, cell
from nacre.auditing.page import render
from nacre.auditing.summary import summarize
from nacre.io import write_table
from nacre.io.whole import whole_file, whole_folder
from nacre.noise import NoiseRate
from nacre.persistence import save_model

FILES = (
    "report.html",
    "suspects.csv",
    "cleaned.csv",
    "cleaned.parquet",
    "model.nacre",
    "audit.json",
)
"""What an audit writes; the cleaned table has one of two endings."""

FIRST = ("row", "score", "given", "suggested", "reason")
"""Columns of a table of suspects that come before the row's own."""

SHOWN = 1000
"""Suspects, at most, in the report and in ``audit.json``."""


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """What an audit found.

    Attributes
    ----------
    loaded : the table as it was read
    model : NacreClassifier
        Fitted to all labelled rows; ``model.found_`` has a score for each of them.
    scores : dict
        Cross-validated scores of the model, and of an ordinary one with and without the suspects.
    predicted : labels of the rows that came without
    settings : dict
        Effort and seed.
    notes : lines on what was set aside or may surprise
    """

    loaded: Loaded
    model: Any
    scores: dict[str, Any]
    predicted: np.ndarray
    settings: dict[str, Any]
    notes: list[str]

    @property
    def noise(self) -> NoiseRate:
        """How many labels are wrong."""
        return self.model.noise_

    @property
    def suspects(self) -> Any:
        """The rows whose label is likely wrong, most suspect first, as a table of the input's kind.

        Columns ``row`` (from 0), ``score`` (how suspect the label is: from 1/2, where another class
        is as likely as the given one, to 1), ``given``, ``suggested`` and ``reason``, then those of
        the row itself (with a trailing ``_`` where a name is taken).
        """
        return self._ranked(self.suspect_rows, self.suspect_reasons).to_native()

    @property
    def cleaned(self) -> Any:
        """The table as it came, and what came of it.

        ``nacre_label`` is the label to use: the suggested one of suspects, the predicted one of
        rows without a label, else the given one. ``nacre_suspect`` says which labels are suspect,
        ``nacre_score`` how much.
        """
        found, known = self.model.found_, self.loaded.known
        codes = np.empty(len(known), np.int64)
        codes[known] = np.where(found.mislabeled, self.suggested, self.loaded.training.y)
        codes[~known] = self.loaded.codes(self.predicted)
        flagged = np.zeros(len(known), bool)
        flagged[known] = found.mislabeled
        scores = np.full(len(known), None)
        scores[known] = found.scores
        values = self.loaded.words(codes), flagged.tolist(), scores.tolist()
        return self.loaded.with_columns(dict(zip(ADDED, values, strict=True))).to_native()

    @cached_property
    def suggested(self) -> np.ndarray:
        """The suggested labels of the labelled rows, as codes."""
        return self.loaded.codes(self.model.found_.suggested)

    @cached_property
    def suspect_rows(self) -> np.ndarray:
        """The suspects among the labelled rows, most suspect first."""
        return self.model.suspects_

    @cached_property
    def suspect_reasons(self) -> list[list[str]]:
        """What speaks against the label of each suspect."""
        return self._reasons(self.suspect_rows)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data: what ``audit.json`` holds and the report shows."""
        return summarize(self, SHOWN)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the report, one HTML page that needs nothing else."""
        with whole_file(path) as half:
            half.write_bytes(self._page())

    def save(
        self, folder: str | os.PathLike[str], *, force: bool = False, every: bool = False
    ) -> None:
        """Write the report, the suspects, the cleaned table, the model and all of it as JSON.

        Parameters
        ----------
        folder : path
            Its files appear when all are written.
        force : bool, default=False
            Replace what a former audit has written there.
        every : bool, default=False
            List all labelled rows in ``suspects.csv``, not only the suspects.
        """
        with whole_folder(folder, force, FILES) as half:
            self.write(half, every)

    def write(self, folder: Path, every: bool = False, suffix: str = ".csv") -> None:
        """Write all files into an empty folder; the cleaned table's name ends in ``suffix``."""
        (folder / "report.html").write_bytes(self._page())
        text = json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)
        (folder / "audit.json").write_bytes(text.encode("utf-8", "replace"))
        order = self.model.found_.order
        ranked = self._ranked(order, self._reasons(order)).to_native() if every else self.suspects
        write_table(ranked, folder / "suspects.csv", safe=True)
        write_table(self.cleaned, folder / f"cleaned{suffix}")
        save_model(self.model, folder / "model.nacre", self.loaded.columns.to_dict())

    def _repr_html_(self) -> str:
        page = escape(self._page().decode(), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 720px; border: 0"></iframe>'

    def __repr__(self) -> str:
        return f"<Audit of {self.loaded.source}: {self.noise}; {len(self.suspect_rows)} suspects>"

    def _page(self) -> bytes:
        return render(self.to_dict()).encode("utf-8", "replace")

    def _ranked(self, rows: np.ndarray, why: list[list[str]]) -> nw.DataFrame[Any]:
        """Labelled rows with their scores, labels and reasons before their own columns."""
        loaded = self.loaded
        own = loaded.frame[loaded.rows[rows]]
        first = {
            "row": loaded.rows[rows].tolist(),
            "score": self.model.found_.scores[rows].tolist(),
            "given": loaded.words(loaded.training.y[rows]),
            "suggested": loaded.words(self.suggested[rows]),
            "reason": [" ".join(one) for one in why],
        }
        own = own.rename({name: f"{name}_" for name in own.columns if name in FIRST})
        return own.select(*loaded.series(first).values(), nw.all())

    def _reasons(self, rows: np.ndarray) -> list[list[str]]:
        found, columns = self.model.found_, self.loaded.columns
        return reasons(
            self.loaded.training, found.mislabeled, rows, self.suggested[rows],
            found.probabilities, columns.classes, columns.names, self._cell, self.settings["seed"],
        )  # fmt: skip

    def _cell(self, row: int, column: int) -> str:
        loaded = self.loaded
        return cell(loaded.frame, loaded.columns.names[column], int(loaded.rows[row]))
