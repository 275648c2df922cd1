"""Answers of several annotators: what they come to, and how they are read."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from nacre import judge_answers, judge_labels
from nacre.noise import flip_labels
from nacre.noise.annotators import Witness, fit_crowd, left_open
from tests.noise.test_annotators import crowd_data


def long(answers, names="abcdefgh"):
    return pd.DataFrame(
        {
            "row": answers.row,
            "annotator": [names[j] for j in answers.by],
            "answer": [("x", "y", "z")[k] for k in answers.said],
        }
    )


def wide(table, n):
    return table.pivot(index="row", columns="annotator", values="answer").reindex(range(n))


def chances_of(truth, n_classes, right=0.8, seed=0):
    """Probabilities by a model that is right so often, and calibrated."""
    rng = np.random.default_rng(seed)
    n = len(truth)
    said = np.where(rng.random(n) < right, truth, rng.integers(n_classes, size=n))
    out = np.full((n, n_classes), (1 - right) / n_classes)
    out[np.arange(n), said] += right
    return out


def test_better_than_the_majority():
    truth, answers = crowd_data(300, [0.05, 0.2, 0.5, 0.5, 0.5], asked=0.8)
    chances = chances_of(truth, 3)
    found = judge_answers(long(answers), chances)
    majority = (answers.votes.argmax(axis=1) == truth).mean()
    right = (found.consensus == np.array(["x", "y", "z"])[truth]).mean()
    alone = judge_answers(long(answers))
    assert right > majority + 0.05
    assert right >= (alone.consensus == np.array(["x", "y", "z"])[truth]).mean() - 0.01
    assert found.annotators.names[found.annotators.order[-1]] == "a"
    assert np.abs(found.annotators.rates - [0.05, 0.2, 0.5, 0.5, 0.5]).max() < 0.1
    assert abs(found.noise.rate - (1 - right)) < 0.05


def test_wide_and_long_are_the_same():
    truth, answers = crowd_data(60, [0.1, 0.3, 0.3])
    table = long(answers)
    chances = chances_of(truth, 3)
    one, other = judge_answers(table, chances), judge_answers(wide(table, 60), chances)
    plain = judge_answers(wide(table, 60).to_numpy(object), chances)
    assert np.array_equal(one.posterior, other.posterior)
    assert np.array_equal(one.posterior, plain.posterior)
    assert other.annotators.names.tolist() == ["a", "b", "c"]
    assert plain.annotators.names.tolist() == [0, 1, 2]
    numbered = judge_answers(wide(table, 60).set_axis([3, 4, 5], axis=1), chances)
    assert np.array_equal(one.posterior, numbered.posterior)
    assert numbered.annotators.names.tolist() == [3, 4, 5]


def test_a_consensus_is_what_somebody_said():
    truth, answers = crowd_data(200, [0.3, 0.3], asked=0.6, seed=2)
    found = judge_answers(long(answers), chances_of(truth, 3))
    votes = answers.votes
    some = votes.any(axis=1)
    assert not some.all()
    assert np.all(votes[np.flatnonzero(some), found.given[some]] > 0)
    assert np.isnan(found.agreement[~some]).all()
    assert np.array_equal(found.given[~some], found.posterior[~some].argmax(axis=1))
    assert np.all(found.posterior[found.to_ask].max(axis=1) < 0.8)
    assert found.answer_quality.shape == answers.row.shape


def test_one_annotator_is_judged_as_labels_are():
    truth = np.random.default_rng(0).integers(2, size=300)
    labels, _ = flip_labels(truth, 0.1, random_state=0)
    chances = chances_of(truth, 2, 0.95)
    found = judge_answers(labels[:, None], chances)
    same = judge_labels(chances, labels)
    assert np.allclose(found.posterior, same.posterior)
    assert np.array_equal(found.suspects, same.suspects)
    assert found.annotators.rates == pytest.approx([same.noise.rate], abs=1e-6)


def test_labels_of_a_bad_annotator_are_more_suspect():
    rng = np.random.default_rng(0)
    truth, who = rng.integers(2, size=600), rng.integers(6, size=600)
    wrong = rng.random(600) < np.where(who == 3, 0.4, 0.02)
    labels = np.where(wrong, 1 - truth, truth)
    chances = chances_of(truth, 2, 0.9)
    table = pd.DataFrame({"row": np.arange(600), "annotator": who, "answer": labels})
    found, blind = judge_answers(table, chances), judge_labels(chances, labels)
    assert found.annotators.order[0] == 3
    low, high = found.annotators.intervals[3]
    assert low <= wrong[who == 3].mean() <= high
    assert low > found.annotators.rates[[0, 1, 2, 4, 5]].max()
    hit = [wrong[one.order[: wrong.sum()]].mean() for one in (found, blind)]
    assert hit[0] > hit[1]


def test_annotators_that_are_alike_change_nothing():
    rng = np.random.default_rng(1)
    truth, who = rng.integers(2, size=400), rng.integers(8, size=400)
    chances = chances_of(truth, 2, 0.9)
    table = pd.DataFrame({"row": np.arange(400), "annotator": who, "answer": truth})
    found, blind = judge_answers(table, chances), judge_labels(chances, truth)
    assert np.allclose(found.posterior, blind.posterior)
    assert not found.noise.settled


def test_clean_rows():
    truth, answers = crowd_data(100, [0.2, 0.2, 0.2], asked=1.0)
    clean = (answers.votes.argmax(axis=1) == truth) & (np.arange(100) < 50)
    found = judge_answers(long(answers), clean=clean)
    assert np.all(found.quality[clean] == 1.0)
    assert not np.isin(found.suspects, np.flatnonzero(clean)).any()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"row": [0, 1, 7], "annotator": list("aab"), "answer": list("xyx")}, "row 7.*end at 2"),
        ({"row": [0, 1, 0.5], "annotator": list("aab"), "answer": list("xyx")}, "whole numbers"),
        ({"row": ["q", 1, 2], "annotator": list("aab"), "answer": list("xyx")}, "whole numbers"),
        ({"row": [0, 0, 1], "annotator": list("aab"), "answer": list("xyx")}, "'a'.*row 0 twice"),
        ({"row": [0, 1, 2], "annotator": list("aab"), "answer": list("xxx")}, "two classes"),
        ({"row": [0, 1, 2], "annotator": list("aab"), "answer": list("xyw")}, "'w'.*none of"),
        ({"row": [0, 1, 2], "annotator": ["a", None, "b"], "answer": list("xyx")}, "no annotator"),
        ({"row": [0, 1, 2], "annotator": list("aab"), "answer": [None] * 3}, "no answer"),
    ],
)
def test_bad_answers(change, said):
    classes = ["x", "y"] if "none of" in said else None
    with pytest.raises(ValueError, match=said):
        judge_answers(pd.DataFrame(change), np.full((3, 2), 0.5), classes=classes)


def test_other_bad_input():
    with pytest.raises(ValueError, match="No row has more than one answer"):
        judge_answers(np.array([["x", None], [None, "y"]], object))
    with pytest.raises(ValueError, match="has 2 rows, pred_probs has 3"):
        judge_answers([["x", "y"], ["y", "y"]], np.full((3, 2), 0.5))
    with pytest.raises(ValueError, match="3 columns, the answers have 2"):
        judge_answers([["x", "y"], ["y", "y"]], np.full((2, 3), 1 / 3))
    with pytest.raises(ValueError, match="1 dimensions"):
        judge_answers(["x", "y"])
    with pytest.raises(ValueError, match="mixes text and numbers"):
        judge_answers([["x", 1], ["y", 2]])


def test_an_annotator_of_one_answer_does_no_harm():
    _, answers = crowd_data(100, [0.1, 0.1, 0.2], asked=1.0)
    table = long(answers)
    more = pd.DataFrame({"row": [5], "annotator": ["once"], "answer": ["z"]})
    before, after = judge_answers(table), judge_answers(pd.concat([table, more]))
    others = np.arange(100) != 5
    assert (before.given[others] == after.given[others]).mean() >= 0.98
    low, high = after.annotators.intervals[after.annotators.names.tolist().index("once")]
    assert high - low > 0.2


def test_functions_that_say_one_thing_only():
    """Each of them tells by what it answers at all: the classical model learns nothing of them."""
    rng = np.random.default_rng(3)
    truth = rng.integers(2, size=800)
    table = np.full((800, 4), None)
    for j in range(4):
        fires = rng.random(800) < np.where(truth == j % 2, 0.5, 0.05)
        table[fires, j] = j % 2
    found = judge_answers(table, chances_of(truth, 2, 0.7))
    some = found.n_answers > 0
    assert (found.consensus == truth)[some].mean() > 0.93


def test_intervals_allow_for_mistakes_that_all_make():
    """One row in ten misleads everybody alike: no answer shows it, and the intervals hold."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=600)
    seen = np.where(rng.random(600) < 0.06, 1 - truth, truth)
    own = rng.random((600, 6)) < np.linspace(0.05, 0.3, 6)
    answers = np.where(own, 1 - seen[:, None], seen[:, None])
    wrong = (answers != truth[:, None]).mean(axis=0)
    found = judge_answers(answers)
    low, high = found.annotators.intervals.T
    assert np.all((low <= wrong) & (wrong <= high))
    assert np.all(high - low < 0.35)
    assert found.noise.interval[1] > (found.consensus != truth).mean()


