"""What else is found in a table: leaks, groups, conflicts, slices, near-copies, outliers."""

from shlex import split

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from nacre.auditing.findings import find_all
from nacre.auditing.load import load
from nacre.noise import LabelQuality, NoiseRate


def judged(loaded, wrong=None, rate=0.05):
    """As if some labels had been found to be wrong; by default nobody is suspected."""
    n, K, y = len(loaded.rows), len(loaded.classes), loaded.training.y
    right = np.full(n, 0.99) if wrong is None else np.where(wrong, 0.05, 0.99)
    posterior = np.repeat((1 - right)[:, None] / (K - 1), K, axis=1)
    posterior[np.arange(n), y] = right
    noise = NoiseRate(rate, (rate / 2, 2 * rate), np.eye(K), loaded.classes)
    return LabelQuality(posterior, posterior, y, loaded.classes, noise)


def kinds(loaded, wrong=None):
    return {one.kind: one for one in find_all(loaded, judged(loaded, wrong), 0)}


def table(n=400, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))
    truth = np.where(frame["a"] + frame["b"] > 0, "ill", "well")
    frame["label"] = np.where(rng.random(n) < 0.1, np.where(truth == "ill", "well", "ill"), truth)
    return frame, rng


@pytest.mark.parametrize("data", [load_iris, load_wine, load_breast_cancer, load_digits])
def test_nothing_is_found_in_clean_tables(data):
    loaded = load(data(as_frame=True).frame, "target")
    assert kinds(loaded) == {}


def test_nothing_is_found_in_an_ordinary_table():
    frame, rng = table()
    frame["site"] = rng.choice(list("xyz"), 400)
    frame["visit_id"] = rng.integers(60, size=400)
    assert kinds(load(frame, "label"), rng.random(400) < 0.1) == {}


def test_a_copy_of_the_label_and_answers_of_others():
    frame, rng = table()
    other = np.where(frame["label"] == "ill", "well", "ill")
    frame["code"] = np.where(frame["label"] == "ill", "A1", "B2")
    frame["nurse"] = np.where(rng.random(400) < 0.1, other, frame["label"])
    first, second = find_all(load(frame, "label"), judged(load(frame, "label")), 0)
    assert (first.kind, second.kind) == ("leak", "leak")
    assert "'nurse'" in first.said
    assert "--ignore nurse" in first.said
    assert "'code' gives the label away" in second.said


@pytest.mark.parametrize("words", [("yes", "no"), ("1", "0")])
def test_answers_whose_vote_is_the_label(words):
    """Of yes and no, many columns are made; three whose vote is the label are its annotators'."""
    frame, rng = table()
    truth = np.where(frame["a"] + frame["b"] > 0, *words)
    wrong = np.where(truth == words[0], words[1], words[0])
    for name, rate in (("anna", 0.05), ("ben", 0.1), ("carl", 0.3)):
        frame[name] = np.where(rng.random(400) < rate, wrong, truth)
    frame["smokes"] = rng.choice(words, 400)
    frame["label"] = frame[["anna", "ben", "carl"]].mode(axis=1)[0]
    found = kinds(load(frame, "label"))
    assert list(found) == ["leak"]
    assert "--ignore anna --ignore ben --ignore carl" in found["leak"].said
    assert "smokes" not in found["leak"].said
    frame["label"] = truth  # whatever they say, now it is not made of it
    assert kinds(load(frame, "label")) == {}


def test_a_number_that_is_the_label():
    frame, _ = table()
    frame["label"] = (frame["label"] == "ill").astype(int)
    frame["outcome"] = frame["label"].astype(float)
    frame["flag"] = np.arange(400) % 2
    found = kinds(load(frame, "label"))
    assert list(found) == ["leak"]
    assert "'outcome'" in found["leak"].said
    assert "'flag'" not in found["leak"].said


@pytest.mark.parametrize("n", [100, 400])
@pytest.mark.parametrize("kind", ["date", "days", "score"])
def test_a_date_or_number_that_gives_the_label_away(kind, n):
    """A date and a number that one class only has, and a number that is far apart by class."""
    frame, rng = table(n)
    well = frame["label"] == "well"
    days = pd.Series(rng.integers(900, size=n))
    columns = {
        "date": (pd.Timestamp("2020-01-01") + pd.to_timedelta(days, "D")).where(well),
        "days": days.where(well),
        "score": well + 0.01 * rng.normal(size=n),
    }
    found = kinds(load(frame.assign(told=columns[kind]), "label"))
    assert list(found) == ["leak"]
    assert "'told' gives the label away" in found["leak"].said


def test_the_order_of_rows_gives_no_label_away():
    """Equal values of a table that is sorted by its labels."""
    frame, rng = table(1000)
    frame = frame.sort_values("label", ignore_index=True)
    frame["visits"] = rng.integers(3, size=1000)
    assert kinds(load(frame, "label")) == {}


