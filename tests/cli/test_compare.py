"""``nacre compare``."""

import json

from tests.auditing.summaries import make_summary
from tests.cli.runner import run


def test_compare(tmp_path):
    old, new = make_summary(), make_summary(suspects=0)
    new["noise"] |= {"rate": 0.01, "interval": [0.0, 0.02]}
    new["nacre"], new["settings"] = "1.1", {"effort": "fast", "seed": 0}
    for name, one in (("old", old), ("new", new)):
        (tmp_path / f"{name}.json").write_text(json.dumps(one))
    result = run("compare", tmp_path / "old.json", tmp_path / "new.json")
    assert result.exit_code == 0, result.stderr
    shown = " ".join(result.stdout.split())
    for words in ("The noise rate has fallen by 9.2%", "0 rows added, 0 removed",
                  "60 suspect no more, of rows that are still there:", "0 suspect then and now",
                  "by nacre 1.0 and 1.1", "differ in their effort"):  # fmt: skip
        assert words in shown
    result = run("compare", tmp_path / "old.json", tmp_path / "new.json", "--json")
    found = json.loads(result.stdout)
    assert len(found["suspects"]["cleared"]) == 60
    assert found["noise"]["fell"]


def test_compare_says_which_rows_the_rates_are_of(tmp_path):
    old, new = make_summary(), make_summary(trusted=100)
    new["noise"]["of"] = 469
    for name, one in (("old", old), ("new", new)):
        (tmp_path / f"{name}.json").write_text(json.dumps(one))
    result = run("compare", tmp_path / "old.json", tmp_path / "new.json")
    assert result.exit_code == 0, result.stderr
    assert (
        "Noise rates are of the rows that are not trusted, 569 of 569 before and 469 of 569 now: "
        "they are not of the same rows."
    ) in " ".join(result.stdout.split())
    result = run("compare", tmp_path / "old.json", tmp_path / "old.json")
    assert "trusted" not in result.stdout


def test_compare_shows_text_as_text(tmp_path):
    old, new = (
        make_summary(suspects=0, text="\x1b]0;x\x07[red]"),
        make_summary(text="\x1b]0;x\x07[red]"),
    )
    for name, one in (("old", old), ("new", new)):
        (tmp_path / f"{name}.json").write_text(json.dumps(one))
    result = run("compare", tmp_path / "old.json", tmp_path / "new.json")
    assert result.exit_code == 0, result.stderr
    assert "\x1b" not in result.stdout
    assert "[red]" in result.stdout


def test_compare_refuses(tmp_path):
    (tmp_path / "a.json").write_text("[]")
    result = run("compare", tmp_path / "a.json", tmp_path / "b.json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "other keys stand there" in result.stderr
