"""The parts that experiments share, against the estimators' own slow ways."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

from nacre import AdaBoostClassifier, MarginBoostClassifier, PBoostClassifier
from nacre.datasets import make_ring
from nacre.experiments.experiment import Cell
from nacre.experiments.measure import (
    Draw,
    Trial,
    error_curve,
    few_rounds,
    split,
    thinned,
)
from nacre.noise import flip_labels

X, Y = load_breast_cancer(return_X_y=True)
Y = flip_labels(Y, 0.1, random_state=0)[0]
MODELS = [
    AdaBoostClassifier(n_estimators=60),
    PBoostClassifier(n_estimators=400, p=0.5),
    PBoostClassifier(n_estimators=60, variant="strict", p=1.5),
    MarginBoostClassifier(n_estimators=60, random_state=0),
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), 8),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_error_curves(model):
    model.fit(X[::2], Y[::2])
    expected = [1 - score for score in model.staged_score(X[1::2], Y[1::2])]
    assert_allclose(error_curve(model, X[1::2], Y[1::2]), expected, atol=1e-12)


def test_error_curves_with_categories():
    codes = np.column_stack([X[:, 0] // 3, X[:, 1]])
    codes[::7, 0] = np.nan
    model = AdaBoostClassifier(n_estimators=40, categorical_features=[0]).fit(codes, Y)
    expected = [1 - score for score in model.staged_score(codes, Y)]
    assert_allclose(error_curve(model, codes, Y), expected, atol=1e-12)


def test_the_error_of_an_ensemble_of_nothing():
    with pytest.warns(UserWarning, match="stopped in the first round"):
        model = AdaBoostClassifier().fit(np.zeros((5, 1)), [0, 0, 0, 1, 1])
    assert error_curve(model, np.zeros((4, 1)), np.array([0, 1, 1, 1])).tolist() == [0.75]


def test_few_rounds():
    assert few_rounds(1).tolist() == [1]
    assert few_rounds(5).tolist() == [1, 2, 3, 4, 5]
    places = few_rounds(10_000)
    assert (places[0], places[-1]) == (1, 10_000)
    assert len(places) <= 60
    assert np.all(np.diff(places) > 0)


def test_thinned_curves_have_gaps_where_a_run_had_stopped():
    curve = np.arange(1, 8, dtype=float)
    kept = np.array(thinned(curve, 1000))
    places = few_rounds(1000)
    assert_array_equal(kept, np.where(places <= 7, places, np.nan))


def test_split_deals_out_all_rows():
    rows = split(X, Y, 100, seed=1)
    assert len(rows.y) == 100
    assert len(rows.y_test) == len(Y) - 100
    together = np.vstack([rows.X, rows.X_test])
    assert_array_equal(np.sort(together, axis=0), np.sort(X, axis=0))
    assert_array_equal(split(X, Y, 100, seed=1).X, rows.X)
    assert not np.array_equal(split(X, Y, 100, seed=2).X, rows.X)


def test_a_trial_draws_fits_and_records():
    def draw(cell):
        points, labels = make_ring(60, random_state=cell.seed("data"))
        return Draw(points[:30], labels[:30], points[30:], labels[30:], {"clean": labels[:30] > 0})

    told = {}

    class Model(AdaBoostClassifier):
        def fit(self, X, y, clean=None):
            told.update(clean=clean, seed=self.random_state)
            return super().fit(X, y)

    trial = Trial(
        draw,
        {"m": lambda cell: Model(n_estimators=cell["rounds"])},
        lambda model, rows: {"rounds": len(model.estimators_), "first": float(rows.X[0, 0])},
    )
    cell = Cell("e-1", 1, {"data": "a", "model": "m", "rounds": 3}, 0)
    record = trial(cell)
    assert record["rounds"] == 3
    assert record["first"] == draw(cell).X[0, 0]
    assert_array_equal(told["clean"], draw(cell).fit["clean"])
    assert told["seed"] == cell.seed("data", "model", "rounds") % 2**31
