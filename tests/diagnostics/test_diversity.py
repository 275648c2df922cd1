import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import pearsonr, spearmanr

from nacre import AdaBoostClassifier, AveBoostClassifier
from nacre.diagnostics import accuracies, diversity, error_correlations, hits, overlaps
from nacre.noise import flip_labels
from tests.training import noisy_problem

TABLES = st.tuples(st.integers(1, 6), st.integers(2, 8)).flatmap(
    lambda shape: arrays(np.int8, shape, elements=st.sampled_from([-1, 1]))
)


@given(TABLES)
def test_correlations_are_pearson_s(table):
    found = error_correlations(table)
    for i, one in enumerate(table):
        for j, two in enumerate(table):
            vary = np.ptp(one) and np.ptp(two)
            twin = 1.0 if i == j else pearsonr(1.0 * (one < 0), 1.0 * (two < 0))[0] if vary else 0.0
            np.testing.assert_allclose(found[i, j], twin, atol=1e-12)


@given(TABLES)
def test_the_table(table):
    found = diversity(table)
    right = (table > 0).mean(axis=1)
    assert accuracies(table).tolist() == right.tolist()
    assert found["hypotheses"] == len(table)
    assert found["distinct"] == len({tuple(row) for row in table.tolist()})
    np.testing.assert_allclose(found["accuracy"], right.mean())
    assert (found["least accuracy"], found["most accuracy"]) == (right.min(), right.max())
    pairs = error_correlations(table)[~np.eye(len(table), dtype=bool)]
    np.testing.assert_allclose(found["correlation"], pairs.mean() if len(pairs) else 1.0, atol=1e-9)


def test_averaged_weights_make_better_hypotheses_that_are_more_alike():
    """What Oza reports of AveBoost."""
    training = noisy_problem(n=400, d=6, flip=0.0)
    y, _ = flip_labels(training.y, 0.1, random_state=0)
    ada, ave = (
        diversity(hits(model.fit(training.X, y), training.X, y))
        for model in (AdaBoostClassifier(n_estimators=40), AveBoostClassifier(n_estimators=40))
    )
    assert ave["accuracy"] > ada["accuracy"]
    assert ave["correlation"] > ada["correlation"]


def test_overlaps_of_masks():
    flags = {"a": [True, True, False], "b": [False, True, True], "none": np.zeros(3, bool)}
    third = 1 / 3
    assert overlaps(flags).tolist() == [[1, third, 0], [third, 1, 0], [0, 0, 1]]


@given(arrays(float, (3, 9), elements=st.integers(0, 5).map(float)))
def test_overlaps_of_scores_are_spearman_s(scores):
    found = overlaps(dict(zip("abc", scores, strict=True)))
    for i, one in enumerate(scores):
        for j, two in enumerate(scores):
            vary = np.ptp(one) and np.ptp(two)
            twin = 1.0 if i == j else spearmanr(one, two).statistic if vary else 0.0
            np.testing.assert_allclose(found[i, j], twin, atol=1e-12)


def test_bad_input():
    with pytest.raises(ValueError, match="The ensemble is empty"):
        diversity(np.empty((0, 3), int))
    with pytest.raises(ValueError, match="at least one filter"):
        overlaps({})
    with pytest.raises(ValueError, match="of the same rows"):
        overlaps({"a": [True], "b": [True, False]})
    with pytest.raises(ValueError, match="one per row"):
        overlaps({"a": [[True]]})
    for other in ([0.1, np.nan], [True, False], ["x", "y"]):
        with pytest.raises(ValueError, match="all masks, or all scores"):
            overlaps({"a": [0.3, 0.4], "b": other})
