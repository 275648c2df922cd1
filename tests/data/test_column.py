import datetime
import itertools
import string

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from nacre.data import Schema
from nacre.data.column import MOST_LEVELS, TELLING, Column, learn_column
from tests.io.tables import LABELS, N, repeated, table

nan = np.nan


def learned(values, name="a", **options):
    """The one column learned from, if any, its numbers and the notes."""
    frame = table(**{name: values}, b=[0.5, 1.5, 1.0])
    columns = Schema.learn(frame, "y", **options)
    matrix = columns.matrix(frame)
    first = columns.columns[0]
    if first.name == "b":
        return None, None, columns.notes
    assert len(columns.columns) == 2
    return first, matrix[:, 0] if len(first.features) == 1 else matrix[:, :-1], columns.notes


@pytest.mark.parametrize(
    ("values", "kind", "numbers"),
    [
        ([1, 2, 7], "number", [1, 2, 7]),
        ([1.5, None, -1e300], "number", [1.5, nan, -1e300]),
        (["1", " 2.5", "NA", "1e2"], "number", [1, 2.5, nan, 100]),
        ([True, False, None], "boolean", [1, 0, nan]),
        (["true", "FALSE", ""], "boolean", [1, 0, nan]),
        (["b", " a ", "?", "c"], "category", [1, 0, nan, 2]),
        (["007", "010"], "category", [0, 1]),
        ([datetime.date(1970, 1, 3), datetime.date(1969, 12, 31)], "date", [2, -1]),
        ([datetime.datetime(1970, 1, 2, 12), None], "date", [1.5, nan]),
        ([datetime.timedelta(hours=36), datetime.timedelta(0)], "time", [36, 0]),
        ([datetime.time(6), datetime.time(18)], "time", [6, 18]),
        (["1970-01-02", "1970-01-02 06:00", "NA"], "date", [1, 1.25, nan]),
        (["1970-01-02T02:00:00+02:00", "1970-01-01T06:00:00Z"], "date", [1, 0.25]),
        (["2.1.1970", "01.02.1970"], "date", [1, 31]),
        (["1/2/1970", "1/31/1970"], "date", [1, 30]),
        (["2/1/1970", "31/1/1970"], "date", [1, 30]),
        (["1970/1/2", "1970/2/1"], "date", [1, 31]),
    ],
    ids=str,
)
def test_kinds_of_columns(values, kind, numbers):
    column, found, _ = learned(values)
    assert column.kind == kind
    first = found if found.ndim == 1 else found[:, 0]  # of a date, its day
    assert_array_equal(first, repeated(numbers))


def test_the_way_dates_are_written_is_noted_where_there_are_two():
    assert learned(["1/31/2020", "2/1/2020"])[2] == (
        "Column 'a' is read as dates (%m/%d/%Y): '1/31/2020' is 2020-01-31.",
    )
    assert learned(["31/1/2020", "2/1/2020"])[2] == (
        "Column 'a' is read as dates (%d/%m/%Y): '31/1/2020' is 2020-01-31.",
    )
    assert learned(["31.1.2020", "2.1.2020"])[2] == ()


