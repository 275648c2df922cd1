"""``nacre fit`` and ``nacre predict``."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from nacre import AdaBoostClassifier, NacreClassifier, Tree, load_model
from nacre.auditing.compare import held_out_metrics
from nacre.auditing.predictions import PREDICTED
from nacre.cli.models import MODELS
from nacre.data import Schema
from nacre.io import read_table
from nacre.io.read import read_source
from tests.auditing.test_audit import make
from tests.cli.runner import run
from tests.cli.test_audit import names, refused
from tests.training import noisy_problem


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    frame, _ = make(120)
    frame.drop(columns="truth").to_csv(folder / "cases.csv", index=False)
    words = ["fit", folder / "cases.csv", "--label", "state", "--model", "adaboost"]
    assert run(*words).exit_code == 0
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in MODELS if name != "Nacre"])
def test_every_model_can_be_fitted_and_read_again(name, folder, tmp_path):
    out = tmp_path / "some.nacre"
    result = run("fit", folder / "cases.csv", "--label", "state", "--model", name.lower(),
                 "--out", out, "--json")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert (found["model"], found["rows"]) == (f"{name}Classifier", 120)
    assert type(load_model(out)[0]).__name__ == found["model"]


def test_parameters_and_scores(folder, tmp_path):
    """It took no parameters of the booster, and did not say how good the model is."""
    out = tmp_path / "p.nacre"
    words = ["fit", folder / "cases.csv", "--label", "state", "--model", "pboost", "--out", out]
    sets = ["--set", "p=0.9", "--set", "n_estimators=7", "--set", "variant=strict"]
    said = run(*words, *sets)
    assert said.exit_code == 0, said.stderr
    shown = re.search(r"accuracy (\d+\.\d)% ± \d+\.\d, log loss \d", " ".join(said.stdout.split()))
    assert float(shown.group(1)) > 70
    model, _ = load_model(out)
    assert (model.p, model.n_estimators, model.variant) == (0.9, 7, "strict")
    found = json.loads(run(*words, *sets, "--force", "--json").stdout)
    assert found["settings"] == {"p": 0.9, "n_estimators": 7, "variant": "strict"}
    assert f"{100 * found['metrics']['accuracy']['mean']:.1f}" == shown.group(1)


def test_scores_are_of_rows_held_out():
    training = noisy_problem(n=150, d=2, flip=0.5)
    model = AdaBoostClassifier(Tree(None), 1).fit(training.X, training.y)
    assert model.score(training.X, training.y) == 1.0
    assert held_out_metrics(model, training, 0)["accuracy"]["mean"] < 0.9
    robust = NacreClassifier("fast", random_state=0).fit(training.X, training.y)
    right = robust.found_.probabilities.argmax(axis=1) == training.y
    own = held_out_metrics(robust, training, 0)["accuracy"]["mean"]
    assert own == pytest.approx(right.mean(), abs=0.01)


@pytest.mark.parametrize("wrong", ["p", "q=1", "=1"])
def test_parameters_that_there_are_not(folder, wrong):
    words = ["fit", folder / "cases.csv", "--label", "state", "--model", "pboost"]
    result = run(*words, "--set", wrong)
    assert result.exit_code == 2
    assert "must be NAME=VALUE, the name one of" in " ".join(result.stderr.split())
    refused(run(*words, "--set", "p=-1", "--out", folder / "no.nacre"), "p must be")


def test_models_that_there_are_not(folder):
    result = run("fit", folder / "cases.csv", "--label", "state", "--model", "perceptron")
    assert result.exit_code == 2
    words = " ".join(result.stderr.replace("│", " ").split())
    assert "'perceptron' is not one of adaboost, adaboostreg, aveboost" in words
    assert "snrboost" in " ".join(run("fit", "--help").stdout.split())


def test_predictions(folder, tmp_path):
    out = tmp_path / "out.csv"
    result = run("predict", folder / "cases.nacre", folder / "cases.csv", "--out", out, "--explain")
    assert result.exit_code == 0, result.stderr
    assert "120 rows predicted" in result.stdout
    written = read_table(out)
    model, plain = load_model(folder / "cases.nacre")
    X = Schema.from_dict(plain).matrix(folder / "cases.csv")
    assert written["nacre_predicted"].to_list() == model.predict(X).tolist()
    np.testing.assert_allclose(
        written["nacre_probability"].to_list(), model.predict_proba(X).max(1)
    )
    assert any("(without it -" in reason for reason in written["nacre_reason"].to_list())
    again = run("predict", folder / "cases.nacre", folder / "cases.csv", "--out", out)
    refused(again, "is there: --force")


def test_predictions_as_json_and_beside_the_file(folder):
    words = ["predict", folder / "cases.nacre", folder / "cases.csv", "--json", "--force"]
    found = json.loads(run(*words).stdout)
    assert found["rows"] == 120 == sum(one["rows"] for one in found["predicted"])
    assert len(found["predictions"]) == 120
    assert (folder / "cases-predicted.csv").exists()


def test_predicted_tables_are_the_input_cell_for_cell(folder, tmp_path):
    """With columns that are named as if they were ours, and hold what JSON has not."""
    head, *lines = (folder / "cases.csv").read_text().splitlines()
    table = [f"{head},nacre_date,nacre_gap, code"]
    table += [f"{line},2020-01-02,{'NA' if i else 0.10},=0x10" for i, line in enumerate(lines)]
    (tmp_path / "in.csv").write_text("\n".join(table))
    result = run("predict", folder / "cases.nacre", tmp_path / "in.csv", "--json")
    assert result.exit_code == 0, result.stderr
    assert set(json.loads(result.stdout)["predictions"][0]) == set(PREDICTED[:2])
    written = (tmp_path / "in-predicted.csv").read_text().splitlines()
    assert written[0] == f"{table[0]},{','.join(PREDICTED[:2])}"
    for before, after in zip(table[1:], written[1:], strict=True):
        assert after.startswith(before.replace("=0x10", "'=0x10"))


def test_earlier_predictions_are_replaced(folder, tmp_path):
    """Also where their cells were spelled as no value is, and so kept as text."""
    head, *lines = (folder / "cases.csv").read_text().splitlines()
    table = [f"{head},{','.join(PREDICTED[:2])}", *(f"{line}, none,0.10" for line in lines)]
    (tmp_path / "again.csv").write_text("\n".join(table))
    assert run("predict", folder / "cases.nacre", tmp_path / "again.csv").exit_code == 0
    assert run("predict", folder / "cases.nacre", folder / "cases.csv", "--out",
               tmp_path / "once.csv").exit_code == 0  # fmt: skip
    assert (tmp_path / "again-predicted.csv").read_text() == (tmp_path / "once.csv").read_text()


def test_a_model_is_not_replaced_without_force(folder):
    words = ["fit", folder / "cases.csv", "--label", "state", "--model", "adaboost"]
    refused(run(*words), "is there: --force")
    assert run(*words, "--force").exit_code == 0


def test_model_files_that_are_cut_altered_or_something_else(folder, tmp_path):
    whole = (folder / "cases.nacre").read_bytes()
    middle = len(whole) // 2
    altered = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    for content in (whole[:middle], altered, b"", b"size,state\n1,ill\n"):
        (tmp_path / "bad.nacre").write_bytes(content)
        refused(
            run(
                "predict", tmp_path / "bad.nacre", folder / "cases.csv", "--out", tmp_path / "x.csv"
            )
        )
    words = ["predict", tmp_path / "none.nacre", folder / "cases.csv", "--out", tmp_path / "x.csv"]
    refused(run(*words), "none.nacre")
    assert names(tmp_path) == ["bad.nacre"]


def test_a_table_that_lacks_columns(folder, tmp_path):
    (tmp_path / "other.csv").write_text("size\n1\n2\n")
    result = run("predict", folder / "cases.nacre", tmp_path / "other.csv")
    refused(result, "lacks the columns")
    assert names(tmp_path) == ["other.csv"]


def test_a_place_that_cannot_be_written_to(folder):
    words = ["fit", folder / "cases.csv", "--label", "state", "--out"]
    refused(run(*words, "/proc/no/where.nacre"), "/proc")
    predict = ["predict", folder / "cases.nacre", folder / "cases.csv", "--out"]
    refused(run(*predict, "/proc/no/where.csv"))
    refused(run(*predict, folder / "x.txt"), "nacre: 'x.txt' must end in .csv, .parquet or .xlsx")
    refused(run("predict", "none.nacre", "none.csv", "--out", "x.txt"), "'x.txt' must end in")


def test_notes_on_the_file_are_said(folder, tmp_path):
    """Such as which sheet of a workbook was read."""
    sheet = read_table(folder / "cases.csv").to_pandas()
    with pd.ExcelWriter(tmp_path / "book.xlsx") as book:
        sheet.to_excel(book, sheet_name="new", index=False)
        sheet[:5].to_excel(book, sheet_name="old", index=False)
    words = ["predict", folder / "cases.nacre", tmp_path / "book.xlsx", "--force"]
    note = read_source(tmp_path / "book.xlsx").notes[0]
    assert "'new'" in note
    result = run(*words)
    assert result.exit_code == 0, result.stderr
    assert note in " ".join(result.stdout.split())
    assert json.loads(run(*words, "--json").stdout)["notes"] == [note]


def test_folders_above_the_answer_are_made(folder, tmp_path):
    words = ["predict", folder / "cases.nacre", folder / "cases.csv", "--out"]
    result = run(*words, tmp_path / "deep" / "er" / "OUT.CSV")
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "deep" / "er" / "OUT.CSV").exists()


def test_a_device_is_no_model(folder):
    words = ["predict", "/dev/zero", folder / "cases.csv", "--force"]
    refused(run(*words), "/dev/zero: not a file.")
