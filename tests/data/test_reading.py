"""Columns of text that stand for something else, in files as people have them."""

import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from nacre.data import Schema
from nacre.io.read import read_source

nan = np.nan
N = 60


def written(tmp_path, columns, delimiter=";", n=N, name="some.csv"):
    """A file in which the values of columns repeat, with labels."""
    columns = {**columns, "state": ["well", "ill", "well"]}
    rows = [delimiter.join(columns)]
    rows += [delimiter.join(one[i % len(one)] for one in columns.values()) for i in range(n)]
    path = tmp_path / name
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def learned(tmp_path, values, delimiter=";", **options):
    """The column that a file becomes, its numbers, its reading and the notes."""
    frame = read_source(written(tmp_path, {"a": values, "b": ["0.5", "1.5"]}, delimiter)).frame
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schema = Schema.learn(frame, "state", **options)
        matrix = schema.matrix(frame)
    again = Schema.from_dict(json.loads(json.dumps(schema.to_dict())))
    assert again == schema
    assert_array_equal(again.matrix(frame), matrix)
    return schema, matrix[: len(values), 0]


@pytest.mark.parametrize(
    ("values", "kind", "numbers", "how"),
    [
        (["35.000 EUR", "388 EUR", "1.250 EUR"], "number", [35000, 388, 1250], "numbers of EUR"),
        (["$61,017.00", "$388.50", "$12"], "number", [61017, 388.5, 12], "numbers of USD"),
        (["1.960,50", "388", "27,079"], "number", [1960.5, 388, 27.079], "with a decimal comma"),
        (["27,079", "388", "13,500"], "number", [27079, 388, 13500], "numbers"),
        (["59.2%", "3 %", "100%"], "number", [59.2, 3, 100], "numbers of %"),
        (["77.1 kg", "500 g", "80 kg"], "number", [77.1, 0.5, 80], r"of kg \(g, kg\)"),
        (["€110.5M", "€565K", "€0"], "number", [110.5e6, 565e3, 0], r"EUR \(EUR, EUR K, EUR M\)"),
        (["1 234,5", "12,5", "7"], "number", [1234.5, 12.5, 7], "decimal comma"),
        (["<5", "7", ">100", "12"], "number", [4.999995, 7, 100.0001, 12], "numbers"),
        (["15:08", "07:30", "3:15 pm"], "time", [15 + 8 / 60, 7.5, 15.25], "times, in hours"),
        (["45:00", "1:15:00", "9:00"], "time", [0.75, 1.25, 0.15], r"hours \(two parts: %M:%S\)"),
        (["2h 30min", "1h", "PT45M"], "time", [2.5, nan, 0.75], "times"),
        (["17 Jan 2023", "3 Feb 2023", "1 Mar 2022"], "date", [19374, 19391, 19052], "%d %b %Y"),
        (["17.01.2023", "03.02.2023"], "date", [19374, 19391], "%d.%m.%Y"),
        (["01/17/2023", "02/03/2023"], "date", [19374, 19391], "%m/%d/%Y"),
        (["17.01.2023", "2023-02-03", "1 Mar 2022"], "date", [19374, 19391, 19052], "%d.%m.%Y, "),
        (["2023-01-17T12:00:00+01:00", "2023-01-17T00:00Z"], "date", [19374 + 11 / 24, 19374], ""),
        (["yes", "no", "Yes "], "boolean", [1, 0, 1], "true or false"),
        (["ja", "nein", "JA"], "boolean", [1, 0, 1], "true or false"),
        (["Y", "N", "y"], "boolean", [1, 0, 1], "true or false"),
        (["TRUE", "FALSE"], "boolean", [1, 0], "true or false"),
    ],
    ids=str,
)  # fmt: skip
def test_disguises(tmp_path, values, kind, numbers, how):
    if kind == "time" and np.isnan(numbers).any():  # one in three cannot be read: say what it is
        schema, found = learned(tmp_path, values, read={"a": "time"})
        assert "20 values are taken for missing ('1h' 20)" in schema.notes[0]
    else:
        schema, found = learned(tmp_path, values)
    column, reading = schema.columns[0], schema.readings[0]
    assert (column.kind, reading.kind, reading.column) == (kind, kind, "a")
    assert_allclose(found, numbers, rtol=1e-9)
    assert re.search(how, reading.how)
    text, value = reading.examples[0]
    assert text in [one.strip() for one in values]
    assert value in str(reading)


def test_gaps_in_words_and_what_cannot_be_read(tmp_path):
    values = ["12,5", "n/a", "unknown", "-", *[f"{k},25" for k in range(40)], "twelve"]
    schema, found = learned(tmp_path, values)
    assert_allclose(found[:5], [12.5, nan, nan, nan, 0.25])
    (reading,) = schema.readings
    assert reading.unread == 5  # beside n/a, which is missing in any column
    assert reading.gaps == ("'unknown' 2", "'-' 2", "'twelve' 1")
    assert schema.notes == (str(reading),)
    assert "is read as numbers, with a decimal comma: '12,5' is 12.5" in str(reading)
    assert "taken for missing ('unknown' 2" in str(reading)


