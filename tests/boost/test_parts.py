import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from nacre import boost as parts
from nacre.boost import Algorithm
from nacre.boost.algorithm import row_by_row
from nacre.kernels import formulas as fm
from nacre.kernels import random as rd

PRINTED = [
    "Exponential()",
    "Logistic()",
    "Tanh(slope=2.0)",
    "Sigmoid(slope=2.0)",
    "ZeroOne(sigma2=0.5, draws=100)",
    "ZeroOne(sigma2=0.5, draws=None)",
    "NoiseReaction(sigma2=0.5, draws=50, loss='hinge', joint=True)",
    "RawHull(p=0.7, tolerance=None)",
    "LogOdds()",
    "AverageWeights()",
    "AverageBoth()",
    "NaiveHull(p=0.7)",
    "SloppyHull(p=0.7, acceleration=0.5)",
    "StrictHull(p=0.7)",
    "Gravity(p=0.7, gravity=0.2)",
    "ConvexHull(k=None)",
    "CoreLogOdds()",
    "Harmonic()",
    "AllRows()",
    "Bootstrap(share=0.5)",
    "Subsample(share=0.3)",
    "Algorithm(cost=Logistic(), step=ConvexHull(k=5), draw=Bootstrap(share=1.0), "
    "samme=False, learning_rate=0.5, stops=False)",
]


def made(text):
    return eval(text, vars(parts))  # a part prints how to make it


@pytest.mark.parametrize("text", PRINTED)
def test_parts_are_values(text):
    part = made(text)
    assert repr(part) == text
    assert part == made(text)
    assert hash(part) == hash(made(text))
    assert pickle.loads(pickle.dumps(part)) == part
    assert part != object()


@pytest.mark.parametrize("text", PRINTED)
def test_parts_are_frozen(text):
    part = made(text)
    with pytest.raises(FrozenInstanceError):
        part.share = 0.1


def test_parts_differ_by_kind_and_by_parameter():
    assert len({made(text) for text in PRINTED}) == len(PRINTED)
    assert made("NaiveHull(p=0.7)") != made("StrictHull(p=0.7)")


def test_the_default_is_adaboost():
    default = Algorithm()
    assert default == Algorithm(parts.Exponential(), parts.LogOdds(), parts.AllRows(), True, 1.0)
    recipe = default.recipe(n_classes=2, rounds=10, seed=0)
    kinds = (recipe.cost.kind, recipe.step.kind, recipe.draw)
    assert kinds == (fm.EXPONENTIAL, fm.LOG_ODDS, rd.ALL_ROWS)
    assert recipe.cost.slope == 1.0
    assert (recipe.step.rate, recipe.step.extra, recipe.step.limit) == (1.0, 0.0, 0.5)
    assert recipe.incremental
    assert not row_by_row(recipe).incremental


def test_samme_and_m1_differ_for_three_classes():
    samme, m1 = (Algorithm(samme=samme).recipe(3, 10, 0) for samme in (True, False))
    samme, m1 = samme.step, m1.step
    assert (samme.extra, samme.limit) == pytest.approx((np.log(2) / 2, 2 / 3))
    assert (m1.extra, m1.limit) == (0.0, 0.5)


@pytest.mark.parametrize(
    "change",
    [
        {"cost": parts.Logistic()},
        {"step": parts.SloppyHull()},
        {"step": parts.StrictHull()},
        {"step": parts.ConvexHull()},
        {"draw": parts.Bootstrap()},
    ],
)
def test_only_unshrunk_exponential_steps_on_all_rows_take_the_short_way(change):
    assert not replace(Algorithm(), **change).recipe(2, 10, 0).incremental


def test_noise_rates_correct_the_cost():
    noise = np.array([0.0, 0.1])
    recipe = Algorithm().recipe(2, 10, 0, noise)
    assert recipe.cost.kind == fm.CORRECTED
    assert recipe.cost.noise is noise
    assert not recipe.incremental
    assert Algorithm(parts.Logistic()).recipe(2, 10, 0, noise).cost.kind == fm.CORRECTED_LOGISTIC
    with pytest.raises(ValueError, match="Tanh"):
        Algorithm(parts.Tanh()).recipe(2, 10, 0, noise)


def test_the_convex_hull_knows_the_rounds():
    assert parts.ConvexHull().numbers(30)[0] == 30.0
    assert parts.ConvexHull(7).numbers(30)[0] == 7.0


def test_noise_draws_follow_the_seed():
    one, same, other = (parts.ZeroOne(0.5, 50).table(seed)[0] for seed in (1, 1, 2))
    assert abs(one.mean()) < 1e-12
    assert abs(one.var() - 0.5) < 1e-12
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    assert (np.diff(one) > 0).all()
    assert parts.ZeroOne(0.5).table(1)[0].size == 0


def test_an_algorithm_may_be_changed_in_a_copy():
    one = Algorithm()
    two = replace(one, learning_rate=0.1)
    assert (one.learning_rate, two.learning_rate) == (1.0, 0.1)
    assert two == Algorithm(learning_rate=0.1)


def test_which_votes_are_half_log_odds():
    """Of others, probabilities need a scale that is fitted."""
    names = ("LogOdds", "CoreLogOdds", "Gravity", "Harmonic", "ConvexHull", "AverageBoth",
             "AverageWeights", "NaiveHull", "SloppyHull", "StrictHull")  # fmt: skip
    logistic = [name for name in names if getattr(parts, name).logistic]
    assert logistic == ["LogOdds", "CoreLogOdds", "Gravity"]
