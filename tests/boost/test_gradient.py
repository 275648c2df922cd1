import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_blobs
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

from nacre import GradientBoostClassifier
from nacre.boost import Bootstrap, Subsample
from nacre.boost.draw import draw_times
from nacre.boost.gradient import (
    LONGEST,
    Additive,
    GradientBoosting,
    Label,
    NegativeGradient,
    Residual,
    WorkingResponse,
    hits,
    weighted_error,
)
from nacre.boost.loss import Backward, CrossEntropy, Forward, LogLoss, TanhLoss, chances
from nacre.learners.adapter import AnyRegressor
from nacre.learners.tree import Tree
from nacre.noise import flip_labels
from tests.textbook import gradient as twin
from tests.textbook.tree import number_tree
from tests.training import examples, make_problem, noisy_problem, problems

ROUNDS, SEED = 5, 3

# name: the aim, the twin, the twin's gradient
TABLE = {
    "l2": (Residual(), twin.l2boost, None),
    "logit": (WorkingResponse(), twin.logitboost, None),
    "gentle": (Label(), twin.gentleboost, None),
    "logistic": (
        NegativeGradient(LogLoss()),
        twin.gradientboost,
        twin.trusting(lambda p, K: p**0),
    ),
    "tanh": (NegativeGradient(TanhLoss()), twin.gradientboost, twin.trusting(lambda p, K: p)),
    "gce": (
        NegativeGradient(CrossEntropy(0.4)),
        twin.gradientboost,
        twin.trusting(lambda p, K: p**0.4),
    ),
    "forward": (
        NegativeGradient(Forward(0.2)),
        twin.gradientboost,
        twin.trusting(twin.forward_trust(0.2)),
    ),
    "backward": (NegativeGradient(Backward(0.2)), twin.gradientboost, twin.backward(0.2)),
}


def columns(training):
    return 1 if training.n_classes == 2 else training.n_classes


def start_of(name, training):
    if TABLE[name][2] is None:
        return np.zeros(columns(training))
    return twin.log_odds_start(training.y, training.n_classes, training.weight)


def boosting_of(name, fitter, training, rate=1.0, draw=None, seed=SEED, before=None):
    aim, start = TABLE[name][0], start_of(name, training)
    return GradientBoosting(fitter, training, aim, start, rate, draw, seed, before)


def draws_of(draw, training):
    """The draws of a run, for the twin; where none is drawn all rows count."""
    if draw is None:
        return None
    draws = [draw_times(draw, training, SEED, t) for t in range(1, ROUNDS + 1)]
    return np.array([times if times.any() else np.ones_like(times) for times in draws])


def stages_of(name, learn, training, rate, draw=None):
    _, run, gradient = TABLE[name]
    own = {} if gradient is None else {"gradient": gradient, "start": start_of(name, training)}
    draws = draws_of(draw, training)
    with np.errstate(all="ignore"):  # steps beyond all bounds end the comparison below
        return run(
            learn, training.y, training.n_classes, ROUNDS, training.weight, rate, draws, **own
        )  # fmt: skip


def assert_same_scores(started, stages, training, start):
    """As long as the scores stay small enough to be compared."""
    run = started.run()
    staged = run.hypotheses.staged(training.X, run.votes)
    last = np.tile(start, (len(training.y), 1))
    for moved, expected in zip(staged, stages, strict=False):
        if not np.abs(expected).max() < 8:
            return
        last = start + moved
        np.testing.assert_allclose(last, expected, rtol=1e-6, atol=1e-6)
    if len(run) < ROUNDS:
        assert run.stop_reason == "nothing to learn"
        assert np.ptp(stages[len(run)] - last, axis=0).max() < 1e-9
    else:
        assert run.stop_reason == "rounds done"
        np.testing.assert_allclose(started.scores, last, atol=1e-9)


def naive_learner(training, depth):
    def learn(r, w):
        tree = number_tree(
            training.X,
            r,
            w,
            max_depth=depth,
            categorical=training.categorical,
            counts=training.count,
        )
        means = tree.predict(training.X)
        for k, leaf in enumerate(tree.leaves()):
            leaf.value = k
        return tree.predict(training.X).astype(int), means

    return learn


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLE)
@examples(0.7)
@given(
    training=problems(rows=25, columns=3, classes=(2, 4), weights=("equal", "random")),
    depth=st.integers(1, 3),
    rate=st.sampled_from([1.0, 0.3]),
    draw=st.sampled_from([None, None, Subsample(0.7), Bootstrap()]),
)
def test_native_trees_and_twin(name, training, depth, rate, draw):
    started = boosting_of(name, Tree(depth).prepare(training), training, rate, draw)
    started.advance(ROUNDS)
    stages = stages_of(name, naive_learner(training, depth), training, rate, draw)
    assert_same_scores(started, stages, training, start_of(name, training))


