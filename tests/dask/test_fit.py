"""Fits over partitions are fits to all rows: same hypotheses, same votes."""

from types import SimpleNamespace

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.delayed import delayed
from sklearn.base import clone

import nacre
from nacre import Tree
from nacre.boost import Algorithm, AverageBoth, Bootstrap, Logistic
from nacre.dask import fit, predict, predict_proba
from nacre.dask.blocks import hashed_groups
from nacre.dask.fit import make_waves
from nacre.dask.partition import HoldOut
from nacre.data.folds import hashed_rows
from nacre.data.seeds import seed_of
from tests.training import noisy_problem

BOOSTERS = {
    "adaboost": nacre.AdaBoostClassifier(n_estimators=20),
    "adaboost, bootstrapped": nacre.BoostedClassifier(
        algorithm=Algorithm(draw=Bootstrap()), n_estimators=20, random_state=1
    ),
    "logistic aveboost2": nacre.BoostedClassifier(
        algorithm=Algorithm(Logistic(), AverageBoth()), n_estimators=20
    ),
    "aveboost2": nacre.AveBoostClassifier(n_estimators=20),
    "marginboost": nacre.MarginBoostClassifier(n_estimators=20, random_state=1),
    "sloppy": nacre.PBoostClassifier(n_estimators=20, p=1.2),
    "gravity": nacre.PBoostClassifier(n_estimators=20, variant="gravity"),
    "snr": nacre.SNRBoostClassifier(n_estimators=20, random_state=1),
    "core": nacre.CoreBoostClassifier(n_estimators=20, noise_rate=0.1, random_state=1),
    "core, deterministic": nacre.CoreBoostClassifier(
        n_estimators=5, noise_rate=0.02, stochastic=False
    ),
    "adaboost of trees": nacre.AdaBoostClassifier(Tree(2), n_estimators=8),
    "core of trees": nacre.CoreBoostClassifier(
        Tree(2), n_estimators=8, noise_rate=0.1, random_state=1
    ),
    "gradient": nacre.GradientBoostClassifier(n_estimators=12),
    "gradient, eight leaves": nacre.GradientBoostClassifier(
        Tree(None, max_leaves=8, min_weight=0.01), n_estimators=8, subsample=0.6, random_state=1
    ),
    "gradient, twenty leaves": nacre.GradientBoostClassifier(
        Tree(5, max_leaves=20), n_estimators=6
    ),
    "logit": nacre.LogitBoostClassifier(n_estimators=12),
    "l2": nacre.L2BoostClassifier(n_estimators=12),
}


def table(n_classes=2, n=400, gaps=0.05, categories=False, seed=0):
    training = noisy_problem(n, 10, n_classes, gaps=gaps, seed=seed)
    X = training.X.copy()
    if categories:
        X[:, 3] = np.round(2 * X[:, 3])
    return X, training.y


def parted(values, count):
    """A Dask array of about so many chunks along its rows."""
    return da.from_array(values, (-(-len(values) // count), *values.shape[1:]))


def assert_same_model(one, other, X, ends=True):
    np.testing.assert_allclose(one.estimator_weights_, other.estimator_weights_, rtol=1e-9)
    if ends:
        assert one.stop_reason_ == other.stop_reason_
    np.testing.assert_allclose(one.estimator_errors_, other.estimator_errors_, rtol=1e-7)
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-9)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 7])
@pytest.mark.parametrize("name", BOOSTERS)
def test_partitions_give_the_votes_of_the_local_fit(name, count):
    X, y = table()
    local = clone(BOOSTERS[name]).fit(X, y)
    apart = fit(clone(BOOSTERS[name]), parted(X, count), parted(y, count))
    assert len(local.estimators_) > 1
    assert_same_model(local, apart, X)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["adaboost", "marginboost", "adaboost of trees", "gradient"])
def test_several_classes_weights_and_categories(name):
    X, y = table(3, categories=True)
    labels = np.array(["a", "b", "c"])[y]
    weight = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)
    model = clone(BOOSTERS[name]).set_params(categorical_features=[3])
    local = clone(model).fit(X, labels, weight)
    apart = fit(clone(model), parted(X, 3), parted(labels, 3), parted(weight, 3))
    assert apart.classes_.tolist() == ["a", "b", "c"]
    assert_same_model(local, apart, X)


