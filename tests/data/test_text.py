import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_extraction.text import TfidfVectorizer

import nacre.data.text as module
from nacre.data import Schema
from nacre.data.text import ANALYZERS, Terms, learn_terms, tf_idf

COMPLAINTS = ["the parcel was broken and late", "broken again, I want a refund", "refund my money"]
PRAISE = ["works well, thank you", "a lovely gift, works well", "thank you for the lovely parcel"]
TEXTS = COMPLAINTS * 4 + PRAISE * 4

SCRIPTS = {
    "Chinese": [
        "\u5305\u88f9\u574f\u4e86\u8981\u9000\u6b3e",
        "\u8981\u9000\u6b3e\u5305\u88f9",
        "\u793c\u7269\u5f88\u597d\u8c22\u8c22",
        "\u8c22\u8c22\u793c\u7269",
    ],
    "Thai": [
        "\u0e2a\u0e34\u0e19\u0e04\u0e49\u0e32\u0e40\u0e2a\u0e35\u0e22",
        "\u0e40\u0e2a\u0e35\u0e22\u0e04\u0e37\u0e19\u0e40\u0e07\u0e34\u0e19",
    ],
    "Arabic": [
        "\u0637\u0631\u062f \u0645\u0643\u0633\u0648\u0631",
        "\u0637\u0631\u062f \u062c\u0645\u064a\u0644",
    ],
    "emoji": ["\U0001f600\U0001f600 ok", "\U0001f600\U0001f621 ok"],
}

words = st.text(max_size=30)


@pytest.mark.parametrize("kind", ANALYZERS)
def test_tf_idf_is_that_of_scikit_learn(kind):
    peer = TfidfVectorizer(min_df=2, sublinear_tf=True, **ANALYZERS[kind])
    said = peer.fit_transform(TEXTS)
    terms = Terms.learn(TEXTS, kind)
    assert list(terms.terms) == peer.get_feature_names_out().tolist()
    assert_allclose(terms.idf, peer.idf_)
    counts = terms._reader().transform(TEXTS)
    assert_allclose(tf_idf(counts, terms.idf).toarray(), said.toarray())
    assert_allclose(terms.read(TEXTS), said @ terms.components, atol=1e-6)


def test_components_keep_the_distances_of_texts():
    terms = Terms.learn(TEXTS, "words")
    said = terms.read(TEXTS)
    near = said @ said.T
    half = len(TEXTS) // 2
    assert near[:half, :half].mean() > 3 * near[:half, half:].mean()


@settings(max_examples=25, deadline=None)
@given(st.lists(words, max_size=8), st.randoms())
def test_features_of_a_text_are_its_own(texts, random):
    """Whatever stands beside it, in whatever order, and however often."""
    terms = learn_terms(TEXTS)
    alone = [np.hstack([one.read([text]) for one in terms]) for text in texts]
    order = random.sample(range(len(texts)), len(texts))
    shuffled = [texts[i] for i in order] + texts
    both = np.hstack([one.read(shuffled) for one in terms])
    assert not np.any(np.isnan(both))
    for place, i in enumerate(order):
        assert_array_equal(both[place], alone[i][0])
        assert_array_equal(both[len(texts) + i], alone[i][0])


@settings(max_examples=15, deadline=None)
@given(st.lists(words, min_size=2, max_size=20), st.randoms())
def test_the_order_of_rows_makes_no_difference_in_learning(texts, random):
    texts = texts + TEXTS[:5]
    assert learn_terms(random.sample(texts, len(texts))) == learn_terms(texts)


def test_a_sample_of_many_texts_does_not_hang_on_their_order(monkeypatch):
    monkeypatch.setattr(module, "LEARNED_FROM", 10)
    assert learn_terms(TEXTS) == learn_terms(TEXTS[::-1])
    assert len(module._sample(TEXTS)) == 10


def test_unknown_words_and_empty_text_are_0():
    terms = Terms.learn(TEXTS, "words")
    assert_array_equal(terms.read(["zebra quagga", "", "!?"]), 0.0)
    assert terms.read([]).shape == (0, terms.components.shape[1])


def test_missing_text_is_missing_and_read_as_such_again():
    frame = pa.table({"t": [*TEXTS[:-1], None], "y": ["u", "v"] * 12})
    schema = Schema.learn(frame, "y", text=["t"])
    matrix = schema.matrix(frame)
    assert np.isnan(matrix[-1]).all()
    assert not np.isnan(matrix[:-1]).any()
    later = schema.matrix(pa.table({"t": pa.array([None, 7, 8.5], pa.float64())}))
    assert np.isnan(later[0]).all()
    assert_array_equal(later[1:], 0.0)


def test_of_huge_cells_the_beginning_is_read(monkeypatch):
    monkeypatch.setattr(module, "LONGEST", {"words": 100, "characters": 50})
    for one in learn_terms(TEXTS):
        text = ("broken refund " * 100)[: module.LONGEST[one.kind]]
        assert_array_equal(one.read([text]), one.read([text + " works well" * 1000]))


def test_terms_and_components_are_bounded(monkeypatch):
    monkeypatch.setattr(module, "MOST_TERMS", 12)
    monkeypatch.setattr(module, "RANK", 3)
    for one in learn_terms(TEXTS):
        assert one.components.shape == (12, 3)


@pytest.mark.parametrize("script", SCRIPTS)
def test_other_scripts_are_read_by_characters(script):
    texts = SCRIPTS[script] * 10
    (terms,) = learn_terms(texts)
    assert terms.kind == "characters"
    said = terms.read(SCRIPTS[script])
    assert len(np.unique(said.round(6), axis=0)) == len(said)


def test_short_texts_are_read_by_characters_and_long_ones_by_words_too():
    assert [one.kind for one in learn_terms(["Anna Meier", "Hanna Maier"] * 5)] == ["characters"]
    assert [one.kind for one in learn_terms([" ".join(TEXTS)] * 5)] == ["words", "characters"]


def test_one_term_is_enough():
    assert Terms.learn(["aa", "aa", "aa"], "words").read(["aa", "bb"]).tolist() == [[1.0], [0.0]]


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("kind", "letters", "terms must be words or characters"),
        ("kind", ["words"], "terms must be words or characters"),
        ("terms", [], "terms must be text, at most"),
        ("terms", [7] * 3, "terms must be text"),
        ("terms", "abc", "terms must be a list"),
        ("terms", ["b", "a"], "terms must ascend"),
        ("idf", np.ones(1), "idf has shape"),
        ("idf", [1.0], "idf must be 1-dimensional"),
        ("components", np.ones((2, 2)), "components must be 2-dimensional, of type float32"),
        ("components", np.ones((2, 0), np.float32), "components has shape|at most"),
        ("more", 1, "terms have a kind, words and arrays"),
    ],
)
def test_damaged_terms_are_refused(key, value, says):
    plain = Terms.learn(TEXTS, "words").to_dict()
    with pytest.raises(ValueError, match=says):
        Terms.from_dict(plain | {key: value})
    with pytest.raises(ValueError, match="finite"):
        Terms.from_dict(plain | {"idf": np.full(len(plain["terms"]), np.nan)})
