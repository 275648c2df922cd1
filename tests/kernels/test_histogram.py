import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.kernels import histogram as hg
from nacre.learners.stump import StumpFitter
from tests.textbook.stump import best_stump
from tests.training import assert_same_stump, examples, make_problem, problems, sample_weights

nan = np.nan


@pytest.fixture
def words():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 256, (500, 8), dtype=np.uint8)
    return codes.view(np.uint64).ravel(), codes


def expected(codes, weight):
    hist = np.zeros((256, 8))
    np.add.at(hist, (codes, np.arange(8)), weight[:, None])
    return hist.ravel()


def test_add_rows(words):
    packed, codes = words
    weight = np.random.default_rng(1).random(500)
    hist = np.zeros(hg.SIZE)
    hg.add_rows(packed, 100, 400, weight, hist)
    assert np.array_equal(hist, expected(codes[100:400], weight[100:400]))


def test_add_listed(words):
    packed, codes = words
    rng = np.random.default_rng(2)
    listed, change = rng.integers(0, 500, 60).astype(np.uint32), rng.normal(size=60)
    hist = np.zeros(hg.SIZE)
    hg.add_listed(packed, listed, change, 10, 50, hist)
    assert np.array_equal(hist, expected(codes[listed[10:50]], change[10:50]))


def test_short_reductions():
    values = np.array([0.5, -2.0, 3.0])
    assert (hg.sum_of(values), hg.largest(values), hg.smallest(values)) == (1.5, 3.0, -2.0)


def test_heaviest_class_is_the_lowest_within_the_tie():
    assert hg.heaviest_class(np.array([1.0, 3.0, 3.0 + 1e-13]), 1e-12) == 1
    assert hg.heaviest_class(np.array([1.0, 3.0, 3.0 + 1e-11]), 1e-12) == 2


def check_against_brute_force(training, weights):
    fitter = StumpFitter(training, 255, 1)
    for w in weights:
        fitted = fitter.fit(w)
        twin = best_stump(
            training.X, training.y, w, training.n_classes, training.categorical, training.count
        )
        if twin is None:
            assert fitted is None
            continue
        stumps, said = fitted
        assert_same_stump(stumps[0], twin)
        assert np.array_equal(said, twin.predict(training.X))
        assert np.array_equal(stumps[0].predict(training.X), said)


@examples(5)
@given(problems(rows=40, columns=4), st.integers(0, 2**32 - 1))
def test_stump_is_the_first_best_of_all(training, seed):
    rng = np.random.default_rng(seed)
    others = [sample_weights(rng, kind, len(training.y)) for kind in ("random", "uneven")]
    check_against_brute_force(training, [training.weight, *others, training.weight])


@examples(1)
@given(problems(rows=30, columns=20))
def test_stump_in_any_block_and_lane(training):
    check_against_brute_force(training, [training.weight])


@pytest.mark.parametrize("place", range(20))
def test_stump_finds_the_one_useful_column(place):
    rng = np.random.default_rng(place)
    X, y = rng.integers(0, 3, (60, 20)).astype(float), rng.integers(0, 2, 60)
    X[:, place] = y + 0.5
    stumps, said = StumpFitter(make_problem(X, y), 255, 1).fit(np.full(60, 1 / 60))
    assert (stumps[0].feature, stumps[0].threshold) == (place, 1.0)
    assert np.array_equal(said, y)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_nothing_to_split(n_classes):
    y = np.arange(6) % n_classes
    for column in ([1.0] * 6, [nan] * 6):
        training = make_problem(np.array([column]).T, y)
        assert StumpFitter(training, 255, 1).fit(training.weight) is None


@pytest.mark.parametrize("n_classes", [2, 3])
def test_all_256_codes_of_a_column(n_classes):
    # 255 values and missing: every bin is in use
    rng = np.random.default_rng(3)
    x = np.append(np.arange(255.0), [nan] * 9)
    X, y = np.column_stack([x, rng.permutation(x)]), rng.integers(0, n_classes, len(x))
    weights = [sample_weights(rng, "random", len(x)) for _ in range(3)]
    check_against_brute_force(make_problem(X, y, n_classes=n_classes), weights)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_255_categories(n_classes):
    rng = np.random.default_rng(4)
    x = np.append(np.tile(np.arange(255.0), 3), [nan] * 5)
    X, y = np.column_stack([rng.permutation(x), x]), rng.integers(0, n_classes, len(x))
    training = make_problem(X, y, n_classes=n_classes, categorical=[1], count=np.full(len(y), 50.0))
    check_against_brute_force(training, [sample_weights(rng, "random", len(x))])
