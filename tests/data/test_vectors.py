"""Lists of numbers in one column, such as embeddings, against the rows they were made of."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from nacre.data import Schema

ROWS = np.random.default_rng(0).normal(size=(40, 6)).astype(np.float32)
LABELS = ["ill", "well"] * 20

TABLES = {
    "pandas arrays": pd.DataFrame({"e": list(ROWS), "y": LABELS}),
    "pandas lists": pd.DataFrame({"e": ROWS.tolist(), "y": LABELS}),
    "polars lists": pl.DataFrame({"e": ROWS.tolist(), "y": LABELS}),
    "polars arrays": pl.DataFrame({"e": ROWS, "y": LABELS}),
    "Arrow lists": pa.table({"e": ROWS.tolist(), "y": LABELS}),
    "Arrow, one size": pa.table(
        {"e": pa.FixedSizeListArray.from_arrays(pa.array(ROWS.ravel()), 6), "y": LABELS}
    ),
    "text as JSON": pd.DataFrame({"e": [json.dumps(row) for row in ROWS.tolist()], "y": LABELS}),
    "text as NumPy": pd.DataFrame({"e": [str(row) for row in ROWS], "y": LABELS}),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_lists_of_one_length_are_features(table):
    schema = Schema.learn(table, "y")
    assert schema.features == tuple(f"e ({k})" for k in range(1, 7))
    assert schema.sources == ("e",) * 6
    assert (schema.shown, schema.notes) == ((), ())
    assert str(schema.readings[0]).startswith("Column 'e' is read as lists of 6 numbers: '[0.1257")
    assert schema.matrix(table) == pytest.approx(ROWS, abs=1e-6)
    assert Schema.from_dict(schema.to_dict()) == schema


def test_gaps_and_what_is_infinite_are_missing():
    values = [None, [1.0, np.inf], *([[float(i), 2.0] for i in range(38)])]
    found = Schema.learn(pl.DataFrame({"e": values, "y": LABELS}), "y")
    matrix = found.matrix(pl.DataFrame({"e": values}))
    assert np.isnan(matrix[:2]).tolist() == [[True, True], [False, True]]
    assert matrix[2:].tolist() == values[2:]
    gone = found.matrix(pl.DataFrame({"e": [None, None]}))
    assert gone.shape == (2, 2)
    assert np.isnan(gone).all()


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([[1.0, 2.0], [3.0]] * 20, "its lists have 1 to 2 numbers, not all as many"),
        (pl.Series([[]] * 40, dtype=pl.List(pl.Float64)), "its lists are empty"),
        (ROWS.reshape(40, 2, 3).tolist(), "it holds values of type"),
    ],
    ids=["uneven", "empty", "nested"],
)
def test_other_lists_are_set_aside(values, says):
    schema = Schema.learn(pl.DataFrame({"e": values, "y": LABELS, "x": range(0, 80, 2)}), "y")
    assert schema.names == ("x",)
    assert says in schema.notes[0]


def test_later_tables_must_have_lists_as_long():
    schema = Schema.learn(TABLES["polars lists"], "y")
    with pytest.raises(ValueError, match=r"a list of 5 numbers, .* learned from had 6 in each"):
        schema.matrix(pl.DataFrame({"e": [[0.0] * 6, [0.0] * 5]}))
    with pytest.raises(ValueError, match="had lists of numbers there"):
        schema.matrix(pl.DataFrame({"e": [1.0, 2.0]}))


def test_text_with_brackets_stays_text():
    texts = [f"[{word} number {i}]" for i, word in enumerate(["one thing", "another"] * 20)]
    (column,) = Schema.learn(pd.DataFrame({"e": texts, "y": LABELS}), "y", text=["e"]).columns
    assert column.kind == "text"
    assert Schema.learn(pd.DataFrame({"e": ["[1, b]", "[2, c]"] * 20, "y": LABELS}), "y").columns


def test_whole_numbers_stay_whole_and_labels_are_no_lists(tmp_path):
    from nacre.io import write_table

    frame = pd.DataFrame({"e": [[1, 2], [3, 4]]})
    write_table(frame, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == 'e\n"[1, 2]"\n"[3, 4]"\n'
    with pytest.raises(ValueError, match="labels must be text, whole numbers or booleans"):
        Schema.learn(pd.DataFrame({"x": range(4), "y": [[1], [2]] * 2}), "y")
