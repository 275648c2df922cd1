"""Pictures of shape functions hold what the functions say."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from nacre import AdaBoostClassifier, GradientBoostClassifier, Stump
from nacre.diagnostics import plot_shapes, shape_functions


def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 8)), columns=[f"c{j}" for j in range(8)])
    X["kind"] = pd.Categorical(rng.choice(["x", "y"], 120))
    y = (X["c0"] + X["c1"] + (X["kind"] == "x") + rng.normal(size=120) > 0).to_numpy()
    X.loc[::9, "c0"] = np.nan
    return X, y


def test_the_six_that_vary_most_as_steps_of_mean_0():
    X, y = table()
    model = AdaBoostClassifier(n_estimators=60).fit(X, y)
    axes = plot_shapes(model, X)
    names = [ax.get_xlabel() for ax in axes]
    assert len(names) == 6
    assert {"c0", "c1"} <= set(names)
    functions = {one.name: one for one in shape_functions(model, background=X).functions}
    ax = axes[names.index("c1")]
    x, height = ax.get_lines()[0].get_data()
    np.testing.assert_allclose(height[:-1], functions["c1"](x[1:]))
    assert (x[0], x[-1]) == (X["c1"].min(), X["c1"].max())
    assert [text.get_text() for text in axes[names.index("c0")].texts] == ["missing"]
    assert axes[0].get_ylabel() == "contribution to True"


def test_named_columns_categories_and_axes_given():
    X, y = table()
    model = AdaBoostClassifier(n_estimators=60).fit(X, y)
    _, given = plt.subplots(1, 2)
    axes = plot_shapes(model, X, features=["kind", 1], axes=given)
    assert axes[0] is given[0]
    assert [one.get_text() for one in axes[0].get_xticklabels()] == ["x", "y"]
    (function,) = (
        one for one in shape_functions(model, background=X).functions if one.name == "kind"
    )
    assert [one.get_height() for one in axes[0].patches[:2]] == function.values.tolist()
    with pytest.raises(ValueError, match="axes must be 1"):
        plot_shapes(model, X, features=["c1"], axes=given)
    with pytest.raises(ValueError, match="features must name columns that the model uses, got 'n'"):
        plot_shapes(model, X, features=["n"])


def test_several_classes_have_a_curve_each():
    X, y = table()
    y = y.astype(int) + (X["c2"] > 0).to_numpy()
    axes = plot_shapes(GradientBoostClassifier(Stump(), 20).fit(X, y), X)
    assert [text.get_text() for text in axes[0].get_legend().get_texts()] == ["0", "1", "2"]
    axes[0].figure.canvas.draw()


def test_nothing_to_draw():
    with pytest.warns(UserWarning, match="first round"):
        model = AdaBoostClassifier().fit([[0.0], [0.0]], [0, 1])
    with pytest.raises(ValueError, match="uses no column"):
        plot_shapes(model, [[0.0]])
