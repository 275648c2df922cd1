"""Arrays and data frames in, numeric matrices out."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from nacre.data.features import Layout, as_matrix

nan = np.nan
NUMBERS = np.array([[1, 0], [2, 1], [3, 1]])

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
frames = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)


def read(X, *more, **named):
    return as_matrix(X, *more, **named)[0]


# Arrays


@pytest.mark.parametrize(
    "dtype", ["f2", "f4", "f8", "g", ">f8", ">i4", "i1", "i8", "u1", "u8", "O", "U8", "S8"]
)
def test_all_types_of_numbers_give_the_same_matrix(dtype):
    matrix = read(NUMBERS.astype(dtype))
    assert_array_equal(matrix, NUMBERS)
    assert matrix.dtype.kind in "fiu"
    assert matrix.dtype.isnative


def test_booleans_are_zero_and_one():
    matrix = read(np.array([[True, False], [False, True]]))
    assert_array_equal(matrix, [[1, 0], [0, 1]])
    assert matrix.dtype.kind == "u"


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_numbers_in_memory_order_are_not_copied(dtype, order):
    X = np.array(NUMBERS, dtype, order=order)
    assert np.shares_memory(read(X), X)


def test_other_memory_orders_are_made_contiguous():
    X = np.arange(24.0).reshape(4, 6)[::2, ::3]
    matrix = read(X)
    assert_array_equal(matrix, X)
    assert matrix.flags.c_contiguous


def test_read_only_arrays_are_read():
    X = NUMBERS.astype(float)
    X.flags.writeable = False
    assert_array_equal(read(X), NUMBERS)


def test_lists_are_read():
    assert_array_equal(read([[1, 2.5], [3, 4]]), [[1, 2.5], [3, 4]])


@pytest.mark.parametrize("gap", [None, nan, np.float32(nan), pd.NA, pd.NaT, Decimal("nan")])
def test_gaps_in_objects_are_missing(gap):
    X = np.array([[1, gap], [2.5, Decimal("0.5")]], dtype=object)
    assert_array_equal(read(X), [[1, nan], [2.5, 0.5]])


def test_text_that_reads_as_a_number_is_one():
    assert_array_equal(read([["1", "2.5"], ["-3", "nan"]]), [[1, 2.5], [-3, nan]])


@pytest.mark.parametrize("text", ["abc", "", "1,5", "a\nb", b"abc"])
def test_other_text_is_refused_in_one_line(text):
    X = np.array([[1.0, 2.0], [3.0, text]], dtype=object)
    with pytest.raises(ValueError, match=r"^Column 1 of X holds text \(.*not numbers") as caught:
        read(X)
    assert "\n" not in str(caught.value)


def test_long_text_is_cut_short_in_the_message():
    with pytest.raises(ValueError, match=r"\('x{27}\.\.\.'\)"):
        read([["x" * 1000]])


@pytest.mark.parametrize("value", [1 + 2j, {"a": 1}, [1, 2], datetime.date(2020, 1, 1), object()])
def test_objects_that_are_no_numbers_are_refused(value):
    X = np.empty((2, 2), dtype=object)
    X[:] = 0.0
    X[1, 1] = value
    with pytest.raises(TypeError, match=r"^Column 1 of X holds a value that is not a number"):
        read(X)


def test_whole_numbers_beyond_floats_are_refused():
    with pytest.raises((ValueError, TypeError), match="Column 0 of X"):
        read(np.array([[10**400], [1]], dtype=object))


@pytest.mark.parametrize(
    ("X", "kind", "says"),
    [
        (np.zeros(3), ValueError, r"2D array.*1D.*reshape\(-1, 1\)"),
        (np.zeros((2, 2, 2)), ValueError, "2D array.*3D"),
        (3.0, ValueError, "2D array.*0D"),
        (None, ValueError, "2D array"),
        (np.zeros((0, 2)), ValueError, r"0 sample\(s\).*minimum of 1"),
        (np.zeros((2, 0)), ValueError, r"0 feature\(s\).*minimum of 1"),
        (pd.DataFrame({"a": []}), ValueError, r"0 sample\(s\).*minimum of 1"),
        (pd.DataFrame(index=[0, 1]), ValueError, r"0 feature\(s\).*minimum of 1"),
        (sparse.csr_matrix(NUMBERS), TypeError, "[Ss]parse.*toarray"),
        (sparse.coo_array(NUMBERS), TypeError, "[Ss]parse.*toarray"),
        (NUMBERS + 0j, ValueError, "Complex data not supported"),
        (NUMBERS.astype("M8[s]"), ValueError, "datetime64.*must hold numbers"),
        (NUMBERS.astype("m8[s]"), ValueError, "timedelta64.*must hold numbers"),
        (pl.DataFrame({"a": [1]}).lazy(), (TypeError, ValueError), "collect"),
        ([[1, 2], [3]], ValueError, "X.*(rows|length|shape)"),
    ],
)
def test_what_is_no_table_is_refused(X, kind, says):
    with pytest.raises(kind, match=says) as caught:
        as_matrix(X)
    assert "\n" not in str(caught.value)


# Data frames


@frames
def test_frames_of_numbers(frame):
    X = frame({"a": [1, 2, 3], "b": [0.5, nan, 2.5], "c": [True, False, True]})
    matrix, layout = as_matrix(X)
    assert_array_equal(matrix, [[1, 0.5, 1], [2, nan, 0], [3, 2.5, 1]])
    assert layout == Layout()


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, None, 3], dtype="Int64"),
        pd.Series([1, None, 3], dtype="UInt8"),
        pd.Series([1, None, 3], dtype="Float32"),
        pd.Series([1, None, 3], dtype="int64[pyarrow]"),
        pd.Series([1, pd.NA, 3], dtype=object),
        pd.Series(["1", None, "3"]),
    ],
    ids=lambda column: str(column.dtype),
)
def test_gaps_in_pandas_columns_are_missing(column):
    assert_array_equal(read(pd.DataFrame({"a": column})), [[1], [nan], [3]])


@pytest.mark.parametrize("frame", [pl.DataFrame, pa.table], ids=["polars", "pyarrow"])
@pytest.mark.parametrize("column", [[1, None, 3], [1.0, None, 3.0], ["1", None, "3"]], ids=str)
def test_gaps_in_other_columns_are_missing(frame, column):
    assert_array_equal(read(frame({"a": column})), [[1], [nan], [3]])


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": pd.array([True, None, False], dtype="boolean")}),
        pl.DataFrame({"a": [True, None, False]}),
        pa.table({"a": [True, None, False]}),
    ],
    ids=FRAMES,
)
def test_gaps_in_booleans_are_missing(X):
    assert_array_equal(read(X), [[1], [nan], [0]])


def test_columns_without_any_value_are_missing():
    assert_array_equal(read(pl.DataFrame({"a": [None, None]})), [[nan], [nan]])
    assert_array_equal(read(pa.table({"a": pa.nulls(2)})), [[nan], [nan]])
    assert_array_equal(read(pd.DataFrame({"a": [None, None]})), [[nan], [nan]])


def test_decimals_are_numbers():
    X = pl.DataFrame({"a": [Decimal("1.5"), None]})
    assert_array_equal(read(X), [[1.5], [nan]])


@frames
def test_text_in_a_frame_is_refused_by_name(frame):
    with pytest.raises(ValueError, match=r"^Column 'b' of X holds text \('q'\).*categorical_feat"):
        as_matrix(frame({"a": [1, 2], "b": ["3", "q"]}))


@frames
def test_dates_in_a_frame_are_refused_by_name(frame):
    day = datetime.datetime(2020, 1, 1)
    with pytest.raises(TypeError, match=r"^Column 'b' of X holds a value that is not a number"):
        as_matrix(frame({"a": [1, 2], "b": [day, day]}))


def test_two_columns_of_one_name_are_refused_in_one_line():
    X = pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])
    with pytest.raises(ValueError, match="'a'") as caught:
        as_matrix(X)
    assert "\n" not in str(caught.value)


# Categories


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"n": [1, 2, 3], "c": pd.Categorical(["y", None, "x"])}),
        pl.DataFrame({"n": [1, 2, 3], "c": pl.Series(["y", None, "x"], dtype=pl.Categorical)}),
        pl.DataFrame({"n": [1, 2, 3], "c": pl.Series(["y", None, "x"], dtype=pl.Enum(["y", "x"]))}),
        pa.table({"n": [1, 2, 3], "c": pa.array(["y", None, "x"]).dictionary_encode()}),
    ],
    ids=["pandas", "polars", "enum", "pyarrow"],
)
def test_categorical_types_are_seen(X):
    matrix, layout = as_matrix(X)
    assert layout == Layout((1,), {1: ["x", "y"]})
    assert_array_equal(matrix, [[1, 1], [2, nan], [3, 0]])


@frames
@pytest.mark.parametrize("chosen", [["c"], "c", [1], [-1], [False, True], np.array([1])], ids=str)
def test_text_columns_named_as_categories(frame, chosen):
    matrix, layout = as_matrix(frame({"n": [1, 2, 3], "c": ["y", None, "x"]}), chosen)
    assert layout == Layout((1,), {1: ["x", "y"]})
    assert_array_equal(matrix, [[1, 1], [2, nan], [3, 0]])


def test_negative_numbers_count_from_the_last_column():
    assert as_matrix(np.ones((2, 3)), [-1])[1].categorical == (2,)
    assert as_matrix(np.ones((2, 3)), [2, -3, 0])[1].categorical == (0, 2)


@pytest.mark.parametrize("dtype", ["object", "string", "str"])
def test_pandas_text_types_give_the_same_categories(dtype):
    X = pd.DataFrame({"c": pd.Series(["y", None, "x"], dtype=dtype)})
    matrix, layout = as_matrix(X, ["c"])
    assert layout.levels == {0: ["x", "y"]}
    assert_array_equal(matrix, [[1], [nan], [0]])


def test_categories_that_are_numbers_keep_their_values():
    matrix, layout = as_matrix([[7.0, 1.0], [nan, 2.0]], [0])
    assert layout == Layout((0,), {})
    assert_array_equal(matrix, [[7, 1], [nan, 2]])


def test_categories_in_object_arrays():
    X = np.array([["b", 1], ["a", 2], [None, 3], [nan, 4]], dtype=object)
    matrix, layout = as_matrix(X, [0])
    assert layout == Layout((0,), {0: ["a", "b"]})
    assert_array_equal(matrix, [[1, 1], [0, 2], [nan, 3], [nan, 4]])


def test_gaps_of_pandas_in_object_arrays_of_categories():
    X = np.array([["b"], [pd.NA], ["a"]], dtype=object)
    assert_array_equal(read(X, [0]), [[1], [nan], [0]])


def test_categories_in_text_arrays():
    matrix, layout = as_matrix(np.array([["b", "1"], ["a", "2"]]), [0])
    assert layout.levels == {0: ["a", "b"]}
    assert_array_equal(matrix, [[1, 1], [0, 2]])


def test_categories_of_several_types_get_a_code_each():
    matrix, _ = as_matrix(np.array([["a"], [1], [2.5], ["1"], [None]], dtype=object), [0])
    assert len(np.unique(matrix[:4])) == 4
    assert np.isnan(matrix[4, 0])


def test_dates_may_be_categories():
    days = [datetime.date(2020, 1, day) for day in (3, 1, 2)]
    assert_array_equal(read(pl.DataFrame({"c": days}), ["c"]), [[2], [0], [1]])


def test_categories_that_cannot_be_compared_are_refused():
    with pytest.raises(TypeError, match="'c'"):
        as_matrix(pl.DataFrame({"c": [[1], [2, 3]]}), ["c"])


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        (["z"], "names 'z', which is not a column"),
        ([2], "holds 2, but X has 2 columns"),
        ([-3], "holds -3, but X has 2 columns"),
        ([0.5], "holds 0.5, but X has 2 columns"),
        ([None], "holds None"),
        ([True], "1 entries for 2 columns: a mask"),
        (True, "categorical_features"),
        ([[True, False]], "categorical_features"),
    ],
    ids=str,
)
def test_wrong_categorical_features_are_refused(chosen, says):
    with pytest.raises(ValueError, match=says):
        as_matrix(pd.DataFrame({"a": [1], "b": [2]}), chosen)


def test_names_need_a_frame():
    with pytest.raises(ValueError, match="names 'a', which is not a column"):
        as_matrix(NUMBERS, ["a"])


# Reading later tables the same way


@frames
def test_unknown_categories_become_missing(frame):
    _, layout = as_matrix(frame({"n": [1, 2], "c": ["x", "y"]}), ["c"])
    later = read(frame({"n": [5, 6, 7], "c": ["y", "new", None]}), layout=layout)
    assert_array_equal(later, [[5, 1], [6, nan], [7, nan]])


def test_unknown_categories_of_an_array_become_missing():
    _, layout = as_matrix(np.array([["x"], ["y"]], dtype=object), [0])
    later = np.array([["y"], ["new"], [3.5], [None]], dtype=object)
    assert_array_equal(read(later, layout=layout), [[1], [nan], [nan], [nan]])


def test_codes_do_not_depend_on_the_kind_of_frame():
    _, layout = as_matrix(pd.DataFrame({"c": pd.Categorical(["x", "y"])}))
    for later in (
        pd.DataFrame({"c": pd.Categorical(["y", "x"], categories=["y", "z", "x"])}),
        pd.DataFrame({"c": ["y", "x"]}),
        pl.DataFrame({"c": ["y", "x"]}),
        pa.table({"c": ["y", "x"]}),
        np.array([["y"], ["x"]], dtype=object),
    ):
        assert_array_equal(read(later, layout=layout), [[1], [0]])


@pytest.mark.parametrize("values", [[3, 1, 2], [True, False, True], [0.5, 1.5, 0.5]], ids=str)
def test_categories_of_numbers_are_known_again_as_numbers(values):
    """What is a category type in training may come as plain numbers later, and the other way."""
    typed, plain = pd.DataFrame({"c": pd.Categorical(values)}), pd.DataFrame({"c": values})
    for first, chosen, second in ((typed, None, plain), (plain, ["c"], typed)):
        matrix, layout = as_matrix(first, chosen)
        assert_array_equal(read(second, layout=layout), matrix)


def test_text_in_a_numeric_column_of_a_later_table_is_refused():
    _, layout = as_matrix(pd.DataFrame({"a": [1.0, 2.0]}))
    with pytest.raises(ValueError, match=r"^Column 'a' of X holds text \('q'\)"):
        as_matrix(pd.DataFrame({"a": ["q"]}), layout=layout)


def test_numbers_are_not_codes_of_text_categories():
    frame = pd.DataFrame({"a": ["red", "blue", "green"]})
    _, layout = as_matrix(frame, categorical_features=["a"])
    found, _ = as_matrix(np.array([[2.0], [0.0]]), layout=layout)
    assert np.isnan(found).all()


def test_text_is_an_unknown_category_among_numbers():
    frame = pd.DataFrame({"a": pd.Categorical([1, 2, 3])})
    _, layout = as_matrix(frame)
    found, _ = as_matrix(pd.DataFrame({"a": ["x", "2"]}), layout=layout)
    assert np.isnan(found[0, 0])


@pytest.mark.parametrize("dtype", [float, int, object])
def test_what_is_masked_is_missing(dtype):
    X = np.ma.array([[1, 2], [3, 4]], mask=[[False, True], [False, False]], dtype=dtype)
    matrix, _ = as_matrix(X)
    np.testing.assert_array_equal(matrix, [[1.0, np.nan], [3.0, 4.0]])
    X = np.ma.array([["a", "b"], ["b", "b"]], mask=[[True, False], [False, False]], dtype=object)
    matrix, _ = as_matrix(X, [0, 1])
    np.testing.assert_array_equal(matrix, [[np.nan, 0.0], [0.0, 0.0]])


def test_numbers_are_known_by_their_spelling():
    """Of categories that were text: a file may be read either way."""
    _, layout = as_matrix(pd.DataFrame({"c": list("0125")}), ["c"])
    for values in ([5, 0, 7], [5.0, 0.0, 7.0], ["5", "0", "7"]):
        matrix, _ = as_matrix(pd.DataFrame({"c": values}), layout=layout)
        np.testing.assert_array_equal(matrix[:, 0], [3.0, 0.0, np.nan])
