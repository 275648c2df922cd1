"""Contributions add up to the scores; shape functions are the contributions of all values."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import nacre
from nacre import AdaBoostClassifier, GradientBoostClassifier, L2BoostClassifier, NaiveBayes, Tree
from nacre.diagnostics import contributions, shape_functions
from tests.training import noisy_problem

STUMPS = [
    AdaBoostClassifier(n_estimators=20),
    GradientBoostClassifier(nacre.Stump(), n_estimators=20),
    L2BoostClassifier(n_estimators=20),
]
TREES = [
    AdaBoostClassifier(Tree(2), n_estimators=20),
    GradientBoostClassifier(n_estimators=10),
    nacre.CoreBoostClassifier(Tree(2), n_estimators=5, random_state=0),
]


def table(n_classes=2, n=150):
    """Numbers with gaps, and a column of categories."""
    rng = np.random.default_rng(n_classes)
    training = noisy_problem(n=n, d=4, n_classes=n_classes, gaps=0.1)
    frame = pd.DataFrame(training.X, columns=list("abcd"))
    frame["kind"] = pd.Categorical(
        np.array(["x", "y", "z"])[(training.y + rng.integers(0, 2, n)) % 3]
    )
    frame.loc[::17, "kind"] = np.nan
    return frame, training.y


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("model", STUMPS + TREES, ids=str)
@pytest.mark.parametrize("compared", [False, True])
def test_contributions_add_up_to_the_scores(model, n_classes, compared):
    X, y = table(n_classes)
    model.fit(X, y)
    found = contributions(model, X, background=X if compared else None)
    scores = model.decision_function(X)
    np.testing.assert_allclose(found.scores, scores, rtol=0, atol=1e-12 * np.abs(scores).max())
    assert found.names == tuple(X.columns)
    if compared and model in STUMPS:
        np.testing.assert_allclose(found.values.mean(axis=0), 0.0, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("model", STUMPS, ids=str)
@pytest.mark.parametrize("compared", [False, True])
def test_shape_functions_are_the_contributions_of_values(model, n_classes, compared):
    X, y = table(n_classes)
    background = X if compared else None
    model.fit(X, y)
    found, local = (
        shape_functions(model, background=background),
        contributions(model, X, background=background),
    )
    np.testing.assert_allclose(found.intercept, local.intercept)
    assert [one.name for one in found.functions] == [
        name
        for j, name in enumerate(X.columns)
        if np.ptp(local.values[:, j], axis=0).any() or local.values[0, j].any()
    ]
    for one in found.functions:
        values = X[one.name].astype(object if one.name == "kind" else float).to_numpy()
        np.testing.assert_allclose(one(values), local.values[:, one.feature], atol=1e-13)
        assert (one.categories is None) == (one.name != "kind")
        assert len(one.values) == len(one.categories or one.edges) + (one.categories is None)


def test_a_value_on_an_edge_is_left_of_it():
    model = AdaBoostClassifier(n_estimators=1).fit([[1.0], [2.0]], [0, 1])
    (one,) = shape_functions(model).functions
    assert one.edges.tolist() == [1.5]
    left, right, gap = one([1.5, np.nextafter(1.5, 2.0), np.nan])
    assert left == -right == model.decision_function([[1.5]])[0]
    assert gap == one.missing


def test_columns_without_names_have_numbers_and_categories_may_be_numbers():
    X = np.column_stack([np.tile([3.0, 7.0, 9.0], 20), np.zeros(60)])
    model = AdaBoostClassifier(n_estimators=3, categorical_features=[0]).fit(X, X[:, 0] == 7)
    (one,) = shape_functions(model).functions
    assert (one.name, one.categories) == ("column 0", [3.0, 7.0, 9.0])
    assert np.sign(one(X[:3, 0])).tolist() == [-1, 1, -1]
    assert one([8.0]) == one.missing


def test_an_empty_ensemble_has_an_intercept_only():
    X, y = [[0.0], [0.0], [0.0]], [0, 1, 1]
    with pytest.warns(UserWarning, match="first round"):
        model = AdaBoostClassifier().fit(X, y)
    assert shape_functions(model).functions == []
    np.testing.assert_allclose(contributions(model, X).scores, model.decision_function(X))


def test_what_cannot_be_taken_apart_is_refused():
    X, y = table()
    X = X[list("abcd")].fillna(0.0)
    with pytest.raises(TypeError, match="stumps or trees of nacre, got AdaBoost"):
        contributions(AdaBoostClassifier(NaiveBayes(), 2).fit(X, y), X)
    with pytest.raises(TypeError, match=r"shap\.PermutationExplainer"):
        contributions(nacre.NacreClassifier("fast", random_state=0).fit(X, y), X)
    with pytest.raises(ValueError, match="its trees decide on several columns"):
        shape_functions(AdaBoostClassifier(Tree(2), 3).fit(X, y))


@pytest.mark.slow
def test_shap_explains_the_rest_and_draws_ours():
    """As the documentation says."""
    shap = pytest.importorskip("shap")
    X, y = table()
    X = X[list("abcd")]
    robust = nacre.NacreClassifier("fast", random_state=0).fit(X, y)
    told = shap.PermutationExplainer(robust.predict_proba, X[:20], seed=0)(X[:2], silent=True)
    whole = told.base_values + told.values.sum(axis=1)
    np.testing.assert_allclose(whole, robust.predict_proba(X[:2]), atol=1e-6)
    model = AdaBoostClassifier(n_estimators=10).fit(X, y)
    found = contributions(model, X, background=X)
    base = np.full(len(X), found.intercept)
    drawn = shap.Explanation(found.values, base, X.to_numpy(), feature_names=found.names)
    plt.switch_backend("agg")
    shap.plots.waterfall(drawn[0], show=False)
    plt.close("all")
