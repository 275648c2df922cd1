"""The default classifier: sparse tables, and the probabilities of other models."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import average_precision_score
from sklearn.pipeline import make_pipeline

from nacre import AdaBoostClassifier, NacreClassifier, find_mislabeled, judge_labels
from nacre.data import TrainingRows
from nacre.noise import flip_labels
from nacre.persistence.container import pack, unpack


def texts(n=240):
    """Sparse counts, of which some columns speak for a class; and the labels."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    rate = np.full((2, 300), 0.05)
    rate[0, :30] = rate[1, 30:60] = 0.2
    return sparse.csr_matrix((rng.random((n, 300)) < rate[y]).astype(float)), y


def test_sparse_tables_are_reduced():
    X, y = texts()
    labels, flipped = flip_labels(y, 0.1, random_state=0)
    model = NacreClassifier("fast", random_state=0).fit(X, labels)
    assert model.n_features_in_ == 300
    assert model.feature_importances_.shape == (300,)
    assert model.feature_importances_[:60].sum() > 0.4
    assert model.score(X, y) > 0.9
    assert flipped[model.suspects_[:10]].mean() > 0.7
    assert_array_equal(model.predict_proba(X.toarray()), model.predict_proba(X))
    again, _ = unpack(pack(model, None))
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    again._reducer = replace(again._reducer, width=301)
    with pytest.raises(ValueError, match="the model file is damaged: a sparse table must have 300"):
        unpack(pack(again, None))
    with pytest.raises(ValueError, match="X has 299 features"):
        model.predict(X[:, :299])


def test_sparse_tables_of_few_columns_are_made_dense():
    X, y = texts()
    narrow = X[:, :50]
    sparsely = NacreClassifier("fast", random_state=0).fit(narrow, y)
    densely = NacreClassifier("fast", random_state=0).fit(narrow.toarray(), y)
    assert_array_equal(sparsely.predict_proba(narrow), densely.predict_proba(narrow.toarray()))


def test_rows_of_weight_0_of_a_sparse_table_are_judged():
    X, y = texts()
    weight = np.ones(len(y))
    weight[:20] = 0.0
    model = NacreClassifier("fast", random_state=0).fit(X, y, weight)
    assert model.label_quality_.shape == y.shape


def opinion(y, sure, rng):
    """Probabilities of two classes by a model that is right in a share of the rows."""
    says = np.where(rng.random(len(y)) < sure, y, 1 - y)
    one = np.where(says == 1, 0.9, 0.1) + rng.normal(0, 0.02, len(y))
    return np.column_stack([1 - one, one])


def test_a_model_of_another_is_a_member_by_how_good_it_is():
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    X = rng.normal(0.7 * y[:, None], 1.0, (300, 3))
    labels, flipped = flip_labels(y, 0.15, random_state=0)
    own = NacreClassifier("fast", random_state=0).fit(X, labels)
    good = NacreClassifier("fast", random_state=0).fit(X, labels, pred_probs=opinion(y, 0.99, rng))
    bad = NacreClassifier("fast", random_state=0).fit(X, labels, pred_probs=opinion(y, 0.5, rng))
    assert own.pred_probs_weight_ == 0.0
    assert bad.pred_probs_weight_ < 0.3 < 0.7 < good.pred_probs_weight_
    precision = [average_precision_score(flipped, m.found_.scores) for m in (own, bad, good)]
    assert precision[2] > 0.9 > precision[0]
    assert abs(precision[1] - precision[0]) < 0.1
    for one in (good, bad):  # which have the same members: new rows are predicted by these
        assert_array_equal(one.predict_proba(X), own.predict_proba(X))


def test_alone_it_judges_as_judge_labels_does():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 2)), np.arange(120) % 2
    said = opinion(y, 0.9, rng)
    training = TrainingRows(X, y, 2, np.full(120, 1 / 120), n_given=120)
    model = NacreClassifier("fast", random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the columns say nothing
        model.fit_training(training, np.array([0, 1]), pred_probs=said, alone=True)
    assert model.pred_probs_weight_ == 1.0
    assert_allclose(model.found_.scores, judge_labels(said, y).scores, atol=0.02)


@pytest.mark.parametrize(
    ("pred_probs", "says"),
    [
        (np.full((5, 2), 0.5), r"pred_probs has shape \(5, 2\), but there are 20 rows and 2 cl"),
        (np.full((20, 3), 1 / 3), r"pred_probs has shape \(20, 3\), but"),
        (np.full((20, 2), np.nan), "must hold probabilities: NaN or a negative number"),
        (np.tile([-0.5, 1.5], (20, 1)), "must hold probabilities: NaN or a negative number"),
        (np.full((20, 2), 0.7), "sums to 1.4, not to 1"),
        (np.full(20, 0.5), r"has shape \(20,\)"),
    ],
)
def test_what_cannot_be_probabilities(pred_probs, says):
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20) % 2
    with pytest.raises(ValueError, match=says) as caught:
        NacreClassifier("fast").fit(X, y, pred_probs=pred_probs)
    assert "\n" not in str(caught.value)


def test_tables_and_probabilities_of_find_mislabeled():
    rng = np.random.default_rng(0)
    X, y = texts()
    labels, flipped = flip_labels(y, 0.15, random_state=0)
    said = opinion(y, 0.97, rng)
    alone = find_mislabeled(None, labels, pred_probs=said)
    assert_array_equal(alone.scores, judge_labels(said, labels).scores)
    both = find_mislabeled(X, labels, pred_probs=said, effort="fast", random_state=0)
    own = find_mislabeled(X, labels, effort="fast", random_state=0)
    found = [average_precision_score(flipped, one.scores) for one in (own, both)]
    assert found[1] > found[0]
    with pytest.raises(ValueError, match="X is None: give a table, or pred_probs"):
        find_mislabeled(None, labels)
    with pytest.raises(ValueError, match="groups is of no use with pred_probs"):
        find_mislabeled(None, labels, pred_probs=said, groups=np.arange(240))


def test_tf_idf_in_a_pipeline():
    texts = ["the parcel was broken", "refund, it is broken", "thank you", "works, thank you"] * 30
    y = [0, 0, 1, 1] * 30
    model = make_pipeline(TfidfVectorizer(), NacreClassifier("fast", random_state=0))
    assert model.fit(texts, y).predict(["broken again", "thank you very much"]).tolist() == [0, 1]


def test_boosters_say_what_to_do_with_sparse_tables():
    X, y = texts()
    with pytest.raises(
        TypeError, match=r"use X\.toarray\(\) or, of many columns, scikit-learn's Tr"
    ):
        AdaBoostClassifier().fit(X, y)


def test_components_of_a_sparse_table_are_no_categories():
    X = sparse.random(60, 100, 0.1, "csr", random_state=0)
    model = NacreClassifier("fast", categorical_features=[0])
    with pytest.raises(ValueError, match="categorical_features is of no use"):
        model.fit(X, np.arange(60) % 2)
