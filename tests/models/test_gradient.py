"""The gradient boosters: against scikit-learn, and what they share."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

from nacre import (
    GentleBoostClassifier,
    GradientBoostClassifier,
    L2BoostClassifier,
    LogitBoostClassifier,
    RealAdaBoostClassifier,
    Stump,
    Tree,
)
from nacre.boost import Backward, CrossEntropy, Forward, LogLoss, TanhLoss

BOOSTERS = [
    L2BoostClassifier(n_estimators=20),
    LogitBoostClassifier(n_estimators=20),
    GentleBoostClassifier(n_estimators=20),
    *(
        GradientBoostClassifier(n_estimators=20, loss=loss)
        for loss in ("logistic", "tanh", "gce", Forward(0.1), Backward(0.1))
    ),
]
NAMES = [type(model).__name__ + str(getattr(model, "loss", "")) for model in BOOSTERS]


def table(n, n_classes, seed=0, values=200):
    """Whole numbers (so that midpoints are exact) and random weights (so that nothing ties)."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, values, (n, 4)).astype(float)
    score = X @ [0.02, -0.01, 0.01, 0.0] + rng.normal(size=n)
    y = np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)
    return X, y, rng.random(n) + 0.5


@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_two_classes_equal_to_scikit_learn(depth, rate):
    X, y, w = table(400, 2)
    peer = GradientBoostingClassifier(
        n_estimators=30, learning_rate=rate, max_depth=depth, random_state=0
    ).fit(X, y, w)
    model = GradientBoostClassifier(Tree(depth), 30, learning_rate=rate).fit(X, y, w)
    assert_allclose(2 * model.decision_function(X), peer.decision_function(X), atol=1e-8)
    assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-8)
    stages = zip(model.staged_decision_function(X), peer.staged_decision_function(X), strict=True)
    for own, other in stages:
        assert_allclose(2 * own, other[:, 0], atol=1e-8)


@pytest.mark.parametrize("n_classes", [3, 5])
def test_several_classes_equal_to_scikit_learn(n_classes):
    X, y, w = table(400, n_classes)
    peer = GradientBoostingClassifier(
        n_estimators=15, learning_rate=0.3, max_depth=2, random_state=0
    ).fit(X, y, w)
    model = GradientBoostClassifier(Tree(2), 15, learning_rate=0.3).fit(X, y, w)
    assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-8)
    other = GradientBoostClassifier(DecisionTreeRegressor(max_depth=2), 15, learning_rate=0.3)
    assert_allclose(other.fit(X, y, w).predict_proba(X), peer.predict_proba(X), atol=1e-8)


