import copy
import datetime
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from nacre.data import Schema
from nacre.data.column import MOST_LEVELS
from nacre.data.schema import NothingToLearnFrom, find_column
from nacre.io import read_table
from tests.io.tables import LABELS, table

nan = np.nan
FRAMES = [pd.DataFrame, pl.DataFrame, pa.table]
frames = pytest.mark.parametrize("frame", FRAMES, ids=["pandas", "polars", "pyarrow"])
# What is chosen


def test_chosen_columns():
    frame = table(key=["p", "q"], a=[1, 2, 3], b=["s", "t"], c=[5, 6])
    columns = Schema.learn(frame, "y", categorical_features=["c"], ignore=["b"], id="key")
    assert columns.names == ("a", "c")
    assert columns.categorical == (1,)
    assert columns.id == "key"
    assert columns.label == "y"
    assert columns.notes == ()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"label": "diagnosi"}, r"There is no column 'diagnosi': did you mean 'Diagnosis'\?"),
        ({"label": "zzz"}, "no column 'zzz': the columns are a, Diagnosis, y"),
        ({"label": "y", "categorical_features": ["A"]}, r"no column 'A': did you mean 'a'\?"),
        ({"label": "y", "ignore": ["x"]}, "no column 'x'"),
        ({"label": "y", "id": "x"}, "no column 'x'"),
        ({"label": "y", "id": "y"}, "Column 'y' has the labels: it cannot be anything else"),
        (
            {"label": "y", "ignore": ["a"], "categorical_features": ["a"]},
            "'a' cannot be a category and be",
        ),
        ({"label": "y", "ignore": ["a"], "text": ["a"]}, "'a' cannot be text and be left out"),
        (
            {"label": "y", "text": ["a"], "categorical_features": ["a"]},
            "'a' cannot be a category and be text: choose one",
        ),
        ({"label": "y", "text": ["y"]}, "Column 'y' has the labels"),
        ({"label": "y", "text": ["x"]}, "no column 'x'"),
        ({"label": "y", "ignore": ["a", "Diagnosis"]}, "No column is left to learn 'y' from"),
    ],
    ids=str,
)
def test_wrong_choices(options, says):
    with pytest.raises(ValueError, match=says) as caught:
        Schema.learn(table(a=[1, 2], Diagnosis=[1.5, 2.5]), **options)
    assert "\n" not in str(caught.value)


def test_why_no_column_is_left():
    with pytest.raises(ValueError, match=r"No column is left.*'a' is set aside: every row has"):
        Schema.learn(table(a=[1]), "y")
    with pytest.raises(ValueError, match="The table has no rows"):
        Schema.learn(pl.DataFrame({"a": [], "y": []}), "y")


def test_columns_that_are_all_left_out_are_named():
    frame = pa.table({"a": [1, 3] * 5, "b": [2, 5] * 5, "c": [1] * 10, "y": ["u", "v"] * 5})
    with pytest.raises(ValueError, match=r"ignored or set aside: a, b, c\. Column 'c' is set"):
        Schema.learn(frame, "y", ignore=["a"], id="b")
    with pytest.raises(ValueError, match=r"from\. There is none\."):
        Schema.learn(frame.select(["y"]), "y")


def test_values_are_no_name_of_a_column():
    with pytest.raises(ValueError, match="by its name, and ndarray is none: put the values into"):
        find_column(np.zeros(100, bool), ["a", "b"])


# Later tables


@pytest.fixture
def columns():
    whole = table(
        n=[1, 2.5], t=[True, False], d=["2020-01-01", "2020-01-02"], c=["red", "blue"], k=["x"]
    )
    return Schema.learn(whole, "y")


@frames
def test_columns_in_another_order_and_others_beside_them(columns, frame):
    later = frame(
        {"c": ["blue", "new"], "more": [[1], [2]], "d": ["1970-01-02", None], "t": [0, 1],
         "n": ["7", "NA"]}
    )  # fmt: skip
    assert columns.features == ("n", "t", "d", "d (weekday)", "c")
    assert_array_equal(columns.matrix(later), [[7, 0, 1, 4, 0], [nan, 1, nan, nan, nan]])


