import re

import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from nacre.data import Schema
from tests.data.test_schema import frames
from tests.io.tables import N, repeated, table


@frames
@pytest.mark.parametrize(
    ("given_labels", "classes"),
    [
        ([3, 1, 2], (1, 2, 3)),
        (["no", "yes "], ("no", "yes")),
        ([True, False], (False, True)),
        ([1.0, 0.0, 1.0], (0, 1)),
        ([10**18 + 1, 5], (5, 10**18 + 1)),
    ],
    ids=str,
)
def test_labels(frame, given_labels, classes):
    both = frame({"a": list(range(0, 2 * N, 2)), "y": repeated(given_labels)})
    columns = Schema.learn(both, "y")
    assert columns.classes == classes
    assert [type(one) for one in columns.classes] == [type(one) for one in classes]
    found, known = columns.labels(both)
    assert known.all()
    clean = [one.strip() if isinstance(one, str) else one for one in repeated(given_labels)]
    assert found.tolist() == clean


@frames
@pytest.mark.parametrize("given_labels", [["u", None, "v"], [1, None, 2]], ids=str)
def test_rows_without_a_label(frame, given_labels):
    both = frame({"a": list(range(0, 2 * N, 2)), "y": repeated(given_labels)})
    columns = Schema.learn(both, "y")
    found, known = columns.labels(both)
    assert_array_equal(known, [one is not None for one in repeated(given_labels)])
    assert found.tolist() == [one for one in repeated(given_labels) if one is not None]
    assert columns.notes == ("Rows without a label: 13.",)


def test_labels_that_differ_in_case_are_noted():
    columns = Schema.learn(pa.table({"a": [1, 3, 2], "y": ["Yes", "yes", "no"]}), "y")
    assert columns.classes == ("Yes", "no", "yes")
    assert columns.notes == (
        "The labels 'Yes' (1 row) and 'yes' (1 row) differ in case only"
        ": --join-labels (join_labels=True in Python) takes them for one.",
    )


def test_spellings_of_a_class_are_noted_together_and_first():
    given = ["No"] * 6 + ["NO"] * 2 + ["no"] + ["Yes"] * 5 + ["yes", None]
    lists = [[i, *range(i % 3)] for i in range(16)]  # are set aside, which is said early, too
    frame = pa.table({"a": [1, 3] * 8, "lists": lists, "y": given})
    first, *others = Schema.learn(frame, "y").notes
    assert first.startswith(
        "The labels 'No' (6 rows), 'NO' (2 rows) and 'no' (1 row) differ in case only; 'Yes' (5 "
        "rows) and 'yes' (1 row) differ in case only: --join-labels (join_labels=True"
    )
    assert not any("differ in" in one for one in others)
    assert "Rows without a label: 1." in others
    assert not any("differ in" in one for one in Schema.learn(frame, "y", join_labels=True).notes)


def test_many_classes_of_several_spellings_are_one_note():
    given = [f"{letter}{end}" for letter in "abcdefg" for end in "xX"] * 10
    (note,) = Schema.learn(pa.table({"a": [1, 3] * 70, "y": given}), "y").notes
    assert note.count("differ in case only") == 5
    assert "; so do spellings of 2 more: --join-labels" in note


@pytest.mark.parametrize("word", ["NA", "null", "?", "N/A", " nan "])
def test_words_that_are_taken_for_no_label_are_named(word):
    frame = pa.table({"a": [1, 3, 2, 4] * 5, "y": ["u", word, "v", None] * 5})
    (note,) = Schema.learn(frame, "y").notes
    said = f"5 of which say {word.strip()!r}: rename it if it is a class."
    assert note == f"Rows without a label: 10, {said}"
    taken = f"say {word.strip()!r}, taken for no label: rename it if it is a class"
    with pytest.raises(ValueError, match=re.escape("are 'u': a classifier needs at least")) as one:
        Schema.learn(pa.table({"a": [1, 3, 2] * 5, "y": ["u", word, None] * 5}), "y")
    assert f"Of the other rows, 5 {taken}" in str(one.value)
    with pytest.raises(ValueError, match=re.escape(f"no label in any row: 10 {taken}")):
        Schema.learn(pa.table({"a": [1, 3] * 5, "y": [word] * 10}), "y")


def test_several_words_that_are_taken_for_no_label():
    frame = pa.table({"a": [1, 3, 2, 4, 5] * 5, "y": ["u", "?", "v", "NA", "NA"] * 5})
    (note,) = Schema.learn(frame, "y").notes
    assert note.endswith("15, 15 of which say 'NA' and '?': rename what is a class of them.")