def test_nobody_vouches_for_a_function_that_is_alone_with_its_class():
    """Each function says one thing; most rows have one answer: how often it is right is open."""
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=900)
    answers = np.full((900, 3), None, object)
    for k in range(3):
        fires = rng.random(900) < np.where(truth == k, 0.5, 0.15)
        answers[fires, k] = "abc"[k]
    said = pd.notna(answers)
    some = said.any(axis=1)
    answers, truth, said = answers[some], truth[some], said[some]
    wrong = np.array([np.mean(truth[said[:, k]] != k) for k in range(3)])
    chances = np.full((len(truth), 3), 1 / 3)
    found = judge_answers(answers, chances, classes=list("abc"))
    low, high = found.annotators.intervals.T
    assert np.all((low <= wrong) & (wrong <= high))
    assert np.all(high - low > 0.5)
    all_ = np.ones(len(truth), bool)
    checked = judge_answers(answers, chances, clean=all_, classes=list("abc"))
    assert np.all(np.ptp(checked.annotators.intervals, axis=1) < 0.2)


def test_named_columns_may_come_in_any_order_whatever_says_the_classes():
    truth = np.arange(200) % 2
    labels = np.array(["no", "yes"])
    wrong = np.random.default_rng(0).random((200, 3)) < 0.2
    answers = labels[np.where(wrong, 1 - truth[:, None], truth[:, None])]
    chances = chances_of(truth, 2)
    expected = judge_answers(answers, chances).posterior
    frame = pd.DataFrame(chances, columns=labels)[labels[::-1]]
    for classes in (None, labels):
        np.testing.assert_allclose(
            judge_answers(answers, frame, classes=classes).posterior, expected
        )