@pytest.mark.parametrize(
    ("name", "values", "numbers"),
    [
        ("n", [True, False], [1, 0]),
        ("n", ["007", "-1"], [7, -1]),
        ("n", pd.array([1, None], "Int64"), [1, nan]),
        ("n", pd.Categorical([2.5, 1.0]), [2.5, 1]),
        ("n", [None, None], [nan, nan]),
        ("t", ["true", "False"], [1, 0]),
        ("t", ["1", "0"], [1, 0]),
        ("d", [datetime.datetime(1970, 1, 2), None], [1, nan]),
        ("d", [datetime.datetime(1970, 1, 2, tzinfo=datetime.UTC), None], [1, nan]),
        ("d", [None, None], [nan, nan]),
        ("c", pd.Categorical(["red", "green"]), [1, nan]),
        ("c", [1, 2], [nan, nan]),
        ("c", [None, " red"], [nan, 1]),
    ],
    ids=str,
)
def test_other_types_of_later_columns(columns, name, values, numbers):
    later = pd.DataFrame({"n": [1, 1], "t": [1, 1], "d": ["2020-01-01"] * 2, "c": ["red"] * 2})
    later[name] = values
    found = columns.matrix(later)
    assert_array_equal(found[:, columns.features.index(name)], numbers)


@pytest.mark.parametrize(
    ("name", "values", "says"),
    [
        ("n", ["1", "many"], "Column 'n' holds 'many', but the table it was learned from had num"),
        ("n", [datetime.datetime(2020, 1, 1)] * 2, "'n' holds values of type timestamp.*numbers"),
        ("t", ["maybe", "1"], "Column 't' holds 'maybe', .* had only true and false"),
        ("d", ["2020-01-01", "soon"], "Column 'd' holds 'soon', .* had dates"),
        ("d", [5, 6], "Column 'd' holds values of type int64, .* had dates"),
        ("c", [[1], [2]], "Column 'c' holds values of type .* had categories"),
    ],
    ids=str,
)
def test_later_columns_that_cannot_be_read(columns, name, values, says):
    later = {"n": [1, 1], "t": [1, 1], "d": ["2020-01-01"] * 2, "c": ["red"] * 2, name: values}
    with pytest.raises(ValueError, match=says) as caught:
        columns.matrix(pl.DataFrame(later))
    assert "\n" not in str(caught.value)


def test_dates_of_another_door_are_read():
    """A column of dates in a workbook is text in a CSV file."""
    day = datetime.date(2023, 1, 17)
    schema = Schema.learn(table(d=[day, datetime.date(2023, 1, 24)]), "y")
    for text in ("2023-01-17", "17.01.2023", "17 Jan 2023"):
        assert schema.matrix(pd.DataFrame({"d": [text]})) == [[19374]]
    with pytest.raises(ValueError, match="'d' holds '3/4/2023', but the table"):
        schema.matrix(pd.DataFrame({"d": ["3/4/2023"]}))


def test_missing_columns_are_named(columns):
    with pytest.raises(
        ValueError,
        match=r"^The table lacks the columns 't', 'c': all that the model has learned from must",
    ):
        columns.matrix(pd.DataFrame({"n": [1], "d": ["2020-01-01"]}))


def test_kinds_of_frames_do_not_matter(columns):
    frame = table(n=[1, 2.5], t=[True, False], d=["2020-01-01"], c=["red", None])
    expected = columns.matrix(frame)
    for other in (frame.to_pandas(), pl.from_arrow(frame)):
        assert_array_equal(columns.matrix(other), expected)
    structured = frame.to_pandas().to_records(index=False)
    assert_array_equal(columns.matrix(np.asarray(structured)), expected)


# Plain data


def test_columns_come_back_from_json(columns):
    text = json.dumps(columns.to_dict())
    assert Schema.from_dict(json.loads(text)) == columns


