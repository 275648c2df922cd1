"""Trees over partitions: as few questions as can be, and no row is lost on the way."""

import dask.array as da
import numpy as np
import pytest

from nacre import GradientBoostClassifier, Tree
from nacre.dask import fit
from nacre.dask.waves import LocalWaves
from tests.training import noisy_problem


def questions(monkeypatch, tree, rounds=4):
    """The names of the questions that are asked, and the model."""
    training, asked = noisy_problem(600, 10), []
    ask = LocalWaves.ask

    def noted(self, entry):
        asked.append(entry)
        return ask(self, entry)

    monkeypatch.setattr(LocalWaves, "ask", noted)
    model = GradientBoostClassifier(tree, n_estimators=rounds)
    fit(model, da.from_array(training.X, (200, 10)), da.from_array(training.y, 200))
    return asked, model


def test_a_level_of_a_tree_is_one_question(monkeypatch):
    asked, _ = questions(monkeypatch, Tree(3))
    names = [type(entry).__name__ for entry in asked]
    assert names == 4 * ["Aimed", "Split", "Split", "Split"] + ["Aimed"]
    lowest = asked[3]
    assert len(lowest.cuts) == 4
    assert {cut.read for cut in lowest.cuts} == {None}  # nobody looks at their children


def test_what_may_be_split_next_is_split_at_once(monkeypatch):
    asked, model = questions(monkeypatch, Tree(None, max_leaves=8))
    splits = [entry for entry in asked if type(entry).__name__ == "Split"]
    assert all(np.count_nonzero(tree.left < 0) == 8 for tree in model.estimators_)
    assert len(splits) <= 6 * 4  # seven decisions a tree
    assert sum(len(entry.cuts) for entry in splits) <= 10 * 4


@pytest.mark.parametrize("leaves", [2, 3])
def test_the_last_split_reads_nothing(monkeypatch, leaves):
    asked, _ = questions(monkeypatch, Tree(None, max_leaves=leaves))
    splits = [entry for entry in asked if type(entry).__name__ == "Split"]
    reads = [cut.read is not None for entry in splits for cut in entry.cuts]
    assert np.count_nonzero(reads) == (leaves - 2) * 4
