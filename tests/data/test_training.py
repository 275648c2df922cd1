"""Training data read once, later rows read the same way."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin

from nacre.data import hold_out, read_rows, read_training
from nacre.data.features import Layout
from nacre.data.training import check_noted
from tests.training import make_problem

nan, inf = np.nan, np.inf
X = np.array([[1.0, 2.0], [3.0, nan], [5.0, 6.0]])
Y = ["b", "a", "b"]

FRAMES = {
    "pandas": lambda columns: pd.DataFrame(columns),
    "polars": lambda columns: pl.DataFrame(columns),
    "pyarrow": lambda columns: pa.table(columns),
}
frames = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)


class Reader(ClassifierMixin, BaseEstimator):
    """An estimator that only reads."""


def test_reads_an_array():
    reader = Reader()
    training = read_training(reader, X, Y)
    assert_array_equal(training.X, X)
    assert training.y.tolist() == [1, 0, 1]
    assert training.n_classes == 2
    assert_array_equal(training.weight, np.full(3, 1 / 3))
    assert training.count is None
    assert reader.classes_.tolist() == ["a", "b"]
    assert reader.n_features_in_ == 2
    assert not hasattr(reader, "feature_names_in_")


def test_reads_lists():
    reader = Reader()
    assert_array_equal(read_training(reader, X.tolist(), Y).X, X)
    assert reader.n_features_in_ == 2
    assert_array_equal(read_rows(reader, X.tolist()), X)


@frames
def test_reads_frames(frame):
    reader = Reader()
    table = frame({"n": [1, 2, 3], "c": ["x", None, "y"]})
    training = read_training(reader, table, Y, categorical_features=["c"])
    assert_array_equal(training.X, [[1, 0], [2, nan], [3, 1]])
    assert training.categorical == (1,)
    assert reader.feature_names_in_.tolist() == ["n", "c"]
    later = read_rows(reader, frame({"n": [9, 8], "c": ["new", "y"]}))
    assert_array_equal(later, [[9, nan], [8, 1]])


@frames
def test_other_columns_are_refused(frame):
    reader = Reader()
    read_training(reader, frame({"a": [1, 2, 3], "b": [1, 2, 3]}), Y)
    for names in (["b", "a"], ["a", "c"], ["a"], ["a", "b", "c"]):
        with pytest.raises(ValueError, match="feature names should match"):
            read_rows(reader, frame({name: [1] for name in names}))


def test_rows_of_weight_zero_are_left_out():
    training = read_training(Reader(), X, Y, sample_weight=[1, 3, 0])
    assert_array_equal(training.X, X[:2])
    assert training.y.tolist() == [1, 0]
    assert_array_equal(training.weight, [0.25, 0.75])
    assert_array_equal(training.count, [1, 3])


@pytest.mark.parametrize("shape", [(3, 1), (3, 3)])
def test_another_number_of_columns_is_refused(shape):
    reader = Reader()
    read_training(reader, X, Y)
    with pytest.raises(ValueError, match=f"X has {shape[1]} features, but Reader is expecting 2"):
        read_rows(reader, np.ones(shape))


def test_infinite_rows_are_refused():
    reader = Reader()
    read_training(reader, X, Y)
    for bad in (inf, -inf):
        with pytest.raises(ValueError, match=r"^Column 1 of X contains infinity"):
            read_rows(reader, [[1.0, 2.0], [nan, bad]])
        with pytest.raises(ValueError, match=r"^Column 1 of X contains infinity"):
            read_rows(reader, np.array([[1.0, bad]], np.float32))


# Learners of scikit-learn get the table as it is


@frames
def test_frames_stay_as_they_are(frame):
    table = frame({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    reader = Reader()
    assert read_training(reader, table, Y, native=False).X is table
    assert reader.feature_names_in_.tolist() == ["a", "b"]
    assert read_rows(reader, table) is table


@frames
def test_frames_lose_rows_of_weight_zero(frame):
    table = frame({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    left = read_training(Reader(), table, Y, sample_weight=[1, 1, 0], native=False).X
    assert type(left) is type(table)
    assert left.shape == (2, 2)
    assert list(left["b"].to_numpy()) == ["x", "y"]


def test_sparse_tables_stay_sparse():
    table = sparse.csr_matrix(np.nan_to_num(X))
    training = read_training(Reader(), table, Y, sample_weight=[1, 1, 0], native=False)
    assert sparse.issparse(training.X)
    assert training.X.shape == (2, 2)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        read_training(Reader(), table, Y)


def test_text_in_arrays_stays():
    table = np.array([["x", 1], ["y", 2], ["z", 3]], dtype=object)
    assert_array_equal(read_training(Reader(), table, Y, native=False).X, table)


# Some of the rows


def test_take():
    training = read_training(Reader(), X, Y, sample_weight=[1, 3, 4])
    some = training.take(np.array([2, 0]))
    assert_array_equal(some.X, X[[2, 0]])
    assert some.y.tolist() == [1, 1]
    assert some.weight.tolist() == [0.8, 0.2]
    assert some.count.tolist() == [4, 1]
    assert (some.n_classes, some.n_given, some.kept.tolist()) == (2, 3, [2, 0])


def test_take_of_what_is_left():
    training = read_training(Reader(), X, Y, sample_weight=[0, 1, 1])
    assert training.kept.tolist() == [1, 2]
    assert training.take(np.array([1])).kept.tolist() == [2]


@pytest.mark.parametrize("share", [0.1, 0.25, 0.9])
def test_hold_out(share):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [100, 40, 8])[rng.permutation(148)]
    training = make_problem(np.arange(148.0)[:, None], y, rng.random(148) + 0.1)
    rest, held = hold_out(training, share, seed=1)
    both = np.sort(np.concatenate([rest.X[:, 0], held.X[:, 0]]))
    assert_array_equal(both, np.arange(148))  # every row once
    for part in (rest, held):
        rows = part.X[:, 0].astype(int)
        assert (np.diff(rows) > 0).all()  # order is kept
        assert_array_equal(part.kept, rows)
        assert_array_equal(part.y, y[rows])
        np.testing.assert_allclose(part.weight, training.weight[rows] / training.weight[rows].sum())
    expected = [min(round(share * k), k - 1) for k in (100, 40, 8)]
    assert np.bincount(held.y, minlength=3).tolist() == expected
    again, other = hold_out(training, share, seed=1)[1], hold_out(training, share, seed=2)[1]
    assert_array_equal(again.X, held.X)
    assert not np.array_equal(other.X, held.X)


def test_hold_out_leaves_every_class_a_row():
    training = make_problem(np.arange(6.0)[:, None], [0, 0, 0, 0, 1, 2])
    rest, held = hold_out(training, 0.99, seed=0)
    assert sorted(set(rest.y)) == [0, 1, 2]
    assert held.y.tolist() == [0, 0, 0]


def test_too_few_rows_to_hold_out():
    training = make_problem(np.arange(6.0)[:, None], [0, 1] * 3)
    with pytest.raises(ValueError, match="of 6 rows leaves none to stop on: use more, or give"):
        hold_out(training, 0.1, seed=0)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"_layout": Layout((0, 2))}, "categories must be of the 2 columns"),
        ({"feature_names_in_": np.array(["a", 1], object)}, "must be text"),
    ],
)
def test_what_a_file_may_not_say(changes, said):
    model = Reader()
    read_training(model, [[0.0, 1.0], [1.0, 0.0]], [0, 1])
    assert check_noted(model) == (2, 2)
    for name, value in changes.items():
        setattr(model, name, value)
    with pytest.raises(ValueError, match=said):
        check_noted(model)