class Spy(AnyRegressor):
    """Remembers what it was asked to fit, and the trees before their leaves are refined."""

    def __init__(self, estimator, training):
        super().__init__(estimator, training)
        self.seen = []

    def fit_response(self, response, weights, seed=0, curvature=None):
        fitted, values = super().fit_response(response, weights, seed, curvature)
        self.seen.append((response, weights, getattr(fitted, "tree", fitted)))
        return fitted, values

    def learn(self):
        """For a twin: expects the same responses and weights, says the same."""
        seen = iter(self.seen)

        def learn(r, w):
            response, weights, tree = next(seen)
            np.testing.assert_allclose(r, response, rtol=1e-7, atol=1e-9)
            np.testing.assert_allclose(w / w.sum(), weights / weights.sum(), rtol=1e-7, atol=1e-12)
            return tree.apply(self.training.X), tree.predict(self.training.X)

        return learn


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("draw", [None, Subsample(0.6)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_trees_of_scikit_learn_and_twin(name, draw, n_classes):
    training = noisy_problem(120, 3, n_classes, weights="random")
    spy = Spy(DecisionTreeRegressor(max_depth=2), training)
    started = boosting_of(name, spy, training, 0.5, draw)
    started.advance(ROUNDS)
    stages = stages_of(name, spy.learn(), training, 0.5, draw)
    assert_same_scores(started, stages, training, start_of(name, training))


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_regressors_without_leaves(name, n_classes):
    training = noisy_problem(80, 3, n_classes, weights="random")
    fitter = AnyRegressor(Ridge(alpha=0.1), training)
    started = boosting_of(name, fitter, training, 0.5)
    started.advance(ROUNDS)
    stages = stages_of(name, lambda r, w: (None, fitter.fit_response(r, w)[1]), training, 0.5)
    assert_same_scores(started, stages, training, start_of(name, training))


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("regressor", [RandomForestRegressor(3, max_depth=2, random_state=0)])
def test_regressors_of_many_trees(name, regressor):
    training = noisy_problem(80, 3)
    started = boosting_of(name, AnyRegressor(regressor, training), training, 0.3)
    started.advance(10)
    assert started.run().errors[-1] < 0.35


# What is known of the algorithms


@pytest.mark.parametrize("name", ["l2", "logit", "gentle", "logistic", "gce", "forward"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_loss_falls(name, n_classes):
    training = noisy_problem(300, 4, n_classes, weights="random")
    started = boosting_of(name, Tree(2).prepare(training), training, 0.1)
    started.advance(60)
    losses = started.run().losses
    assert len(losses) == 60
    assert (np.diff(losses) < 1e-12).all()


def test_l2boost_in_one_step_is_a_tree():
    training = noisy_problem(200, 3, weights="random")
    fitter = Tree(4).prepare(training)
    started = boosting_of("l2", fitter, training)
    started.advance(1)
    values = fitter.fit_response(2.0 * training.y - 1, training.weight)[1]
    np.testing.assert_allclose(started.scores[:, 0], values)


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_trace_is_of_the_training_rows(name, n_classes):
    training = noisy_problem(100, 3, n_classes, weights="random")
    aim, start = TABLE[name][0], start_of(name, training)
    started = boosting_of(name, Tree(2).prepare(training), training, 0.3)
    started.advance(8)
    run = started.run()
    assert run.votes == pytest.approx(np.full(8, 0.3 * aim.factor(n_classes)))
    for moved, error, loss in zip(
        run.hypotheses.staged(training.X, run.votes), run.errors, run.losses, strict=True
    ):
        scores = start + moved
        said = (scores[:, 0] > 0) * 1 if n_classes == 2 else scores.argmax(axis=1)
        assert error == pytest.approx(training.weight[said != training.y].sum())
        assert error == pytest.approx(weighted_error(scores, training))
        hit = hits(training.y, n_classes)
        assert loss == pytest.approx(aim.loss(aim.view(scores), hit, training.weight))
        assert loss == pytest.approx(naive_loss(name, scores, hit, training.weight))


def naive_loss(name, F, star, s):
    aim, signs, p = TABLE[name][0], 2 * star - 1, twin.chances(F)
    if name == "l2":
        return s @ ((signs - F) ** 2).mean(axis=1)
    if name == "gentle":
        return s @ np.exp(-signs * F).mean(axis=1)
    loss = LogLoss() if name == "logit" else aim.of
    return s @ loss.value(p, star)


def test_responses_of_logitboost_are_clipped():
    scores, hit = np.array([[5.0], [-5.0], [0.1], [400.0]]), np.array([[0.0], [1.0], [1.0], [0.0]])
    target = WorkingResponse().target(WorkingResponse().view(scores), hit)
    p = twin.chances(scores[2:3])[0, 0]
    assert target.response[:, 0].tolist() == pytest.approx([-4, 4, 1 / p, -4])
    assert (target.weight >= 0).all()


def test_weights_of_gentleboost_do_not_overflow():
    target = Label().target(np.array([[-900.0], [900.0], [3.0]]), np.ones((3, 1)))
    assert target.weight[:, 0].tolist() == [1.0, 0.0, np.exp(-903.0)]
    assert np.isfinite(Label().loss(np.array([[-9e9]]), np.ones((1, 1)), np.ones(1)))


# Ends


def test_nothing_to_learn():
    training = make_problem(np.ones((6, 2)), [0, 1] * 3)
    for fitter in (Tree().prepare(training), AnyRegressor(DummyRegressor(), training)):
        started = boosting_of("logistic", fitter, training)
        started.advance(5)
        assert (started.run().stop_reason, len(started.run())) == ("nothing to learn", 0)


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_rows_that_can_be_told_apart(name, n_classes):
    # pure leaves: nothing overflows, and no warning
    training = noisy_problem(60, 2, n_classes, flip=0.0)
    started = boosting_of(name, Tree(None).prepare(training), training)
    started.advance(200)
    run = started.run()
    assert np.isfinite(run.losses).all()
    assert np.isfinite(run.hypotheses.scores(training.X, run.votes)).all()
    assert run.errors[-1] == 0.0


def test_weights_vanish():
    training = noisy_problem(30, 2)

    class Sure(Label):
        def target(self, scores, hit):
            target = super().target(scores, hit)
            return target._replace(weight=np.zeros_like(target.weight))

    started = GradientBoosting(Tree().prepare(training), training, Sure(), np.zeros(1))
    started.advance(3)
    assert (started.run().stop_reason, len(started.run())) == ("weights vanished", 0)


# Seeds


def test_seeds_decide_the_draws():
    training = noisy_problem(100, 6)

    def scores(seed, **tree):
        fitter = Tree(2, **tree).prepare(training)
        draw = None if tree else Subsample(0.5)
        started = boosting_of("logistic", fitter, training, 0.3, draw, seed)
        started.advance(10)
        return started.scores

    for tree in ({}, {"max_features": 2}):
        assert np.array_equal(scores(1, **tree), scores(1, **tree))
        assert not np.array_equal(scores(1, **tree), scores(2, **tree))


# The regressors of an ensemble


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("regressor", [None, DecisionTreeRegressor(max_depth=2), Ridge()])
def test_additive(n_classes, regressor):
    training = noisy_problem(60, 3, n_classes)
    fitter = Tree(2).prepare(training) if regressor is None else AnyRegressor(regressor, training)
    started = boosting_of("logistic", fitter, training, 0.3)
    started.advance(6)
    additive, votes = started.run().hypotheses, np.linspace(1, 2, 6)
    width = columns(training)
    assert len(additive) == 6
    assert len(additive.regressors) == 6 * width
    if width > 1:
        assert [len(one) for one in additive] == [width] * 6
        assert additive[-1][2] is additive.regressors[6 * width - 1]
    else:
        assert additive[2] is additive.regressors[2]
    assert len(additive[1:5:2]) == 2
    with pytest.raises(IndexError):
        additive[6]
    whole = additive.scores(training.X, votes)
    assert whole.shape == (60, width)
    stages = list(additive.staged(training.X, votes))
    np.testing.assert_allclose(stages[-1], whole, atol=1e-12)
    for t in range(7):
        part = additive.first(t).scores(training.X, votes[:t])
        np.testing.assert_allclose(part, stages[t - 1] if t else 0 * whole, atol=1e-12)
    rest = Additive(fitter.collect(list(additive.regressors[4 * width :])), width)
    joined = additive.first(4).joined(rest)
    np.testing.assert_allclose(joined.scores(training.X, votes), whole, atol=1e-12)
    again = pickle.loads(pickle.dumps(additive))
    assert np.array_equal(again.scores(training.X, votes), whole)
    if regressor is None or not isinstance(regressor, Ridge):
        assert additive.importances(votes, 3).sum() == pytest.approx(width * votes.sum())
    else:
        with pytest.raises(AttributeError, match="no feature_importances_"):
            additive.importances(votes, 3)


def test_many_classes_and_wrong_labels_do_not_diverge():
    """Scores reached 1e14 and accuracy fell to that of chance where Newton steps had no bound."""
    X, truth = make_blobs(2400, 8, centers=40, cluster_std=2.2, random_state=0)
    labels, _ = flip_labels(truth[:1200], 0.1, random_state=0)
    model = GradientBoostClassifier().fit(X[:1200], labels)
    assert np.abs(model.decision_function(X)).max() < 100
    errors = 1 - np.array(list(model.staged_score(X[1200:], truth[1200:])))
    assert errors[-1] < errors.min() + 0.03


@given(st.integers(2, 5), st.integers(0, 10**6))
def test_no_step_of_a_row_is_longer_than_the_longest(n_classes, seed):
    rng = np.random.default_rng(seed)
    hit = hits(np.arange(n_classes), n_classes)
    view = chances(rng.normal(scale=30, size=hit.shape))
    for loss in (LogLoss(), TanhLoss(), Forward(0.1), Backward(0.1)):
        response, _, curvature = NegativeGradient(loss).target(view, hit)
        pull, own = loss.pull(view, hit)
        np.testing.assert_array_equal(response, pull)
        assert (np.abs(response) <= LONGEST * curvature * (1 + 1e-12)).all()
        near = np.abs(pull) <= LONGEST * own
        np.testing.assert_array_equal(curvature[near], own[near])
