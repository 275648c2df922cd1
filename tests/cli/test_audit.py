"""``nacre audit``, ``nacre noise`` and ``nacre demo``."""

import gzip
import json
import os

import pytest

from tests.auditing.test_audit import make
from tests.cli.runner import run

WORDS = ("--label", "state", "--ignore", "truth", "--effort", "fast")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    frame, _ = make(150)
    frame.to_csv(folder / "cases.csv", index=False)
    return folder


@pytest.fixture
def file(folder, tmp_path):
    (tmp_path / "cases.csv").write_bytes((folder / "cases.csv").read_bytes())
    return tmp_path / "cases.csv"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.slow
def test_audit(file):
    result = run("audit", file, *WORDS, "--id", "case")
    assert result.exit_code == 0, result.stderr
    shown = " ".join(result.stdout.split())
    for words in ("cases.csv: 150 rows, 7 columns", "of the labels are wrong", "labels are suspect",
                  "Accuracy on held-out rows", "report.html"):  # fmt: skip
        assert words in shown
    out = file.with_name("cases-audit")
    assert names(out) == ["audit.json", "cleaned.csv", "model.nacre", "report.html", "suspects.csv"]
    assert names(file.parent) == ["cases-audit", "cases.csv"]
    first, *rows = (out / "cleaned.csv").read_text().splitlines()
    assert first == f"{file.read_text().splitlines()[0]},nacre_label,nacre_suspect,nacre_score"
    assert len(rows) == 150


@pytest.mark.slow
def test_json_is_what_the_file_has(file):
    result = run("audit", file, *WORDS, "--json", "--out", file.with_name("out"), "--all")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout) == json.loads(
        file.with_name("out").joinpath("audit.json").read_text()
    )
    assert len((file.with_name("out") / "suspects.csv").read_text().splitlines()) == 151


@pytest.mark.slow
def test_nothing_is_replaced_without_force(file):
    out = file.with_name("cases-audit")
    out.mkdir()
    (out / "report.html").write_text("mine")
    result = run("audit", file, *WORDS)
    assert result.exit_code == 1
    assert "is there: --force" in result.stderr
    assert (out / "report.html").read_text() == "mine"
    assert run("audit", file, *WORDS, "--force").exit_code == 0
    assert (out / "report.html").read_text() != "mine"


BAD_FILES = {
    "empty.csv": b"",
    "header.csv": b"size,state\n",
    "one.csv": b"size,state\n" + b"1,ill\n2,ill\n" * 20,
    "unlabelled.csv": b"size,state\n" + b"1,\n2,\n" * 20,
    "ragged.csv": b"size,state\n1,ill\n1,2,3,4\n",
    "picture.csv": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
    "page.csv": b"<!doctype html><html><body>Not found</body></html>",
    "cut.csv.gz": gzip.compress(b"size,state\n" + b"1,ill\n2,well\n" * 2000)[:40],
    "cut.parquet": b"PAR1 and no more",
}


@pytest.mark.parametrize("name", [*BAD_FILES, "no-such.csv", "no-such-folder/x.csv", "."])
@pytest.mark.parametrize("command", ["audit", "noise", "fit"])
def test_bad_files_get_one_line_and_leave_nothing(command, name, tmp_path):
    path = tmp_path / name
    if name in BAD_FILES:
        path.write_bytes(BAD_FILES[name])
    before = names(tmp_path)
    refused(run(command, path, "--label", "state"))
    assert names(tmp_path) == before