@pytest.mark.parametrize(("few", "found"), [(3, False), (10, True)])
def test_three_values_apart_may_be_chance(few, found):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 4)), columns=list("abcd"))
    frame["label"] = np.where(np.arange(40) < few, "well", "ill")
    frame["a"] += np.where(np.arange(40) < few, 20.0, 0.0)
    assert ("leak" in kinds(load(frame, "label"))) == found


def test_hints_can_be_pasted_into_a_command():
    """However long the column's name is, and whatever is in it."""
    frame, _ = table()
    name = "Which of the following best describes the patient's state at the end?"
    frame[name] = np.where(frame["label"] == "ill", "A1", "B2")
    said = kinds(load(frame, "label"))["leak"].said
    assert split(said[said.index("(") + 1 : said.rindex(")")]) == ["--ignore", name]


def patients(rng, n=100, copies=5):
    centre = rng.normal(size=(n, 4))
    who = np.repeat(np.arange(n), copies)
    frame = pd.DataFrame(
        centre[who] + 0.05 * rng.normal(size=(n * copies, 4)), columns=list("abcd")
    )
    frame["label"] = np.where(centre[who, 0] > 0, "ill", "well")
    return frame, who


def test_a_column_that_looks_like_a_group():
    frame, who = patients(np.random.default_rng(0))
    frame["patient_id"] = 1000 + who
    found = kinds(load(frame, "label"))["group"]
    assert "--group patient_id" in found.said
    assert "group" not in kinds(load(frame, "label", group="patient_id"))
    frame["name"] = [f"name {k}" for k in who]
    found = kinds(load(frame.drop(columns="patient_id"), "label"))
    assert list(found) == ["group"]
    assert "--group name" in found["group"].said


def test_near_copies_of_other_groups():
    rng = np.random.default_rng(0)
    frame, who = patients(rng)
    frame["patient"] = who
    assert "copy" not in kinds(load(frame, "label", group="patient"))
    frame.loc[3, list("abcd")] = frame.loc[303, list("abcd")] + 1e-6
    found = kinds(load(frame, "label", group="patient"))["copy"]
    assert sorted(found.rows) == [3, 303]


def test_conflicts():
    frame, _ = table()
    frame.loc[[5, 6, 7], list("abcd")] = frame.loc[[1, 2, 3], list("abcd")].to_numpy()
    frame.loc[[1, 2, 3, 5, 6, 7], "label"] = ["ill", "ill", "ill", "well", "ill", "well"]
    found = kinds(load(frame, "label"))["conflict"]
    assert found.rows == [1, 5, 3, 7] or found.rows == [3, 7, 1, 5]
    assert found.said.startswith("4 rows in 2 sets")


def test_texts_of_the_same_words_in_another_order_are_no_conflict():
    rng = np.random.default_rng(0)
    words = ["the", "dog", "bites", "a", "man", "who", "walks", "home", "with", "his", "friend"]
    texts = [" ".join(rng.permutation(words)[:9]) for _ in range(100)]
    texts += ["the dog bites a man who walks", "a man bites the dog who walks"]
    texts += ["his dog", "His  dog"]
    frame = pd.DataFrame({"said": texts, "label": ["x", "y"] * 52})
    loaded = load(frame, "label", text=["said"])
    assert loaded.training.units.of[100] == loaded.training.units.of[101]
    assert kinds(loaded)["conflict"].rows == [102, 103]


def test_few_distinct_rows_are_no_conflicts():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(2, size=(300, 3)), columns=list("abc"))
    frame["label"] = rng.choice(["x", "y"], 300)
    assert "conflict" not in kinds(load(frame, "label"))


def test_slices():
    frame, rng = table(1000)
    frame["store"] = rng.integers(1, 21, size=1000)
    wrong = rng.random(1000) < np.where(frame["store"] == 17, 0.5, 0.04)
    found = kinds(load(frame, "label"), wrong)["slice"]
    assert found.said.startswith("store = 17:")
    assert set(found.rows) == set(np.flatnonzero(wrong & (frame["store"] == 17)))


def test_outliers():
    frame, _ = table()
    frame.loc[17, "b"] = 99999.0
    assert kinds(load(frame, "label"))["outlier"].rows == [17]


def test_equal_rows_of_one_label_count_once():
    frame, _ = table(100)
    twice = pd.concat([frame, frame.iloc[:20], frame.iloc[:20]], ignore_index=True)
    weight = load(twice, "label").training.weight
    assert np.allclose(weight[:20] + weight[100:120] + weight[120:], weight[50])
    assert np.allclose(load(frame, "label").training.weight, 0.01)
