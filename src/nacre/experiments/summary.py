"""What is kept of an experiment's results once they are in: verdicts, table, cost; as plain data.

Cells are many and stay where they were measured. A summary is small enough to lie beside the pages
that are made from it, and to be read again where the cells are not at hand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from nacre.experiments.experiment import Experiment, Row, Setting
from nacre.experiments.reproduce import Verdict, judge, table_of
from nacre.experiments.run import gather
from nacre.experiments.store import Store
from nacre.io.whole import whole_file

SIZE = "paper"
WORDS = ("agree", "agree under a reading", "differ", "not run")
"""What may become of a claim. One differs if it does so under every reading that was tried."""


@dataclass(frozen=True)
class Summary:
    """The results of an experiment, or of one of its readings, at the paper's size.

    Attributes
    ----------
    verdicts : in the order of the claims
    table : its rows
    cells : how many there are
    seconds : how long they took, added up over all workers and runs
    readings : the same of the experiment's readings, by name
    """

    verdicts: Sequence[Verdict]
    table: Sequence[Row]
    cells: int
    seconds: float
    readings: Mapping[str, Summary] = field(default_factory=dict)

    def value(self, column: str, **wanted: Any) -> Any:
        """What the one row of the table that has the wanted values says in a column."""
        rows = [row for row in self.table if wanted.items() <= row.items()]
        if len(rows) != 1:
            raise LookupError(f"{len(rows)} rows of the table have {wanted}.")
        return rows[0][column]

    def percent(self, column: str, **wanted: Any) -> float:
        """``value`` in percent."""
        return 100.0 * float(self.value(column, **wanted))

    def agreed(self) -> int:
        """How many claims agree as they stand."""
        return sum(one.agrees is True for one in self.verdicts)

    def agreeing(self, claim: int) -> list[str]:
        """The readings under which a claim agrees."""
        return [name for name, one in self.readings.items() if one.verdicts[claim].agrees]

    def words(self) -> list[str]:
        """What becomes of each claim, in the words of ``WORDS``."""
        return [
            "agree under a reading" if one.word == "differ" and self.agreeing(claim) else one.word
            for claim, one in enumerate(self.verdicts)
        ]

    def write(self, path: Path) -> None:
        """Write it as JSON."""
        with whole_file(path) as half:
            half.write_text(json.dumps(asdict(_rounded(self)), indent=1) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Summary:
        """Read what ``write`` has written."""
        return cls._from(json.loads(path.read_text(encoding="utf-8")))

    @classmethod
    def _from(cls, found: dict[str, Any]) -> Summary:
        return cls(
            [Verdict(**one) for one in found["verdicts"]],
            found["table"],
            found["cells"],
            found["seconds"],
            {name: cls._from(one) for name, one in found["readings"].items()},
        )


def _rounded(summary: Summary) -> Summary:
    """With six digits of each number, and nothing for what is not a number."""
    table = [{name: _six(value) for name, value in row.items()} for row in summary.table]
    readings = {name: _rounded(one) for name, one in summary.readings.items()}
    return replace(summary, table=table, seconds=_six(summary.seconds), readings=readings)


def _six(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return "" if value != value else float(f"{value:.6g}")


def complete(experiment: Experiment, store: Store) -> list[Setting]:
    """The settings of the data sets whose cells are all stored."""
    every = experiment.settings[SIZE]
    missing = {
        setting.values.get("data")
        for setting in every
        if any(cell not in store for cell in experiment.cells(setting))
    }
    return [setting for setting in every if setting.values.get("data") not in missing]


def summarise(experiment: Experiment, store: Store) -> Summary | None:
    """A summary from the data sets whose cells are all stored; None where there are none."""
    settings = complete(experiment, store)
    if not settings:
        return None
    results = gather(experiment, settings, store)
    cells = [cell for setting in settings for cell in experiment.cells(setting)]
    return Summary(
        judge(experiment, results), table_of(experiment, results), len(cells), store.seconds(cells)
    )
