import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from sklearn.ensemble import AdaBoostClassifier as Peer
from sklearn.exceptions import NotFittedError

from nacre import AdaBoostClassifier
from nacre.diagnostics import (
    plot_boundaries,
    plot_boundary,
    plot_errors,
    plot_margins,
    plot_noise_rate,
    plot_overlaps,
    plot_volumes,
    plot_weights,
)
from nacre.diagnostics.plots import STYLE
from tests.problems import noisy_problem

RNG = np.random.default_rng(0)
TABLE = RNG.normal(size=(6, 20)).cumsum(axis=0) / 20
SUSPECTS = np.arange(20) < 5
PROBLEM = noisy_problem(n=50, d=2)
MODEL = AdaBoostClassifier(n_estimators=8).fit(PROBLEM.X, PROBLEM.y)
FLAGS = {"vote": RNG.random(20) < 0.5, "margin": RNG.random(20) < 0.5}

DRAWN = {
    "boundary": lambda ax=None: plot_boundary(MODEL, PROBLEM.X, PROBLEM.y, ax=ax),
    "errors": lambda ax=None: plot_errors({"training": TABLE[:, 0] + 1}, ax=ax),
    "margins": lambda ax=None: plot_margins(TABLE, ax=ax),
    "volumes": lambda ax=None: plot_volumes(TABLE, SUSPECTS, ax=ax),
    "weights": lambda ax=None: plot_weights(np.exp(TABLE), SUSPECTS, ax=ax),
    "noise rate": lambda ax=None: plot_noise_rate([1, 2], [0.1, 0.2], ax=ax),
    "overlaps": lambda ax=None: plot_overlaps(FLAGS, ax=ax),
}


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def lines(ax):
    return {one.get_label(): one.get_xydata() for one in ax.get_lines()}


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


# What they share


@pytest.mark.parametrize("name", DRAWN)
def test_a_figure_of_its_own_or_axes_given(name):
    own = DRAWN[name]()
    assert isinstance(own, Axes)
    _, given = plt.subplots()
    assert DRAWN[name](given) is given
    assert len(plt.get_fignums()) == 2
    for ax in (own, given):
        ax.figure.canvas.draw()


@pytest.mark.parametrize("name", sorted(set(DRAWN) - {"overlaps"}))
def test_axes_are_named(name):
    ax = DRAWN[name]()
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    assert legend(ax)


@pytest.mark.parametrize("name", DRAWN)
def test_settings_of_matplotlib_stay_as_they_are(name):
    before = plt.rcParams.copy()
    DRAWN[name]()
    assert plt.rcParams == before


@pytest.mark.parametrize("name", DRAWN)
def test_without_matplotlib(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"Plots need Matplotlib: pip install 'nacre\[plot\]'"):
        DRAWN[name]()


# Boundaries


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
    problem = noisy_problem(n=60, d=2, n_classes=n_classes)
    model = AdaBoostClassifier(n_estimators=12).fit(problem.X, problem.y)
    stages = list(model.staged_predict(problem.X))
    for t in (1, 12):
        found = painted(plot_boundary(model, problem.X, problem.y, rounds=t), *problem.X.T)
        assert np.mean(found == stages[t - 1]) > 0.95  # a pixel may lie across a threshold


def test_areas_are_weights():
    weights = RNG.dirichlet(np.ones(50))
    ax = plot_boundary(MODEL, PROBLEM.X, PROBLEM.y, weights)
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
    ax = plot_boundary(MODEL, PROBLEM.X, PROBLEM.y, np.zeros(50))
    assert set(ax.collections[-1].get_sizes()) == {3.0}


def test_panels():
    weights = RNG.dirichlet(np.ones(50), size=8)
    axes = plot_boundaries(MODEL, PROBLEM.X, PROBLEM.y, [1, 2, 3, 5, -1], weights)
    assert [ax.get_title() for ax in axes] == [f"round {t}" for t in (1, 2, 3, 5, 8)]
    assert len(axes[0].figure.axes) == 5
    assert [ax.xaxis.label.get_visible() for ax in axes] == [False, False, True, True, True]
    assert [ax.yaxis.label.get_visible() for ax in axes] == [True, False, False, True, False]
    last = plot_boundary(MODEL, PROBLEM.X, PROBLEM.y, weights[-1])
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
    assert legend(ax) == ["no", "yes"]


def test_anyone_s_booster():
    peer = Peer(n_estimators=4, random_state=0).fit(PROBLEM.X, PROBLEM.y)
    found = painted(plot_boundary(peer, PROBLEM.X, PROBLEM.y), *PROBLEM.X.T)
    assert np.mean(found == peer.predict(PROBLEM.X)) > 0.95


# Curves