@pytest.mark.parametrize(
    ("name", "values", "says"),
    [
        ("a", [None], "it is empty"),
        ("a", ["NA", "", "?"], "it is empty"),
        ("a", [3], "every row has the same value, '3'"),
        ("a", ["x", " x"], "every row has the same value, 'x'"),
        ("a", [float("inf"), None], "its numbers are infinite"),
        ("a", list(range(5, 5 + N)), "it numbers the rows"),
        ("a", list(range(N, 0, -1)), "it numbers the rows"),
        ("a", [str(i) for i in range(N)], "it numbers the rows"),
        ("a", [float(i) for i in range(N)], "it numbers the rows"),
        ("id", [3, 1, 4], "by its name it identifies rows"),
        ("ID", ["x1", "x2"], "by its name it identifies rows"),
        ("patient_id", [7 * i for i in range(N)], "by its name it identifies rows"),
        ("patientId", [7.0 * i for i in range(N)], "by its name it identifies rows"),
        (
            "id",
            [7 * (i // 3) for i in range(3 * N)],
            "identifies rows, but its values repeat",
        ),
        ("Unnamed: 0", [7 * i for i in range(N)], "by its name it identifies rows"),
        ("a", [f"name {i}" for i in range(N)], "it holds codes, and differs in nearly every row."),
        ("__index_level_0__", ["p", "q"], "it is the index of a data frame"),
        ("a", [str(i) if i % 2 else f"x{i}" for i in range(N)], "numbers and text, and differs in"),
        ("a", [[1], [2, 3]], "its lists have 1 to 2 numbers"),
        ("a", [{"b": 1}, {"b": 2}], "values of type struct<"),
        ("a", [b"\xff", b"\xfe"], "values of type binary"),
    ],
    ids=str,
)
def test_columns_set_aside(name, values, says):
    column, _, notes = learned(values, name)
    assert column is None
    assert len(notes) == 1
    assert notes[0].startswith(f"Column {name!r} is set aside: ")
    assert says in notes[0]


def test_codes_that_may_be_numbers_or_dates_are_said_first():
    for values, telling in (([f"{i}:1:{i}/7" for i in range(N)], True),
                            ([f"PAT-{i:06}" for i in range(N)], False)):  # fmt: skip
        _, _, (note,) = learned(values)
        assert note.endswith(TELLING) == telling


def test_long_text_is_read():
    notes = [" ".join([word * 2] * 30) for word in string.ascii_letters]
    frame = pa.table({"a": notes * 3, "b": list(range(78)) * 2, "y": LABELS * 78})
    columns = Schema.learn(frame, "y")
    assert columns.names == ("a", "b")
    assert columns.columns[0].kind == "text"
    assert columns.notes == ()


TITLES = ["senior", "junior", "lead"], ["data", "field", "sales"], ["engineer", "clerk", "buyer"]


def test_short_strings_of_many_values_are_read_by_characters():
    names = [" ".join(one) + "s" * k for one in itertools.product(*TITLES) for k in range(4)]
    column, found, notes = learned(names[:N])
    assert column.kind == "text"
    assert [one.kind for one in column.terms] == ["characters"]
    assert found.shape == (N, len(column.features))
    assert notes == ()


def test_text_without_a_word_that_comes_twice_is_set_aside():
    column, _, notes = learned([chr(0x4E00 + i) * 2 for i in range(N)])
    assert column is None
    assert notes == (
        "Column 'a' is set aside: it is text without a word that comes twice. What tells the "
        "classes may stand there.",
    )


def test_what_is_set_aside_and_may_tell_comes_first():
    frame = table(a=[1], b=[[1], [2, 3]], c=[0.5, 1.5])
    notes = Schema.learn(frame, "y").notes
    assert [note.split("'")[1] for note in notes] == ["b", "a"]


def test_how_text_is_read_is_said_with_examples():
    words = string.ascii_lowercase
    text = [f"the {word} parcel {one * 3} was {word}" for one in words for word in ("red", "blue")]
    (reading,) = Schema.learn(pa.table({"a": text, "y": LABELS * 26}), "y").readings
    assert (reading.column, reading.kind) == ("a", "text")
    assert reading.how == "text, by parts of its words"
    said, parts = reading.examples[0]
    assert said == text[0]
    assert all(part in said for part in parts.split(", "))


def test_any_column_may_be_named_as_text():
    column, found, _ = learned(["red wine", "white wine", None, "red beer"], text=["a"])
    assert column.kind == "text"
    assert np.isnan(found[2::4]).all()
    assert not np.isnan(np.delete(found, slice(2, None, 4), axis=0)).any()


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("store_id", [3, 1, 4], "number"),
        ("store_id", ["s", "t"], "category"),
        ("index", [0.5, 2.0, 7.25], "number"),
        ("solid", list(range(0, 2 * N, 2)), "number"),
        ("a", [1, None], "number"),
        ("a", ["x", None], "category"),
    ],
    ids=str,
)
def test_columns_that_only_look_as_if(name, values, kind):
    column, _, notes = learned(values, name)
    assert column.kind == kind
    assert notes == ()


def test_few_rows_are_never_taken_for_names():
    frame = pa.table({"a": ["p", "q", "r"], "b": [1, 2, 3], "y": ["u", "v", "u"]})
    columns = Schema.learn(frame, "y")
    assert [column.kind for column in columns.columns] == ["category", "number"]


def test_infinite_numbers_are_missing():
    _, found, notes = learned([1.0, float("inf"), float("-inf"), 2.0])
    assert_array_equal(found, repeated([1, nan, nan, 2]))
    assert notes == ("Column 'a': infinite numbers (20) are taken for missing.",)