@pytest.mark.parametrize(
    ("given_labels", "says"),
    [
        (["x"], "All labels in column 'y' are 'x': a classifier needs at least two"),
        ([None], "Column 'y' has no label in any row"),
        (["?", ""], "Column 'y' has no label in any row"),
        ([0.25 * i for i in range(N)], "numbers such as 0.25, 40 different ones: labels must be"),
        ([0.5, 1.0], "numbers such as 0.5, 2 different ones"),
        (list(range(N)), "'y' holds 40 different values in 40 rows, such as '0'"),
        ([f"name {i}" for i in range(N)], "40 different values in 40 rows, such as 'name 0'"),
        (["x" * 201, "y"], "Column 'y' holds long text, not labels"),
        ([[1], [2]], "values of type list<.*: labels must be text"),
        ([float("inf"), 1.0], "numbers such as inf"),
    ],
    ids=str,
)
def test_what_cannot_be_labels(given_labels, says):
    frame = pa.table({"a": list(range(0, 2 * N, 2)), "y": repeated(given_labels)})
    with pytest.raises(ValueError, match=says) as caught:
        Schema.learn(frame, "y")
    assert "\n" not in str(caught.value)


def test_too_many_classes_are_refused():
    frame = pa.table({"a": list(range(0, 8000, 2)), "y": [i % 1001 for i in range(4000)]})
    with pytest.raises(ValueError, match="1001 different values in 4000 rows"):
        Schema.learn(frame, "y")


def test_labels_of_later_tables():
    columns = Schema.learn(table(a=[1, 2, 3]), "y")
    found, known = columns.labels(pd.DataFrame({"y": ["v", None, "v"]}))
    assert_array_equal(found, ["v", "v"])
    assert_array_equal(known, [True, False, True])
    with pytest.raises(ValueError, match=r"holds 'w', which is none of the classes .*: u, v"):
        columns.labels(pd.DataFrame({"y": ["v", "w"]}))
    with pytest.raises(ValueError, match="There is no column 'y'"):
        columns.labels(pd.DataFrame({"a": [1]}))


def test_labels_with_a_nul_character_are_refused():
    """NumPy drops it from the end of text, so that two labels would become one."""
    table = pa.table({"x": range(40), "y": ["a", "a\0"] * 20})
    with pytest.raises(ValueError, match="Column 'y' holds labels with a NUL character"):
        Schema.learn(table, "y")


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("Yes", "yes", "The labels 'Yes' (20 rows) and 'yes' (20 rows) differ in case only:"),
        ("caf\u00e9", "cafe\u0301", "differ in the form of their letters (Unicode) only:"),
        ("\ufb01t", "fit", "differ in the form of their letters (Unicode) only:"),
        ("no sign", "no\u00a0sign", r"'no sign' (20 rows) and 'no\xa0sign' (20 rows) differ in"),
        ("sick", "si\u200bck", r"'si\u200bck' (20 rows) differ in spaces and characters that are"),
        ("a b", "a  b", "differ in spaces and characters that are not seen only:"),
        (
            "Caf\u00e9 x",
            "cafe\u0301\u200b  X",
            "differ in case, spaces and the form of their letters",
        ),
    ],
)
def test_labels_that_look_the_same_are_noted(one, other, said):
    learned = Schema.learn(pa.table({"x": [0.5, 1.5] * 20, "y": [one, other] * 20}), "y")
    (note,) = [note for note in learned.notes if note.startswith("The labels")]
    assert said in note
    assert len(learned.classes) == 2


def test_labels_that_differ_are_not_noted():
    assert not Schema.learn(table(x=[0.5, 1.5, 2.5]), "y").notes


@pytest.mark.parametrize(
    ("most", "classes"),
    [(2**63 - 1, (1, 2**63 - 1)), (2**63, ("1", str(2**63)))],
)
def test_labels_beyond_whole_numbers_are_text(most, classes):
    values = pa.array([1, most] * 20, pa.uint64())
    learned = Schema.learn(pa.table({"x": [0.5, 1.5] * 20, "y": values}), "y")
    assert learned.classes == classes


def test_the_least_label_that_is_a_whole_number():
    values = pa.array([-(2**63), 1] * 20, pa.int64())
    learned = Schema.learn(pa.table({"x": [0.5, 1.5] * 20, "y": values}), "y")
    assert learned.classes == (-(2**63), 1)