def test_bounds_are_said_however_rare(tmp_path):
    """What "<5" is taken for is a guess: it is the first example."""
    values = [*[f"{k * k % 29}.0" for k in range(N - 1)], "<5"]
    schema, found = learned(tmp_path, values)
    assert_allclose(found[-1], 4.999995)
    assert schema.readings[0].examples[0] == ("<5", "4.999995")
    assert "is read as numbers: '<5' is 4.999995" in schema.notes[0]


def test_a_word_beside_many_numbers(tmp_path):
    """A price that is "free" in a third of the rows is still a number."""
    values = [f"{10 + k}.50 EUR" if k % 3 else "free" for k in range(60)]
    schema, found = learned(tmp_path, values)
    assert schema.columns[0].kind == "number"
    assert np.isnan(found[::3]).all()
    assert found[1] == 11.5
    assert "20 values are taken for missing ('free' 20)" in schema.notes[0]


def text_of(values):
    """What strings in a frame become: numbers of the first rows, and the schema."""
    values = [values[i % len(values)] for i in range(N)]
    frame = pd.DataFrame({"a": values, "state": np.resize(["well", "ill"], N)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schema = Schema.learn(frame, "state")
        return schema, schema.matrix(frame)[:, 0]


@pytest.mark.parametrize("delimiter", [None, ";"], ids=["frame", "file"])
def test_points_between_thousands(tmp_path, delimiter):
    values = ["4.268", "300", "1.250", "999", "12.000", "-2.100", "0"]
    schema, found = text_of(values) if delimiter is None else learned(tmp_path, values, delimiter)
    assert_allclose(found[:7], [4268, 300, 1250, 999, 12000, -2100, 0])
    assert "'4.268' has a mark between thousands, as '300' and others" in schema.notes[0]


def test_points_that_nothing_tells_about_are_noted():
    schema, found = text_of(["4.268", "300", "1.255", "999"])
    assert_allclose(found[:4], [4.268, 300, 1.255, 999])
    assert "'4.268' is taken for 4.268, though nothing tells" in schema.notes[0]


@pytest.mark.parametrize(
    "values",
    [
        ["4.268", "0.107", "12.500", "300"],
        ["4.268", "12.5", "300", "1.250"],
        ["4.268", "300.0", "1.250"],
        ["4.268", "1300", "1.250"],
        ["4.268", "1.250", "12.000"],
        ["1.250", "300"],
        ["3e2", "1.250", "30"],
    ],
    ids=str,
)
@pytest.mark.parametrize("delimiter", [None, ";"], ids=["frame", "file"])
def test_plain_decimals_go_without_a_note(tmp_path, values, delimiter):
    schema, found = text_of(values) if delimiter is None else learned(tmp_path, values, delimiter)
    assert_allclose(found[: len(values)], [float(one) for one in values])
    assert schema.notes == ()
    assert schema.readings == ()


def test_floats_are_never_in_doubt():
    schema, found = text_of([4.268, 300.0, 1.25])
    assert_allclose(found[:3], [4.268, 300, 1.25])
    assert schema.notes == ()


@pytest.mark.parametrize("word", ["inf", "-Infinity", "1e400"])
@pytest.mark.parametrize("every", [2, 20])
def test_infinite_words_are_missing(word, every):
    values = [word if i % every == 0 else f"{i}.25" for i in range(N)]
    schema, found = text_of(values)
    assert np.isnan(found[::every]).all()
    assert found[1] == 1.25
    said = f"Column 'a': infinite numbers ({N // every}) are taken for missing."
    assert schema.notes == (said,)


def test_infinite_words_beside_units_are_missing():
    schema, found = text_of([word for i in range(9) for word in ("+inf", f"{i}.5 kg", f"{i} kg")])
    assert_allclose(found[:3], [nan, 0.5, 0])
    assert schema.notes[0].endswith("20 values are taken for missing ('+inf' 20).")


def test_a_sign_that_stands_beside_some_is_noted():
    schema, found = text_of(["0.107", "56.7%", "0.25", "31.2%", "12%"])
    assert_allclose(found[:3], [0.107, 56.7, 0.25])
    assert "'0.107' is taken for 0.107 %, though there is no % beside it" in schema.notes[0]
    assert "beside it" not in text_of(["0", "56.7%", "31.2%", "12%"])[0].notes[0]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["x", "y"], "category"),
        (["X", "Y", "n"], "category"),
        (["x", "0", "1"], "boolean"),
        (["x", "1.5", "2.5", "7"], "number"),
        (["x", "2023-01-17", "2023-02-03"], "date"),
        (["-", "y", "n"], "boolean"),
    ],
    ids=str,
)
def test_an_x_is_a_gap_among_numbers_and_dates(values, kind):
    schema, found = text_of(values)
    assert schema.columns[0].kind == kind
    assert np.isnan(found[0]) == (kind != "category")