@pytest.mark.parametrize(
    "model",
    [
        nacre.MarginBoostClassifier(Tree(2), n_estimators=8, random_state=4),
        nacre.GradientBoostClassifier(n_estimators=8, subsample=0.1, random_state=2),
    ],
)
def test_a_draw_without_a_rare_class_ends_nothing(model):
    X = np.round(np.random.default_rng(1).normal(size=(300, 3)), 1)
    y = (np.arange(300) % 100 == 0).astype(int)
    X[y == 1] += 4.0
    local = clone(model).fit(X, y)
    apart = fit(clone(model), parted(X, 3), parted(y, 3))
    assert len(local.estimators_) == 8
    assert_same_model(local, apart, X)


def test_gradient_boosting_begins_with_the_classes_of_all_rows():
    """The sample of 20 000 rows may lack a rare one, or have more or less of it."""
    X = np.arange(30_000.0)[:, None] % 200
    y = (X[:, 0] > 100).astype(int)
    y[X[:, 0] == X[hashed_rows(X).argmax(), 0]] = 2
    model = nacre.GradientBoostClassifier(n_estimators=3)
    assert_same_model(clone(model).fit(X, y), fit(clone(model), parted(X, 2), parted(y, 2)), X)


@pytest.mark.parametrize("grouped", [False, True])
def test_probabilities_where_few_rows_or_groups_would_fill_the_sample(grouped):
    rng, n = np.random.default_rng(0), 40_000
    X = rng.integers(0, 2, (n, 4)).astype(float)
    y = (rng.random(n) < 0.2 + 0.3 * X[:, 0] + 0.3 * X[:, 1]).astype(int) + (rng.random(n) < 0.3)
    groups = np.argsort(np.lexsort((y,))) // 14_000  # the first has one class
    model = nacre.PBoostClassifier(n_estimators=10)
    local = clone(model).fit(X, y)
    keys = parted(groups, 3) if grouped else None
    apart = fit(clone(model), parted(X, 3), parted(y, 3), groups=keys)
    np.testing.assert_allclose(apart.predict_proba(X), local.predict_proba(X), atol=0.006)


def test_many_values_are_cut_by_the_sketch():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 2))
    y = (X[:, 0] + rng.normal(size=6000) > 0).astype(int)
    apart = fit(nacre.AdaBoostClassifier(n_estimators=10), parted(X, 3), parted(y, 3))
    local = nacre.AdaBoostClassifier(n_estimators=10).fit(X, y)
    assert abs(apart.score(X, y) - local.score(X, y)) < 0.01


def test_clean_rows_are_trusted():
    X, y = table()
    clean = np.arange(len(y)) % 3 == 0
    model = nacre.CoreBoostClassifier(n_estimators=20, noise_rate=0.2, random_state=0)
    local = clone(model).fit(X, y, clean=clean)
    apart = fit(clone(model), parted(X, 4), parted(y, 4), clean=parted(clean, 4))
    assert_same_model(local, apart, X)
    blind = fit(clone(model), parted(X, 4), parted(y, 4))
    assert np.abs(blind.decision_function(X) - apart.decision_function(X)).max() > 1e-3


def test_rows_of_a_group_have_one_key_in_every_partition():
    groups = np.array(["a", "b", "a", "c", "b"])
    keys = hashed_groups(groups)
    assert (keys[0] == keys[2], keys[1] == keys[4]) == (True, True)
    assert len(set(keys.tolist())) == 3
    np.testing.assert_array_equal(hashed_groups(groups[2:]), keys[2:])
    with pytest.raises(ValueError, match="groups contains a missing value"):
        hashed_groups(np.array([1.0, np.nan]))


def test_rows_of_a_group_are_drawn_together():
    """As copies of a row are: groups that are the rows themselves change nothing else."""
    X, y = table(gaps=0.0)
    twice = np.repeat(np.arange(len(y)), 2)
    model = nacre.MarginBoostClassifier(n_estimators=10, random_state=0)
    args = parted(X[twice], 4), parted(y[twice], 4)
    together = fit(clone(model), *args, groups=parted(twice, 4))
    apart = fit(clone(model), *args, groups=parted(np.arange(len(twice)), 4))
    single = fit(clone(model), parted(X, 4), parted(y, 4), groups=parted(np.arange(len(y)), 4))
    assert list(together.estimators_) == list(single.estimators_)
    assert list(together.estimators_) != list(apart.estimators_)


