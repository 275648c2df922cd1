import inspect
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import AdaBoostClassifier as Peer
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from nacre import AdaBoostClassifier, diagnostics
from nacre.diagnostics import hits
from nacre.diagnostics.ensemble import as_hits, as_mislabeled, as_numbers, pick_rounds
from tests.training import noisy_problem

PROBLEM = noisy_problem(n=60, d=3, n_classes=3, gaps=0.1)
LABELS = np.array(["low", "mid", "top"])[PROBLEM.y]


# What the package shows


def test_the_public_names_exist_and_are_documented():
    for name in diagnostics.__all__:
        text = inspect.getdoc(getattr(diagnostics, name))
        assert text
        if inspect.isfunction(getattr(diagnostics, name)):
            assert f">>> from nacre.diagnostics import {name}" in text or f", {name}" in text


@pytest.mark.parametrize("name", [n for n in diagnostics.__all__ if n[0].islower()])
def test_parameters_are_documented(name):
    documented = getattr(diagnostics, name)
    text = inspect.getdoc(documented)
    for parameter in inspect.signature(documented).parameters:
        assert f"\n{parameter} : " in text


@pytest.mark.slow
def test_matplotlib_is_imported_when_something_is_drawn():
    code = "import nacre.diagnostics, sys; print('matplotlib' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


# Hits


@pytest.mark.parametrize("learner", [None, DecisionTreeClassifier(max_depth=2)])
def test_hits_are_those_of_the_hypotheses(learner):
    model = AdaBoostClassifier(learner, n_estimators=7, random_state=0).fit(PROBLEM.X, LABELS)
    found = hits(model, PROBLEM.X, LABELS)
    assert found.dtype == np.int8
    for row, one in zip(found, model.estimators_, strict=True):
        assert np.array_equal(row > 0, one.predict(PROBLEM.X) == PROBLEM.y)


def test_hits_of_a_data_frame():
    frame = pd.DataFrame(PROBLEM.X, columns=["a", "b", "c"])
    model = AdaBoostClassifier(n_estimators=4).fit(frame, LABELS)
    plain = AdaBoostClassifier(n_estimators=4).fit(PROBLEM.X, LABELS)
    assert np.array_equal(hits(model, frame, LABELS), hits(plain, PROBLEM.X, LABELS))


def test_hits_of_anyone_s_booster():
    X = np.nan_to_num(PROBLEM.X)
    peer = Peer(n_estimators=6, random_state=0).fit(X, LABELS)
    found = hits(peer, X, LABELS)
    for row, one in zip(found, peer.estimators_, strict=True):
        assert np.array_equal(row > 0, one.predict(X) == LABELS)


def test_bad_models_and_labels():
    X, y = np.nan_to_num(PROBLEM.X), LABELS
    with pytest.raises(NotFittedError):
        hits(AdaBoostClassifier(), X, y)
    forest = RandomForestClassifier(2, random_state=0).fit(X, y)
    with pytest.raises(TypeError, match="hypotheses vote, got RandomForestClassifier"):
        hits(forest, X, y)
    model = AdaBoostClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="labels of classes_ only"):
        hits(model, X, np.where(y == "low", "new", y))
    with pytest.raises(ValueError, match="X has 60 rows, y has 59"):
        hits(model, X, y[:-1])


# How diagnostics take their input


def test_rounds_are_counted_from_one():
    assert pick_rounds(None, 3)[0].tolist() == [1, 2, 3]
    assert pick_rounds(None, 3)[1] is False
    chosen, single = pick_rounds(-1, 5)
    assert (chosen.tolist(), single) == ([5], True)
    assert pick_rounds(np.int64(2), 5)[1]
    assert pick_rounds([5, 1, -2], 5)[0].tolist() == [5, 1, 4]


@pytest.mark.parametrize("rounds", [0, 6, -6, 1.5, [1, 0], "2", [[1]], True])
def test_bad_rounds(rounds):
    with pytest.raises(ValueError, match="rounds must be whole numbers from 1 to 5"):
        pick_rounds(rounds, 5)


def test_other_bad_input():
    with pytest.raises(ValueError, match="The ensemble is empty"):
        pick_rounds(None, 0)
    with pytest.raises(ValueError, match=r"shape \(rounds, rows\), got 1 dimension"):
        as_hits([1, -1])
    with pytest.raises(ValueError, match=r"must be \+1"):
        as_hits([[1, 0]])
    with pytest.raises(
        ValueError, match=r"votes must be a list of 2, got an array of shape \(3,\)"
    ):
        as_numbers([1, 2, 3], "votes", 2)
    with pytest.raises(ValueError, match="at must be a list, got"):
        as_numbers([[1]], "at")
    with pytest.raises(ValueError, match="votes contains NaN"):
        as_numbers([np.nan], "votes")
    with pytest.raises(ValueError, match="boolean mask of 2 rows"):
        as_mislabeled([0, 1], 2)
    with pytest.raises(ValueError, match="boolean mask of 3 rows"):
        as_mislabeled([True, False], 3)
    for mask in ([True, True], [False, False]):
        with pytest.raises(ValueError, match="mark some rows, and leave others"):
            as_mislabeled(mask, 2)
