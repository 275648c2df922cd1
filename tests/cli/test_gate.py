"""The gate: codes, formats, and a commit that it refuses."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import yaml

from nacre.auditing import audit
from nacre.cli.gate import Format
from tests.auditing.summaries import make_summary
from tests.cli.runner import run

ROOT = Path(__file__).parents[2]
WORDS = ("--label", "state", "--effort", "fast")


def make(n=160, wrong=(), seed=0):
    """Two classes that lie far apart, some labels of which are wrong."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    frame = pd.DataFrame(rng.normal(size=(n, 3)).round(3), columns=["a", "b", "c"])
    frame["a"] += 8 * y
    frame["b"] -= 8 * y
    frame["state"] = np.where(y, "sick", "well")
    for row in wrong:
        frame.loc[row, "state"] = "well" if y[row] else "sick"
    return frame


@pytest.fixture(scope="module")
def noisy(tmp_path_factory):
    """A table with a fifth of its labels wrong, and its audit."""
    folder = tmp_path_factory.mktemp("noisy")
    make(wrong=range(0, 160, 5)).to_csv(folder / "cases.csv", index=False)
    result = run("audit", folder / "cases.csv", *WORDS, "--fail-above", "10%")
    return folder / "cases.csv", result


@pytest.mark.slow
def test_a_limit_that_does_not_hold_has_a_code_of_its_own(noisy):
    file, result = noisy
    assert result.exit_code == 3, result.stderr
    assert "nacre: noise-rate: The 95% interval of the noise rate (" in result.stderr
    assert "lies above the limit of 10.0%." in result.stderr
    assert (file.parent / "cases-audit" / "audit.json").exists()  # to look at


@pytest.mark.slow
@pytest.mark.parametrize("how", [one for one in Format if one is not Format.text])
def test_standard_output_has_the_format_only(noisy, how):
    file, _ = noisy
    limits = ("--fail-above", "0.5", "--max-suspects", 40, "--no-files", "--format", how.value)
    result = run("audit", file, *WORDS, *limits)
    assert result.exit_code == 0, result.stderr
    if how is Format.junit:
        assert ElementTree.fromstring(result.stdout.encode()).get("tests") == "2"
    elif how is Format.markdown:
        assert result.stdout.startswith("## Labels of cases.csv\n")
    else:
        found = json.loads(result.stdout)
        assert ("runs" in found) == (how is Format.sarif)
    out = file.with_name(f"out.{how.value}")
    again = run("audit", file, *WORDS, *limits, "--output-file", out)
    assert (again.exit_code, again.stdout) == (0, "")
    assert out.read_text("utf-8") == result.stdout


@pytest.mark.slow
def test_a_baseline(noisy, tmp_path):
    """Rows may move and good ones be added; wrong ones may not."""
    file, _ = noisy
    base = file.parent / "cases-audit" / "audit.json"
    limits = ("--baseline", base, "--no-files", "--format", "json")
    frame = pd.read_csv(file)
    good = make(20, seed=1)
    path = tmp_path / "later.csv"
    moved = pd.concat([frame.sample(frac=1, random_state=0), good])
    moved.to_csv(path, index=False)
    result = run("audit", path, *WORDS, *limits)
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["gate"]["passed"]
    bad = make(20, wrong=[3, 8], seed=1)
    pd.concat([frame, bad]).to_csv(path, index=False)
    result = run("audit", path, *WORDS, *limits)
    assert result.exit_code == 3
    assert "new-suspects: Of 20 rows that are new or changed since the baseline 2" in result.stderr
    for line in (160 + 3 + 2, 160 + 8 + 2):
        assert f"line {line}" in result.stderr
    assert run("audit", path, *WORDS, *limits, "--max-suspects", 2).exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--fail-above", "5"], "from 0% to 100%"),
        (["--fail-above", "many"], "such as 5% or 0.05"),
        (["--fail-above", "-1%"], "from 0% to 100%"),
        (["--fail-above", "nan"], "from 0% to 100%"),
        (["--max-suspects", "-1"], "--max-suspects"),
        (["--max-suspects", "few"], "--max-suspects"),
        (["--format", "xml"], "--format"),
        (["--format", "sarif", "--json"], "leave one of the two out"),
        (["--output-file", "x.txt"], "needs a --format"),
        (["--no-files", "--out", "x"], "--out is about files"),
        (["--no-files", "--all"], "--all is about files"),
        (["--no-files", "--force"], "--force is about files"),
    ],
)
def test_wrong_words(words, said, tmp_path):
    make().to_csv(tmp_path / "cases.csv", index=False)
    result = run("audit", tmp_path / "cases.csv", *WORDS, *words)
    assert result.exit_code == 2
    shown = " ".join(result.stderr.replace("│", " ").split())
    assert said in shown
    assert result.stdout == ""
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "holds no JSON"),
        (json.dumps(make_summary()), "of other labels: those of 'diagnosis', not 'state'"),
        (json.dumps({**make_summary(), "label": "state"}), "by other columns: 'a', 'b', 'c'"),
    ],
)
def test_bad_baselines_are_refused_before_any_work(text, said, tmp_path):
    make().to_csv(tmp_path / "cases.csv", index=False)
    (tmp_path / "base.json").write_text(text)
    words = ("--baseline", tmp_path / "base.json", "--format", "sarif")
    result = run("audit", tmp_path / "cases.csv", *WORDS, *words)
    assert (result.exit_code, result.stdout) == (1, "")
    assert said in result.stderr
    assert not (tmp_path / "cases-audit").exists()