def test_units_are_spelled_as_most_spell_them():
    schema, found = text_of(["39.4°C", "38.1 °C", "37.0°c"])
    assert_allclose(found[:3], [39.4, 38.1, 37])
    assert schema.readings[0].how == "numbers of °C"
    assert text_of(["4 Stk.", "1 stk", "5 Stk."])[0].readings[0].how == "numbers of Stk"


def test_a_word_beside_few_numbers_is_no_unit():
    schema, _ = text_of(["2", "3", "4", "5more"])
    assert schema.columns[0].kind == "category"
    schema, found = text_of([*map(str, range(0, 58, 2)), "58more"])
    assert np.isnan(found[29])
    assert "2 values are taken for missing ('58more' 2)" in schema.notes[0]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["yes", "no", "maybe"], "category"),
        (["m", "f"], "category"),
        (["18-25", "26-65", "65+"], "category"),
        (["<=50K", ">50K"], "category"),
        (["A1", "B2", "C3"], "category"),
        (["group 1", "group 2", "group 3"], "category"),
        (["007", "012", "100"], "category"),
        (["1", "2", "x7"], "category"),
        (["388 EUR", "400 USD", "300 GBP", "200 EUR"], "category"),
        (["10115", "80331", "20095"], "number"),
        (["1.5", "2.5"], "number"),
    ],
    ids=str,
)
def test_what_is_no_disguise(tmp_path, values, kind):
    schema, _ = learned(tmp_path, values)
    assert schema.columns[0].kind == kind
    assert schema.readings == ()


def test_dates_become_several_features(tmp_path):
    values = ["17.01.2021 06:00", "18.01.2022 18:00", "01.03.2023 00:00"]
    schema, days = learned(tmp_path, values)
    names = ("a", "a (day of year)", "a (weekday)", "a (hour)")
    assert schema.features == (*names, "b")
    assert schema.sources == ("a",) * 4 + ("b",)
    frame = pd.DataFrame({"a": [*values, "NA"], "b": 1.0})
    stamps = pd.to_datetime(pd.Series(values), dayfirst=True)
    expected = np.column_stack(
        [days, stamps.dt.day_of_year, stamps.dt.day_of_week, stamps.dt.hour, np.ones(3)]
    )
    found = schema.matrix(frame)
    assert_allclose(found[:3], expected)
    assert np.isnan(found[3, :4]).all()


def test_parts_that_say_nothing_are_left_out(tmp_path):
    assert learned(tmp_path, ["2023-01-02", "2023-01-09"])[0].features == ("a", "b")
    assert learned(tmp_path, ["2023-01-02", "2023-01-03"])[0].features == ("a", "a (weekday)", "b")


def test_what_goes_without_saying_is_listed_but_not_noted(tmp_path):
    for values in (["yes", "no"], ["2023-01-02", "2023-01-09"], ["02.01.2023", "09.01.2023"]):
        schema, _ = learned(tmp_path, values)
        assert len(schema.readings) == 1
        assert schema.notes == ()


@pytest.mark.parametrize(
    ("values", "choice", "kind", "numbers"),
    [
        (["27,079", "13,500", "9,250"], "decimal-comma", "number", [27.079, 13.5, 9.25]),
        (["27,079", "13,500", "9,250"], "decimal-point", "number", [27079, 13500, 9250]),
        (["35.000", "27.000", "9.250"], "decimal-point", "number", [35, 27, 9.25]),
        (["3/4/2023", "5/6/2023"], "day-first", "date", [19450, 19513]),
        (["3/4/2023", "5/6/2023"], "month-first", "date", [19420, 19483]),
        (["20230117", "20230203"], "date", "date", [19374, 19391]),
        (["007", "012", "x"], "number", "number", [7, 12, nan]),
        (["1", "2", "3"], "category", "category", [0, 1, 2]),
        (["35.000 EUR", "388 EUR"], "category", "category", [0, 1]),
        (["yes", "no"], "category", "category", [1, 0]),
        (["o", "n", "x"], "boolean", "boolean", [1, 0, nan]),
    ],
    ids=str,
)
def test_somebody_may_say_what_a_column_is(tmp_path, values, choice, kind, numbers):
    schema, found = learned(tmp_path, values, read={"a": choice})
    assert schema.columns[0].kind == kind
    assert_allclose(found, numbers)


