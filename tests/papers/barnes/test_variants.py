"""What Barnes does not run."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nacre import AdaBoostClassifier, BoostedClassifier, PBoostClassifier
from nacre.boost import Algorithm
from nacre.papers.barnes.variants import VARIANTS, GravityInBall, NaiveVotes
from tests.papers.made_up import agree, always, made_up
from tests.textbook.boosting import half_log_odds
from tests.training import noisy_problem


def test_rows_weigh_by_the_votes():
    """Against the textbook's recurrence; at p = 1 it is AdaBoost."""
    training = noisy_problem(60, 3, flip=0.3)
    X, y = training.X, training.y
    plain = AdaBoostClassifier(n_estimators=6).fit(X, y)
    same = BoostedClassifier(n_estimators=6, algorithm=Algorithm(step=NaiveVotes())).fit(X, y)
    assert_allclose(same.estimator_weights_, plain.estimator_weights_)
    model = BoostedClassifier(n_estimators=6, algorithm=Algorithm(step=NaiveVotes(0.5))).fit(X, y)
    w = np.full(60, 1 / 60)
    for t, one in enumerate(model.estimators_):
        wrong = one.predict(X) != y
        error = w[wrong].sum()
        assert error == pytest.approx(model.estimator_errors_[t])
        vote = half_log_odds(error) ** 2
        assert model.estimator_weights_[t] == pytest.approx(vote)
        w *= np.exp(np.where(wrong, vote, -vote))
        w /= w.sum()


@pytest.mark.parametrize("p", [0.5, 1.0, 2.0])
def test_gravity_in_the_ball(p):
    """That of all combinations while votes are small; then votes and margins of 2-norm 1."""
    training = noisy_problem(60, 3, flip=0.3)
    X, y = training.X, training.y
    free = PBoostClassifier(n_estimators=20, variant="gravity", p=p, gravity=0.001).fit(X, y)
    algorithm = Algorithm(step=GravityInBall(p, 0.001))
    model = BoostedClassifier(n_estimators=20, algorithm=algorithm).fit(X, y)
    assert model.estimator_steps_[0] == pytest.approx(free.estimator_steps_[0])
    size = np.sum(np.square(model.estimator_weights_))
    assert size <= 1 + 1e-12
    if np.sum(np.square(free.estimator_weights_)) > 1:
        assert size == pytest.approx(1.0)
    # rows weigh by the margins of these votes
    hits = np.array([np.where(one.predict(X) == y, 1.0, -1.0) for one in model.estimators_])
    shrinks, votes = model.estimator_steps_.T
    z = np.zeros(60)
    for t, hit in enumerate(hits):
        w = np.exp(-z) / np.exp(-z).sum()
        assert w[hit < 0].sum() == pytest.approx(model.estimator_errors_[t])
        z = shrinks[t] * z + votes[t] * hit


@pytest.mark.slow
def test_variants(quick):
    results, outcome = quick("barnes-4")
    assert len(outcome.verdicts) == 3
    for one in results.where(model="gravity", gravity=0.001):
        assert results.mean("rounds_run", **one) > 1
    assert results.mean("last", data="ring0", model="adaboost") < 0.4


@pytest.mark.parametrize(
    ("best", "votes", "gravity", "claims"),
    [(0.1, 800.0, 0.1, [True, True, True]), (0.3, 5.0, 0.4, [False, False, False])],
)
def test_claims_on_variants(best, votes, gravity, claims):
    entries = []
    for data in ("ring0", "ring30"):
        same = {"data": data}
        entries += [
            ({**same, "model": "adaboost"}, always(last=0.3)),
            ({**same, "model": "sloppy", "p": 2.0}, always(best=0.2)),
            ({**same, "model": "sloppy", "p": 4.0}, always(best=best)),
            ({**same, "model": "by votes", "p": 0.5}, always(votes=votes)),
            ({**same, "model": "gravity", "p": 1.0, "gravity": 0.1}, always(last=gravity)),
            ({**same, "model": "gravity", "p": 2.0, "gravity": 0.1}, always(last=0.5)),
        ]
    assert agree(VARIANTS, made_up(*entries)) == claims


def test_claims_that_a_reading_does_not_reach():
    only = made_up(({"data": "ring0", "model": "sloppy", "p": 2.0}, always(best=0.1)))
    assert agree(VARIANTS, only) == [False, None, None]


def test_both_sets_must_agree():
    (reading,) = [one for one in VARIANTS.readings if one.name == "both-sets"]

    def results(sonar):
        return made_up(
            *(
                ({"data": data, "model": "sloppy", "p": p}, always(best=best))
                for data, best_at_4 in (("ring0", 0.1), ("sonar", sonar))
                for p, best in ((2.0, 0.2), (4.0, best_at_4))
            )
        )

    assert agree(VARIANTS.under(reading), results(0.1))[0] is True
    assert agree(VARIANTS.under(reading), results(0.3))[0] is False
