"""Audits of labels that come from several people."""

import numpy as np
import pandas as pd
import pytest

from nacre.auditing.audit import audit
from nacre.auditing.crowd import first_consensus
from nacre.auditing.load import load
from nacre.auditing.result import Audit


def table(n=300, seed=0):
    """A table, its true labels and the other ones."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    truth = np.where(frame["a"] + frame["b"] > 0, "ill", "well")
    return frame, truth, np.where(truth == "ill", "well", "ill"), rng


def several(n=300, rates=(0.1, 0.2, 0.4), gaps=0.3):
    frame, truth, other, rng = table(n)
    for j, rate in enumerate(rates):
        said = np.where(rng.random(n) < rate, other, truth).astype(object)
        said[rng.random(n) < gaps] = None
        frame[f"by{j}"] = said
    return frame, truth


def long(frame, names):
    found = frame[names].stack().dropna().reset_index()
    found.columns = ["row", "annotator", "answer"]
    return found


def test_columns_and_a_file_of_answers_are_the_same(tmp_path):
    frame, _ = several()
    names = ["by0", "by1", "by2"]
    one = load(frame, names)
    long(frame, names).to_csv(tmp_path / "answers.csv", index=False)
    plain = frame[["a", "b", "c"]]
    other = load(plain, None, answers=tmp_path / "answers.csv")
    assert one.schema.label == other.schema.label == "consensus"
    assert one.schema.names == ("a", "b", "c")
    assert np.array_equal(one.codes, other.codes)
    named = plain.assign(key=[f"k{i}" for i in range(300)])
    answers = long(frame, names).assign(row=lambda x: "k" + x["row"].astype(str))
    assert np.array_equal(load(named, None, answers=answers, id="key").codes, one.codes)


def test_notes_on_annotators():
    frame, _ = several(60)
    frame["by2"] = None
    frame.loc[[3, 4], "by0"] = "ill"
    frame.loc[[3, 4], "by1"] = "ill"
    frame.loc[[3, 4], "by2"] = ["unsure", "ill"]
    notes = load(frame, ["by0", "by1", "by2"]).notes
    assert any("fewer than 5 answers: 1." in one for one in notes)
    assert "Only 'by2' has answered 'unsure'." in notes
    assert "Answers that are nowhere the consensus are left out: 'unsure'." in notes


def test_rows_without_an_answer_have_no_label():
    frame, _ = several(gaps=0.7)
    loaded = load(frame, ["by0", "by1", "by2"])
    none = frame[["by0", "by1", "by2"]].isna().all(axis=1).to_numpy()
    assert none.any()
    assert np.array_equal(loaded.known, ~none)
    assert np.array_equal(first_consensus(loaded.answers) >= 0, ~none)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"label": None}, "Name the column of labels"),
        ({"label": "by0", "answers": pd.DataFrame()}, "not from both"),
        ({"label": ["by0", "by0"]}, "named twice"),
        ({"label": ["by0", "no"]}, "no column 'no'"),
        ({"label": ["by0", "by1"], "annotator": "by2"}, "several a row"),
        ({"label": ["by0", "a"]}, "no label in common"),
        ({"label": "by0", "annotator": "by0"}, "has the labels"),
        ({"label": None, "answers": pd.DataFrame({"row": [1], "who": ["x"]})}, "'annotator'"),
    ],
)
def test_bad_words(words, said):
    frame, _ = several(60)
    with pytest.raises(ValueError, match=said):
        load(frame, **words)


def test_bad_answers():
    frame, _ = several(60)
    answers = long(frame, ["by0", "by1"])
    strange = pd.concat(
        [answers, pd.DataFrame({"row": [99], "annotator": ["z"], "answer": ["ill"]})]
    )
    with pytest.raises(ValueError, match="row 99, but rows end at 59"):
        load(frame[["a", "b"]], None, answers=strange)
    keyed = frame[["a", "b"]].assign(key=range(100, 160))
    with pytest.raises(ValueError, match="row 0, which column 'key' has not"):
        load(keyed, None, answers=answers, id="key")


def test_spellings_are_joined_before_the_consensus(tmp_path):
    frame, truth, _, _ = table()
    frame["ann"] = truth
    frame["bob"] = [one.upper() if i % 3 == 0 else one for i, one in enumerate(truth)]
    plain, answers = frame[["a", "b", "c"]], long(frame, ["ann", "bob"])
    answers.to_csv(tmp_path / "answers.csv", index=False)
    columns = load(frame, ["ann", "bob"], join_labels=True)
    for loaded in (
        columns,
        load(plain, None, answers=answers, join_labels=True),
        load(plain, None, answers=tmp_path / "answers.csv", join_labels=True),
    ):
        assert loaded.schema.classes == ("ill", "well")
        assert len(loaded.answers.row) == 600
        assert "Labels are joined: 'ILL' into 'ill', 'WELL' into 'well'." in loaded.notes
        assert not any("left out" in one or "differ in" in one for one in loaded.notes)
    apart = load(frame, ["ann", "bob"])
    assert apart.notes[0].startswith("The labels 'well' (")
    assert "answers) and 'ILL' (" in apart.notes[0]
    assert "--join-labels" in apart.notes[0]
    assert sum("differ in" in one for one in apart.notes) == 1
    frame["bob"] = np.char.upper(truth)
    assert load(frame, ["ann", "bob"], join_labels=True).schema.classes == ("ILL", "WELL")


def test_answers_that_say_there_is_none(tmp_path):
    """As labels that do: NA is no class, and is named."""
    frame, _ = several()
    names = ["by0", "by1", "by2"]
    frame[names] = frame[names].where(frame[names].notna(), "NA")
    gaps = int((frame[names] == "NA").sum().sum())
    frame.to_csv(tmp_path / "table.csv", index=False)
    said = f"Answers that say 'NA' are taken for none, {gaps}: rename it if it is a class."
    answers = long(frame, names)
    answers.to_csv(tmp_path / "answers.csv", index=False)
    for loaded in (
        load(frame, names),
        load(tmp_path / "table.csv", names),
        load(frame[["a", "b", "c"]], None, answers=answers),
        load(frame[["a", "b", "c"]], None, answers=tmp_path / "answers.csv"),
    ):
        assert loaded.schema.classes == ("ill", "well")
        assert said in loaded.notes


def test_answers_that_are_given_twice():
    frame, _ = several(60)
    answers = long(frame, ["by0", "by1"])
    keyed = frame[["a", "b"]].assign(key=[f"k{i}" for i in range(60)])
    named = answers.assign(row="k" + answers["row"].astype(str))
    for table, given, id in ((frame[["a", "b"]], answers, None), (keyed, named, "key")):
        once = load(table, None, answers=given, id=id)
        loaded = load(table, None, answers=pd.concat([given, given[:3]]), id=id)
        assert "Answers that are copies of others count once: 3." in loaded.notes
        assert np.array_equal(loaded.codes, once.codes)
        assert len(loaded.answers.row) == len(given)
    first = named.iloc[0]
    other = "well" if first["answer"] == "ill" else "ill"
    again = pd.concat([named, named[:1].assign(answer=other)])
    said = f"'{first['annotator']}' has answered row '{first['row']}' .column 'key'. twice, "
    with pytest.raises(ValueError, match=f"{said}'{first['answer']}' and '{other}': keep one"):
        load(keyed, None, answers=again, id="key")
    again = again.assign(row=again["row"].str[1:].astype(int))
    with pytest.raises(ValueError, match="has answered row 0 twice"):
        load(frame[["a", "b"]], None, answers=again)


@pytest.mark.parametrize("kind", [float, int, str])
def test_ids_are_the_same_in_any_type(kind):
    frame, _ = several(60)
    keyed = frame[["a", "b"]].assign(key=np.arange(60).astype(kind))
    answers = long(frame, ["by0", "by1"])
    expected = load(frame[["a", "b"]], None, answers=answers).codes
    for one in (float, int, str):
        given = answers.assign(row=answers["row"].astype(int).astype(one))
        assert np.array_equal(load(keyed, None, answers=given, id="key").codes, expected)


def test_an_id_that_names_two_rows():
    frame, _ = several(60)
    keyed = frame[["a", "b"]].assign(key=[f"p{i % 30}" for i in range(60)])
    answers = long(frame[:30], ["by0", "by1"])
    answers["row"] = "p" + answers["row"].astype(str)
    with pytest.raises(ValueError, match="'key' has 'p0' twice: answers need an id that names one"):
        load(keyed, None, answers=answers, id="key")
    keyed.loc[30:, "key"] = None
    assert load(keyed, None, answers=answers, id="key").known.sum() == answers["row"].nunique()


def test_whole_numbers_beside_gaps_are_spelled_as_elsewhere():
    """Pandas makes them floats, of which 0 and 1 would be other words than in a column of text."""
    frame, _, _, rng = table(60)
    truth = rng.integers(0, 2, 60)
    frame["by0"], frame["by1"] = truth, np.where(np.arange(60) < 5, np.nan, truth)
    frame["by2"] = np.where(np.arange(60) < 2, "unsure", truth.astype(str))
    read = load(frame, ["by0", "by1", "by2"])
    assert read.schema.classes == ("0", "1")
    assert np.array_equal(read.codes, truth)
    who = np.where(np.arange(60) < 5, np.nan, np.arange(60) % 3)
    read = load(
        frame.assign(label=truth, who=who)[[*"abc", "label", "who"]], "label", annotator="who"
    )
    assert read.answers.annotators.tolist() == ["(nobody)", "0", "1", "2"]
    answers = pd.DataFrame({"row": np.arange(60), "annotator": np.arange(60) % 3 + 0.0})
    read = load(frame[[*"abc"]], None, answers=answers.assign(answer=truth))
    assert read.answers.annotators.tolist() == [0, 1, 2]


@pytest.mark.slow
def test_an_annotator_who_is_often_wrong(tmp_path):
    """Is named, is no feature, and its labels are more suspect."""
    frame, truth, other, rng = table(400)
    who = rng.choice(["ann", "bob", "cy", "dee"], 400)
    wrong = rng.random(400) < np.where(who == "cy", 0.4, 0.02)
    frame["who"], frame["label"] = who, np.where(wrong, other, truth)
    found = audit(frame, "label", annotator="who", effort="fast")
    listed = found.summary["annotators"]["listed"]
    assert found.schema.names == ("a", "b", "c")
    assert listed[0]["name"] == "cy"
    low, high = listed[0]["interval"]
    assert low <= wrong[who == "cy"].mean() <= high
    assert wrong[found.suspects["row"]].mean() > 0.8
    found.save(tmp_path / "out")
    again = Audit.read(tmp_path / "out")
    assert np.array_equal(again.model.found_.posterior, found.model.found_.posterior)
    assert "Who is wrong how often" in (tmp_path / "out" / "report.html").read_text("utf-8")


@pytest.mark.slow
def test_several_answers():
    frame, truth = several()
    found = audit(frame, ["by0", "by1", "by2"], effort="fast")
    cleaned = found.cleaned
    some = cleaned["consensus"].notna()
    majority = frame[["by0", "by1", "by2"]].mode(axis=1)[0]
    assert (cleaned["nacre_label"] == truth).mean() > 0.93
    assert (cleaned["consensus"] == truth)[some].mean() > (majority == truth)[some].mean()
    assert [one["name"] for one in found.summary["annotators"]["listed"]] == ["by2", "by1", "by0"]
    assert found.summary["annotators"]["to_ask"]["count"] < 60
    assert found.summary["file"] is None
