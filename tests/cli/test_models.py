"""``nacre fit`` and ``nacre predict``."""

import json

import numpy as np
import pytest

from nacre import load_model
from nacre.auditing.predictions import PREDICTED
from nacre.cli.models import MODELS
from nacre.data import Schema
from nacre.io import read_table
from tests.auditing.test_audit import make
from tests.cli.runner import run
from tests.cli.test_audit import names, refused


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


def test_models_that_there_are_not(folder):
    result = run("fit", folder / "cases.csv", "--label", "state", "--model", "perceptron")
    assert result.exit_code == 2
    words = " ".join(result.stderr.replace("│", " ").split())
    assert "'perceptron' is not one of adaboost, aveboost" in words
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
    refused(run(*predict, folder / "x.txt"))


def test_folders_above_the_answer_are_made(folder, tmp_path):
    words = ["predict", folder / "cases.nacre", folder / "cases.csv", "--out"]
    result = run(*words, tmp_path / "deep" / "er" / "OUT.CSV")
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "deep" / "er" / "OUT.CSV").exists()


def test_a_device_is_no_model(folder):
    words = ["predict", "/dev/zero", folder / "cases.csv", "--force"]
    refused(run(*words), "/dev/zero: not a file.")