@pytest.mark.parametrize("name", ["adaboost", "gradient", "adaboost of trees"])
def test_early_stopping_on_rows_that_are_held_out(name):
    X, y = table(n=900)
    noisy = nacre.noise.flip_labels(y, 0.3, random_state=0)[0]
    model = clone(BOOSTERS[name]).set_params(
        n_estimators=60, n_iter_no_change=5, validation_fraction=0.3, random_state=0
    )
    one = fit(clone(model), parted(X, 2), parted(noisy, 2))
    other = fit(clone(model), parted(X, 5), parted(noisy, 5))
    assert one.stop_reason_ == "no better on held-out rows"
    assert len(one.estimators_) < 60
    assert len(one.validation_scores_) == len(one.estimators_) + 5
    np.testing.assert_allclose(one.validation_scores_, other.validation_scores_, atol=1e-9)
    assert 0.1 < one.validation_scores_.min() < 1.0
    rest = ~HoldOut(seed_of(0), 0.3).mask(hashed_rows(X))
    kept = len(one.estimators_)
    plain = clone(model).set_params(n_iter_no_change=None, n_estimators=kept)
    assert_same_model(one, plain.fit(X[rest], noisy[rest]), X, ends=False)
    held = [np.mean(said != noisy[~rest]) for said in plain.staged_predict(X[~rest])]
    if model.get_params().get("stop_on", "error") == "error":
        np.testing.assert_allclose(one.validation_scores_[:kept], held, atol=1e-9)


def stopped_early(groups, size, random_state=0):
    """A fit to partitions of so many rows, some groups of which are held out."""
    rng, n = np.random.default_rng(0), len(groups)
    X = rng.normal(size=(n, 5))
    y = (X[:, 0] + X[:, 1] - X[:, 2] + rng.normal(size=n) > 0).astype(int)
    model = nacre.AdaBoostClassifier(
        n_estimators=200, n_iter_no_change=5, validation_fraction=0.3, random_state=random_state
    )
    rows, labels = da.from_array(X, (size, 5)), da.from_array(y, size)
    return fit(model, rows, labels, groups=da.from_array(groups, size))


def test_rows_that_are_held_out_count_where_a_partition_has_no_others():
    groups = np.arange(8000) // 500
    whole = stopped_early(groups, 8000)
    assert len(whole.validation_scores_) > 10
    for size in (500, 1000):
        apart = stopped_early(groups, size)
        np.testing.assert_allclose(apart.validation_scores_, whole.validation_scores_, atol=1e-9)


@pytest.mark.parametrize(("seed", "for_what"), [(0, "stop on: raise"), (2, "learn from: lower")])
def test_a_hold_out_of_no_rows_or_of_all_is_refused(seed, for_what):
    with pytest.raises(ValueError, match=f"=0.3 leaves no rows to {for_what} it"):
        stopped_early(np.arange(300) % 2, 100, seed)


def test_frames_keep_their_names_and_categories():
    X, y = table()
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(10)])
    frame["c3"] = pd.Categorical(np.array(["low", "mid", "high"])[np.arange(len(y)) % 3])
    labels = pd.Series(np.where(y == 1, "yes", "no"))
    local = nacre.AdaBoostClassifier(n_estimators=15).fit(frame, labels)
    apart = fit(
        nacre.AdaBoostClassifier(n_estimators=15),
        dd.from_pandas(frame, npartitions=3),
        dd.from_pandas(labels, npartitions=3),
    )
    assert apart.feature_names_in_.tolist() == local.feature_names_in_.tolist()
    assert_same_model(local, apart, frame)


def test_partitions_without_rows_add_nothing():
    X, y = table()
    chunks = (0, 150, 0, 250, 0)
    empty = da.from_array(X, chunks=(chunks, (10,))), da.from_array(y, chunks=(chunks,))
    whole = parted(X, 1), parted(y, 1)
    for name in ("adaboost", "gradient", "core of trees"):
        one, other = (fit(clone(BOOSTERS[name]), *each) for each in (empty, whole))
        assert_same_model(one, other, X)


def test_no_two_fits_share_partitions():
    """They remember how far a fit is, and things of one name are one thing on a cluster."""
    made = []
    client = SimpleNamespace(compute=made.append)
    for _ in range(2):
        make_waves([delayed(None)], None, None, client).make()
    (one,), (other,) = made
    assert one.key != other.key


def test_predictions_stay_lazy():
    X, y = table()
    model = nacre.AdaBoostClassifier(n_estimators=5).fit(X, np.where(y == 1, "yes", "no"))
    rows = parted(X, 3)
    said, chances = predict(model, rows), predict_proba(model, rows)
    assert isinstance(said, da.Array)
    assert said.chunks == (rows.chunks[0],)
    np.testing.assert_array_equal(said.compute(), model.predict(X))
    np.testing.assert_array_equal(chances.compute(), model.predict_proba(X))
    frame = dd.from_pandas(pd.DataFrame(X), npartitions=2)
    model = nacre.AdaBoostClassifier(n_estimators=5).fit(X, y)
    np.testing.assert_array_equal(predict(model, frame).compute(), model.predict(X))
    assert predict_proba(model, frame).compute().shape == (400, 2)


