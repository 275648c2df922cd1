"""What an experiment is: a declaration. :mod:`nacre.experiments.run` does the work."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from nacre.experiments.summary import Summary

SIZES = ("quick", "paper")

Record = dict[str, Any]
"""What one cell leaves behind: numbers, and lists of them, by name.

Names that begin with "raw_" are for pictures; a mean over the trials would have no meaning.
"""

Row = dict[str, Any]
"""A row of a table, by column."""


@dataclass(frozen=True)
class Setting:
    """What is fitted to what, in plain values, and how many trials it gets."""

    values: Mapping[str, Any]
    trials: int = 1


def grid(trials: int = 1, **choices: Any) -> list[Setting]:
    """Settings for all combinations of the choices; a list offers several values."""
    offered = [value if isinstance(value, list) else [value] for value in choices.values()]
    return [
        Setting(dict(zip(choices, values, strict=True)), trials) for values in product(*offered)
    ]


@dataclass(frozen=True)
class Cell:
    """The unit of work: one trial of one setting."""

    experiment: str
    version: int
    setting: Mapping[str, Any]
    trial: int

    def __getitem__(self, name: str) -> Any:
        return self.setting[name]

    @property
    def key(self) -> str:
        """What tells the cell from all others, and stale ones from valid ones."""
        return _text([self.experiment, self.version, self.setting, self.trial])

    def seed(self, *names: str, use: str = "") -> int:
        """A seed that only the trial and the named values of the setting decide.

        It depends on no other cell, so that neither the order of the work nor the number of workers
        matters. Cells that name the same values draw the same rows: their results are paired. Name
        a ``use`` to have several seeds.
        """
        part = {name: self.setting[name] for name in names}
        text = _text([self.experiment, part, self.trial, use])
        return int.from_bytes(sha256(text.encode()).digest()[:4], "big")


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


class NotRun(LookupError):
    """Results were asked for that are not there, as when a data set was not to be had."""


class Results:
    """The records of all cells of an experiment, by setting, in the order of the trials."""

    def __init__(self, records: Iterable[tuple[Mapping[str, Any], list[Record]]]) -> None:
        self._records = list(records)

    def __iter__(self) -> Any:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def where(self, **wanted: Any) -> list[Mapping[str, Any]]:
        """The settings that have the wanted values."""
        return [setting for setting, _ in self._matching(wanted)]

    def choices(self, name: str, **wanted: Any) -> list[Any]:
        """The values that a setting takes, in their order, among those that match."""
        return list(dict.fromkeys(one[name] for one in self.where(**wanted) if name in one))

    def quantities(self) -> list[str]:
        """The names of all that was recorded."""
        return list(dict.fromkeys(name for _, records in self._records for name in records[0]))

    def get(self, quantity: str, **wanted: Any) -> np.ndarray:
        """What was recorded, trial by trial, of the one setting that matches.

        Raises
        ------
        NotRun
            Where none does, or several do.
        """
        found = self._matching(wanted)
        if len(found) != 1:
            raise NotRun(f"{len(found)} settings match {wanted}.")
        return np.array([record[quantity] for record in found[0][1]], float)

    def mean(self, quantity: str, **wanted: Any) -> Any:
        """The mean over the trials; rounds that a trial did not reach do not count."""
        values = self.get(quantity, **wanted)
        return mean_present(values)

    def _matching(self, wanted: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], list[Record]]]:
        return [
            (setting, records)
            for setting, records in self._records
            if all(name in setting and setting[name] == one for name, one in wanted.items())
        ]


def mean_present(values: np.ndarray) -> np.ndarray:
    """The mean over the trials of what is there, NaN where nothing is."""
    there = ~np.isnan(values)
    count = there.sum(axis=0)
    return np.where(count > 0, np.nansum(values, axis=0) / np.maximum(count, 1), np.nan)


@dataclass(frozen=True)
class Finding:
    """Our side of a claim."""

    ours: str
    agrees: bool


@dataclass(frozen=True)
class Claim:
    """Something the paper says, and how we look whether it is so.

    The rule is fixed beforehand, in ``what``; ``check`` raises NotRun where the results that it
    needs are not there. ``reason`` says in a sentence why it does not simply agree, where it does
    not; it may have places for numbers, as a conclusion has.
    """

    what: str
    paper: str
    check: Callable[[Results], Finding]
    reason: str = ""


@dataclass(frozen=True)
class Reading:
    """A way to understand what a paper leaves open, other than the experiment's own.

    It is run as an experiment of its own name, so on other draws than the experiment was, and its
    claims are the experiment's; it has no figures. Readings are chosen after seeing that a claim
    differs: all that were tried are declared, and each is judged on all claims that its settings
    reach.

    Attributes
    ----------
    name : str
        Short, as it follows the experiment's name on the command line: "raw" of "barnes-6-raw".
    why : str
        What it is, and why the paper may mean it, in a sentence or two.
    settings : settings for each size
    checks : other rules, by the ``what`` of the claims that are judged by them
    measure : function of a cell that gives its record; default that of the experiment
    table : function that gives the rows of the table; default that of the experiment
    judges : str, optional
        Instead of draws of its own, cells that are there already, judged by other rules: "" for
        those of the experiment, else those of the reading of that name. Settings are theirs.
    """

    name: str
    why: str
    settings: Mapping[str, Sequence[Setting]]
    checks: Mapping[str, Callable[[Results], Finding]] = field(default_factory=dict)
    measure: Callable[[Cell], Record] | None = None
    table: Callable[[Results], list[Row]] | None = None
    judges: str | None = None


@dataclass(frozen=True)
class Experiment:
    """A declaration: what is drawn, fitted and recorded, and what the paper says.

    Attributes
    ----------
    name : str
        The paper's short name, a dash, and the number of its figure or section.
    title : str
        One line.
    version : int
        To be raised whenever ``measure`` changes: cells of older versions are not used.
    settings : settings for each size
    measure : function of a cell that gives its record
    claims : what the paper says
    figures : functions that draw the results, by the end of the file's name
    table : function that gives the rows of the table; default means over the trials
    files : for each value of the setting ``data`` that must be loaded, the set's name
    notes : lines that a reader of the results must know
    conclusion : in our own words, what agrees with the paper at its size, what does not, and why;
        with a place, such as ``{core:.3f}``, for every number
    numbers : function of what is kept of the results that gives those numbers, by name
    readings : other ways to understand the paper
    cells_of : name of the experiment whose cells these are; default its own
    """

    name: str
    title: str
    version: int
    settings: Mapping[str, Sequence[Setting]]
    measure: Callable[[Cell], Record]
    claims: Sequence[Claim]
    figures: Mapping[str, Callable[[Results, Figure], None]]
    table: Callable[[Results], list[Row]] | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    conclusion: str = ""
    numbers: Callable[[Summary], Mapping[str, Any]] | None = None
    readings: Sequence[Reading] = ()
    cells_of: str = ""

    @property
    def paper(self) -> str:
        """The paper's short name."""
        return self.name.split("-")[0]

    def cells(self, setting: Setting) -> list[Cell]:
        """The trials of a setting."""
        name = self.cells_of or self.name
        return [Cell(name, self.version, setting.values, trial) for trial in range(setting.trials)]

    def under(self, reading: Reading) -> Experiment:
        """The experiment as one of its readings has it."""
        claims = [
            replace(claim, check=reading.checks.get(claim.what, claim.check))
            for claim in self.claims
        ]
        return replace(
            self,
            name=self._named(reading.name),
            title=f"{self.title} ({reading.name})",
            settings=reading.settings,
            measure=reading.measure or self.measure,
            table=reading.table or self.table,
            claims=claims,
            figures={},
            notes=(reading.why,),
            conclusion="",
            readings=(),
            cells_of="" if reading.judges is None else self._named(reading.judges),
        )

    def _named(self, reading: str) -> str:
        return f"{self.name}-{reading}" if reading else self.name
