"""Data sets of the Hugging Face library ``datasets``, which is not loaded for it."""

from __future__ import annotations

from typing import Any

from nacre.io.arrow import pa, pc


def is_dataset(source: Any) -> bool:
    """Whether it is one of theirs, of any kind."""
    return type(source).__module__.partition(".")[0] == "datasets"


def dataset_table(source: Any) -> pa.Table:
    """The rows of a data set as an Arrow table, class labels by their names.

    Raises
    ------
    ValueError
        Where it has several splits, or cannot be had whole.
    """
    kind = type(source).__name__
    if "Iterable" in kind:
        raise ValueError("The data set is read as a stream: load it without streaming=True.")
    if isinstance(source, dict):
        raise ValueError(
            f"The data set has several splits, take one of them: {', '.join(map(repr, source))}."
        )
    if kind != "Dataset":
        raise TypeError(f"A table cannot be made of a {kind} of datasets.")
    table = source.with_format("arrow")[:]  # not .data, which knows no selection of rows
    for name, names in class_names(source).items():
        codes = table.column(name)
        words = pa.array([*names, None], pa.string())
        known = pc.if_else(pc.less(codes, 0), None, codes)  # -1 says that there is no label
        table = table.set_column(table.column_names.index(name), name, words.take(known))
    return table.replace_schema_metadata(None)


def class_names(source: Any) -> dict[str, list[str]]:
    """The names of class labels, by column."""
    return {
        name: list(one.names)
        for name, one in source.features.items()
        if type(one).__name__ == "ClassLabel"
    }


def as_dataset(table: pa.Table, source: Any) -> Any:
    """An Arrow table as a data set of the kind that another is: with its class labels."""
    known = {
        name: names for name, names in class_names(source).items() if name in table.schema.names
    }
    for name, names in known.items():
        codes = pc.index_in(table.column(name), value_set=pa.array(names, pa.string()))
        place = table.schema.get_field_index(name)
        table = table.set_column(place, name, codes.cast(pa.int64()))
    plain = type(source)(table)
    kinds = {**plain.features, **{name: source.features[name] for name in known}}
    return type(source)(table, info=type(source.info)(features=type(source.features)(kinds)))
