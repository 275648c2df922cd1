"""Reasons that name words."""

import json

import numpy as np
import pandas as pd
import pytest

from nacre import NacreClassifier, audit, load_model, save_model
from nacre.auditing.load import load
from nacre.auditing.predictions import predict_table
from nacre.auditing.wording import Wording
from nacre.data import Schema
from nacre.noise import flip_labels
from nacre.review.evidence import Evidence

FILL = [
    "the",
    "of",
    "and",
    "to",
    "in",
    "it",
    "was",
    "for",
    "on",
    "are",
    "with",
    "as",
    "his",
    "they",
    "at",
    "be",
    "this",
    "from",
    "have",
    "or",
    "by",
    "one",
]
COMPLAINT, PRAISE = ["refund", "broken", "late"], ["lovely", "thanks", "perfect"]
CHINESE = {0: "\u9000\u6b3e", 1: "\u8c22\u8c22"}


def texts(n=160, chinese=False):
    """Complaints and praise of some filling and a telling word or two."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    if chinese:
        signs = [chr(0x4E00 + i) for i in range(60)]
        said = ["".join([*rng.choice(signs, 8), CHINESE[k], *rng.choice(signs, 8)]) for k in y]
    else:
        said = [" ".join([*rng.choice(FILL, 8), *rng.choice([COMPLAINT, PRAISE][k], 2)]) for k in y]
    return pd.DataFrame({"text": said, "label": np.array(["complaint", "praise"])[y]})


def reasons_of(frame, row, given, suggested):
    loaded = load(frame, "label")
    rows = np.arange(len(frame))
    wording = Wording(loaded, rows[rows != row])
    words = list(loaded.schema.classes)
    (found,) = wording.reasons(np.array([row]), np.array([given]), np.array([suggested]), words)
    return found


def test_words_that_are_commoner_in_the_other_class_are_named():
    frame = texts()
    frame.loc[0, "text"] = "of the lovely and perfect one"
    (said,) = reasons_of(frame, 0, 0, 1)
    assert said.startswith("text says *")
    assert "*lovely*" in said
    assert "*perfect*" in said
    assert "*the*" not in said
    assert said.endswith(" times commoner in praise than in complaint.")


def test_how_much_commoner_is_counted():
    frame = pd.DataFrame(
        {
            "text": [f"{'refund' if i < 30 else 'nothing'} of the {FILL[i % 20]} {FILL[i % 7]} kind"
                     for i in range(100)],
            "label": ["complaint"] * 50 + ["praise"] * 50,
        }
    )  # fmt: skip
    frame.loc[99, "text"] = "refund of this"
    (said,) = reasons_of(frame, 99, 1, 0)
    ratio = ((30 + 0.5) / 51) / ((0 + 0.5) / 50)
    assert said == (f"text says *refund*: {ratio:.0f} times commoner in complaint than in praise.")


def test_text_that_says_nothing_has_no_reason():
    frame = texts()
    frame.loc[0, "text"] = "of the and it was"
    assert reasons_of(frame, 0, 0, 1) == []


def test_where_there_are_no_words_characters_are_named():
    frame = texts(chinese=True)
    frame.loc[0, "text"] = frame.loc[1, "text"]
    (said,) = reasons_of(frame, 0, 0, 1)
    assert CHINESE[1] in said


def test_a_table_without_text_has_no_wording():
    frame = pd.DataFrame({"a": np.arange(40) % 7, "label": ["u", "v"] * 20})
    assert reasons_of(frame, 0, 0, 1) == []


@pytest.fixture(scope="module")
def found():
    frame = texts(240).assign(size=np.random.default_rng(1).normal(size=240))
    frame["label"], flipped = flip_labels(frame["label"], 0.15, random_state=0)
    frame.loc[239, "label"] = None
    return frame, flipped, audit(frame, "label", effort="fast")


@pytest.mark.slow
def test_an_audit_reads_text(found, tmp_path):
    frame, flipped, result = found
    rows = result.suspects["row"].to_numpy()
    assert flipped[rows].mean() > 0.9
    assert flipped[rows].sum() > 0.9 * flipped.sum()
    assert result.suspects["reason"].str.contains("text says *", regex=False).mean() > 0.9
    assert result.cleaned["nacre_label"][239] == "praise"
    assert [one["name"] for one in result.summary["features"]] == ["text", "size"]
    json.dumps(result.to_dict())
    result.save(tmp_path / "answer")
    said = predict_table(tmp_path / "answer" / "model.nacre", frame, explain=True).frame.to_native()
    right = (
        said["nacre_predicted"].to_numpy() == np.array(["complaint", "praise"])[np.arange(240) % 2]
    )
    assert right.mean() > 0.95
    assert said["nacre_reason"].str.startswith("text = ").mean() > 0.9
    again = type(result).read(tmp_path / "answer")
    assert again.schema == result.schema


@pytest.mark.slow
def test_a_reviewer_is_told_words(found):
    frame, _, result = found
    row = int(result.suspects["row"].iloc[0])
    loaded = load(frame, "label")
    evidence = Evidence(loaded, result.model.found_.suspected, 0)
    alike = evidence.alike(row)
    assert alike.shape == (len(loaded.schema.features), 2)
    said = evidence.reasons(
        row, 1 - int(loaded.training.y[row]), result.model.found_.probabilities[row], alike
    )
    assert "text says *" in said[-1]


@pytest.mark.slow
def test_a_damaged_encoder_is_refused(found, tmp_path):
    _, _, result = found
    plain = result.schema.to_dict()
    text = next(column for column in plain["columns"] if column["kind"] == "text")
    for terms in ([], text["terms"] * 2, [{}], "words"):
        with pytest.raises(ValueError, match=r"damaged|terms"):
            Schema.from_dict(plain | {"columns": [text | {"terms": terms}]})
    save_model(result.model, tmp_path / "model.nacre", plain)
    model, columns = load_model(tmp_path / "model.nacre")
    assert isinstance(model, NacreClassifier)
    assert Schema.from_dict(columns) == result.schema
