"""LPBoost: its program against the printed one, and what is known of the optimum."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

from nacre import LPBoostClassifier, Tree
from nacre.learners.stump import StumpFitter
from nacre.models.lpboost import OPTIMAL, TOLERANCE, ProgramBoosting, hardest
from nacre.noise import flip_labels
from tests.textbook.boosting import soft_margin
from tests.textbook.stump import best_stump
from tests.training import agreement, examples, noisy_problem, problems

CANCER = load_breast_cancer(return_X_y=True)


@examples(0.5)
@given(
    training=problems(rows=25, columns=3, classes=(2, 4), weights=("equal", "random")),
    nu=st.sampled_from([0.05, 0.3, 0.8, 1.0]),
)
def test_every_round_solves_the_printed_program(training, nu):
    fitter = StumpFitter(training, 255, 1)
    boosting = ProgramBoosting(fitter, training, nu)
    boosting.advance(8)
    run = boosting.run()
    assume(len(run))
    hits, s = agreement(run.hypotheses, training.X, training.y), training.weight
    for t in range(1, len(run) + 1):
        votes, best = run.staged_votes[t - 1, :t], soft_margin(hits[:t], s, nu)
        weights, edge, _ = hardest(hits[:t], s / nu)
        assert edge == pytest.approx(best, abs=1e-6)  # strong duality
        assert votes.sum() == pytest.approx(1.0)
        assert (votes >= 0).all()
        assert reached(votes, hits[:t], s, nu) == pytest.approx(best, abs=1e-6)
        assert weights.sum() == pytest.approx(1.0)
        assert (weights <= s / nu + 1e-9).all()
        assert (hits[:t] @ weights <= edge + 1e-6).all()
    if run.stop_reason == OPTIMAL:  # no stump has a larger edge
        table = (training.X, training.y, boosting.weights, training.n_classes)
        stump = best_stump(*table, training.categorical, training.count)
        if stump is not None and training.n_classes == 2:
            u = np.where(stump.predict(training.X) == training.y, 1.0, -1.0)
            assert boosting.weights @ u <= boosting.edge + 2 * TOLERANCE


def reached(votes, hits, s, nu):
    """The largest rho - sum of s xi / nu that some votes reach: at the margin of a row."""
    z = votes @ hits
    return max(rho - s @ np.maximum(0, rho - z) / nu for rho in z)


def test_the_soft_margin_never_falls():
    training = noisy_problem(120, 4, flip=0.2)
    boosting = ProgramBoosting(StumpFitter(training, 255, 1), training, 0.4)
    edges = []
    for t in range(1, 20):
        boosting.advance(t)
        edges.append(boosting.edge)
    assert np.all(np.diff(edges) >= -1e-9)


def test_the_share_of_margin_errors_is_at_most_nu():
    X, y = CANCER
    labels, _ = flip_labels(y, 0.1, random_state=0)
    for nu in (0.2, 0.4):
        model = LPBoostClassifier(Tree(2), 200, nu=nu).fit(X, labels)
        margins = model.margins(X, labels)
        rho = max(margins, key=lambda r: r - np.maximum(0, r - margins).mean() / nu)
        assert np.mean(margins < rho - 1e-6) <= nu + 1e-9


def test_one_vote_where_all_may_fall_short():
    model = LPBoostClassifier(nu=1.0).fit(*CANCER)
    assert (model.stop_reason_, len(model.estimators_)) == (OPTIMAL, 1)


def test_stages_and_early_stopping():
    X, y = CANCER
    labels, _ = flip_labels(y, 0.2, random_state=0)
    long = LPBoostClassifier(n_estimators=30).fit(X, labels)
    for rounds in (1, 7, 30):
        short = LPBoostClassifier(n_estimators=rounds).fit(X, labels)
        stage = list(long.staged_decision_function(X))[rounds - 1]
        np.testing.assert_allclose(stage, short.decision_function(X), atol=1e-12)
    for on in ("error", "loss"):
        model = LPBoostClassifier(
            n_estimators=40, n_iter_no_change=5, stop_on=on, random_state=0
        ).fit(X, labels, X_val=X[:100], y_val=y[:100])
        best = int(np.argmin(model.validation_scores_)) + 1
        assert len(model.estimators_) == best
        if on == "error":
            assert 1 - model.score(X[:100], y[:100]) == pytest.approx(min(model.validation_scores_))


def test_other_learners():
    X, y = CANCER
    model = LPBoostClassifier(DecisionTreeClassifier(max_depth=2), 10, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.93


@pytest.mark.parametrize("nu", [0, -1.0, 1.5, np.inf, "1"])
def test_bad_nu(nu):
    with pytest.raises((TypeError, ValueError), match="nu must be"):
        LPBoostClassifier(nu=nu).fit(*CANCER)