@pytest.mark.parametrize("model", BOOSTERS, ids=NAMES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_go_with_predictions(model, n_classes):
    X, y, w = table(200, n_classes)
    model.fit(X, np.array(["a", "b", "c"])[y], w)
    chances = model.predict_proba(X)
    assert_allclose(chances.sum(axis=1), 1.0)
    assert np.array_equal(model.classes_[chances.argmax(axis=1)], model.predict(X))
    codes = np.searchsorted(model.classes_, model.predict(X))
    assert model.estimator_errors_[-1] == pytest.approx(w[codes != y].sum() / w.sum())
    assert_allclose(list(model.staged_decision_function(X))[-1], model.decision_function(X))
    assert_allclose(list(model.staged_predict_proba(X))[-1], chances)
    labels = np.array(["a", "b", "c"])[y]
    assert list(model.staged_score(X, labels, w))[-1] == pytest.approx(
        1 - model.estimator_errors_[-1]
    )
    margins = model.margins(X, labels)
    assert_allclose(margins, 2 * chances[np.arange(200), y] - 1)
    if n_classes == 2 and model.link_scale_ == 1:
        signed = np.where(y == 1, 1, -1) * model.decision_function(X)
        assert_allclose(margins, np.tanh(signed), atol=1e-12)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert len(model.train_losses_) == len(model.estimators_) == 20


def test_losses_that_are_the_same():
    X, y, w = table(300, 3)

    def scores(**parameters):
        return GradientBoostClassifier(n_estimators=10, **parameters).fit(X, y, w).predict_proba(X)

    assert_allclose(scores(loss=Forward(0.0)), scores(), atol=1e-10)
    assert_allclose(scores(loss=Backward(0.0)), scores(), atol=1e-10)
    assert_allclose(scores(loss=CrossEntropy(1.0)), scores(loss="tanh"), atol=1e-10)
    assert_allclose(scores(loss=CrossEntropy(1e-9)), scores(), atol=1e-6)
    assert np.array_equal(scores(loss="gce"), scores(loss=CrossEntropy(0.7)))
    assert np.array_equal(scores(loss="logistic"), scores(loss=LogLoss()))
    assert np.array_equal(scores(loss="tanh"), scores(loss=TanhLoss()))
    assert np.abs(scores(loss="gce") - scores()).max() > 0.01


def test_a_stump_is_a_tree_of_one_level():
    X, y, w = table(200, 2)
    for booster in (L2BoostClassifier, LogitBoostClassifier, GentleBoostClassifier):
        one, two, three = (
            booster(learner, 10).fit(X, y, w).decision_function(X)
            for learner in (None, Stump(), Tree(1))
        )
        assert np.array_equal(one, two)
        assert np.array_equal(one, three)
    default, tree = (GradientBoostClassifier(learner, 5).fit(X, y) for learner in (None, Tree(3)))
    assert np.array_equal(default.decision_function(X), tree.decision_function(X))


@pytest.mark.parametrize("model", BOOSTERS[:4], ids=NAMES[:4])
def test_seeds_and_draws(model):
    X, y, _ = table(200, 2)

    def fitted(seed, **parameters):
        again = type(model)(n_estimators=8, random_state=seed, **parameters)
        return again.fit(X, y).decision_function(X)

    assert np.array_equal(fitted(0), fitted(1))  # nothing is random
    for parameters in ({"subsample": 0.5}, {"max_features": 1}, {"max_features": 0.5}):
        assert np.array_equal(fitted(0, **parameters), fitted(0, **parameters))
        assert not np.array_equal(fitted(0, **parameters), fitted(1, **parameters))
    assert np.array_equal(fitted(0, subsample=0.5), fitted(0, subsample=0.5, n_jobs=2))


@pytest.mark.parametrize(
    ("model", "kind", "words"),
    [
        (L2BoostClassifier(subsample=0), ValueError, "subsample must be a number above 0"),
        (L2BoostClassifier(subsample=1.5), ValueError, "subsample must be at most 1, got 1.5"),
        (L2BoostClassifier(max_features=0), ValueError, "max_features must be None"),
        (
            L2BoostClassifier(Tree(), max_features=2),
            ValueError,
            "max_features is for estimator=None: set it on the estimator itself",
        ),
        (L2BoostClassifier(learning_rate=0), ValueError, "learning_rate must be a number above 0"),
        (
            L2BoostClassifier(RandomForestClassifier()),
            TypeError,
            "must be a Tree, a Stump or a sci",
        ),
        (L2BoostClassifier("tree"), TypeError, "must be a Tree, a Stump or a scikit"),
        (L2BoostClassifier(KNeighborsRegressor()), TypeError, "takes no sample_weight"),
        (GradientBoostClassifier(loss="mse"), ValueError, "loss must be one of logistic, tanh"),
        (GradientBoostClassifier(loss=0.5), ValueError, "loss must be one of logistic, tanh, gce"),
        (GradientBoostClassifier(loss=["gce"]), ValueError, "loss must be one of logistic"),
        (GradientBoostClassifier(loss=TanhLoss), ValueError, "loss must be one of logistic"),
        (
            GradientBoostClassifier(loss="backward"),
            ValueError,
            r"loss='backward' needs a noise rate: use loss=Backward\(rate=0.1\) of nacre.boost",
        ),
        (
            GradientBoostClassifier(loss=Forward(0.5)),
            ValueError,
            r"The rate of loss=Forward\(rate=0.5\) must be below 0.5 for 2 classes",
        ),
    ],
)
def test_bad_parameters(model, kind, words):
    X, y, _ = table(20, 2)
    with pytest.raises(kind, match=words) as caught:
        model.fit(X, y)
    assert "\n" not in str(caught.value)


def test_more_classes_stand_more_noise():
    X, y, _ = table(60, 3)
    model = GradientBoostClassifier(n_estimators=3, loss=Forward(0.6))
    model.fit(X, y)
    with pytest.raises(ValueError, match=r"must be below 0\.666667 for 3 classes"):
        model.set_params(loss=Forward(0.7)).fit(X, y)


def test_nothing_to_learn_is_the_commonest_class():
    X, y = np.ones((6, 1)), np.array(["a", "b", "b", "b", "a", "b"])
    for model in BOOSTERS:
        with pytest.warns(UserWarning, match="nothing to learn.*commonest class, 'b'"):
            model.fit(X, y)
        assert model.predict([[1.0]]).tolist() == ["b"]
        assert_allclose(model.predict_proba([[1.0]]), [[1 / 3, 2 / 3]])
        assert len(model.estimators_) == 0
        assert list(model.staged_predict(X)) == []


def test_any_regressor():
    X, y, w = table(150, 2)
    for model in BOOSTERS:
        linear = type(model)(Ridge(), 5).fit(X, y, w)
        assert linear.score(X, y) > 0.7
        with pytest.raises(AttributeError, match="no feature_importances_"):
            _ = linear.feature_importances_


def test_bounded_losses_stand_wrong_labels():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 5))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    noisy = np.where(rng.random(2000) < 0.3, 1 - y, y)
    scores = {
        loss: GradientBoostClassifier(n_estimators=150, loss=loss)
        .fit(X[:1000], noisy[:1000])
        .score(X[1000:], y[1000:])
        for loss in ("logistic", "tanh", "gce", Forward(0.3))
    }
    for loss in ("tanh", "gce", Forward(0.3)):
        assert scores[loss] > scores["logistic"]