def test_columns_can_be_ignored_by_the_same_word(tmp_path):
    schema, _ = learned(tmp_path, ["1", "2"], read={"a": "ignore"})
    assert schema.names == ("b",)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"read": {"a": "money"}}, "Column 'a' cannot be read as 'money': choose of number, dec"),
        ({"read": {"x": "number"}}, "There is no column 'x'"),
        ({"read": {"a": "number"}}, "Column 'a' cannot be read as number: it holds 'red', say"),
        ({"read": {"a": "day-first"}}, "Column 'a' cannot be read as day-first: it holds 'red'"),
        ({"read": {"b": "decimal-comma"}}, "Column 'b' holds plain numbers: there is no comma in"),
        ({"read": {"state": "category"}}, "Column 'state' has the labels"),
        ({"read": {"a": "number"}, "ignore": ["a"]}, "cannot be left out and be a number"),
        ({"read": {"a": "date"}, "categorical_features": ["a"]}, "be a category and be a date"),
    ],
    ids=str,
)
def test_wrong_words(tmp_path, options, says):
    frame = read_source(written(tmp_path, {"a": ["red", "blue"], "b": ["0.5", "1.5"]})).frame
    with pytest.raises(ValueError, match=says) as caught:
        Schema.learn(frame, "state", **options)
    assert "\n" not in str(caught.value)


# Later tables


def test_later_rows_are_read_by_the_same_rule(tmp_path):
    values = ["1.960,50 EUR", "388 EUR", "n/a", "27 EUR", "12 EUR"]
    schema, _ = learned(tmp_path, values)
    later = pd.DataFrame({"a": ["27,079", "1.000 EUR", "unknown", None, "5 EUR"], "b": 1.0})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_allclose(schema.matrix(later)[:, 0], [27.079, 1000, nan, nan, 5])


def test_later_values_that_cannot_be_read(tmp_path):
    schema, _ = learned(tmp_path, ["5 EUR", "7 EUR", "9 EUR"])
    few = pd.DataFrame({"a": ["5 EUR"] * 30 + ["5 USD"], "b": 1.0})
    with pytest.warns(UserWarning, match=r"'a': 1 of 31 values cannot be read as numbers .*5 USD"):
        assert np.isnan(schema.matrix(few)[-1, 0])
    with pytest.raises(ValueError, match="Column 'a' holds '5 USD', but the table it was learned"):
        schema.matrix(few[-2:])


def test_former_descriptions_of_dates_are_understood():
    plain = {
        "label": "y",
        "classes": ["u", "v"],
        "columns": [
            {"name": name, "kind": kind, "levels": [], "other": False, "pattern": pattern}
            for name, kind, pattern in (
                ("d", "date", "%d.%m.%Y"), ("e", "date", ""), ("n", "number", "")
            )
        ],
        "id": None,
        "notes": [],
    }  # fmt: skip
    schema = Schema.from_dict(plain)
    later = pd.DataFrame({"d": ["2.1.1970"], "e": ["1970-01-03 06:00"], "n": ["1.5"]})
    assert_array_equal(schema.matrix(later), [[1, 2.25, 1.5]])
    assert schema.features == ("d", "e", "n")


@pytest.mark.parametrize("text", ["65.000", "65.000,00", "65000", "65000,0", " 65.000 "])
def test_later_files_are_read_by_the_rule(tmp_path, text):
    """Of a file alone, 65.000 is a plain number."""
    learned = Schema.learn(written(tmp_path, {"a": ["57.399", "24.426,85", "1.960,5"]}), "state")
    later = tmp_path / "later.csv"
    later.write_text(f"a;b\n{text};1\n", encoding="utf-8")
    assert_array_equal(learned.matrix(later), [[65000]])
    assert_array_equal(learned.matrix(pd.DataFrame({"a": [65.0]})), [[65]])
    later.write_text("a\n65.125\n", encoding="utf-8")
    assert_array_equal(learned.matrix(later), [[65125]])
    later.write_text("a\n65.5\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"holds '65\.5', but .* had numbers with a decimal comma"):
        learned.matrix(later)


# Labels


def test_labels_are_joined_on_request(tmp_path):
    frame = pd.DataFrame({"a": np.arange(12) % 5, "y": ["Yes", "yes ", "YES", "no"] * 3})
    frame.loc[0, "y"] = "yes"
    schema = Schema.learn(frame, "y", join_labels=True)
    assert schema.classes == ("no", "yes")
    assert schema.notes == ("Labels are joined: 'YES' into 'yes', 'Yes' into 'yes'.",)
    assert_array_equal(schema.codes(frame), [1, 1, 1, 0] * 3)
    assert_array_equal(schema.codes(pd.DataFrame({"y": ["yEs", " NO"]})), [1, 0])
    assert Schema.from_dict(schema.to_dict()) == schema
    assert len(Schema.learn(frame, "y").classes) == 4
