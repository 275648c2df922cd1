import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.learners.stump import Stumps
from tests.training import examples

nan, inf = np.nan, np.inf


def one_by_one(stumps, X, votes):
    totals = np.zeros((len(X), stumps.n_classes))
    for rule, vote in zip(stumps, votes, strict=True):
        totals[np.arange(len(X)), rule.predict(X)] += vote
    return totals[:, 1] - totals[:, 0] if stumps.n_classes == 2 else totals


def random_stumps(rng, rounds, columns, n_classes, categories, pool):
    """Any stumps at all, thresholds repeated and infinite ones among them."""
    feature = rng.integers(0, columns, rounds)
    threshold = np.where(rng.random(rounds) < 0.1, inf, rng.choice(pool, rounds))
    threshold[np.isin(feature, list(categories))] = inf
    left, right, missing = rng.integers(0, n_classes, (3, rounds))
    said = np.zeros((rounds if categories else 0, 256), np.int64)
    for t in range(len(said)):
        said[t] = rng.integers(0, n_classes, 256)
        known = len(categories.get(int(feature[t]), ()))
        said[t, known:] = missing[t]
    return Stumps(feature, threshold, left, right, missing, said, categories, n_classes)


@examples(3)
@given(
    st.integers(0, 60),
    st.integers(1, 4),
    st.integers(2, 5),
    st.sampled_from([0.0, 1e-300, 1.0, 1e300]),
    st.integers(0, 2**32 - 1),
)
def test_scores_are_the_sum_of_the_rules(rounds, columns, n_classes, scale, seed):
    rng = np.random.default_rng(seed)
    categories = {j: np.unique(rng.integers(0, 9, 5)) * 1.0 for j in range(columns) if j % 2}
    pool = scale * rng.normal(size=rng.integers(1, 30))
    stumps = random_stumps(rng, rounds, columns, n_classes, categories, pool)
    X = rng.choice(np.concatenate([pool, -pool, [0.0, nan]]), (40, columns))
    for j in categories:
        X[:, j] = rng.choice([*range(12), -3.0, 2.5, nan], 40)
    votes = rng.normal(size=rounds)
    found = stumps.scores(X, votes)
    assert found.shape == ((40,) if n_classes == 2 else (40, n_classes))
    np.testing.assert_allclose(found, one_by_one(stumps, X, votes), atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("spacing", ["even", "crowded", "repeated"])
def test_many_thresholds_on_one_column(n_classes, spacing):
    rng = np.random.default_rng(0)
    pool = {
        "even": np.linspace(-1, 1, 3000),
        "crowded": np.exp(np.linspace(-200, 200, 3000)),
        "repeated": rng.normal(size=300).repeat(10),
    }[spacing]
    stumps = random_stumps(rng, 3000, 1, n_classes, {}, pool)
    points = rng.choice(pool, 500)
    beside = [np.nextafter(points, inf), np.nextafter(points, -inf), points / 2 + pool[:500] / 2]
    X = np.concatenate([points, *beside, [nan, 0.0, 1e300, -1e300]])[:, None]
    votes = rng.random(3000)
    np.testing.assert_allclose(stumps.scores(X, votes), one_by_one(stumps, X, votes), atol=1e-9)


@pytest.mark.parametrize("thresholds", [[0.1], [0.1, 0.2, 0.3], list(np.linspace(-1, 1, 999))])
def test_a_value_at_the_threshold_goes_left(thresholds):
    points = np.array(thresholds)
    for k, point in enumerate(points):
        none = np.zeros((0, 256), np.int64)
        zero = np.zeros(len(points), int)
        stumps = Stumps(zero, points, zero, zero + 1, zero, none, {}, 2)
        votes = np.zeros(len(points))
        votes[k] = 1.0
        X = np.array([[point], [np.nextafter(point, inf)]])
        assert stumps.scores(X, votes).tolist() == [-1.0, 1.0]
        assert stumps[k].predict(X).tolist() == [0, 1]


def test_missing_against_present():
    none = np.zeros((0, 256), np.int64)
    stumps = Stumps(*np.array([[0], [0], [1], [0], [0]]), none, {}, 2)
    stumps.threshold = np.array([inf])
    X = np.array([[-1e308], [0.0], [1e308], [nan]])
    assert stumps.scores(X, np.array([0.5])).tolist() == [0.5, 0.5, 0.5, -0.5]


@pytest.mark.parametrize(("dtype", "order"), [(np.float32, "C"), (np.float64, "F"), (bool, "C")])
def test_any_type_of_table(dtype, order):
    rng = np.random.default_rng(1)
    stumps = random_stumps(rng, 50, 3, 3, {}, np.array([-0.5, 0.5, 1.5, 2.0]))
    X = np.array(rng.integers(0, 4, (700, 3)), dtype, order=order)
    votes = rng.random(50)
    np.testing.assert_allclose(stumps.scores(X, votes), one_by_one(stumps, X, votes), atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_no_stumps_no_votes(n_classes):
    stumps = random_stumps(np.random.default_rng(0), 0, 1, n_classes, {}, np.zeros(1))
    assert not stumps.scores(np.zeros((4, 1)), np.zeros(0)).any()
