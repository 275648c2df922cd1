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
from nacre.export.score import GAPS, Scorer
from nacre.io.kinds import MISSING
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


@pytest.fixture(scope="module")
def by_age(tmp_path_factory):
    """A table and its model, and a function that scores a file in a bare Python."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.normal(size=60), "height": rng.normal(size=60)})
    model = AdaBoostClassifier(n_estimators=5).fit(frame, np.where(frame["age"] > 0, "old", "new"))
    folder = tmp_path_factory.mktemp("scorer")
    export_model(model, folder)

    def score(path):
        words = [sys.executable, "-I", "-S", folder / "score.py", folder / "model.json", path]
        return subprocess.run(words, capture_output=True, text=True)

    return frame, model, score


@pytest.mark.parametrize(
    ("named", "how", "said"),
    [
        (("Age", "height"), {}, "no column 'age', its columns are 'Age', 'height'"),
        (
            ("age", "height"),
            {"sep": ";"},
            "no column 'age', 'height', its columns are 'age;height'",
        ),
        (("old", "height"), {"columns": ["height"]}, "no column 'age', its columns are 'height'"),
    ],
)
def test_a_table_that_lacks_columns_is_not_scored(by_age, tmp_path, named, how, said):
    frame, _, score = by_age
    named = dict(zip(frame.columns, named, strict=False))
    frame.rename(columns=named).to_csv(tmp_path / "t.csv", index=False, **how)
    run = score(tmp_path / "t.csv")
    assert run.returncode == 1
    assert said in run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert not run.stdout


@pytest.mark.parametrize("how", [{"encoding": "utf-8-sig"}, {"na_rep": "NA"}, {"na_rep": " null"}])
def test_marks_of_files_and_words_for_gaps(by_age, tmp_path, how):
    frame, model, score = by_age
    frame = frame.mask(frame > 1)
    frame.to_csv(tmp_path / "t.csv", index=False, **how)
    rows = csv.reader(score(tmp_path / "t.csv").stdout.splitlines()[1:])
    assert [row[0] for row in rows] == model.predict(frame).tolist()
    assert {word.lower() for word in MISSING} == GAPS


def test_what_is_no_number_is_named(by_age, tmp_path):
    (tmp_path / "t.csv").write_text("age,height\n1.5,2\n17 years,2\n")
    run = by_age[2](tmp_path / "t.csv")
    assert run.returncode == 1
    assert "line 3: could not convert string to float: '17 years'" in run.stderr
    with pytest.raises(KeyError, match="age"):
        Scorer(export_model(by_age[1])).predict({"Age": 1.0, "height": 2.0})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("age,height\n1,2\n1\n", "line 3: not as many cells as the header has."),
        ("age,height\n1,2,3\n", "line 2: not as many cells as the header has."),
        ("\xe9", "can't decode"),
        (None, "No such file"),
    ],
)
def test_a_table_that_is_torn_or_missing_is_not_scored(by_age, tmp_path, text, said):
    if text is not None:
        (tmp_path / "t.csv").write_text(text, encoding="latin-1")
    run = by_age[2](tmp_path / "t.csv")
    assert run.returncode == 1
    assert said in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_what_cannot_be_exported():
    X, y = [[0.0], [1.0]], [0, 1]
    with pytest.raises(TypeError, match=r"stumps or trees of nacre, .* kept by nacre\.save_model"):
        export_model(AdaBoostClassifier(NaiveBayes(), 1).fit(X, y))
    with pytest.raises(ValueError, match="no model that nacre has exported"):
        Scorer({})
