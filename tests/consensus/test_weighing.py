"""How members are weighed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime

from nacre.consensus import weighing
from nacre.consensus.task import set_task
from nacre.consensus.weighing import blend_loss, softmax_weights, stacked_weights
from nacre.data import TrainingRows
from nacre.noise.noise_model import spread


def problem(n=300, K=3, noise=0.2, clean=0):
    """Scores of three members, each wrong in its own way, the last without a clue."""
    rng = np.random.default_rng(0)
    truth = rng.integers(K, size=n)
    labels = np.where(rng.random(n) < noise, rng.integers(K, size=n), truth)
    right = np.eye(K)[truth]
    held = [right + rng.normal(0.0, size, (n, K)) for size in (0.6, 0.8)]
    held.append(rng.normal(size=(n, K)))
    held = [one - one.mean(axis=1, keepdims=True) for one in held]
    trusted = np.arange(n) < clean
    labels[trusted] = truth[trusted]
    weight = rng.uniform(0.5, 1.5, n)
    training = TrainingRows(rng.normal(size=(n, 1)), labels, K, weight / weight.sum(), n_given=n)
    return set_task(training, trusted, 0), held


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("clean", [0, 60])
def test_the_gradient_is_that_of_the_loss(K, clean):
    task, held = problem(80, K, clean=clean)
    scores = np.array([one / spread(one) for one in held])
    given = scores, task.labels, task.clean, task.weight, np.array([3.0, 2.0, 5.0])
    at = np.array([0.7, 1.2, 0.3, 0.15])
    slope = approx_fprime(at, lambda numbers: blend_loss(numbers, *given)[0], 1e-6)
    assert_allclose(blend_loss(at, *given)[1], slope, rtol=1e-3, atol=1e-2)


def test_stacked_weights_are_the_best_of_a_grid():
    task, held = problem(200)
    two = held[:2]
    found = stacked_weights(task, two, np.full(2, 0.5))
    assert_allclose(found.sum(), 1.0)
    scores = np.array([one / spread(one) for one in two])
    given = scores, task.labels, task.clean, task.weight, np.full(2, weighing.STRENGTH / 2)

    def least(share):
        """Of one share, over steepness and rate."""
        parts = np.array([share, 1.0 - share])
        return min(
            blend_loss(np.append(steep * parts, rate), *given)[0]
            for steep in np.linspace(1.0, 6.0, 16)
            for rate in np.linspace(0.05, 0.3, 11)
        )

    shares = np.linspace(0.1, 0.9, 17)
    assert abs(shares[np.argmin([least(one) for one in shares])] - found[0]) < 0.06


def test_members_that_are_wrong_about_other_rows_share_the_weight():
    """The better of two has nearly all of it by the losses alone, and the blend is better."""
    task, held = problem(1500)
    losses = np.array([task.loss(one) for one in held])
    alone = softmax_weights(task, losses)
    both = stacked_weights(task, held, alone)
    assert alone[0] > 0.95
    assert both[1] > 0.2
    assert both[2] < 0.05
    blend = sum(w * one / spread(one) for w, one in zip(both, held, strict=True))
    assert task.loss(blend) < losses.min() - 30.0


def test_weights_are_held_to_those_by_the_losses(monkeypatch):
    task, held = problem(60, noise=1.0)
    own = np.array([0.8, 0.1, 0.1])
    monkeypatch.setattr(weighing, "STRENGTH", 1e5)
    assert_allclose(stacked_weights(task, held, own), 0.9 * own + 0.1 / 3, atol=0.01)
