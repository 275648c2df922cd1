"""What columns do to held-out predictions, and to single suspects."""

from dataclasses import replace
from time import process_time

import numpy as np
import pytest

from nacre.auditing.compare import ordinary_boosting
from nacre.auditing.influence import held_out_importances, joined, label_evidence
from nacre.bins import bin_training
from nacre.data import fold_of
from tests.training import make_problem, noisy_problem


def boosted(training, left_out=(), fold=None):
    out = np.isin(np.arange(len(training.y)), left_out)
    fold = fold_of(training, 4, 0) if fold is None else fold
    return ordinary_boosting(training, bin_training(training), fold, out, 0)


def mean_scores(runs, X):
    """By the definition: the mean over the runs of what their trees say."""
    out = []
    for k, run in enumerate(runs.runs):
        scores = np.tile(run.start, (len(X), 1))
        trees, outputs = joined(runs, runs.trees(k))
        trees.add_outputs(X, outputs, scores)
        out.append(scores)
    return np.mean(out, axis=0)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_evidence_adds_up_to_the_log_odds(n_classes):
    training = noisy_problem(n=120, d=3, n_classes=n_classes, gaps=0.1)
    runs = boosted(training)
    X, given = training.X[:12], training.y[:12]
    other = (given + 1) % n_classes
    scores = mean_scores(runs, X)
    rows = np.arange(12)
    if n_classes == 2:
        odds = 2.0 * np.where(other == 1, scores[:, 0], -scores[:, 0])
    else:
        odds = 2.0 * (scores[rows, other] - scores[rows, given])
    found = [parts.sum() + intercept for parts, intercept in label_evidence(runs, X, given, other)]
    np.testing.assert_allclose(found, odds, atol=1e-10)


def test_rows_in_parts_are_the_same(monkeypatch):
    training = noisy_problem(n=60, d=3, n_classes=3)
    runs, other = boosted(training), (training.y + 1) % 3
    whole = list(label_evidence(runs, training.X, training.y, other))
    monkeypatch.setattr("nacre.auditing.influence.CELLS", 50)
    parts = list(label_evidence(runs, training.X, training.y, other))
    for (one, base), (same, again) in zip(whole, parts, strict=True):
        np.testing.assert_allclose(one, same)
        assert base == pytest.approx(again)


def test_many_rows_of_many_classes_are_taken_apart_in_part(monkeypatch):
    training = noisy_problem(n=60, d=3, n_classes=3)
    runs, other = boosted(training), (training.y + 1) % 3
    whole = list(label_evidence(runs, training.X, training.y, other))
    size = sum(outputs.size for k in range(4) for _, outputs in runs.trees(k))
    monkeypatch.setattr("nacre.auditing.influence.WORK", 9 * size)
    some = list(label_evidence(runs, training.X, training.y, other))
    assert len(some) == 10
    np.testing.assert_allclose(some[-1][0], whole[9][0])


def test_importances_are_linear_in_the_columns():
    """Each name was looked for among all: 100 000 took longer than all the learning."""
    training = noisy_problem(n=40, d=2)
    runs, begun = boosted(training), process_time()
    names = [f"c{j}" for j in range(20_000)]  # columns that no tree decides by
    found = held_out_importances(runs, training, np.eye(2), names, 0)
    assert process_time() - begun < 5.0
    assert sum(found.values()) == pytest.approx(1.0)
    assert set(found) == set(names)
    assert {name for name, share in found.items() if share} <= {"c0", "c1"}


def test_the_label_of_a_suspect_is_not_seen():
    training = noisy_problem(n=80, d=2)
    y = training.y.copy()
    y[7] = 1 - y[7]
    fold, asked = np.arange(80) % 4, (training.X[7:8], np.array([0]), np.array([1]))
    (one, base), (same, again) = (
        next(label_evidence(boosted(some, [7], fold), *asked))
        for some in (training, replace(training, y=y))
    )
    np.testing.assert_array_equal(one, same)
    assert base == again


def test_where_nothing_is_learned_nothing_speaks():
    training = make_problem(np.zeros((20, 2)), np.arange(20) % 2)
    ((parts, intercept),) = label_evidence(
        boosted(training), training.X[:1], np.array([0]), np.array([1])
    )
    assert not parts.any()
    assert intercept == pytest.approx(0.0, abs=0.3)
    assert held_out_importances(boosted(training), training, np.eye(2), ["a", "b"], 0) == {
        "a": 0.0,
        "b": 0.0,
    }


def columns(n=600):
    """A column of two values that tells, random numbers, and one in two features."""
    rng = np.random.default_rng(0)
    tells, both = rng.integers(0, 2, n), rng.normal(size=n)
    X = np.column_stack([tells, rng.normal(size=n), both, both])
    y = (tells + both > 0.5).astype(int)
    return make_problem(X, np.where(rng.random(n) < 0.1, 1 - y, y))


def test_columns_of_many_values_do_not_count_for_that():
    training = columns()
    sources = ["tells", "random", "both", "both"]
    matrix = np.array([[0.9, 0.1], [0.1, 0.9]])
    found = held_out_importances(boosted(training), training, matrix, sources, 0)
    assert list(found) == ["tells", "random", "both"]
    assert sum(found.values()) == pytest.approx(1.0)
    assert found["random"] < 0.05
    assert found["both"] > 0.5


def test_a_sample_of_the_rows_will_do(monkeypatch):
    training = columns()
    monkeypatch.setattr("nacre.auditing.influence.ROWS", 100)
    found = held_out_importances(boosted(training), training, np.eye(2), list("abcd"), 0)
    assert found["b"] < 0.05 < found["a"]
