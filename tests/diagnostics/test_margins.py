import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nacre import AdaBoostClassifier, MarginBoostClassifier, PBoostClassifier
from nacre.diagnostics import area_under_margin, hits, margin_distribution, margins
from tests.training import noisy_problem

TABLES = st.tuples(st.integers(1, 9), st.integers(1, 7)).flatmap(
    lambda shape: st.tuples(
        arrays(np.int8, shape, elements=st.sampled_from([-1, 1])),
        arrays(float, shape[0], elements=st.floats(-5, 5).map(lambda v: round(v, 3))),
    )
)


@given(TABLES)
def test_margins_are_normalised_sums(both):
    table, votes = both
    for t, one in enumerate(margins(table, votes), start=1):
        whole = np.abs(votes[:t]).sum()
        twin = sum(vote * row for vote, row in zip(votes[:t], table[:t], strict=True))
        np.testing.assert_allclose(one, twin / whole if whole else 0.0, atol=1e-12)
        assert np.all(np.abs(one) <= 1 + 1e-12)


@given(TABLES)
def test_the_area_is_the_mean_over_rounds(both):
    np.testing.assert_allclose(area_under_margin(*both), margins(*both).mean(axis=0), atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "model",
    [
        AdaBoostClassifier(n_estimators=12),
        MarginBoostClassifier(n_estimators=12, random_state=0),
        PBoostClassifier(n_estimators=12, p=0.8),
    ],
)
def test_the_last_are_the_model_s_own(model, n_classes):
    training = noisy_problem(n=80, d=3, n_classes=n_classes)
    model.fit(training.X, training.y)
    found = margins(hits(model, training.X, training.y), model.estimator_weights_, rounds=-1)
    np.testing.assert_allclose(found, model.margins(training.X, training.y), atol=1e-12)


def test_two_classes_are_right_where_the_margin_is_positive():
    training = noisy_problem(n=80, d=3)
    model = AdaBoostClassifier(n_estimators=9).fit(training.X, training.y)
    found = margins(hits(model, training.X, training.y), model.estimator_weights_)
    right = [said == training.y for said in model.staged_predict(training.X)]
    assert np.array_equal(found > 0, right)


@pytest.mark.parametrize("rounds", [1, 5, 40])
@pytest.mark.parametrize("variant", ["naive", "sloppy"])
def test_after_some_rounds_they_are_those_of_a_shorter_run(variant, rounds):
    training = noisy_problem(n=80, d=3)
    long, short = (
        PBoostClassifier(n_estimators=count, variant=variant).fit(training.X, training.y)
        for count in (40, rounds)
    )
    table = hits(long, training.X, training.y)
    shrinks, votes = long.estimator_steps_.T
    expected = short.margins(training.X, training.y)
    for found in (
        margins(table, votes, rounds, shrinks=shrinks),
        margins(table, long.estimator_weights_, rounds),
    ):
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_steps_hold_where_the_first_of_the_final_votes_are_0():
    training = noisy_problem(n=80, d=3)
    long, short = (
        PBoostClassifier(n_estimators=count, p=0.5).fit(training.X, training.y)
        for count in (5000, 20)
    )
    assert long.estimator_weights_[:20].max() == 0
    shrinks, votes = long.estimator_steps_.T
    found = margins(hits(long, training.X, training.y), votes, [20, -1], shrinks=shrinks)
    np.testing.assert_allclose(found[0], short.margins(training.X, training.y), atol=1e-12)
    np.testing.assert_allclose(found[1], long.margins(training.X, training.y), atol=1e-12)


@given(TABLES, st.floats(0.3, 3), st.randoms(use_true_random=False))
def test_steps_and_final_votes_give_the_same(both, p, random):
    table, votes = both
    shrinks = np.array([random.uniform(0.5, 1) for _ in votes])
    later = np.append(np.cumprod(shrinks[:0:-1])[::-1], 1.0)
    steps = margins(table, votes, p=p, shrinks=shrinks)
    np.testing.assert_allclose(steps, margins(table, votes * later, p=p), atol=1e-9)
    np.testing.assert_allclose(
        area_under_margin(table, votes, shrinks=shrinks),
        area_under_margin(table, votes * later),
        atol=1e-9,
    )


def test_chosen_rounds():
    rng = np.random.default_rng(0)
    table, votes = rng.choice([-1, 1], (6, 4)), rng.random(6)
    every = margins(table, votes)
    assert np.array_equal(margins(table, votes, 4), every[3])
    assert np.array_equal(margins(table, votes, [-1, 2]), every[[5, 1]])


def test_other_norms():
    found = margins([[1, -1], [1, 1]], [3.0, 4.0], rounds=-1, p=2)
    np.testing.assert_allclose(found, [7 / 5, 1 / 5])
    tiny, plain = (margins([[1], [-1]], scale * np.array([2, 1]), p=0.5) for scale in (1e-300, 1.0))
    np.testing.assert_allclose(tiny, plain)


def test_votes_of_nothing():
    assert margins([[1, -1]], [0.0]).tolist() == [[0.0, 0.0]]
    assert area_under_margin([[1, -1]], [0.0]).tolist() == [0.0, 0.0]


@given(arrays(float, (2, 5), elements=st.floats(-1, 1)), st.lists(st.floats(-1, 1), min_size=1))
def test_the_distribution_counts_rows(table, at):
    found = margin_distribution(table, at)
    assert found.tolist() == [[np.mean(row <= point) for point in at] for row in table]
    assert margin_distribution(table[0], at).tolist() == found[0].tolist()


def test_bad_input():
    with pytest.raises(ValueError, match="votes must be a list of 1"):
        margins([[1, -1]], [1.0, 2.0])
    with pytest.raises(ValueError, match="shrinks must be a list of 1"):
        margins([[1, -1]], [1.0], shrinks=[1.0, 2.0])
    with pytest.raises(ValueError, match="p must be above 0, got 0"):
        margins([[1, -1]], [1.0], p=0)
    for bad in ([], [np.nan], [[[0.0]]]):
        with pytest.raises(ValueError, match="margins must be numbers"):
            margin_distribution(bad, [0.0])
