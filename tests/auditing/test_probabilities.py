"""Probabilities of somebody's own model, beside a table."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from nacre import audit, judge_labels
from nacre.auditing.load import load
from nacre.auditing.probabilities import read_pred_probs
from nacre.noise import flip_labels

CLASSES = ("ill", "well")


def chances(n=6, seed=0):
    one = np.random.default_rng(seed).random(n)
    return np.column_stack([one, 1 - one])


@pytest.mark.parametrize(
    "form",
    [
        lambda p: p,
        lambda p: p.tolist(),
        lambda p: pd.DataFrame(p, columns=CLASSES),
        lambda p: pl.DataFrame({"row": range(len(p)), " WELL ": p[:, 1], "ill": p[:, 0]}),
    ],
    ids=["array", "lists", "pandas", "polars"],
)
def test_forms(form):
    assert_allclose(read_pred_probs(form(chances()), CLASSES, 6), chances())


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_files(tmp_path, suffix):
    path = tmp_path / f"probs{suffix}"
    frame = pd.DataFrame(chances()[:, ::-1], columns=["well", "ill"])
    frame.to_csv(path, index=False) if suffix == ".csv" else frame.to_parquet(path)
    assert_allclose(read_pred_probs(path, CLASSES, 6), chances())


def test_classes_that_are_numbers_or_truths():
    frame = pd.DataFrame(chances(), columns=["0", "1"])
    assert_allclose(read_pred_probs(frame, (0, 1), 6), chances())
    frame = pd.DataFrame(chances(), columns=["false", "true"])
    assert_allclose(read_pred_probs(frame, (False, True), 6), chances())


def bad(**columns):
    return pd.DataFrame(chances(), columns=CLASSES).assign(**columns)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (chances()[:5], "pred_probs has 5 rows, the table has 6: give one for each, in the same o"),
        (np.full((6, 3), 1 / 3), "pred_probs has 3 columns, the table has 2 classes"),
        (bad().drop(columns="well"), "pred_probs has no column 'well': name the columns of pro"),
        (bad(ill=np.nan), "pred_probs must hold probabilities: NaN or a negative number"),
        (bad(ill=[None] * 6), "pred_probs must hold probabilities: NaN or a negative number"),
        (bad(ill=-0.5), "pred_probs must hold probabilities: NaN or a negative number"),
        (bad(ill=2.0), "Row . of pred_probs sums to .*, not to 1: give probabilities, not scores"),
        (bad(ill="0,5"), "pred_probs must hold numbers, but column 'ill' has '0,5': write pro"),
        (bad()[:0], r"pred_probs has shape \(0, 2\): it must have a row for each row of the table"),
        ([["x", "y"]], "pred_probs must hold numbers: a row for each row of the table"),
        (np.full(6, 0.5), r"pred_probs has shape \(6,\)"),
    ],
)
def test_what_cannot_be_probabilities(given, says):
    with pytest.raises(ValueError, match=says) as caught:
        read_pred_probs(given, CLASSES, 6)
    assert "\n" not in str(caught.value)


def table(n=200):
    """A column that says a little, and probabilities that say much."""
    rng = np.random.default_rng(0)
    truth = np.arange(n) % 2
    labels, flipped = flip_labels(np.array(CLASSES)[truth], 0.15, random_state=0)
    one = np.where(truth == 1, 0.95, 0.05) + rng.normal(0, 0.01, n)
    frame = pd.DataFrame({"a": rng.normal(truth, 2.0), "label": labels})
    return frame, flipped, np.column_stack([1 - one, one])


def test_alone_where_nothing_else_is_left():
    frame, _, said = table()
    found = load(frame, "label", ignore=["a"], pred_probs=said)
    assert found.alone
    assert found.schema.names == ("probability of ill", "probability of well")
    assert_allclose(found.matrix, said)
    assert not load(frame, "label", pred_probs=said).alone
    with pytest.raises(ValueError, match="No column is left to learn 'label' from"):
        load(frame, "label", ignore=["a"])


@pytest.mark.slow
def test_audits_beside_and_alone(tmp_path):
    frame, flipped, said = table()
    beside = audit(frame, "label", pred_probs=said, effort="fast")
    assert (
        "nacre's own models and the probabilities that were given, whose weight" in beside.notes[0]
    )
    assert flipped[beside.suspects["row"]].mean() > 0.9
    assert flipped[beside.suspects["row"]].sum() > 0.7 * flipped.sum()
    alone = audit(frame, "label", ignore=["a"], pred_probs=said, effort="fast")
    assert alone.notes[0] == "Labels are judged by the probabilities that were given, alone."
    peer = judge_labels(said, frame["label"])
    assert_array_equal(np.sort(alone.suspects["row"]), np.sort(peer.suspects))
    alone.save(tmp_path / "answer")
    assert len(type(alone).read(tmp_path / "answer").suspects) == len(alone.suspects)