def refused(result, *words):
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("nacre: ")
    for word in words:
        assert word in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--label", "stat"], "did you mean 'state'"),
        (["--label", "state", "--ignore", "nothing"], "no column 'nothing'"),
        (["--label", "state", "--categorical", "knd"], "did you mean 'kind'"),
        (["--label", "state", "--clean", "truth"], "must hold true or false"),
        (["--label", "state", *(f"--ignore=x {j}" for j in range(6)), "--ignore=kind",
          "--ignore=truth"], "No column is left"),
        (["--label", "state", "--out", "{file}"], "is a file: name a folder"),
        (["--label", "state", "--out", "/proc/out"], "/proc"),
    ],
)  # fmt: skip
def test_bad_words_get_one_line_and_leave_nothing(words, said, file):
    result = run("audit", file, *(word.format(file=file) for word in words))
    refused(result, said)
    assert names(file.parent) == ["cases.csv"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_to(file):
    file.parent.chmod(0o500)
    refused(run("audit", file, *WORDS), "Permission denied")


@pytest.mark.slow
def test_noise(file):
    result = run("noise", file, "--label", "state", "--ignore", "truth", "--ignore", "case")
    assert result.exit_code == 0, result.stderr
    assert "of the labels are wrong" in result.stdout
    assert "sick" in result.stdout
    result = run("noise", file, "--label", "state", "--ignore", "truth", "--json")
    found = json.loads(result.stdout)
    assert (found["classes"], found["rows"]) == (["sick", "well"], 150)
    low, high = found["interval"]
    assert low <= found["rate"] <= high


@pytest.mark.slow
def test_noise_says_what_an_audit_says(file, tmp_path):
    words = (file, "--label", "state", "--ignore", "truth", "--effort", "fast", "--json")
    alone = json.loads(run("noise", *words).stdout)
    found = json.loads(run("audit", *words, "--out", tmp_path / "answer").stdout)
    assert alone["rate"] == found["noise"]["rate"]
    assert alone["interval"] == found["noise"]["interval"]
    assert alone["matrix"] == found["noise"]["matrix"]
    assert alone["notes"] == found["notes"]


@pytest.mark.slow
def test_noise_does_not_learn_from_the_id(file):
    by_id = run("noise", file, "--label", "state", "--ignore", "truth", "--id", "case", "--json")
    left_out = run(
        "noise", file, "--label", "state", "--ignore", "truth", "--ignore", "case", "--json"
    )
    assert by_id.stdout == left_out.stdout


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    out = tmp_path_factory.mktemp("demo") / "out"
    result = run("demo", "--json", "--seed", 3, "--out", out)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout), out


@pytest.mark.slow
def test_the_demo_keeps_its_promise(demo):
    found, out = demo
    truth = found["truth"]
    assert (found["rows"], found["columns"], truth["flipped"]) == (569, 30, 57)
    assert truth["caught"] / truth["suspected"] > 0.7
    assert truth["caught"] / truth["flipped"] > 0.7
    assert truth["left"] < truth["flipped"] / 2
    place = found["suspects"]["columns"].index("true diagnosis")
    caught = sum(one["values"][place] != one["given"] for one in found["suspects"]["rows"])
    assert caught == truth["caught"]
    assert (out / "report.html").exists()


@pytest.mark.slow
def test_the_demo_is_shown_with_the_truth(tmp_path):
    result = run("demo", "--rate", "0.05", "--effort", "fast", "--out", tmp_path)
    assert result.exit_code == 0, result.stderr
    shown = " ".join(result.stdout.split())
    for words in ("28 labels were flipped", "in truth", "most suspect", "report.html",
                  "Wrong labels before cleaning: 28"):  # fmt: skip
        assert words in shown


@pytest.mark.parametrize("rate", ["-0.1", "0.5", "2", "many", "nan"])
def test_bad_rates(rate, tmp_path):
    result = run("demo", "--rate", rate, "--out", tmp_path)
    # older versions of click take NaN to be in any range; then it is refused as a rate
    assert result.exit_code == 2 or (rate, result.exit_code) == ("nan", 1)
    assert "rate" in result.stderr
    assert names(tmp_path) == []


@pytest.mark.parametrize("seed", ["-1", str(2**32)])
def test_bad_seeds(seed):
    result = run("demo", "--seed", seed)
    assert result.exit_code == 2
    assert "--seed" in result.stderr


def test_probabilities_that_do_not_fit(file):
    probs = file.with_name("probs.csv")
    probs.write_text("sick,wel\n" + "0.5,0.5\n" * 150)
    result = run("audit", file, *WORDS, "--probabilities", probs)
    assert result.exit_code == 1
    assert result.stderr.startswith("nacre: probs.csv has no column 'well': name the columns")
    probs.write_text("sick,well\n" + "0.5,0.5\n" * 149)
    result = run("audit", file, *WORDS, "--probabilities", probs)
    assert result.exit_code == 1
    assert result.stderr.startswith("nacre: probs.csv has 149 rows, the table has 150")
    probs.write_text("sick;well\n" + "0,5;0,5\n" * 150)
    result = run("audit", file, *WORDS, "--probabilities", probs)
    refused(result, "probs.csv must hold numbers, but column 'sick' has '0,5'", "decimal point")
    assert names(file.parent) == ["cases.csv", "probs.csv"]


def test_a_column_that_is_no_text(file):
    result = run("audit", file, *WORDS, "--text", "nothing")
    assert result.exit_code == 1
    assert result.stderr.startswith("nacre: There is no column 'nothing'")
    result = run("audit", file, *WORDS, "--text", "truth")
    assert result.exit_code == 1
    assert "cannot be text and be left out" in result.stderr
