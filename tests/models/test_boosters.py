"""The boosters other than AdaBoost: composition, votes, probabilities, parameters."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from nacre import (
    AdaBoostClassifier,
    AveBoostClassifier,
    CoreBoostClassifier,
    MarginBoostClassifier,
    PBoostClassifier,
    SNRBoostClassifier,
    Stump,
)
from nacre.boost import (
    Algorithm,
    AllRows,
    AverageBoth,
    AverageWeights,
    Bootstrap,
    ConvexHull,
    CoreLogOdds,
    Exponential,
    Gravity,
    Harmonic,
    Logistic,
    NaiveHull,
    Sigmoid,
    SloppyHull,
    StrictHull,
    Tanh,
    ZeroOne,
)
from nacre.kernels.formulas import log_pull
from nacre.noise import flip_labels

CANCER = load_breast_cancer(return_X_y=True)
WINE = load_wine(return_X_y=True)

COMPOSITIONS = [
    (AveBoostClassifier(), Algorithm(Exponential(), AverageBoth())),
    (AveBoostClassifier(version=1), Algorithm(Exponential(), AverageWeights())),
    (
        MarginBoostClassifier(slope=2.0),
        Algorithm(Tanh(2.0), ConvexHull(), Bootstrap(), stops=False),
    ),
    (
        MarginBoostClassifier(cost="sigmoid", slope=3.0, k=7.0, descent_test=True),
        Algorithm(Sigmoid(3.0), ConvexHull(7.0), Bootstrap(), stops=True),
    ),
    (
        MarginBoostClassifier(cost="logistic", bootstrap=False),
        Algorithm(Logistic(), ConvexHull(), AllRows(), stops=False),
    ),
    (
        MarginBoostClassifier(cost="exponential"),
        Algorithm(Exponential(), ConvexHull(), Bootstrap(), stops=False),
    ),
    (
        SNRBoostClassifier(sigma2=0.5, draws=30),
        Algorithm(ZeroOne(0.5, 30), ConvexHull(), Bootstrap(), stops=False),
    ),
    (
        CoreBoostClassifier(noise_rate=0.1),
        Algorithm(Exponential(), Harmonic(), Bootstrap(), stops=False),
    ),
    (
        CoreBoostClassifier(noise_rate=0.1, cost="logistic"),
        Algorithm(Logistic(), Harmonic(), Bootstrap(), stops=False),
    ),
    (
        CoreBoostClassifier(noise_rate=0.01, stochastic=False),
        Algorithm(Exponential(), CoreLogOdds(), stops=False),
    ),
    (PBoostClassifier(p=0.9, acceleration=0.3), Algorithm(Exponential(), SloppyHull(0.9, 0.3))),
    (PBoostClassifier(variant="strict"), Algorithm(Exponential(), StrictHull(1.0))),
    (PBoostClassifier(variant="naive", p=2.0), Algorithm(Exponential(), NaiveHull(2.0))),
    (PBoostClassifier(variant="gravity", p=0.7), Algorithm(Exponential(), Gravity(0.7, 0.01))),
]
MODELS = [model for model, _ in COMPOSITIONS]


@pytest.mark.parametrize(("model", "algorithm"), COMPOSITIONS, ids=str)
def test_composition(model, algorithm):
    assert model._algorithm() == algorithm


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize(("X", "y"), [CANCER, WINE], ids=["two classes", "three classes"])
def test_probabilities_go_with_predictions(model, X, y):
    model = clone(model).set_params(n_estimators=40, random_state=0).fit(X, y)
    chances = model.predict_proba(X)
    assert_allclose(chances.sum(axis=1), 1.0)
    assert np.array_equal(model.classes_[chances.argmax(axis=1)], model.predict(X))
    *_, last = model.staged_decision_function(X)
    assert_allclose(last, model.decision_function(X), atol=1e-12)
    assert np.all(np.abs(model.margins(X, y)) <= 1 + 1e-12)


def test_stages_outlive_votes_that_vanish():
    """The first votes of sloppy p-boosting are below any float in the end; at first they ruled."""
    X, y = CANCER
    y, _ = flip_labels(y, 0.2, random_state=0)
    long = PBoostClassifier(n_estimators=2000, p=0.5).fit(X, y)
    assert long.estimator_weights_[0] == 0.0
    stages = list(long.staged_decision_function(X))
    for rounds in (1, 2, 10, 100, 500):
        short = PBoostClassifier(n_estimators=rounds, p=0.5).fit(X, y)
        assert_allclose(stages[rounds - 1], short.decision_function(X), atol=1e-12)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_the_link_is_as_good_as_any(model):
    X, y = CANCER
    y, _ = flip_labels(y, 0.2, random_state=0)
    model = clone(model).set_params(n_estimators=40, random_state=0).fit(X, y)
    if model._algorithm().step.logistic:
        assert model.link_scale_ == 1.0
        return
    loss = log_loss(y, model.predict_proba(X))
    scores = model.decision_function(X)
    for factor in (0.5, 0.8, 1.25, 2.0):
        other = 1 / (1 + np.exp(-2 * model.link_scale_ * factor * scores))
        assert loss < log_loss(y, other) + 1e-3


def test_votes_keep_their_norm():
    X, y = CANCER
    y, _ = flip_labels(y, 0.2, random_state=0)
    for p in (0.7, 1.0, 1.6):
        votes = PBoostClassifier(n_estimators=60, p=p).fit(X, y).estimator_weights_
        assert_allclose((votes**p).sum(), 1.0)
    for model in (MarginBoostClassifier, SNRBoostClassifier):
        votes = model(n_estimators=60, random_state=0).fit(X, y).estimator_weights_
        assert_allclose(votes.sum(), 1.0)


def test_bootstraps_escape_the_trap_of_even_costs():
    X, y = CANCER
    stuck = MarginBoostClassifier(n_estimators=30, bootstrap=False).fit(X, y).estimators_
    free = MarginBoostClassifier(n_estimators=30, random_state=0).fit(X, y).estimators_
    assert len({(rule.feature, rule.threshold) for rule in stuck}) == 1
    assert len({(rule.feature, rule.threshold) for rule in free}) > 10


def test_the_descent_test_stops_the_hull():
    X, y = CANCER
    model = MarginBoostClassifier(n_estimators=50, bootstrap=False, descent_test=True).fit(X, y)
    assert model.stop_reason_ == "no descent"
    assert len(model.estimators_) == 1


def test_few_draws_far_from_the_margins_vanish():
    X, y = CANCER
    model = SNRBoostClassifier(n_estimators=50, sigma2=0.01, draws=100, random_state=0).fit(X, y)
    assert model.stop_reason_ == "weights vanished"
    limit = SNRBoostClassifier(n_estimators=50, sigma2=0.01, random_state=0).fit(X, y)
    assert limit.stop_reason_ == "rounds done"


@pytest.mark.parametrize("sigma2", [0.1, 1.0])
def test_many_draws_are_as_good_as_all(sigma2):
    """The noise reaction goes to the slope of the smoothed step as one over root draws."""
    X, y = CANCER

    def apart(draws):
        few, all_of_them = (
            SNRBoostClassifier(n_estimators=1, sigma2=sigma2, draws=m, random_state=0).fit(X, y)
            for m in (draws, None)
        )
        costs = []
        for model in (few, all_of_them):
            cost = model._algorithm().recipe(2, 1, model._run.seed).cost
            z = np.linspace(-1, 1, 41)
            pulls = np.exp(
                [log_pull(cost.kind, one, cost.slope, 0.0, cost.draws, cost.sums) for one in z]
            )
            costs.append(pulls / pulls.sum())
        return np.abs(costs[0] - costs[1]).sum()

    assert apart(1_000_000) < 0.02 < apart(100)
    models = [
        SNRBoostClassifier(n_estimators=10, sigma2=sigma2, draws=m, random_state=0).fit(X, y)
        for m in (1_000_000, None)
    ]
    assert np.mean(models[0].predict(X) == models[1].predict(X)) > 0.97


def test_naive_with_p_one_and_no_gravity_are_adaboost():
    X, y = CANCER
    y, _ = flip_labels(y, 0.1, random_state=1)
    votes = AdaBoostClassifier(n_estimators=30).fit(X, y).estimator_weights_
    naive = PBoostClassifier(n_estimators=30, variant="naive").fit(X, y)
    weightless = PBoostClassifier(n_estimators=30, variant="gravity", gravity=0.0).fit(X, y)
    assert_allclose(naive.estimator_weights_, votes)
    assert_allclose(weightless.estimator_weights_, votes, rtol=1e-7)


def core_problem(rate=0.3, seed=0):
    X, y = CANCER
    clean = np.random.default_rng(seed).random(len(y)) < 0.2
    return X, np.where(clean, y, flip_labels(y, rate, random_state=seed)[0]), y, clean


def test_core_without_noise_is_adaboost():
    X, y = CANCER
    votes = AdaBoostClassifier(n_estimators=30).fit(X, y).estimator_weights_
    core = CoreBoostClassifier(n_estimators=30, noise_rate=0.0, stochastic=False).fit(X, y)
    all_clean = CoreBoostClassifier(n_estimators=30, stochastic=False)
    all_clean.fit(X, y, clean=np.ones(len(y), bool))
    assert_allclose(core.estimator_weights_, votes)
    assert_allclose(all_clean.estimator_weights_, votes)
    assert all_clean.noise_rate_ == 0.0


@pytest.mark.slow
def test_core_estimates_the_rate():
    for rate in (0.1, 0.3):
        X, labels, _, clean = core_problem(rate)
        with_clean = CoreBoostClassifier(n_estimators=5, random_state=0)
        with_clean.fit(X, labels, clean=clean)
        without = CoreBoostClassifier(n_estimators=5, random_state=0).fit(X, labels)
        wrong = labels != core_problem(rate)[2]
        assert abs(with_clean.noise_rate_ - wrong[~clean].mean()) < 0.06
        assert abs(without.noise_rate_ - wrong.mean()) < 0.06


@pytest.mark.slow
@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.arange(2.0)[:, None], [0, 1]),
        (np.zeros((20, 2)), [0, 1] * 10),
        (np.arange(30.0)[:, None], ["a"] * 20 + ["b"] * 9 + ["c"]),
        (np.where(np.arange(40) % 3, np.nan, 1.0).reshape(20, 2), [True, False] * 10),
    ],
    ids=["two rows", "constant", "a class of one", "gaps"],
)
@pytest.mark.filterwarnings("ignore:Boosting stopped in the first round")
@pytest.mark.filterwarnings("ignore:The noise rate cannot be told")
def test_core_estimates_some_rate_for_any_table(X, y):
    model = CoreBoostClassifier(n_estimators=5, random_state=0).fit(X, y)
    assert 0.0 <= model.noise_rate_ <= 0.45
    nothing_trusted = clone(model).fit(X, y, clean=np.zeros(len(y), bool))
    assert nothing_trusted.noise_rate_ == model.noise_rate_


@pytest.mark.slow
def test_core_estimates_the_rate_of_tables_only_its_learner_can_read():
    X, labels, y, clean = core_problem()
    frame = pd.DataFrame({"size": np.where(X[:, 20] > 16.8, "large", "small")})
    learner = make_pipeline(OneHotEncoder(), LogisticRegression())
    model = CoreBoostClassifier(learner, 3, random_state=0).fit(frame, labels, clean=clean)
    assert abs(model.noise_rate_ - np.mean((labels != y)[~clean])) < 0.1


def test_core_takes_rates_per_row_and_weights():
    X, labels, _, clean = core_problem()
    rates = np.where(clean, 0.0, 0.3)
    one = CoreBoostClassifier(noise_rate=0.3, random_state=0).fit(X, labels, clean=clean)
    each = CoreBoostClassifier(noise_rate=rates, random_state=0).fit(X, labels)
    assert np.array_equal(one.decision_function(X), each.decision_function(X))
    weight = np.where(np.arange(len(labels)) % 3 == 0, 0.0, 1.0)
    kept = weight > 0
    model = CoreBoostClassifier(noise_rate=rates, random_state=0)
    left_out = clone(model).fit(X, labels, weight, clean=clean)
    absent = clone(model).set_params(noise_rate=rates[kept])
    absent.fit(X[kept], labels[kept], clean=clean[kept])
    assert np.array_equal(left_out.decision_function(X), absent.decision_function(X))


@pytest.mark.slow
def test_core_beats_adaboost_with_trees():
    X, labels, y, clean = core_problem()
    tree = DecisionTreeClassifier(max_depth=4)
    ada = AdaBoostClassifier(tree, 30, random_state=0).fit(X, labels)
    core = CoreBoostClassifier(tree, 30, random_state=0).fit(X, labels, clean=clean)
    assert core.score(X, y) > ada.score(X, y) + 0.05


@pytest.mark.parametrize(
    ("parameters", "clean", "words"),
    [
        ({}, np.ones(3, bool), "clean has 3 entries for 569 rows"),
        ({}, np.ones(569), "clean must be a boolean mask"),
        ({"noise_rate": 0.5}, None, "noise_rate must be from 0 to below 1/2"),
        ({"noise_rate": [0.1, 0.2]}, None, "one number, or one per row"),
        ({"cost": "hinge"}, None, "cost must be one of"),
        ({"cost": "logistic", "stochastic": False}, None, "needs stochastic=True"),
    ],
)
def test_core_refuses(parameters, clean, words):
    with pytest.raises(ValueError, match=words):
        CoreBoostClassifier(**parameters).fit(*CANCER, clean=clean)


def test_same_seed_same_model():
    X, y = WINE
    for model in MODELS:
        one, two, other = (
            clone(model).set_params(n_estimators=30, random_state=seed).fit(X, y)
            for seed in (0, 0, 1)
        )
        assert np.array_equal(one.estimator_weights_, two.estimator_weights_)
        assert np.array_equal(one.decision_function(X), two.decision_function(X))
        if model._algorithm().draw == Bootstrap() and not model._algorithm().stops:
            assert not np.array_equal(one.decision_function(X), other.decision_function(X))


@pytest.mark.usefixtures("threads")
def test_threads_change_nothing():
    X, y = CANCER
    for model in MODELS:
        fits = [
            clone(model).set_params(n_estimators=20, random_state=0, n_jobs=n_jobs).fit(X, y)
            for n_jobs in (1, 2)
        ]
        assert np.array_equal(fits[0].decision_function(X), fits[1].decision_function(X))


def test_any_learner():
    X, y = CANCER
    for model in MODELS:
        tree = DecisionTreeClassifier(max_depth=2)
        fitted = clone(model).set_params(estimator=tree, n_estimators=5, random_state=0).fit(X, y)
        assert fitted.score(X, y) > 0.8


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (AveBoostClassifier(version=3), "version must be one of 1, 2; got 3"),
        (MarginBoostClassifier(cost="hinge"), "cost must be one of"),
        (MarginBoostClassifier(slope=0.0), "slope must be a number above 0"),
        (MarginBoostClassifier(k=-1), "k must be a number above 0"),
        (SNRBoostClassifier(sigma2=np.nan), "sigma2 must be a number above 0"),
        (SNRBoostClassifier(draws=1), "draws must be at least 2"),
        (MarginBoostClassifier(bootstrap="no"), "bootstrap must be True or False, got 'no'"),
        (SNRBoostClassifier(descent_test=1), "descent_test must be True or False, got 1"),
        (CoreBoostClassifier(stochastic=None), "stochastic must be True or False, got None"),
        (AdaBoostClassifier(warm_start=1), "warm_start must be True or False, got 1"),
        (PBoostClassifier(variant="fast"), "variant must be one of"),
        (PBoostClassifier(p=0), "p must be a number above 0"),
        (PBoostClassifier(acceleration=-1), "acceleration must be a number of 0 or more"),
        (PBoostClassifier(gravity="g"), "gravity must be a number of 0 or more"),
    ],
)
def test_bad_parameters(model, words):
    with pytest.raises((TypeError, ValueError), match=words):
        model.fit(*CANCER)


def test_samples_without_weight_are_passed_over():
    X, y = CANCER
    for estimator in (None, DecisionTreeClassifier(max_depth=1)):
        for seed in range(4):
            steep = MarginBoostClassifier(estimator, 60, slope=1e4, random_state=seed)
            steep.fit(X[::6], y[::6])
            assert steep.stop_reason_ in ("rounds done", "weights vanished")


def test_constant_hypotheses_have_no_importance():
    X, y = CANCER[0][:6], np.array([0, 0, 0, 0, 0, 1])
    tree = DecisionTreeClassifier(max_depth=1)
    model = MarginBoostClassifier(tree, 20, random_state=0).fit(X, y)
    assert_allclose(model.feature_importances_.sum(), 1.0)


@pytest.mark.slow
def test_core_knows_the_categories_of_its_stump():
    frame = pd.DataFrame({"a": np.arange(60.0), "c": ["x", "y", "z"] * 20})
    y = (frame["c"] == "x").to_numpy()
    model = CoreBoostClassifier(Stump(categorical_features=["c"]), 10, random_state=0)
    assert model.fit(frame, y).score(frame, y) == 1.0


def test_both_loops_end_alike_on_a_perfect_hypothesis():
    X = np.arange(20.0)[:, None]
    y = (X[:, 0] > 9).astype(int)
    for rounds in (1, 10):
        for estimator in (None, DecisionTreeClassifier(max_depth=1)):
            model = SNRBoostClassifier(
                estimator, rounds, sigma2=0.01, draws=50, bootstrap=False, descent_test=True
            )
            assert model.set_params(random_state=0).fit(X, y).stop_reason_ == "perfect"


def test_probabilities_of_three_classes_are_near_the_truth():
    rng = np.random.default_rng(0)
    truth = np.array([0.8, 0.15, 0.05])
    y = rng.choice(3, 6000, p=truth)
    X = rng.normal(size=(6000, 2))
    for variant in ("samme", "m1", "m2"):
        model = AdaBoostClassifier(n_estimators=30, variant=variant).fit(X, y)
        assert_allclose(model.predict_proba(X).mean(axis=0), truth, atol=0.1)