@pytest.mark.parametrize(
    "values",
    [pd.Series([1, "x", 2.5, None], dtype=object), pd.Series(["1", "x", "2.5", None])],
)
def test_mixed_types_are_categories(values):
    frame = pd.DataFrame({"a": pd.concat([values] * 10, ignore_index=True), "y": repeated(LABELS)})
    columns = Schema.learn(frame, "y")
    assert columns.columns == (Column("a", "category", ("1", "2.5", "x")),)
    assert columns.notes == ("Column 'a': it mixes numbers and text, and is taken for categories.",)
    assert_array_equal(columns.matrix(frame)[:4, 0], [0, 2, 1, nan])


def test_numbers_may_be_named_as_categories():
    column, found, _ = learned([3.0, 1.0, nan, 10.0], categorical_features=["a"])
    assert column.levels == ("1", "10", "3")
    assert_array_equal(found, repeated([2, 0, nan, 1]))


@pytest.mark.parametrize("later", [[1, 3], [1.0, 3.0], ["1", " 3"]], ids=str)
def test_categories_that_are_numbers_are_known_in_any_type(later):
    columns = Schema.learn(table(a=[3, 1]), "y", categorical_features=["a"])
    assert_array_equal(columns.matrix(pd.DataFrame({"a": later}))[:, 0], [0, 1])


def test_the_commonest_categories_are_kept():
    words = [f"w{i:04}" for i in range(300)]
    values = [word for i, word in enumerate(words) for _ in range(3 if i >= 40 else 2)]
    frame = pa.table({"a": values, "y": (LABELS * len(values))[: len(values)]})
    columns = Schema.learn(frame, "y")
    (column,) = columns.columns
    assert column.levels == tuple(words[40 : 40 + MOST_LEVELS])
    assert column.other
    codes = columns.matrix(pa.table({"a": ["w0000", "w0040", "new", None]}))
    assert_array_equal(codes[:, 0], [MOST_LEVELS, 0, MOST_LEVELS, nan])
    assert columns.notes == ("Column 'a': of its 300 categories the commonest 254 are told apart.",)


def later(column, values):
    """What a column makes of the values of a later table, the first feature."""
    return column.read(pa.chunked_array([pa.array(values)]))[:, 0]


def test_numbers_among_categories_are_found_however_a_later_file_spells_them():
    column = Column("a", "category", ("007", "1.0", "2", "x"))
    assert_array_equal(later(column, [1.0, 2.0, 7.0]), [1, 2, nan])
    assert_array_equal(later(column, [1, 2, 7]), [1, 2, nan])
    assert_array_equal(later(column, ["1.0", "2.0", "7", "007"]), [1, 2, nan, 0])
    versions = Column("a", "category", ("1.1", "1.10", "2"), other=True)
    assert_array_equal(later(versions, ["1.10", "1.1", "2.0", "3"]), [1, 0, 2, 3])


def test_plain_numbers_are_missing_where_units_must_stand_beside_them():
    column, _ = learn_column("a", pa.chunked_array([["5 kg", "700 g", "12 kg", "80 g"]]))
    assert_array_equal(later(column, ["5 kg", "500 g"]), [5, 0.5])
    with pytest.raises(ValueError, match="'a' holds '5', but"):
        later(column, [5, 6])


def test_a_comma_where_plain_numbers_were_is_noted():
    column = Column("a", "number")
    with pytest.warns(UserWarning, match="'46,881' is taken for 46881; the table .* plain numbers"):
        assert_array_equal(later(column, ["12", "46,881"]), [12, 46881])


def test_dates_of_later_tables_may_be_written_in_any_clear_way():
    column, _ = learn_column("a", pa.chunked_array([["13.1.1970", "3.2.1970", "4.2.1970"]]))
    assert_array_equal(later(column, ["1970-01-03", "4 Jan 1970", "5.1.1970"]), [2, 3, 4])
    with pytest.raises(ValueError, match="'a' holds '2/1/1970', but"):
        later(column, ["2/1/1970"])


def test_types_of_many_fields_are_named_in_short():
    """As a JSON file has that pandas has written by columns."""
    values = pa.chunked_array([[{f"field {k}": k for k in range(1000)}] * 2])
    _, note = learn_column("a", values)
    assert "of type struct<field 0: int64, fiel...." in note


@pytest.mark.parametrize(("rare", "value"), [("90+", "90"), ("5.50-", "-5.5"), ("<5", "4.999995")])
def test_what_a_rare_sign_is_taken_for_is_said(rare, value):
    words = [f"{k}.25" for k in range(100)]
    _, reading = learn_column("a", pa.chunked_array([[*words, rare]]))
    assert reading.examples[0] == (rare, value)
