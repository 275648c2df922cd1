"""Tables, read for an audit."""

import datetime

import numpy as np
import pandas as pd
import pytest

from nacre.auditing.load import cell, load, plain, trusted_rows
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
    assert found.columns.names == ("size", "kind")
    assert (len(found.labels), len(found.matrix), len(found.training.y)) == (38, 40, 38)
    assert np.setdiff1d(np.arange(40), found.rows).tolist() == [3, 5]
    assert found.trusted.tolist() == [True] * 3 + [False] * 35
    assert found.words(found.training.y) == found.labels.tolist()
    assert found.source == "table"


def test_what_an_audit_has_added_is_not_learned_from():
    frame = make().assign(nacre_label="ill", nacre_score=np.linspace(0, 1, 40))
    assert load(frame, "state").columns.names == ("size", "kind")
    assert (
        load(frame.assign(nacre_label=frame["state"]), "nacre_label").columns.label == "nacre_label"
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, 1),
        (True, True),
        (None, None),
        ("text", "text"),
        (0.5, 0.5),
        (float("nan"), None),
        (float("inf"), "inf"),
        (datetime.date(2020, 1, 2), "2020-01-02"),
    ],
)
def test_values_become_plain(value, expected):
    assert plain(value) == expected
    assert type(plain(value)) is type(expected)


def test_cells_as_people_read_them():
    frame = read_table(pd.DataFrame({"x": [1.23456789], "name": ["a\nb " + "c" * 100]}))
    assert cell(frame, "x", 0) == "1.235"
    assert cell(frame, "name", 0).startswith("a b ccc")
    assert len(cell(frame, "name", 0)) == 40