def test_errors_and_bounds():
    ax = plot_errors({"training": [0.3, 0.2], "test": [0.4, 0.3]}, {"AdaBoost": [0.9, 0.8]})
    assert list(lines(ax)) == legend(ax) == ["training", "test", "bound: AdaBoost"]
    assert lines(ax)["test"].tolist() == [[1, 0.4], [2, 0.3]]
    assert [one.get_linestyle() for one in ax.get_lines()] == ["-", "-", "--"]
    assert ax.get_ylim()[0] == 0.0


def test_rounds_are_whole_numbers_and_may_be_drawn_in_logs():
    ax = plot_errors({"training": [0.3, 0.2]})
    assert np.array_equal(ax.get_xticks(), np.round(ax.get_xticks()))
    _, given = plt.subplots()
    given.set_xscale("log")
    assert plot_errors({"training": [0.3, 0.2]}, ax=given).get_xscale() == "log"
    given.figure.canvas.draw()


def test_margins_of_rounds():
    ax = plot_margins(TABLE[[0, 5]], rounds=[1, 6])
    for name, row in (("round 1", TABLE[0]), ("round 6", TABLE[5])):
        np.testing.assert_allclose(lines(ax)[name][1:, 0], np.sort(row))
        np.testing.assert_allclose(lines(ax)[name][1:, 1], np.arange(1, 21) / 20)
    assert ax.get_xlim() == (-1.02, 1.02)


def test_margins_of_groups():
    ax = plot_margins(TABLE[[5]], [6], SUSPECTS)
    assert legend(ax) == ["round 6, others", "round 6, suspects"]
    np.testing.assert_allclose(lines(ax)["round 6, suspects"][1:, 0], np.sort(TABLE[5, :5]))


@pytest.mark.parametrize("logs", [True, False])
def test_volumes_of_groups(logs):
    ax = plot_volumes(TABLE, SUSPECTS, rounds=np.arange(10, 70, 10), logs=logs)
    values = TABLE if logs else np.exp(TABLE)
    for name, rows in (("suspects (5)", SUSPECTS), ("others (15)", ~SUSPECTS)):
        np.testing.assert_allclose(lines(ax)[name][:, 1], values[:, rows].mean(axis=1))
        assert lines(ax)[name][:, 0].tolist() == [10, 20, 30, 40, 50, 60]
    assert legend(ax)[0] == "middle 80 %"


def test_weights_of_groups():
    paths = RNG.dirichlet(np.ones(20), size=4)
    ax = plot_weights(paths, SUSPECTS)
    assert ax.get_yscale() == "log"
    found = lines(ax)["suspects (5)"][:, 1]
    np.testing.assert_allclose(found, 20 * paths[:, SUSPECTS].mean(axis=1))


def test_the_noise_rate():
    ax = plot_noise_rate([5, 10, 20], [0.3, 0.25, 0.2], (0.1, [0.4, 0.3, 0.3]), 10, truth=0.22)
    assert legend(ax) == ["interval", "estimate", "chosen: 0.250 at 10", "truth: 0.220"]
    assert lines(ax)["estimate"].tolist() == [[5, 0.3], [10, 0.25], [20, 0.2]]


@pytest.mark.parametrize("kind", ["masks", "scores"])
def test_overlaps_are_written_out(kind):
    scores = {"one": [1.0, 2.0, 3.0], "two": [3.0, 2.0, 1.0]}
    ax = plot_overlaps(FLAGS if kind == "masks" else scores)
    texts = [float(text.get_text()) for text in ax.texts]
    np.testing.assert_allclose(texts, np.ravel(ax.images[0].get_array()), atol=0.005)
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    counted = [f"{name} ({one.sum()})" for name, one in FLAGS.items()]
    assert names == (counted if kind == "masks" else list(scores))


# Bad input


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
        plot_boundaries(MODEL, X, y, [1], np.ones((2, 50)))
    with pytest.raises(ValueError, match="axes must be 2 Axes"):
        plot_boundaries(MODEL, X, y, [1, 2], axes=[plt.subplots()[1]])
    with pytest.raises(ValueError, match="at least one curve"):
        plot_errors({})
    with pytest.raises(ValueError, match=r"curves\['test'\] contains NaN"):
        plot_errors({"test": [np.nan]})
    with pytest.raises(ValueError, match=r"margins must be of shape \(rounds, rows\)"):
        plot_margins(TABLE[0])
    with pytest.raises(ValueError, match="rounds must be 6 numbers"):
        plot_volumes(TABLE, SUSPECTS, rounds=[1])
    with pytest.raises(ValueError, match="boolean mask of 20 rows"):
        plot_weights(TABLE, [0, 1])
    with pytest.raises(ValueError, match="rates must be a list of 1"):
        plot_noise_rate([1], [0.1, 0.2])
    with pytest.raises(ValueError, match="interval must be a pair"):
        plot_noise_rate([1], [0.1], interval=[0.1])
    with pytest.raises(ValueError, match="chosen must be one of neighbours, got 7"):
        plot_noise_rate([1], [0.1], chosen=7)