@pytest.mark.parametrize("kind", ["U3", object, int, bool])
def test_predictions_are_of_the_type_they_say(kind):
    X, y = table()
    labels = np.array(["no", "yes"])[y].astype(kind) if kind in ("U3", object) else y.astype(kind)
    model = nacre.AdaBoostClassifier(n_estimators=5).fit(X, labels)
    frame = dd.from_pandas(pd.DataFrame(X), npartitions=2)
    said, chances = predict(model, frame), predict_proba(model, frame)
    assert said.dtype == said.compute().dtype
    pd.testing.assert_series_equal(chances.dtypes, chances.compute().dtypes)


MIXED = np.array([0, 1, "a", "b"], dtype=object)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": nacre.NacreClassifier()}, "must be a booster of nacre"),
        ({"model": nacre.PBoostClassifier(variant="strict")}, "variant='sloppy'"),
        ({"model": nacre.GentleBoostClassifier()}, "LogitBoostClassifier"),
        ({"model": nacre.RealAdaBoostClassifier()}, "RealAdaBoostClassifier weighs"),
        ({"model": nacre.BrownBoostClassifier()}, "no sums"),
        ({"model": nacre.LPBoostClassifier()}, "no sums"),
        ({"model": nacre.AdaBoostClassifier(variant="m2")}, "no sums"),
        ({"model": nacre.AdaBoostClassifier(max_bins=None)}, "bins are needed"),
        ({"model": nacre.AdaBoostClassifier(nacre.NaiveBayes())}, "a Stump or a Tree"),
        ({"model": nacre.AdaBoostClassifier(Tree(2, max_features=1))}, "max_features"),
        ({"model": nacre.AdaBoostClassifier(warm_start=True)}, "warm_start"),
        ({"X": np.ones((4, 2))}, "must be a Dask array or data frame"),
        ({"X": da.ones((4, 2), dtype=complex)}, "must hold numbers"),
        ({"y": np.zeros(4)}, "y must be a Dask array"),
        ({"y": da.zeros(5)}, "y has 5 entries, X has 4"),
        ({"y": None}, "target y is None"),
        ({"y": da.zeros(4)}, "All rows have one class"),
        ({"y": da.from_array([0.5, 1.0, 0.0, 0.0])}, "fractions"),
        ({"X": da.ones((4, 2), (2, 2)), "y": da.from_array(MIXED, 2)}, "mixes text and numbers"),
        ({"X": da.full((4, 2), np.inf)}, "contains infinity"),
        ({"sample_weight": da.zeros(4)}, "nothing to learn"),
        ({"sample_weight": da.full(4, -1.0)}, "Negative values"),
        ({"clean": da.ones(4, dtype=bool)}, "takes no clean rows"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(change, message):
    told = {
        "model": nacre.AdaBoostClassifier(),
        "X": da.from_array(np.arange(8.0).reshape(4, 2)),
        "y": da.from_array([0, 1, 0, 1]),
        "sample_weight": None,
        "clean": None,
        **change,
    }
    with pytest.raises((TypeError, ValueError), match=message):
        fit(told["model"], told["X"], told["y"], told["sample_weight"], clean=told["clean"])


@pytest.mark.filterwarnings("ignore:overflow")
def test_weights_that_add_up_to_infinity_are_refused():
    X, y = table()
    weight = np.full(len(y), 1e308)
    with pytest.raises(ValueError, match="adds up to infinity"):
        fit(nacre.AdaBoostClassifier(), parted(X, 2), parted(y, 2), parted(weight, 2))


def test_names_that_are_numbers_are_none():
    X, y = table()
    frame, labels = pd.DataFrame(X), pd.Series(y)
    model = nacre.AdaBoostClassifier(n_estimators=3)
    fit(model, dd.from_pandas(frame, npartitions=2), dd.from_pandas(labels, npartitions=2))
    assert not hasattr(model, "feature_names_in_")
    model.predict(frame)  # without a warning
    mixed = dd.from_pandas(frame.rename(columns={3: "three"}), npartitions=2)
    with pytest.raises(TypeError, match="make all text"):
        fit(model, mixed, dd.from_pandas(labels, npartitions=2))


def test_predictions_are_of_tables():
    model = nacre.AdaBoostClassifier(n_estimators=3).fit(*table(gaps=0.0))
    for shape in ((3,), (3, 3, 3)):
        with pytest.raises(ValueError, match=f"Expected 2D array for X, got {len(shape)}D"):
            predict(model, da.zeros(shape))
