"""Tables, read for an audit."""

from dataclasses import replace

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pytest

from nacre.auditing.audit import examine
from nacre.auditing.load import cell, load, trusted_rows
from nacre.io import read_table


@pytest.mark.parametrize(
    "values",
    [
        [True, False, True],
        [1, 0, 1],
        [1.0, 0.0, 1.0],
        ["yes", "no", "Y"],
        ["TRUE", None, " true"],
        [1.0, None, 1.0],
    ],
)
def test_trusted_rows(values):
    frame = read_table(pd.DataFrame({"checked": values}))
    assert trusted_rows(frame, "checked").tolist() == [True, False, True]


def test_trusted_rows_that_are_no_such_thing():
    frame = read_table(pd.DataFrame({"checked": ["yes", "perhaps"]}))
    with pytest.raises(ValueError, match="Column 'checked' holds 'perhaps': to say whose label"):
        trusted_rows(frame, "checked")
    several = read_table(pd.DataFrame({"checked": [f"perhaps {k}" for k in range(9)]}))
    with pytest.raises(ValueError, match="Column 'checked' holds 'perhaps 0': to say whose label"):
        trusted_rows(several, "checked")
    lists = read_table(pl.DataFrame({"checked": [[1], [0]]}))
    with pytest.raises(ValueError, match=r"Column 'checked' holds '\[1\]': to say whose label"):
        trusted_rows(lists, "checked")
    with pytest.raises(ValueError, match="no column 'cheked': did you mean 'checked'"):
        trusted_rows(frame, "cheked")


