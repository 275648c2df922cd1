"""What Barnes does not run."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nacre import AdaBoostClassifier, BoostedClassifier
from nacre.boost import Algorithm
from nacre.papers.barnes.variants import VARIANTS, NaiveVotes
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
