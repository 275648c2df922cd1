"""How a text file spells its table, to write it again cell for cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from nacre.io.arrow import pa, pc


@dataclass(frozen=True, eq=False)
class Spelling:
    """What a text file says beyond the values of its table: 0.10 is more than 0.1.

    Attributes
    ----------
    delimiter : what parts the fields
    names : the fields of the header, by the names of the columns, where the two differ
    cells : the text of columns whose values would be written otherwise, by name
    marked : whether it begins with a byte order mark, by which spreadsheets know UTF-8
    """

    delimiter: str = ","
    names: Mapping[str, str] = field(default_factory=dict)
    cells: Mapping[str, pa.ChunkedArray] = field(default_factory=dict)
    marked: bool = False

    def without(self, names: Iterable[str]) -> Spelling:
        """The spelling of a table in which these columns are new."""
        gone = set(names)
        return replace(
            self,
            names={name: one for name, one in self.names.items() if name not in gone},
            cells={name: one for name, one in self.cells.items() if name not in gone},
        )

    def of_rows(self, rows: Any, renamed: Mapping[str, str]) -> Spelling:
        """The spelling of some of the rows, where some columns have other names."""
        rows = rows.cast(pa.int64())  # of no rows, Arrow does not know the type
        cells = {renamed.get(name, name): text.take(rows) for name, text in self.cells.items()}
        kept = {name: field for name, field in self.names.items() if name not in renamed}
        return replace(self, names=kept, cells=cells)


def differs(text: pa.ChunkedArray, values: pa.ChunkedArray) -> bool:
    """Whether values would be written otherwise than the text that they were read from."""
    written = values if values.type == text.type else values.cast(text.type)
    return not pc.all(pc.equal(written.fill_null(""), text)).as_py()
