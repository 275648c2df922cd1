import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes

from nacre import AdaBoostClassifier
from nacre.diagnostics import (
    plot_boundary,
    plot_errors,
    plot_margins,
    plot_noise_rate,
    plot_overlaps,
    plot_volumes,
    plot_weights,
)
from tests.training import noisy_problem

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
    with pytest.raises(
        ImportError, match=r"Plots need Matplotlib: pip install 'nacre-boost\[plot\]'"
    ):
        DRAWN[name]()


# Curves


def test_errors_and_bounds():
    ax = plot_errors({"training": [0.3, 0.2], "test": [0.4, 0.3]}, bounds={"AdaBoost": [0.9, 0.8]})
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
    ax = plot_margins(TABLE[[5]], rounds=[6], mislabeled=SUSPECTS)
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
    interval = 0.1, [0.4, 0.3, 0.3]
    ax = plot_noise_rate([5, 10, 20], [0.3, 0.25, 0.2], interval=interval, chosen=10, truth=0.22)
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
    with pytest.raises(ValueError, match="chosen must be one of n_neighbors, got 7"):
        plot_noise_rate([1], [0.1], chosen=7)


def test_margins_of_a_model():
    """They had to be made by hand, and of all rounds: 200 curves."""
    model = AdaBoostClassifier(n_estimators=200).fit(PROBLEM.X, PROBLEM.y)
    ax = plot_margins(model, PROBLEM.X, PROBLEM.y)
    rounds = [int(name.split()[1]) for name in legend(ax)]
    assert len(rounds) <= 6
    assert (rounds[0], rounds[-1]) == (1, len(model.estimators_))
    last = ax.get_lines()[-1].get_xdata()
    np.testing.assert_allclose(
        np.sort(last[1:]), np.sort(model.margins(PROBLEM.X, PROBLEM.y)), atol=1e-12
    )
    named = plot_margins(model, PROBLEM.X, PROBLEM.y, rounds=[2, -1])
    assert legend(named) == ["round 2", f"round {len(model.estimators_)}"]


def test_margins_of_many_rounds_are_drawn_for_a_few():
    table = np.tanh(RNG.normal(size=(200, 20)))
    assert len(legend(plot_margins(table))) == 6
    assert len(legend(plot_margins(table[:8], rounds=range(1, 9)))) == 8


def test_margins_of_what_is_not_there():
    with pytest.raises(TypeError, match="give X and y"):
        plot_margins(MODEL)
    with pytest.raises(TypeError, match="an array holds the margins already"):
        plot_margins(TABLE, PROBLEM.X, PROBLEM.y)
