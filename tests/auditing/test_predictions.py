"""What a prediction hangs on."""

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from nacre.auditing.predictions import FALLS, _reason, without_each
from nacre.data import Schema
from nacre.data.column import Column


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
