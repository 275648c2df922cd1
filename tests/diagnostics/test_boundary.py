import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.colors import to_rgb
from sklearn.ensemble import AdaBoostClassifier as Peer
from sklearn.exceptions import NotFittedError

from nacre import AdaBoostClassifier
from nacre.diagnostics import plot_boundaries, plot_boundary
from nacre.diagnostics.drawing import STYLE
from tests.training import noisy_problem

RNG = np.random.default_rng(0)
PROBLEM = noisy_problem(n=50, d=2)
MODEL = AdaBoostClassifier(n_estimators=8).fit(PROBLEM.X, PROBLEM.y)


def painted(ax, x, y):
    """The class whose colour the plane has at a point."""
    image = ax.images[0]
    left, right, bottom, top = image.get_extent()
    pixels = np.asarray(image.get_array())
    size = len(pixels)
    column = np.clip(((x - left) / (right - left) * size).astype(int), 0, size - 1)
    row = np.clip(((y - bottom) / (top - bottom) * size).astype(int), 0, size - 1)
    shades = [1 - 0.16 * (1 - np.array(to_rgb(color))) for color in STYLE["colors"]]
    away = [np.abs(pixels[row, column] - shade).max(axis=1) for shade in shades]
    return np.argmin(away, axis=0)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_regions_are_what_the_model_says(n_classes):
    training = noisy_problem(n=60, d=2, n_classes=n_classes)
    model = AdaBoostClassifier(n_estimators=12).fit(training.X, training.y)
    stages = list(model.staged_predict(training.X))
    for t in (1, 12):
        found = painted(plot_boundary(model, training.X, training.y, rounds=t), *training.X.T)
        assert np.mean(found == stages[t - 1]) > 0.95  # a pixel may lie across a threshold


def test_areas_are_weights():
    weights = RNG.dirichlet(np.ones(50))
    ax = plot_boundary(MODEL, PROBLEM.X, PROBLEM.y, weights=weights)
    for k, marks in enumerate(ax.collections[-2:]):
        rows = [
            np.flatnonzero((point == PROBLEM.X).all(axis=1))[0] for point in marks.get_offsets()
        ]
        assert np.all(PROBLEM.y[rows] == k)
        shares = np.clip(50 * weights[rows], 3 / 22, 420 / 22)
        np.testing.assert_allclose(marks.get_sizes(), 22 * shares)
        assert np.all(np.diff(marks.get_sizes()) <= 0)
    assert ax.get_legend().get_title().get_text() == "area: weight"


def test_weights_that_have_vanished():
    ax = plot_boundary(MODEL, PROBLEM.X, PROBLEM.y, weights=np.zeros(50))
    assert set(ax.collections[-1].get_sizes()) == {3.0}


def test_panels():
    weights = RNG.dirichlet(np.ones(50), size=8)
    axes = plot_boundaries(MODEL, PROBLEM.X, PROBLEM.y, [1, 2, 3, 5, -1], weights=weights)
    assert [ax.get_title() for ax in axes] == [f"round {t}" for t in (1, 2, 3, 5, 8)]
    assert len(axes[0].figure.axes) == 5
    assert [ax.xaxis.label.get_visible() for ax in axes] == [False, False, True, True, True]
    assert [ax.yaxis.label.get_visible() for ax in axes] == [True, False, False, True, False]
    last = plot_boundary(MODEL, PROBLEM.X, PROBLEM.y, weights=weights[-1])
    sizes = [ax.collections[-1].get_sizes() for ax in (axes[-1], last)]
    assert np.array_equal(*sizes)
    given = plt.subplots(2, 2)[1]
    found = plot_boundaries(MODEL, PROBLEM.X, PROBLEM.y, [1, 2, 3, 8], axes=given)
    assert found.tolist() == given.ravel().tolist()
    axes[0].figure.canvas.draw()


@pytest.mark.parametrize("library", [pd, pl])
def test_columns_of_a_data_frame_are_named(library):
    frame = library.DataFrame({"width": PROBLEM.X[:, 0], "height": PROBLEM.X[:, 1]})
    labels = np.array(["no", "yes"])[PROBLEM.y]
    model = AdaBoostClassifier(n_estimators=3).fit(frame, labels)
    ax = plot_boundary(model, frame, labels)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("width", "height")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["no", "yes"]


def test_anyone_s_booster():
    peer = Peer(n_estimators=4, random_state=0).fit(PROBLEM.X, PROBLEM.y)
    found = painted(plot_boundary(peer, PROBLEM.X, PROBLEM.y), *PROBLEM.X.T)
    assert np.mean(found == peer.predict(PROBLEM.X)) > 0.95


def test_bad_input():
    X, y = PROBLEM.X, PROBLEM.y
    with pytest.raises(NotFittedError):
        plot_boundary(AdaBoostClassifier(), X, y)
    with pytest.raises(NotFittedError):
        plot_boundaries(AdaBoostClassifier(), X, y, [1])
    with pytest.raises(ValueError, match="two columns, X has shape"):
        plot_boundary(MODEL, X[:, :1], y)
    with pytest.raises(ValueError, match="X contains NaN"):
        plot_boundary(MODEL, np.where(X > 1, np.nan, X), y)
    with pytest.raises(ValueError, match="rounds must be one number"):
        plot_boundary(MODEL, X, y, rounds=[1, 2])
    with pytest.raises(ValueError, match="weights must be a list of 50"):
        plot_boundary(MODEL, X, y, weights=[1.0])
    with pytest.raises(ValueError, match="labels of classes_ only"):
        plot_boundary(MODEL, X, y + 1)
    with pytest.raises(ValueError, match=r"weights has shape \(2, 50\): there are 8 rounds"):
        plot_boundaries(MODEL, X, y, [1], weights=np.ones((2, 50)))
    with pytest.raises(ValueError, match="axes must be 2 Axes"):
        plot_boundaries(MODEL, X, y, [1, 2], axes=[plt.subplots()[1]])
