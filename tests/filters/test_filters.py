"""The named filters: scores by hand, invariants, what they find, bad input."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from nacre import (
    AdaBoostClassifier,
    CoreBoostClassifier,
    GradientBoostClassifier,
    MarginBoostClassifier,
    SNRBoostClassifier,
    Tree,
)
from nacre.data import fold_of
from nacre.diagnostics import decision_volumes, hits, weight_paths
from nacre.filters import (
    Budget,
    Consensus,
    DownWeight,
    Drop,
    EstimatedRate,
    Fraction,
    MarginFilter,
    NeighborFilter,
    Relabel,
    SaturationFilter,
    SurpriseFilter,
    Threshold,
    VolumeFilter,
    VoteFilter,
    WeightFilter,
)
from nacre.filters.score import weight_scores
from nacre.noise import flip_labels
from tests.training import examples, make_problem, noisy_problem

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[::2], Y[::2]
LABELS, FLIPPED = flip_labels(Y, 0.15, random_state=0)
RATED = Fraction(0.15)
SCALED = make_pipeline(StandardScaler(), LogisticRegression())

FILTERS = [
    VoteFilter(),
    VoteFilter([SCALED, GaussianNB(), DecisionTreeClassifier()]),
    MarginFilter(),
    MarginFilter(out_of_fold=False),
    WeightFilter(cut=RATED),
    VolumeFilter(cut=RATED),
    VolumeFilter(signed=False, cut=RATED),
    NeighborFilter(),
    NeighborFilter(5, all_k=True),
    SaturationFilter(),
    SurpriseFilter(n_orders=3),
]
names = [str(one).split("(")[0] + str(i) for i, one in enumerate(FILTERS)]
each_filter = pytest.mark.parametrize("found", FILTERS, ids=names)


def fitted(found, X=X, y=LABELS, **given):
    return clone(found).set_params(random_state=0).fit(X, y, **given)


# What they find


@each_filter
def test_flipped_rows_score_higher(found):
    one = fitted(found)
    assert roc_auc_score(FLIPPED, one.scores_) > 0.8
    assert one.scores_.shape == one.mislabeled_.shape == one.suggested_.shape == Y.shape
    right = one.suggested_[one.mislabeled_ & FLIPPED] == Y[one.mislabeled_ & FLIPPED]
    assert right.all()  # two classes: the other one
    assert (one.suggested_[~one.mislabeled_] == LABELS[~one.mislabeled_]).all()


# Scores by their definitions


def test_votes_of_stumps_by_hand():
    one = fitted(VoteFilter(n_voters=4))
    seed = int(np.random.RandomState(0).randint(2**31 - 1))
    fold = fold_of(make_problem(X, LABELS), 3, seed)
    against = np.zeros(len(Y))
    for k in range(3):
        model = AdaBoostClassifier(n_estimators=4).fit(X[fold != k], LABELS[fold != k])
        held = np.flatnonzero(fold == k)
        for rule in model.estimators_:
            against[held] += rule.predict(X[held]) != LABELS[held]
    np.testing.assert_array_equal(one.scores_, against / 4)
    assert (one.mislabeled_ == (against >= 3)).all()  # strictly more than half of four


def test_consensus_asks_all_voters():
    one = fitted(VoteFilter(n_voters=4, cut=Consensus()))
    assert (one.mislabeled_ == (one.scores_ == 1.0)).all()
    assert 0 < one.mislabeled_.sum() < fitted(VoteFilter(n_voters=4)).mislabeled_.sum()


def test_a_single_algorithm_is_one_voter():
    one = fitted(VoteFilter(GaussianNB(), n_folds=4))
    assert set(one.scores_) <= {0.0, 1.0}


def test_margins_out_of_fold_by_hand():
    model = MarginBoostClassifier(n_estimators=20, bootstrap=False, cost="logistic")
    one = fitted(MarginFilter(model, n_folds=4))
    fold = fold_of(make_problem(X, LABELS), 4, int(np.random.RandomState(0).randint(2**31 - 1)))
    for k in range(4):
        twin = clone(model).fit(X[fold != k], LABELS[fold != k])
        np.testing.assert_allclose(
            one.scores_[fold == k], -twin.margins(X[fold == k], LABELS[fold == k])
        )


def test_margins_of_other_classifiers_are_probabilities():
    one = fitted(MarginFilter(GaussianNB()))
    assert np.abs(one.scores_).max() <= 1.0
    assert roc_auc_score(FLIPPED, one.scores_) > 0.9
    assert roc_auc_score(FLIPPED, fitted(MarginFilter(GradientBoostClassifier())).scores_) > 0.8


def test_areas_by_hand():
    one = fitted(MarginFilter(AdaBoostClassifier(n_estimators=10), out_of_fold=False))
    model = AdaBoostClassifier(n_estimators=10, random_state=0).fit(X, LABELS)
    votes, total, area = model.estimator_weights_, np.zeros(len(Y)), np.zeros(len(Y))
    for t, rule in enumerate(model.estimators_):
        total += votes[t] * np.where(rule.predict(X) == LABELS, 1, -1)
        area += total / votes[: t + 1].sum()
    np.testing.assert_allclose(one.scores_, -area / 10)


def test_weights_by_hand():
    one = fitted(WeightFilter(AdaBoostClassifier(n_estimators=10), cut=RATED))
    model = AdaBoostClassifier(n_estimators=10, random_state=0).fit(X, LABELS)
    w, total = np.full(len(Y), 1 / len(Y)), np.zeros(len(Y))
    for rule, vote in zip(model.estimators_, model.estimator_weights_, strict=True):
        total += w
        w = w * np.exp(-vote * np.where(rule.predict(X) == LABELS, 1, -1))
        w /= w.sum()
    np.testing.assert_allclose(one.scores_, total / 10 * len(Y), rtol=1e-8)


def test_volumes_in_order():
    model = AdaBoostClassifier(n_estimators=50).fit(X, LABELS)
    volumes, against = decision_volumes(model, X, rounds=-1), model.predict(X) != LABELS
    paper = fitted(VolumeFilter(signed=False, cut=Budget(20)))
    assert volumes[paper.mislabeled_].max() <= volumes[~paper.mislabeled_].min()
    signed = fitted(VolumeFilter(cut=Budget(int(against.sum()))))
    assert (signed.mislabeled_ == against).all()
    first, second = np.argsort(-signed.scores_)[:2]
    assert volumes[first] >= volumes[second]


@pytest.mark.slow
@examples(2)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)), min_size=6),
    st.integers(1, 5),
    st.booleans(),
)
def test_neighbours_by_brute_force(rows, k, all_k):
    """With many equal rows; distances that tie are left to either side."""
    table = np.array(rows, float)
    points, y = table[:, :2], table[:, 2].astype(int)
    if len(np.unique(y)) < 2:
        return
    one = NeighborFilter(k, all_k=all_k).fit(points, y)
    spread = points.std(axis=0)
    scaled = (points - points.mean(axis=0)) / np.where(spread > 0, spread, 1)
    apart = ((scaled[:, None] - scaled) ** 2).sum(axis=2)
    unit = make_problem(points, y).units.of  # copies do not vouch for each other
    apart[unit[:, None] == unit] = np.inf
    most = min(k, len(y) - np.bincount(unit).max())
    for i in range(len(y)):
        order = np.sort(apart[i])
        tied = np.isclose(order[:most], order[1 : most + 1], atol=1e-9) if most < len(y) - 1 else []
        if np.any(tied) or np.any(np.isclose(np.diff(order[:most]), 0, atol=1e-9)):
            continue
        near = y[np.argsort(apart[i])[:most]]
        if all_k:
            wrong = [
                np.bincount(near[:j], minlength=3).max() > (near[:j] == y[i]).sum()
                for j in range(1, most + 1)
            ]
            assert one.scores_[i] == pytest.approx(np.mean(wrong))
        else:
            assert one.scores_[i] == pytest.approx(np.mean(near != y[i]))


def test_categories_and_gaps():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "blue", "green"], 200)
    size = rng.normal(size=200)
    y = np.where((colour == "red") | (size > 1), "yes", "no")
    frame = pd.DataFrame({"colour": pd.Categorical(colour), "size": size})
    frame.loc[::9, "size"] = np.nan
    labels, flipped = flip_labels(y, 0.1, random_state=0)
    for found in FILTERS[:1] + FILTERS[2:]:
        one = fitted(found, frame, labels)
        if not isinstance(found, VolumeFilter):
            assert roc_auc_score(flipped, one.scores_) > 0.7, found


# Invariants


@each_filter
def test_the_order_of_rows_does_not_matter(found):
    order = np.random.default_rng(1).permutation(len(Y))
    one, other = fitted(found), fitted(found, X[order], LABELS[order])
    np.testing.assert_allclose(other.scores_, one.scores_[order], rtol=1e-7, atol=1e-9)


@pytest.mark.slow
@each_filter
def test_trusted_rows_are_never_flagged(found):
    clean = np.zeros(len(Y), bool)
    clean[fitted(found).mislabeled_] = True
    one = fitted(found, clean=clean)
    assert not (one.mislabeled_ & clean).any()
    assert not fitted(found, clean=np.ones(len(Y), bool)).mislabeled_.any()
    np.testing.assert_array_equal(one.scores_, fitted(found, clean=~clean & False).scores_)


def test_names_of_labels_do_not_matter():
    one, other = fitted(VoteFilter()), fitted(VoteFilter(), y=np.where(LABELS, "b", "a"))
    np.testing.assert_array_equal(one.scores_, other.scores_)
    assert set(other.suggested_) == {"a", "b"}


def test_several_classes():
    X, y = load_iris(return_X_y=True)
    labels, flipped = flip_labels(y, 0.1, random_state=1)
    for found in (VoteFilter(Tree(max_depth=2)), MarginFilter(), NeighborFilter(5)):
        one = fitted(found, X, labels)
        both = one.mislabeled_ & flipped
        assert both.sum() > 0.6 * flipped.sum()
        assert np.mean(one.suggested_[both] == y[both]) > 0.8


# Treatment


def test_treat_and_resample():
    one = fitted(VoteFilter(treatment=Drop()))
    table, labels, weights = one.treat(X, LABELS)
    assert len(table) == len(labels) == len(weights) == (~one.mislabeled_).sum()
    again = VoteFilter(random_state=0).fit_resample(X, LABELS)
    np.testing.assert_array_equal(again[0], table)
    better = VoteFilter(treatment=Relabel(), random_state=0).fit_resample(X, LABELS)[1]
    assert (better != Y).mean() < (LABELS != Y).mean()
    lighter = fitted(VoteFilter(treatment=DownWeight(0.2))).treat(X, LABELS)
    assert set(lighter.sample_weight) == {0.2, 1.0}
    assert AdaBoostClassifier(n_estimators=5).fit(*lighter).score(X, Y) > 0.85
    with pytest.raises(ValueError, match="fit_resample cannot hand on weights"):
        VoteFilter(treatment=DownWeight()).fit_resample(X, LABELS)
    with pytest.raises(ValueError, match="treat the table it was fitted to"):
        one.treat(X[:5], LABELS[:5])


def test_the_estimated_rate_is_kept():
    one = fitted(MarginFilter(cut=EstimatedRate()))
    assert one.mislabeled_.sum() == round(one.noise_.rate * len(Y))
    assert one.noise_.rate == pytest.approx(0.15, abs=0.06)


@pytest.mark.parametrize("kind", [WeightFilter, VolumeFilter])
@pytest.mark.parametrize("signal", [0.0, 1.0])
def test_a_rate_that_is_not_settled_flags_nothing(kind, signal):
    """Labels of pure chance, and right ones of classes that overlap."""
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=600)
    table = rng.normal(size=(600, 3))
    table[:, 0] += signal * labels
    one = kind(random_state=0).fit(table, labels)
    assert not one.noise_.settled
    assert not one.mislabeled_.any()


def test_the_rate_of_a_table_that_only_the_model_can_read():
    words = np.where(Y == 1, "yes", "no")
    frame = pd.DataFrame({"word": words, "other": np.where(X[:, 0] > 0, "low", "high")})
    own = make_pipeline(OneHotEncoder(), LogisticRegression())
    native = AdaBoostClassifier(n_estimators=10, categorical_features=["word", "other"])
    for one in (MarginFilter(own, cut=EstimatedRate()), WeightFilter(native)):
        one.set_params(random_state=0).fit(frame, LABELS)
        assert one.noise_.rate == pytest.approx(0.15, abs=0.06)


@pytest.mark.parametrize("share", [0, 1])
def test_the_rate_with_no_row_or_every_row_clean(share):
    one = WeightFilter(random_state=0).fit(X, LABELS, clean=np.full(len(Y), bool(share)))
    assert one.mislabeled_.any() == (share == 0)


@pytest.mark.parametrize("kind", [WeightFilter, VolumeFilter])
@pytest.mark.filterwarnings("ignore:Boosting stopped in the first round")
def test_columns_that_tell_nothing_suspect_nobody(kind):
    one = kind(random_state=0).fit(np.ones((60, 2)), np.arange(60) % 2)
    assert (one.scores_ == 1.0).all()
    assert not one.mislabeled_.any()


def test_weights_of_pairs_are_none_of_rows():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="variant='m2' weighs pairs"):
        WeightFilter(AdaBoostClassifier(variant="m2")).fit(X, y)


def test_the_rate_of_numbers_beyond_single_precision():
    table = np.column_stack([X, 1e300 * X[:, 0]])
    one = WeightFilter(random_state=0).fit(table, LABELS)
    assert one.noise_.rate == pytest.approx(0.15, abs=0.06)


@pytest.mark.parametrize(
    "found",
    [
        MarginFilter(MarginBoostClassifier(n_estimators=20), out_of_fold=False),
        VolumeFilter(MarginBoostClassifier(n_estimators=20)),
        WeightFilter(MarginBoostClassifier(n_estimators=20)),
        WeightFilter(SNRBoostClassifier(n_estimators=20, sigma2=1.0, draws=50)),
    ],
    ids=["margin", "volume", "weight", "weight, draws"],
)
def test_the_seed_of_a_filter_is_that_of_its_booster(found):
    one, again, other = (
        clone(found).set_params(cut=Budget(20), random_state=seed).fit(X, LABELS).scores_
        for seed in (0, 0, 1)
    )
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(
    ("booster", "noise"),
    [
        (SNRBoostClassifier(n_estimators=10, sigma2=0.5, draws=50, random_state=0), None),
        (CoreBoostClassifier(n_estimators=10, noise_rate=0.2, random_state=0), 0.2),
    ],
    ids=["draws", "noise rate"],
)
def test_weights_are_those_that_the_booster_had(booster, noise):
    training = noisy_problem(n=90, d=3)
    model = clone(booster).fit(training.X, training.y)
    paths = weight_paths(
        hits(model, training.X, training.y),
        model.estimator_steps_[:, 1],
        shrinks=model.estimator_steps_[:, 0],
        algorithm=model._algorithm(),
        noise_rate=None if noise is None else np.full(90, noise),
        random_state=0,
    )
    wrong = hits(model, training.X, training.y) < 0
    np.testing.assert_allclose((paths * wrong).sum(axis=1), model.estimator_errors_)
    np.testing.assert_allclose(weight_scores(training, model).scores, 90 * paths.mean(axis=0))


def test_pipelines_as_voters():
    assert roc_auc_score(FLIPPED, fitted(VoteFilter([SCALED])).scores_) > 0.8


def test_clone_and_repr():
    found = VoteFilter(n_voters=7, cut=Threshold(0.6))
    assert clone(found).get_params()["cut"] == Threshold(0.6)
    assert "Threshold(above=0.6)" in repr(found)


# Bad input


@pytest.mark.parametrize(
    ("found", "given", "line"),
    [
        (VoteFilter(n_folds=1), {}, "n_folds must be at least 2"),
        (VoteFilter(n_folds=1000), {}, "n_folds=1000 needs at least 1000 rows"),
        (VoteFilter(n_voters=0), {}, "n_voters must be at least 1"),
        (VoteFilter([]), {}, "estimator is an empty list"),
        (VoteFilter(StandardScaler()), {}, "estimator must be a classifier"),
        (MarginFilter(GaussianNB(), out_of_fold=False), {}, "needs a voting booster of nacre"),
        (WeightFilter(GaussianNB()), {}, "WeightFilter needs a voting booster"),
        (NeighborFilter(0), {}, "n_neighbors must be at least 1"),
        (VolumeFilter(AdaBoostClassifier(n_estimators=0)), {}, "n_estimators must be at least 1"),
        (VolumeFilter(AdaBoostClassifier(GaussianNB())), {}, "native stumps or trees"),
        (VolumeFilter(signed=1), {}, "signed must be True or False, got 1"),
        (NeighborFilter(all_k="yes"), {}, "all_k must be True or False, got 'yes'"),
        (MarginFilter(out_of_fold=0), {}, "out_of_fold must be True or False, got 0"),
        (VoteFilter(), {"clean": [True, False]}, "clean has 2 entries"),
        (VoteFilter(), {"clean": [1] * len(Y)}, "clean must be a boolean mask"),
        (VoteFilter(), {"y": Y[:3]}, "inconsistent numbers of samples"),
        (VoteFilter(), {"y": np.zeros(len(Y))}, "All rows have one class"),
        (VoteFilter(), {"y": None}, "requires y"),
    ],
)
def test_bad_input(found, given, line):
    with pytest.raises((ValueError, TypeError), match=line):
        fitted(found, **given)


@pytest.mark.parametrize("found", [VoteFilter(), MarginFilter(), NeighborFilter()])
def test_a_class_of_one_row(found):
    rows = [[0.0], [0.1], [0.2], [0.3], [0.4], [5.0]]
    one = fitted(found, rows, ["a", "a", "a", "a", "a", "b"])
    assert np.isfinite(one.scores_).all()
    three = fitted(found, rows, ["a", "a", "a", "c", "c", "b"])
    assert three.scores_[5] == three.scores_.max()
