"""Tables in JSON: an object a line, or a list of objects."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nacre.io.arrow import TEXT, as_array, pa
from nacre.io.size import check_expanded

JSON = rb'\{\s*["}]|\[\s*[{\]]'
"""How JSON begins that may hold a table."""

BLOCK = 1 << 24
"""Bytes parsed at a time: no line may be longer."""


def read_json(path: Path, packed: str | None, most: float) -> pa.Table:
    """Read a table from JSON lines, or a list of objects; ValueError where a line is neither.

    Text stays text, whatever it looks like, and what is nested stays so; values of several types
    in one column become text.
    """
    if packed:
        _check_size(path, packed, most)
    try:
        return _quick(path, packed)
    except pa.ArrowInvalid:  # a line that is no object, or columns of several types
        return _from_objects(list(_objects(path, packed)))


def _check_size(path: Path, packed: str, most: float) -> None:
    size = 0
    with pa.input_stream(path, compression=packed) as stream:
        while block := stream.read(1 << 20):
            size += len(block)
            check_expanded(path, size, most)


def _quick(path: Path, packed: str | None) -> pa.Table:
    from pyarrow import json as arrow_json

    reading = arrow_json.ReadOptions(use_threads=False, block_size=BLOCK)

    def read(parsing: Any = None) -> pa.Table:
        with pa.input_stream(path, compression=packed) as stream:
            return arrow_json.read_json(stream, reading, parsing)

    table = read()
    if any(pa.types.is_temporal(kind) for kind in table.schema.types):  # text that looks like dates
        kinds = [(one.name, TEXT if pa.types.is_temporal(one.type) else one.type)
                 for one in table.schema]  # fmt: skip
        table = read(arrow_json.ParseOptions(explicit_schema=pa.schema(kinds)))
    return table


def _objects(path: Path, packed: str | None) -> Iterator[dict[str, Any]]:
    with pa.input_stream(path, compression=packed) as stream:
        text = codecs.decode(stream.read(), "utf-8-sig")
    if text.lstrip().startswith("["):
        try:
            found = json.loads(text)
        except ValueError as error:
            raise ValueError(f"{path.name!r} is no JSON: {error}.") from None
        for number, one in enumerate(found, 1):
            if not isinstance(one, dict):
                raise ValueError(f"Entry {number} of {path.name!r} is no JSON object.")
            yield one
        return
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            one = json.loads(line)
        except ValueError as error:
            why = str(error).split(":")[0]
            raise ValueError(f"Line {number} of {path.name!r} is no JSON: {why}.") from None
        if not isinstance(one, dict):
            raise ValueError(f"Line {number} of {path.name!r} is no JSON object.")
        yield one


def _from_objects(rows: list[dict[str, Any]]) -> pa.Table:
    names = list(dict.fromkeys(name for row in rows for name in row))
    return pa.table({name: _column([row.get(name) for row in rows]) for name in names})


def _column(values: list[Any]) -> pa.Array:
    if any(isinstance(one, (dict, list)) for one in values):
        try:
            return pa.array(values)
        except pa.ArrowException:
            values = [json.dumps(one) if isinstance(one, (dict, list)) else one for one in values]
    return as_array(values)
