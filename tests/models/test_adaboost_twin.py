"""AdaBoostClassifier against its textbook twins: votes and predictions, all three variants."""

import numpy as np
import pytest
from hypothesis import assume, given
from sklearn.tree import DecisionTreeClassifier

from nacre import AdaBoostClassifier
from tests.textbook import boosting as twin
from tests.textbook.stump import best_gain_stump, best_stump
from tests.training import examples, problems

ROUNDS = 8
VARIANTS = ("samme", "m1", "m2")


def run_twin(variant, learn, training):
    if variant == "m1":
        return twin.adaboost_m1(learn, training.y, ROUNDS, training.weight)
    run = twin.samme if variant == "samme" else twin.adaboost_m2
    return run(learn, training.y, ROUNDS, training.weight, n_classes=training.n_classes)


def winners(result, training):
    """The class of the most votes, the first of those equal but for rounding."""
    totals = np.zeros((len(training.y), training.n_classes))
    for vote, said in zip(result.votes, result.hypotheses, strict=True):
        totals[np.arange(len(said)), said] += vote
    ties = 1e-12 * result.votes.sum()
    return (totals >= totals.max(axis=1, keepdims=True) - ties).argmax(axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("weights", ["equal", "whole", "random"])
@examples(4)
@given(training=problems(rows=30, columns=10, classes=(2, 2), weights=("random",)))
def test_stumps_of_two_classes(variant, weights, training):
    check_stumps(variant, training, weights)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("weights", ["equal", "whole", "random"])
@examples(4)
@given(training=problems(rows=30, classes=(3, 10), weights=("random",)))
def test_stumps_of_three_to_ten_classes(variant, weights, training):
    check_stumps(variant, training, weights)


def check_stumps(variant, data, weights):
    s = {
        "equal": np.ones(len(data.y)),
        "whole": 1.0 + np.arange(len(data.y)) % 3,
        "random": data.weight,
    }[weights]
    training = type(data)(data.X, data.y, data.n_classes, s / s.sum(), None, data.categorical)
    whole = np.all(s == np.round(s))
    counts = s if whole else s / s.mean()
    rows = (
        training.X,
        training.y,
        training.weight,
        training.n_classes,
        training.categorical,
        counts,
    )
    assume(best_stump(*rows) is not None)

    def learn(w):
        if variant == "m2":
            gains = twin.pseudo_gains(w, training.y)
            return best_gain_stump(training.X, gains, training.categorical, counts).predict(
                training.X
            )
        stump = best_stump(training.X, training.y, w, *rows[3:])
        return stump.predict(training.X)

    result = run_twin(variant, learn, training)
    assume(len(result.votes))
    model = AdaBoostClassifier(
        n_estimators=ROUNDS, variant=variant, categorical_features=list(training.categorical)
    ).fit(training.X, training.y, s)
    np.testing.assert_allclose(model.estimator_weights_, result.votes, rtol=1e-8, atol=1e-11)
    np.testing.assert_array_equal(model.predict(training.X), winners(result, training))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Boosting stopped in the first round")
@pytest.mark.parametrize("variant", VARIANTS)
@examples(1)
@given(
    training=problems(rows=40, classes=(2, 10), gaps=False, categories=False, weights=("equal",))
)
def test_trees(variant, training):
    seen = []

    class Tree(DecisionTreeClassifier):
        """Remembers what it says for the training rows."""

        def fit(self, X, y, sample_weight=None):
            fitted = super().fit(X, y, sample_weight)
            seen.append(fitted.predict(X).astype(int))
            return fitted

    model = AdaBoostClassifier(Tree(max_depth=3), ROUNDS, variant=variant, random_state=0)
    model.fit(training.X, training.y)
    said = iter(seen)
    result = run_twin(variant, lambda w: next(said), training)
    assume(len(result.votes))
    np.testing.assert_allclose(model.estimator_weights_, result.votes, rtol=1e-8, atol=1e-11)
    np.testing.assert_array_equal(model.predict(training.X), winners(result, training))