def damage(plain, path, value):
    """Plain data in which one part is another."""
    plain = copy.deepcopy(plain)
    inner = plain
    for step in path[:-1]:
        inner = inner[step]
    if value is KeyError:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return plain


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["label"], KeyError),
        (["more"], 1),
        (["label"], 1),
        (["label"], "n"),
        (["id"], 3),
        (["id"], "n"),
        (["notes"], "text"),
        (["notes"], [1]),
        (["classes"], ["u"]),
        (["classes"], ["u", "u"]),
        (["classes"], ["u", 1]),
        (["classes"], [0.5, 1.5]),
        (["classes"], [True, 1]),
        (["classes"], [["u"], ["v"]]),
        (["classes"], None),
        (["columns"], []),
        (["columns"], {}),
        (["columns", 0], "n"),
        (["columns", 0, "name"], "c"),
        (["columns", 0, "name"], None),
        (["columns", 0, "kind"], "other"),
        (["columns", 0, "kind"], ["number"]),
        (["columns", 0, "kind"], "category"),
        (["columns", 0, "rule"], 1),
        (["columns", 0, "parts"], ["day"]),
        (["columns", 0, "other"], True),
        (["columns", 0, "other"], 1),
        (["columns", 0, "levels"], ["x"]),
        (["columns", 0, "levels"], KeyError),
        (["columns", 0, "more"], 1),
        (["columns", 2, "rule", "patterns"], ["%H"]),
        (["columns", 2, "rule", "patterns"], {}),
        (["columns", 2, "rule", "patterns"], KeyError),
        (["columns", 2, "rule", "kind"], "number"),
        (["columns", 2, "rule", "decimal"], ";"),
        (["columns", 2, "rule", "units"], [["kg", 0.0]]),
        (["columns", 2, "rule", "units"], [["kg", "1"]]),
        (["columns", 2, "rule", "units"], ["kg"]),
        (["columns", 2, "rule", "gaps"], [1]),
        (["columns", 2, "parts"], []),
        (["columns", 2, "parts"], ["weekday", "day"]),
        (["columns", 2, "parts"], ["day", "week"]),
        (["readings"], 1),
        (["readings", 0, "examples"], []),
        (["readings", 0, "examples"], [["a", 1]]),
        (["readings", 0, "unread"], "1"),
        (["readings", 0, "gaps"], [1]),
        (["readings", 0, "column"], KeyError),
        (["join_labels"], 1),
        (["columns", 3, "levels"], ["x", "x"]),
        (["columns", 3, "levels"], [1, 2]),
        (["columns", 3, "levels"], "xy"),
        (["columns", 3, "levels"], [str(i) for i in range(MOST_LEVELS + 1)]),
    ],
    ids=str,
)
def test_damaged_descriptions_are_refused(columns, path, value):
    plain = damage(columns.to_dict(), path, value)
    with pytest.raises(ValueError, match="The description of the columns is damaged"):
        Schema.from_dict(plain)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_anything_else_is_no_description(plain):
    with pytest.raises(ValueError, match="damaged"):
        Schema.from_dict(plain)


# Anything at all

CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.sampled_from(["1", "-2.5", "007", "NA", " x", "true", "2020-02-03", "3/4/2020", "1.2.2020"]),
    st.dates(),
    st.datetimes(),
    st.decimals(),
    st.binary(max_size=2),
    st.tuples(st.integers()),
)


@st.composite
def any_frames(draw):
    n = draw(st.integers(1, 12))
    kinds = st.sampled_from(CELLS.original_strategies) | st.just(CELLS)
    names = draw(st.lists(st.sampled_from(["a", "id", "b_id", "", 3]), min_size=1, unique=True))
    columns = {
        name: pd.Series(draw(st.lists(draw(kinds), min_size=n, max_size=n)), dtype=object)
        for name in names
    }
    frame = pd.DataFrame({**columns, "y": [LABELS[i % 2] for i in range(n)]})
    return frame.infer_objects() if draw(st.booleans()) else frame


def learned_or_refused(frame, label):
    """Learn, or check that it was refused in a line."""
    try:
        return Schema.learn(frame, label)
    except ValueError as error:
        line = error
    assert type(line) in (ValueError, NothingToLearnFrom)
    assert "\n" not in str(line)
    return None


@given(frame=any_frames(), label=st.sampled_from(["y", "a"]))
def test_any_frame_becomes_a_matrix_or_is_refused_in_one_line(frame, label):
    columns = learned_or_refused(frame, label)
    if columns is not None:
        matrix = columns.matrix(frame)
        assert matrix.shape == (len(frame), len(columns.features))
        assert not np.any(np.isinf(matrix))
        labels, known = columns.labels(frame)
        assert len(labels) == known.sum()
        assert set(labels.tolist()) == set(columns.classes)
        plain = columns.to_dict()
        if not any(column.terms for column in columns.columns):  # which have arrays
            plain = json.loads(json.dumps(plain))
        again = Schema.from_dict(plain)
        assert again == columns
        assert_array_equal(again.matrix(frame), matrix)


@pytest.mark.slow
def test_real_tables(datasets):
    for path in sorted(datasets.glob("*.csv.gz")):
        if "-answers" in path.name:
            continue  # answers of several people a row
        frame = read_table(path)
        columns = Schema.learn(frame, "label")
        matrix = columns.matrix(frame)
        assert matrix.shape == (len(frame), len(columns.features))
        codes = matrix[:, columns.categorical]
        assert not codes.size or np.nanmax(codes) < 255
        assert not {"id", "instance"} & set(columns.names)
