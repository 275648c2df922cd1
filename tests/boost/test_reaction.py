"""Noise reaction with draws for every row."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from nacre import BoostedClassifier, Network
from nacre.boost import Algorithm, ConvexHull, NoiseReaction, ZeroOne
from nacre.boost.loop import PlainBoosting
from nacre.boost.reaction import LOSSES
from nacre.learners.stump import StumpFitter
from tests.textbook import boosting as twin
from tests.training import noisy_problem

SEED = 3
SCALARS = {
    "zero-one": lambda z: 1.0 if z < 0 else 0.0,
    "exponential": lambda z: np.exp(-z),
    "logistic": lambda z: np.log2(1 + np.exp(-z)),
    "hinge": lambda z: max(0.0, 1 - z),
    "squared": lambda z: (1 - z) ** 2,
}


def drawn(cost, n):
    return cost.ready(SEED, None)._draw(n)


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_textbook(loss, joint):
    training = noisy_problem(25, 2)
    cost = NoiseReaction(0.6, 20, loss, joint)
    algorithm = Algorithm(cost, ConvexHull(), stops=False)
    plain = PlainBoosting(StumpFitter(training, 255, 1), training, algorithm, 6, SEED)
    weights, said = [], []
    fit = plain.fitter.fit

    def spied(w, seed):
        fitted = fit(w, seed)
        weights.append(w)
        said.append(fitted[1])
        return fitted

    plain.fitter.fit = spied
    plain.advance(6)
    run = plain.run()
    answers = iter(zip(weights, said, strict=True))

    def learn(w):
        expected, answer = next(answers)
        assert_allclose(w, expected, rtol=1e-8, atol=1e-14)
        return answer

    noise = drawn(cost, 25)
    found = twin.reaction_by_row(learn, training.y, 6, noise, 0.6, SCALARS[loss], joint)
    assert_allclose(run.votes, found.votes)
    assert_allclose(run.errors, found.errors, rtol=1e-8)


def test_every_row_has_draws_of_its_own():
    noise = drawn(NoiseReaction(0.3, 40), 12)
    assert_allclose(noise.mean(axis=1), 0.0, atol=1e-15)
    assert_allclose(noise.var(axis=1), 0.3)
    assert len(np.unique(noise)) == noise.size


def test_many_draws_are_the_bell():
    z = np.linspace(-1.5, 1.5, 7)
    many = NoiseReaction(0.5, 200_000).ready(SEED, None).derivatives(z)
    assert_allclose(many, -np.exp(-(z**2)) / np.sqrt(np.pi), atol=0.01)


def test_joint_and_single_agree_on_average():
    """The loss of other rows is noise that many draws take out."""
    z = np.array([-0.5, 0.1, 0.8])
    single, joint = (
        NoiseReaction(0.5, 300_000, joint=joint).ready(SEED, None).derivatives(z)
        for joint in (False, True)
    )
    assert_allclose(single, joint, atol=0.02)


@pytest.mark.parametrize(("loss", "slope"), [("exponential", -1.0), ("squared", -2.0)])
def test_smooth_losses_have_their_own_derivative_at_0(loss, slope):
    found = NoiseReaction(1e-4, 1000, loss).ready(SEED, None).derivatives(np.zeros(50))
    assert_allclose(found, slope, rtol=0.01)


def test_it_goes_on_where_no_draw_reaches():
    training = noisy_problem(60, 2, flip=0.2)
    runs = {}
    for cost in (NoiseReaction(0.01, 100), ZeroOne(0.01, 100)):
        algorithm = Algorithm(cost, ConvexHull(), stops=False)
        model = BoostedClassifier(Network(epochs=10), 8, algorithm=algorithm, random_state=0)
        runs[type(cost)] = model.fit(training.X, training.y)
    assert len(runs[NoiseReaction].estimators_) == 8
    assert len(runs[ZeroOne].estimators_) == 1
    assert runs[ZeroOne].stop_reason_ == "weights vanished"


def test_weights_where_only_rounding_is_left():
    z = np.where(np.arange(200) < 150, 1.0, -1.0)
    s = np.full(200, 1 / 200)
    weights, log_cost = NoiseReaction(0.01, 100).ready(SEED, None).weigh(z, s, 1.0)
    assert log_cost < np.log(1e-14)
    assert_array_equal(weights[:150], 0.0)  # no draw crosses: sums of nothing
    assert weights.sum() == pytest.approx(1.0)
    before, _ = NoiseReaction().ready(SEED, None).weigh(np.zeros(200), s, 1.0)
    assert_allclose(before, s)


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        (NoiseReaction(0.0), "sigma2"),
        (NoiseReaction(draws=1), "draws must be at least 2, got 1"),
        (NoiseReaction(loss="cubic"), "loss must be"),
    ],
)
def test_bad_parameters(cost, words):
    with pytest.raises(ValueError, match=words):
        cost.ready(0, None)


def test_no_noise_corrected_form():
    with pytest.raises(ValueError, match="no noise-corrected form"):
        NoiseReaction().ready(0, np.zeros(3))