@pytest.mark.slow
@pytest.mark.parametrize("model", BOOSTERS, ids=NAMES)
def test_equal_scores_go_to_the_first_class(model):
    # at 1 the classes 0 and 2 are alike, but for the order in which their weights are added up
    X = np.repeat([[0.0], [1.0]], [6, 8], axis=0)
    y = np.repeat([1, 0, 2], [6, 4, 4])
    w = np.array([1.0] * 6 + [0.1, 0.2, 0.3, 0.7] + [0.7, 0.3, 0.2, 0.1])
    model = clone(model).set_params(n_estimators=200)  # "tanh" leaves its start slowly
    for seed in range(10):
        rows = np.random.default_rng(seed).permutation(14)
        model.fit(X[rows], y[rows], w[rows])
        scores = model.decision_function([[1.0]])[0]
        assert scores[0] == pytest.approx(scores[2], abs=1e-9)
        assert model.predict([[1.0]]).tolist() == [0]


def test_scores_are_equal_by_their_own_size():
    """Leaves may say far more than their votes, and rounding grows with what they say."""
    model = GradientBoostClassifier(n_estimators=1).fit([[0.0], [1.0], [2.0]], [0, 1, 2])
    for more, best in ((5e-8, 0), (1e-6, 1)):
        assert model._level(np.array([[1e6, 1e6 + more, 0.0]]), 1)[0].argmax() == best


@pytest.mark.parametrize("model", [*BOOSTERS[:4], RealAdaBoostClassifier()], ids=repr)
def test_a_stump_s_own_categories_count(model):
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 6, 300)
    X, y = np.column_stack([kind, rng.normal(size=300)]), kind % 2
    own = clone(model).set_params(n_estimators=1, estimator=Stump(categorical_features=[0]))
    assert own.fit(X, y).score(X, y) == 1.0
