"""Which members are fitted to a table, and what they come to together."""

import numpy as np
import pandas as pd

from nacre import NacreClassifier
from nacre.auditing.load import load
from nacre.consensus.blend import MANY, RIDGES, members_for, ridges_for
from nacre.consensus.members import Boosted
from tests.training import noisy_problem

WORDS = {"no": ["broken", "refund", "late"], "yes": ["lovely", "thanks", "perfect"]}


def mails(n=300):
    """Every text says a little about the label, and so does a number."""
    rng = np.random.default_rng(0)
    truth = np.where(rng.random(n) < 0.5, "yes", "no")
    said = [
        rng.choice(WORDS[one] if rng.random() < 0.8 else [*WORDS["no"], *WORDS["yes"]])
        for one in truth
    ]
    filling = rng.choice(
        ["the", "my", "our", "this", "order", "parcel", "box", "came", "was", "it"], (n, 8)
    )
    texts = [" ".join([*words, one]) for words, one in zip(filling, said, strict=True)]
    amount = rng.normal(size=n) + 1.5 * (truth == "yes")
    return pd.DataFrame({"text": texts, "amount": amount, "label": truth})


def test_large_tables_have_larger_trees_at_full_effort():
    large = noisy_problem(n=MANY, d=2)
    few = large.take(np.arange(MANY - 1))
    assert set(members_for("full", large)) == {*members_for("full", few), Boosted(32)}
    assert members_for("fast", large) == members_for("fast", few)


def test_columns_beside_text_are_also_judged_alone():
    frame = mails()
    for names, count in ((["text"], 2), (["amount"], 2), (["text", "amount"], 4)):
        training = load(frame[[*names, "label"]], "label").training
        ridges = ridges_for("full", training)
        assert len(ridges) == count
        assert ridges[:2] == RIDGES["full"]
    assert [one.beside_text for one in ridges] == [False, False, True, True]
    (beside,) = set(range(training.X.shape[1])) - set(training.components)
    assert np.array_equal(training.X[:, beside], frame["amount"])


def test_texts_and_columns_say_more_than_either():
    frame = mails()
    off = {}
    for names in (["text"], ["amount"], ["text", "amount"]):
        loaded = load(frame[[*names, "label"]][:150], "label")
        model = NacreClassifier("fast", random_state=0).fit_training(
            loaded.training, loaded.classes
        )
        rest = frame[150:]
        said = model.predict_proba(loaded.schema.matrix(rest), loaded.schema.words(rest))
        off["+".join(names)] = np.mean(model.classes_[said.argmax(axis=1)] != rest["label"])
    assert off["text+amount"] < min(off["text"], off["amount"])