def make(n=40):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=n), "kind": ["a", "b"] * (n // 2)})
    frame["state"] = np.where(frame["size"] > 0, "ill", "well")
    return frame


def test_labelled_and_unlabelled_rows():
    frame = make()
    frame.loc[[3, 5], "state"] = None
    frame["sure"] = np.arange(40) < 4
    found = load(frame, "state", clean="sure")
    assert found.schema.names == ("size", "kind")
    assert (len(found.rows), len(found.matrix), len(found.training.y)) == (38, 40, 38)
    assert np.setdiff1d(np.arange(40), found.rows).tolist() == [3, 5]
    assert found.trusted.tolist() == [True] * 3 + [False] * 35
    assert found.words(found.training.y) == frame["state"].dropna().tolist()
    assert found.source == "table"


def test_labels_as_they_were_before_rows_were_checked():
    frame = make()
    frame["before"] = frame["state"]
    frame.loc[:3, "before"] = ["ill", "well", None, "sick"]
    frame.loc[3, "state"] = None
    frame["sure"] = np.arange(40) < 5
    found = load(frame, "state", clean="sure", original="before")
    assert found.schema.names == ("size", "kind")
    codes = {"ill": 0, "well": 1}
    assert found.original.tolist() == [0, 1, -1, codes[frame["before"][4]], *[-1] * 35]
    assert load(frame, "state", clean="sure").original is None
    for others in ({}, {"clean": "sure", "annotator": "kind"}):
        with pytest.raises(ValueError, match="Column 'before' has labels as they were before"):
            load(frame, "state", original="before", **others)
    with pytest.raises(ValueError, match="Column 'kind' holds no label of the classes"):
        load(frame, "state", clean="sure", original="kind")
    with pytest.raises(ValueError, match="no column 'befor': did you mean 'before'"):
        load(frame, "state", clean="sure", original="befor")


def test_groups():
    frame = make()
    frame["patient"] = np.arange(40) // 4
    found = load(frame, "state", group="patient")
    assert found.schema.names == ("size", "kind")
    groups = found.training.groups
    assert all(len(set(groups[k : k + 4].tolist())) == 1 for k in range(0, 40, 4))
    assert found.training.units.count == 10
    with pytest.raises(ValueError, match="no column 'patent': did you mean 'patient'"):
        load(frame, "state", group="patent")
    frame["patient"] = "the only one"
    with pytest.raises(ValueError, match="one group only: no row could be held out"):
        _ = load(frame, "state", group="patient").training
    frame["patient"] = [None, *range(39)]
    with pytest.raises(ValueError, match="Column 'patient' has gaps"):
        _ = load(frame, "state", group="patient").training


class TwoFeatures:
    """A column that becomes two features, as text and dates may."""

    name, kind, categorical = "size", "number", False
    features = ("size, sign", "size, square")

    def read(self, values):
        numbers = np.array(values.to_pylist(), float)
        return np.column_stack([np.sign(numbers), numbers**2])


def test_a_column_of_several_features():
    frame = make()
    found = load(frame, "state")
    schema = replace(found.schema, columns=(TwoFeatures(), *found.schema.columns[1:]))
    assert schema.features == ("size, sign", "size, square", "kind")
    assert schema.sources == ("size", "size", "kind")
    assert schema.categorical == (2,)
    matrix = schema.matrix(frame)
    np.testing.assert_allclose(matrix[:, 1], frame["size"] ** 2)
    wide = examine(replace(found, schema=schema, matrix=matrix), "fast")
    names = {one["name"] for one in wide.summary["features"]}
    assert names == {"size", "kind"}  # the features of a column count together
    assert wide.summary["columns"] == 2
    assert wide.model.n_features_in_ == 3


def test_what_an_audit_has_added_is_not_learned_from():
    frame = make().assign(nacre_label="ill", nacre_score=np.linspace(0, 1, 40))
    assert load(frame, "state").schema.names == ("size", "kind")
    assert (
        load(frame.assign(nacre_label=frame["state"]), "nacre_label").schema.label == "nacre_label"
    )


def test_columns_that_an_audit_would_replace_are_kept():
    """Unless they are those of an earlier one."""
    frame = make(60).assign(nacre_label=np.arange(60) % 7, nacre_label_=np.arange(60) % 5)
    loaded = load(frame, "state", ignore="nacre_label_")
    (note,) = [one for one in loaded.notes if "of its own" in one]
    assert note == (
        "The table has a column 'nacre_label' of its own: the cleaned table has it as "
        "'nacre_label__', and it is not learned from."
    )
    cleaned = loaded.with_columns({"nacre_label": ["ill"] * 60}).to_native()
    assert cleaned["nacre_label__"].tolist() == frame["nacre_label"].tolist()
    assert cleaned["nacre_label_"].tolist() == frame["nacre_label_"].tolist()
    assert set(cleaned["nacre_label"]) == {"ill"}
    own = load(frame, "state", annotator="kind")
    assert any("of its own" in one for one in own.notes)
    odd = frame.assign(nacre_suspect="perhaps", nacre_score=0.5)
    assert set(load(odd, "state").renamed) == {"nacre_label", "nacre_suspect", "nacre_score"}
    earlier = frame.assign(nacre_suspect=[True, False] * 30, nacre_score=0.5)
    assert not load(earlier, "state").renamed
    assert not any("of its own" in one for one in load(earlier, "state").notes)


def test_the_label_is_not_lost_where_an_audit_adds_one_of_its_name():
    frame = make(60).rename(columns={"state": "nacre_label"})
    loaded = load(frame.assign(nacre_suspect=False, nacre_score=0.5), "nacre_label")
    assert loaded.renamed == {"nacre_label": "nacre_label_"}
    assert any("the cleaned table has it as 'nacre_label_'." in one for one in loaded.notes)
    cleaned = loaded.with_columns({"nacre_label": ["ill"] * 60}).to_native()
    assert cleaned["nacre_label_"].tolist() == frame["nacre_label"].tolist()


def test_columns_whose_names_are_numbers():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 5)))
    frame[5] = (frame[0] > 0).astype(int)
    frame[6] = frame[5]
    frame[7] = np.arange(60) % 2
    words = {"ignore": [3], "text": (), "categorical_features": [7]}
    for label in (5, np.int64(5), "5", [5]):
        loaded = load(frame, label, **words | {"ignore": [3, 6]})
        assert (loaded.schema.label, loaded.schema.names) == ("5", ("0", "1", "2", "4", "7"))
    assert load(frame, 5, ignore=3).schema.names == ("0", "1", "2", "4", "6", "7")
    assert load(frame, 5, group=7).group == load(frame, 5, annotator=7).annotator == "7"
    trusted = load(frame, 5, clean=7, id=6)
    assert (trusted.clean, trusted.schema.id) == ("7", "6")
    assert load(frame, [5, 6]).schema.label == "consensus"
    with pytest.raises(ValueError, match="There is no column '9'"):
        load(frame, 9)
    for labels in (frame[5], frame[5].to_numpy(), [5, 5], [5, 11], [0.5]):
        with pytest.raises(ValueError, match="label is the name of a column"):
            load(frame, labels)


