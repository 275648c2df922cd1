"""What a prediction hangs on."""

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import pyarrow as pa

from nacre import AdaBoostClassifier
from nacre.auditing.predictions import FALLS, _reason, predict_table, without_each
from nacre.data import Schema
from nacre.data.column import Column
from nacre.persistence import save_model


class Additive:
    """The probability of class 1 is the mean of the values that are there."""

    def predict_proba(self, X):
        one = np.nanmean(X, axis=1)
        return np.column_stack([1 - one, one])


def test_one_value_at_a_time_is_missing():
    """Those of earlier columns are back, and all of them at the end."""
    X = np.random.default_rng(0).random((6, 4))
    before, said = X.copy(), np.array([0, 1, 0, 1, 0, 1])
    found = without_each(Additive(), X, said, [Column(name, "number") for name in "abcd"])
    np.testing.assert_array_equal(X, before)
    for j in range(4):
        one = np.delete(X, j, axis=1).mean(axis=1)
        np.testing.assert_allclose(found[:, j], np.where(said == 1, one, 1 - one))


def test_values_are_named_from_the_least_fall_on():
    frame = nw.from_native(pa.table({"a": [1.5, 2.5], "b": [3.0, 4.0], "y": ["n", "m"]}))
    schema = Schema("y", ("m", "n"), tuple(Column(name, "number") for name in "ab"))
    assert _reason(frame, schema, 0, np.array([FALLS, 0.0])) == "a = 1.5 (without it -1%)."
    assert _reason(frame, schema, 1, np.array([0.1, 0.2])) == (
        "b = 4 (without it -20%), a = 2.5 (without it -10%)."
    )
    assert _reason(frame, schema, 0, np.array([0.0, -0.2])) == "No single value decides."


def test_rows_of_a_file_are_read_as_those_of_the_table_that_was_learned_from(tmp_path):
    """65.000 alone looks like a plain number."""
    table = pd.DataFrame(
        {"a": ["57.399", "24.426,85", "61", "95,5"] * 10, "y": ["m", "m", "n", "n"] * 10}
    )
    schema = Schema.learn(table, "y")
    model = AdaBoostClassifier(n_estimators=3).fit(schema.matrix(table), table["y"])
    save_model(model, tmp_path / "model.nacre", schema.to_dict())
    for text in ("65.000", "65.000,00"):
        (tmp_path / "new.csv").write_text(f"a;b\n{text};1\n", encoding="utf-8")
        said = predict_table(tmp_path / "model.nacre", tmp_path / "new.csv", explain=True)
        assert said.frame["nacre_predicted"].to_list() == ["m"]
        assert said.frame["nacre_reason"][0].startswith(f"a = {text} (")


def test_categories_are_found_as_their_file_spells_them_and_new_ones_are_noted(tmp_path):
    table = pd.DataFrame({"a": ["1.10", "1.1", "beta"] * 10, "y": ["m", "n", "n"] * 10})
    schema = Schema.learn(table, "y")
    model = AdaBoostClassifier(n_estimators=3).fit(schema.matrix(table), table["y"])
    save_model(model, tmp_path / "model.nacre", schema.to_dict())
    (tmp_path / "new.csv").write_text("a,b\n1.10,1\n1.1,2\n", encoding="utf-8")
    said = predict_table(tmp_path / "model.nacre", tmp_path / "new.csv")
    assert said.frame["nacre_predicted"].to_list() == ["m", "n"]
    assert not said.notes
    (tmp_path / "new.csv").write_text("a,b\n1.10,1\n1.3,2\n1.3,3\nNA,4\n", encoding="utf-8")
    said = predict_table(tmp_path / "model.nacre", tmp_path / "new.csv")
    assert said.notes == [
        "Column 'a': 2 of 3 values are categories that were not learned from, and taken for "
        "missing ('1.3')."
    ]
