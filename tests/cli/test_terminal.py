"""What reaches a terminal."""

from rich.table import Table

from nacre.cli.terminal import Terminal
from tests.cli.runner import run


def test_strings_and_tables(capsys):
    table = Table("a\x1b[2J", title="t\x1b]0;x\x07")
    table.add_row("[bold]b\x1b[31m[/bold] :x:")
    terminal = Terminal()
    terminal.print("c\x1b[5m :warning:")
    terminal.print(table)
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    for word in ("c :warning:", "b :x:"):
        assert word in shown


def test_labels_names_and_files_are_printed_without_codes(tmp_path):
    """By a fit and a prediction, and where they are refused."""
    table, model = tmp_path / "\x1b[2Jtable.csv", tmp_path / "\x1b]0;x\x07model.nacre"
    rows = [f"{i},\x1b]0;y\x07{'ab'[i % 2]},\x1b[3{i % 2}mclass{i % 2}\x9b0m" for i in range(40)]
    table.write_text("\n".join(["n\x1b[5m,kind,state", *rows]), encoding="utf-8")
    words = ["fit", table, "--label", "state", "--model", "adaboost", "--out", model]
    shown = [run(*words), run("predict", model, table, "--explain"), run(*words)]
    shown += [run("predict", table, table), run("fit", table, "--label", "n")]
    assert [one.exit_code for one in shown] == [0, 0, 1, 1, 1]
    assert "class0: 20" in shown[1].stdout
    for one in shown:
        assert not set("\x1b\x9b\x07") & set(one.stdout + one.stderr)