def test_other_columns_beside_long_answers_are_ignored():
    table = long(crowd_data(100, [0.1, 0.2, 0.3])[1])
    more = table.assign(when=range(len(table)))
    one, two = judge_answers(table), judge_answers(more)
    assert two.annotators.names.tolist() == one.annotators.names.tolist()
    np.testing.assert_array_equal(one.posterior, two.posterior)


@pytest.mark.parametrize(("overlap", "wrong"), [(1, 0.02), (20, 0.02), (5, 0.2)])
def test_few_rows_of_several_answers_say_little(overlap, wrong):
    """Without a model: what all annotators have in common is known from these rows only."""
    held = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        truth = rng.integers(2, size=300)
        row = np.append(np.arange(300), np.arange(overlap))
        by = rng.integers(4, size=300)
        by = np.append(by, (by[:overlap] + 1) % 4)
        flipped = rng.random(len(row)) < wrong
        table = pd.DataFrame({"row": row, "annotator": by, "answer": truth[row] ^ flipped})
        found = judge_answers(table)
        low, high = found.noise.interval
        held.append(low <= (found.consensus != truth).mean() <= high)
        rates = np.bincount(by, flipped) / np.bincount(by)
        ends = found.annotators.intervals.T
        held.extend((ends[0] <= rates) & (rates <= ends[1]))
    assert np.mean(held[::5]) >= 0.9
    assert np.mean(held) >= 0.9


def test_many_rows_of_several_answers_leave_little_open():
    truth, answers = crowd_data(3000, [0.1, 0.2, 0.3])
    rows = np.ones(3000, bool)
    posterior, _ = fit_crowd(answers, Witness(None))
    consensus = posterior.argmax(axis=1)
    shifts = left_open(answers, posterior, consensus, rows)
    assert np.all((shifts[:, 0] < 0) & (shifts[:, 1] > 0))
    assert np.abs(shifts).max() < 0.02
    few = replace(answers, row=answers.row[answers.by == 0], by=answers.by[answers.by == 0] * 0,
                  said=answers.said[answers.by == 0])  # fmt: skip
    assert left_open(few, np.full((3000, 3), 1 / 3), truth, rows)[0] == pytest.approx(
        [-0.24, 0.24], abs=0.03
    )
    known = np.eye(3)[truth]  # rows that are known tell of single answers, too
    ends = left_open(few, known, truth, rows)[0]
    assert np.abs(ends).max() < 0.02