def test_words_of_a_file_that_are_taken_for_no_label_are_named(tmp_path):
    """Which its values do not have any more."""
    frame = make(60)
    frame["state"] = np.where(frame["size"] > 0.8, "NA", frame["state"])
    frame.to_csv(tmp_path / "table.csv", index=False)
    n = int((frame["state"] == "NA").sum())
    said = f"Rows without a label: {n}, {n} of which say 'NA': rename it if it is a class."
    assert said in load(tmp_path / "table.csv", "state").notes
    assert said in load(frame, "state").notes
    frame["state"] = np.where(frame["size"] > 0.8, "NA", "EU")
    frame.to_csv(tmp_path / "table.csv", index=False)
    with pytest.raises(ValueError, match=f"are 'EU'.* Of the other rows, {n} say 'NA', taken for"):
        load(tmp_path / "table.csv", "state")


def test_cells_as_people_read_them():
    frame = read_table(pd.DataFrame({"x": [1.23456789], "name": ["a\nb " + "c" * 100]}))
    assert cell(frame, "x", 0) == "1.235"
    assert cell(frame, "name", 0).startswith("a b ccc")
    assert len(cell(frame, "name", 0)) == 40


def test_cells_are_those_of_the_labelled_row():
    """Rows without a label stand between them."""
    frame = make()
    frame["size"] = np.arange(40) + 0.5
    frame.loc[[0, 3], "state"] = None
    found = load(frame, "state")
    assert [found.cell(row, 0) for row in range(4)] == ["1.5", "2.5", "4.5", "5.5"]


@pytest.mark.parametrize("kind", [np.array, list, pd.Series])
@pytest.mark.parametrize("values", [(0, 1), ("n", "p"), ("x0", "n")])
def test_labels_in_the_place_of_their_name(kind, values):
    """As ``fit(X, y)`` takes them; it was said that there is no column '0'."""
    X = np.arange(24.0).reshape(12, 2)
    with pytest.raises(ValueError, match=r"label is the name of a column: audit\(.*assign"):
        load(X, kind(list(values) * 6))
    named = load(pd.DataFrame(X).assign(label=list(values) * 6), "label")
    assert named.size == (12, 2, 2)


def test_a_wrong_name_for_a_table_of_one_row():
    """One name for one row is no list of labels."""
    with pytest.raises(ValueError, match="There is no column 'c'"):
        load(pd.DataFrame({"a": [1], "b": [2]}), ["c"])


def test_the_index_of_a_filtered_frame_is_not_learned_from(tmp_path):
    frame = pd.DataFrame({"a": np.arange(60) % 7, "y": np.repeat(["m", "n"], 30)})
    kept = frame[frame["a"] != 3].sample(frac=1, random_state=0)
    kept.to_parquet(tmp_path / "filtered.parquet")
    found = load(tmp_path / "filtered.parquet", "y")
    assert found.schema.names == load(kept, "y").schema.names == ("a",)
    assert found.notes == (
        "Column '__index_level_0__' is set aside: it is the index of a data frame.",
    )


def test_labels_by_formulas_without_values(tmp_path):
    book = openpyxl.Workbook()
    for row in (["a", "y"], [1, "=A2*2"], [2, "=A3*2"]):
        book.active.append(row)
    book.save(tmp_path / "some.xlsx")
    with pytest.raises(ValueError, match=r"Column 'y' holds formulas, but 'some\.xlsx' does not"):
        load(tmp_path / "some.xlsx", "y")
