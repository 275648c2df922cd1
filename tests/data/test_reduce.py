"""Sparse tables."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.decomposition import TruncatedSVD

import nacre.data.reduce as module
from nacre.data.reduce import RANK, Reducer, learn_reducer, read_sparse


def make(n=80, d=200, seed=0):
    rng = np.random.default_rng(seed)
    return sparse.csr_array(np.where(rng.random((n, d)) < 0.05, rng.random((n, d)), 0.0))


def test_components_are_those_of_scikit_learn():
    X = make()
    found = learn_reducer(read_sparse(X)).read(X)
    peer = TruncatedSVD(RANK, algorithm="arpack", random_state=0).fit_transform(X)
    assert_allclose(np.abs(found[:, :20]), np.abs(peer[:, :20]), atol=1e-3)
    assert_allclose(np.sum(found**2), np.sum(peer**2), rtol=1e-3)


def test_rows_that_are_dense_are_read_alike():
    X = make()
    reducer = learn_reducer(read_sparse(X))
    assert_array_equal(reducer.read(X.toarray()), reducer.read(X))
    assert_array_equal(reducer.read(X.tocoo()), reducer.read(X))
    assert_array_equal(reducer.read(X[3:5]), reducer.read(X)[3:5])


def test_few_columns_are_left_as_they_are():
    assert learn_reducer(read_sparse(make(d=RANK))) is None


def test_the_fullest_columns_count(monkeypatch):
    monkeypatch.setattr(module, "MOST_COLUMNS", 30)
    X = make()
    reducer = learn_reducer(read_sparse(X))
    filled = X.tocsc().indptr[1:] - X.tocsc().indptr[:-1]
    others = np.setdiff1d(np.arange(200), reducer.columns)
    assert len(reducer.columns) == 30
    assert filled[reducer.columns].min() >= filled[others].max()
    assert not reducer.importances(np.ones(reducer.rank))[others].any()


def test_an_empty_table_has_a_component():
    X = sparse.csr_matrix((10, 100))
    assert_array_equal(learn_reducer(X).read(X), 0.0)


def test_importances_add_up():
    reducer = learn_reducer(read_sparse(make()))
    used = reducer.importances(np.random.default_rng(0).random(reducer.rank))
    assert_allclose(used.sum(), 1.0)
    assert not reducer.importances(np.zeros(reducer.rank)).any()


@pytest.mark.parametrize(
    ("X", "says"),
    [
        (sparse.csr_matrix((0, 3)), "0 sample"),
        (sparse.csr_matrix([[np.nan, 1.0]]), "NaN or infinity"),
        (sparse.csr_matrix([[np.inf, 1.0]]), "NaN or infinity"),
        (sparse.csr_matrix([[1j, 1.0]]), "Complex data not supported"),
    ],
)
def test_what_cannot_be_read(X, says):
    with pytest.raises(ValueError, match=says):
        read_sparse(X)


def test_other_columns_are_refused():
    reducer = learn_reducer(read_sparse(make()))
    with pytest.raises(ValueError, match="X has 7 features, but this model is expecting 200"):
        reducer.read(make(d=7))


@pytest.mark.parametrize(
    ("width", "columns", "components"),
    [
        (3, [0, 3], [[1.0], [1.0]]),
        (3, [-1, 2], [[1.0], [1.0]]),
        (0, [0], [[1.0]]),
        (3, [0, 1], [[1.0]]),
        (3, [0], [[np.nan]]),
        (3, [0], [[]]),
    ],
)
def test_damaged_reducers_are_refused(width, columns, components):
    one = Reducer(width, np.array(columns, np.int64), np.array(components, np.float32))
    with pytest.raises(ValueError, match=r"columns|components|width"):
        one._check_loaded()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_dense_rows_must_be_finite_too(value):
    X = make()
    rows = X.toarray()
    rows[0, 0] = value
    with pytest.raises(ValueError, match="NaN or infinity"):
        learn_reducer(read_sparse(X)).read(rows)