def test_the_table_is_not_written_over(tmp_path):
    make().to_csv(tmp_path / "cases.csv", index=False)
    before = (tmp_path / "cases.csv").read_bytes()
    words = ("--format", "json", "--output-file", tmp_path / "cases.csv")
    result = run("audit", tmp_path / "cases.csv", *WORDS, *words)
    assert result.exit_code == 1
    assert "is the table itself" in result.stderr
    assert (tmp_path / "cases.csv").read_bytes() == before


def test_a_file_that_cannot_be_written(tmp_path):
    make().to_csv(tmp_path / "cases.csv", index=False)
    words = ("--format", "json", "--output-file", tmp_path / "no" / "x.json")
    result = run("audit", tmp_path / "cases.csv", *WORDS, *words)
    assert result.exit_code == 1
    assert "There is no folder" in result.stderr
    assert not (tmp_path / "cases-audit").exists()


@pytest.mark.slow
def test_lines_of_rows_whose_cells_have_line_breaks(tmp_path):
    frame = make(wrong=range(0, 160, 5))
    frame["note"] = ["two\nlines" if i % 7 == 0 else "x" for i in range(160)]
    frame.to_csv(tmp_path / "cases.csv", index=False)
    found = audit(tmp_path / "cases.csv", "state", effort="fast", ignore=["note"])
    lines = (tmp_path / "cases.csv").read_text().split("\n")
    seen = {}
    for one in found.summary["suspects"]["rows"]:
        first, last = one["lines"]
        text = "\n".join(lines[first - 1 : last])
        seen[one["row"]] = text
        assert text.split(",")[0] == str(frame["a"][one["row"]])
        assert last - first == text.count("\n")
    assert len(seen) > 20


# In a repository


def hook():
    """The entry of the hook that is offered, run by this Python."""
    (offered,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    program, *words = offered["entry"].split()
    assert program == "nacre"
    del offered["additional_dependencies"]  # an environment of its own would need the network
    return {**offered, "entry": f"{sys.executable} -m nacre {' '.join(words)}"}


def git(folder, *words, check=True):
    environment = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "PRE_COMMIT_HOME": str(folder.parent / "pre-commit"),
        "PYTHONPATH": str(Path(sys.modules["nacre"].__file__).parents[1]),
    }
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    return subprocess.run(
        ["git", *who, *words], cwd=folder, env=environment, capture_output=True, text=True,
        check=check,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / ".pre-commit-hooks.yaml").exists(), reason="no sources here")
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")
def test_a_commit_that_corrupts_labels_is_refused(tmp_path):
    """By pre-commit itself, in a real repository, with the hook that is offered."""
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "--initial-branch", "main")
    args = ["cases.csv", *WORDS, "--fail-above", "5%", "--baseline", "baseline.json"]
    local = {**hook(), "language": "system", "files": r"^cases\.csv$", "args": args}
    config = {"repos": [{"repo": "local", "hooks": [local]}]}
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    make().to_csv(folder / "cases.csv", index=False)
    first = run("audit", folder / "cases.csv", *WORDS, "--no-files", "--format", "json")
    (folder / "baseline.json").write_text(first.stdout)
    git(folder, "add", ".")
    git(folder, "commit", "--message", "a table")
    subprocess.run(
        [sys.executable, "-m", "pre_commit", "install"], cwd=folder, check=True,
        capture_output=True, env={**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "pre-commit")},
    )  # fmt: skip

    pd.concat([make(), make(20, seed=1)]).to_csv(folder / "cases.csv", index=False)
    good = git(folder, "commit", "--all", "--message", "more rows", check=False)
    assert good.returncode == 0, good.stdout + good.stderr
    assert "Passed" in good.stdout + good.stderr

    make(wrong=range(0, 160, 5)).to_csv(folder / "cases.csv", index=False)
    bad = git(folder, "commit", "--all", "--message", "labels by another hand", check=False)
    said = bad.stdout + bad.stderr
    assert bad.returncode != 0
    assert "exit code: 3" in said
    assert "nacre: noise-rate: " in said
    assert "nacre: new-suspects: " in said

    (folder / "notes.txt").write_text("other files are not looked at\n")
    git(folder, "checkout", "HEAD", "cases.csv")
    git(folder, "add", "notes.txt")
    other = git(folder, "commit", "--message", "notes", check=False)
    assert other.returncode == 0, other.stdout + other.stderr
    assert git(folder, "rev-list", "--count", "HEAD").stdout.strip() == "3"
    assert not (folder / "cases-audit").exists()


@pytest.mark.skipif(not (ROOT / ".pre-commit-hooks.yaml").exists(), reason="no sources here")
def test_the_hook_is_one_of_pre_commit():
    from pre_commit.clientlib import load_manifest

    (found,) = load_manifest(str(ROOT / ".pre-commit-hooks.yaml"))
    assert (found["id"], found["pass_filenames"]) == ("nacre-audit", False)
