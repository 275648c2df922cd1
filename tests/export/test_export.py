"""Exported models score as they did, in a Python that knows no package."""

import csv
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import nacre
from nacre import AdaBoostClassifier, GradientBoostClassifier, NaiveBayes, Stump, Tree
from nacre.export import export_model
from nacre.export.score import Scorer
from tests.diagnostics.test_contributions import table

MODELS = [
    AdaBoostClassifier(n_estimators=15),
    AdaBoostClassifier(Tree(3), n_estimators=8),
    GradientBoostClassifier(Stump(), n_estimators=8),
    GradientBoostClassifier(n_estimators=6),
    nacre.AveBoostClassifier(n_estimators=6),
    nacre.L2BoostClassifier(Tree(2), n_estimators=4),
]


def rows_of(frame):
    """Rows as a scorer takes them; new categories, gaps and values far out among them."""
    found = frame.itertuples(index=False)
    rows = [[None if pd.isna(value) else value for value in row] for row in found]
    return [*rows, [None] * 5, [1e9, -1e9, 0.0, 0.0, "never seen"]]


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_scores_are_those_of_the_model(model, n_classes):
    X, y = table(n_classes)
    model.fit(X, y)
    scorer = Scorer(json.loads(json.dumps(export_model(model))))
    rows = rows_of(X)
    asked = pd.DataFrame(rows, columns=X.columns)
    asked = asked.astype({**dict.fromkeys("abcd", float), "kind": "category"})
    chances = [scorer.predict_proba(row) for row in rows]
    np.testing.assert_allclose(chances, model.predict_proba(asked), atol=1e-12)
    assert [scorer.predict(row) for row in rows] == model.predict(asked).tolist()
    scores = np.array([scorer.scores(row) for row in rows])
    wanted = model.decision_function(asked)
    np.testing.assert_allclose(scores.squeeze(), wanted, atol=1e-12 * np.abs(wanted).max())


def test_thresholds_are_exact():
    X = np.array([[0.1], [0.1 + 1e-16 * 8], [0.3]])
    model = AdaBoostClassifier(n_estimators=3).fit(X, [0, 1, 0])
    scorer = Scorer(export_model(model))
    at = np.append(np.linspace(0.0, 0.4, 41), X)
    assert [scorer.predict([x]) for x in at] == model.predict(at[:, None]).tolist()


def test_numbers_as_categories_ties_and_nothing_learned():
    X = np.tile([[3.0], [7.0]], (10, 1))
    model = AdaBoostClassifier(n_estimators=3, categorical_features=[0]).fit(X, X[:, 0] == 7)
    scorer = Scorer(export_model(model))
    assert [scorer.predict([x]) for x in (3.0, 7.0, 8.0)] == model.predict([[3], [7], [8]]).tolist()
    with pytest.warns(UserWarning, match="first round"):
        empty = AdaBoostClassifier().fit(np.zeros((3, 1)), [0, 1, 1])
    assert Scorer(export_model(empty)).predict_proba([5.0]) == pytest.approx([1 / 3, 2 / 3])


@pytest.mark.slow
def test_files_need_nothing_but_python(tmp_path):
    """Not even site-packages."""
    X, y = table(4)
    model = AdaBoostClassifier(Tree(2), n_estimators=10).fit(X, y)
    export_model(model, tmp_path / "there")
    X.to_csv(tmp_path / "rows.csv", index=False)
    words = [sys.executable, "-I", "-S", tmp_path / "there" / "score.py",
             tmp_path / "there" / "model.json", tmp_path / "rows.csv"]  # fmt: skip
    run = subprocess.run(words, capture_output=True, text=True, check=True)
    head, *rows = csv.reader(run.stdout.splitlines())
    assert head == ["predicted", "0", "1", "2", "3"]
    np.testing.assert_allclose(np.array(rows, float)[:, 1:], model.predict_proba(X), atol=1e-12)
    with pytest.raises(FileExistsError):
        export_model(model, tmp_path / "there")
    export_model(model, tmp_path / "there", force=True)


def test_what_cannot_be_exported():
    X, y = [[0.0], [1.0]], [0, 1]
    with pytest.raises(TypeError, match="stumps or trees of nacre"):
        export_model(AdaBoostClassifier(NaiveBayes(), 1).fit(X, y))
    with pytest.raises(ValueError, match="no model that nacre has exported"):
        Scorer({})
