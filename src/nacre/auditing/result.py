"""What an audit found, in memory and in its folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from nacre.auditing.page import render
from nacre.auditing.reviewing import Reviewing
from nacre.auditing.stored import ROWS, SUMMARY, in_parts, require_whole
from nacre.auditing.summary import free_names
from nacre.auditing.tasks import suspect_tasks
from nacre.data import Schema
from nacre.io import write_table
from nacre.io.arrow import pa
from nacre.io.delimited import read_names
from nacre.io.label_studio import label_studio_view
from nacre.io.labelling import write_json
from nacre.io.read import read_source
from nacre.io.spelling import Spelling
from nacre.io.whole import whole_file, whole_folder
from nacre.noise import NoiseRate
from nacre.persistence import load_model, save_model

REPORT, SUSPECTS, MODEL = "report.html", "suspects.csv", "model.nacre"
CLEANED = ("cleaned.csv", "cleaned.parquet", "cleaned.xlsx")
CLEANED_FOLDER = "cleaned"
"""Where the cleaned table is of Parquet files that were audited in parts."""

FILES = (REPORT, SUMMARY, SUSPECTS, *CLEANED, CLEANED_FOLDER, MODEL, ROWS)
"""What an audit writes."""


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """What an audit found.

    Attributes
    ----------
    summary : dict
        Everything as plain data: what ``audit.json`` holds and the report shows.
    suspects : table of the input's kind
        The rows to look at, most suspect first, as many as labels seem to be wrong. Columns
        ``row`` (from 0), ``score`` (the probability that the label is wrong), ``given``,
        ``suggested`` and ``reason``, then those of the row itself (with a trailing ``_`` where a
        name is taken).
    cleaned : table of the input's kind; of one that was audited in parts a data set of pyarrow
        (None of a CSV file)
        The table as it came, and what came of it: ``nacre_label`` is the label to use (the
        suggested one where it is 80 % probable or more, the predicted one of rows without a label,
        else the given one), ``nacre_suspect`` says which labels are suspect, ``nacre_score`` how
        much.
    model : NacreClassifier
        Fitted to all labelled rows; ``model.found_`` has the quality of each label.
    schema : Schema
        How a table becomes the model's input.
    ranked : function or None
        Makes a table as ``suspects`` of all labelled rows, in the order of suspicion; an audit that
        was read from its folder has none.
    spelling : Spelling or None
        How the text file that the table came from spells it, so that ``cleaned.csv`` has its cells.
    """

    summary: dict[str, Any]
    suspects: Any
    cleaned: Any
    model: Any
    schema: Schema
    ranked: Callable[[], Any] | None = None
    spelling: Spelling | None = None

    @classmethod
    def read(cls, folder: str | os.PathLike[str]) -> Audit:
        """Read an audit back from the folder that ``save`` or ``nacre audit`` has written.

        Tables come as Arrow tables, from the files as they are: text that a spreadsheet would take
        for a formula has its apostrophe.

        Raises
        ------
        FileNotFoundError, ValueError
            Where a file is missing, or is none of nacre's.
        """
        folder = Path(folder)
        places = (*CLEANED, CLEANED_FOLDER)
        cleaned = next((folder / name for name in places if (folder / name).exists()), None)
        missing = [name for name in (SUMMARY, SUSPECTS, MODEL) if not (folder / name).exists()]
        if missing or cleaned is None:
            name = missing[0] if missing else CLEANED[0]
            raise FileNotFoundError(f"There is no audit in {str(folder)!r}: it has no {name}.")
        try:
            summary = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
            count = int(summary["suspects"]["count"])
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{str(folder / SUMMARY)!r} is damaged: {error}") from None
        model, plain = load_model(folder / MODEL)
        schema = Schema.from_dict(plain)
        suspects = _first_rows(folder / SUSPECTS, count)
        if in_parts(summary):
            return cls(summary, suspects, _lazy(cleaned), model, schema)
        read = read_source(cleaned, max_size=float("inf"))
        table = read.frame.to_native()
        return cls(summary, suspects, table, model, schema, spelling=read.spelling)

    @property
    def noise(self) -> NoiseRate:
        """How many labels are wrong."""
        return self.model.noise_

    @property
    def metrics(self) -> dict[str, Any]:
        """Of the model on rows that it has not seen, and of ordinary ones beside it."""
        return self.summary["metrics"]

    @property
    def notes(self) -> list[str]:
        """Lines on what was set aside or may surprise."""
        return self.summary["notes"]

    def assert_below(self, limit: float | str) -> None:
        """Raise where more labels are wrong than a limit allows, for tests and pipelines.

        Parameters
        ----------
        limit : float or str
            A share such as 0.05 or "5%".

        Raises
        ------
        AssertionError
            Where the whole interval of the noise rate lies above the limit.
        """
        self.noise.assert_below(limit)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data: what ``audit.json`` holds and the report shows."""
        return self.summary

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
        if every:
            require_whole(self.summary)
        if every and self.ranked is None:
            raise ValueError("An audit that was read from its folder lists its suspects only.")
        listed = self.ranked() if every and self.ranked is not None else self.suspects
        cleaned = folder / f"cleaned{suffix}"
        if self.cleaned is not None:
            write_table(self.cleaned, cleaned, safe=suffix == ".csv", spelling=self.spelling)
        write_table(listed, folder / SUSPECTS, safe=True, spelling=self._spelling_of(listed))
        save_model(self.model, folder / MODEL, self.schema.to_dict())
        write_json(self.summary, folder / SUMMARY)
        (folder / REPORT).write_bytes(self._page())

    def to_label_studio(self, path: str | os.PathLike[str]) -> None:
        """Write the suspects as tasks for Label Studio, and its labelling configuration.

        The suggested label is a prediction. :func:`nacre.io.read_label_studio` reads the answers.

        Parameters
        ----------
        path : path
            Of the tasks (JSON); the configuration goes beside them, ending in ``.xml``.
        """
        classes = [str(one) for one in self.schema.classes]
        with whole_file(path) as half, whole_file(Path(path).with_suffix(".xml")) as view:
            write_json([one.label_studio() for one in suspect_tasks(self)], half)
            view.write_text(label_studio_view(classes), encoding="utf-8", errors="replace")

    def to_argilla(self, path: str | os.PathLike[str]) -> None:
        """Write the suspects as records for Argilla: its ``records.from_json`` reads them.

        The suggested label is a suggestion. :func:`nacre.io.read_argilla` reads the answers.

        Parameters
        ----------
        path : path
            Of the records (JSON).
        """
        with whole_file(path) as half:
            write_json([one.argilla() for one in suspect_tasks(self)], half)

    def _spelling_of(self, listed: Any) -> Spelling | None:
        """How rows of the table are spelled in a table of suspects."""
        if self.spelling is None:
            return None
        return self.spelling.of_rows(listed["row"], free_names(self.cleaned.column_names))

    def review(
        self, folder: str | os.PathLike[str] | None = None, *, who: str | None = None
    ) -> Reviewing:
        """Decide about the suspects, on a page in the notebook or in a browser.

        Serves what ``nacre review`` serves, in a process of its own, which needs
        ``pip install 'nacre-boost[review]'``.

        Parameters
        ----------
        folder : path, optional
            Of the audit, where decisions are kept; it is saved there if it is not yet. Default: as
            of ``nacre audit``, the name of the table and "-audit".
        who : str, optional
            The reviewer; default the user's name.

        Returns
        -------
        Reviewing
            A notebook shows its page; its ``open()`` opens it in a browser, ``stop()`` ends it.

        Raises
        ------
        ValueError
            Where another audit is in the folder.
        """
        home = Path(f"{Path(self.summary['source']).stem}-audit" if folder is None else folder)
        if not (home / SUMMARY).exists():
            self.save(home)
        elif json.loads((home / SUMMARY).read_text(encoding="utf-8")) != self.summary:
            raise ValueError(f"Another audit is in {str(home)!r}: name another folder.")
        return Reviewing(home, [] if who is None else ["--who", who])

    def _repr_html_(self) -> str:
        page = escape(self._page().decode(), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 720px; border: 0"></iframe>'

    def __repr__(self) -> str:
        count = self.summary["suspects"]["count"]
        return f"<Audit of {self.summary['source']}: {self.noise}; {count} suspects>"

    def _page(self) -> bytes:
        return render(self.summary).encode("utf-8", "replace")


def _lazy(cleaned: Path) -> Any:
    """A folder of Parquet files as a data set; None for a file."""
    from pyarrow import dataset

    return dataset.dataset(cleaned, format="parquet") if cleaned.is_dir() else None


def _first_rows(path: Path, count: int) -> Any:
    """The first rows of a table of suspects: those that are, where all rows are listed."""
    if count:
        return read_source(path, max_size=float("inf")).frame[:count].to_native()
    return pa.table({name: [] for name in read_names(path)})  # which make no table
