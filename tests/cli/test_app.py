"""What all commands share."""

import os
import platform
import re
import signal
import subprocess
import sys
import tomllib
import warnings
from importlib.metadata import version
from itertools import chain
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from nacre import __version__
from nacre.cli import app, versions
from nacre.cli.app import one_line, progress_bar
from nacre.cli.topics import TOPICS
from nacre.kernels.binning import midpoint
from nacre.kernels.compile import PLAIN, Kernel
from nacre.progress import Event, Tally, within
from tests.cli.runner import run

COMMANDS = (
    "apply", "audit", "demo", "experiments", "fit", "help", "noise", "predict", "reproduce",
    "review",
)  # fmt: skip


@pytest.mark.parametrize("words", [["demo", "--what"], ["nothing"], ["audit"], ["audit", "x.csv"]])
def test_bad_words(words):
    result = run(*words)
    assert result.exit_code == 2
    assert "Usage" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_wrong_choice_gets_plain_words():
    result = run("audit", "x.csv", "--label", "y", "--effort", "slow")
    assert result.exit_code == 2
    assert "'--effort': 'slow' is not one of full, fast." in " ".join(result.stderr.split())


def test_version():
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout.strip() == f"nacre {__version__}"


def test_what_a_report_of_a_fault_should_say(monkeypatch, tmp_path):
    monkeypatch.setenv("NACRE_DATA", "/secret/place")
    for words in (["--version", "--verbose"], ["--verbose", "--version"]):
        result = run(*words)
        assert result.exit_code == 0
        lines = result.stdout.splitlines()
        said = dict(line.split(" ", 1) for line in lines)
        assert said["nacre"] == __version__
        assert said["numpy"] == version("numpy")
        assert said["python"].startswith(platform.python_version())
        assert any(line.startswith(("openblas", "mkl", "blis")) for line in lines)
        assert "NACRE_DATA" in lines[-1]
        assert "secret" not in result.stdout
    assert versions.installed("no-such-package") == "is not installed"
    assert versions._shown(Path.home() / "cache" / "x") == str(Path("~") / "cache" / "x")
    assert versions._shown(None).startswith("no folder")


def test_versions_of_all_that_nacre_depends_on():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [
        project["dependencies"],
        *(extras[name] for name in ("report", "cli", "plot", "review")),
    ]
    names = {re.match(r"[\w-]+", one)[0] for one in [*chain(*wanted), *extras["table"]]}
    assert names - {"nacre-boost"} <= {*versions.NEEDED, *versions.OPTIONAL}
    assert {re.match(r"[\w-]+", one)[0] for one in project["dependencies"]} == {*versions.NEEDED}


@pytest.mark.parametrize("words", [["--verbose"], ["--verbose", "demo"]])
def test_verbose_alone_is_refused(words):
    result = run(*words)
    assert result.exit_code == 2
    assert "goes with --version" in result.stderr


@pytest.mark.parametrize("topic", TOPICS)
def test_topics(topic):
    assert f"nacre help {topic}" in run("help").stdout
    said = run("help", topic)
    assert said.exit_code == 0
    assert len(said.stdout) > 100
    assert not said.stdout.startswith(" ")
    assert all(len(line) <= 100 for line in said.stdout.splitlines())


def test_help_of_a_command_and_of_nothing():
    assert run("help", "noise").stdout == run("noise", "--help").stdout
    result = run("help", "nothing")
    assert result.exit_code == 2
    assert "answers" in result.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell):
    """The shell asks nacre itself: for the file to install, and for words at each tabulator."""
    asked = {
        "bash": {"COMP_WORDS": "nacre no", "COMP_CWORD": "1"},
        "zsh": {"_TYPER_COMPLETE_ARGS": "nacre no"},
        "fish": {"_TYPER_COMPLETE_ARGS": "nacre no", "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }[shell]
    runner = CliRunner()
    script = runner.invoke(app, [], prog_name="nacre", env={"_NACRE_COMPLETE": f"source_{shell}"})
    assert "_NACRE_COMPLETE" in script.stdout
    words = {**asked, "_NACRE_COMPLETE": f"complete_{shell}"}
    found = runner.invoke(app, [], prog_name="nacre", env=words)
    assert "noise" in found.stdout
    assert "audit" not in found.stdout
    assert "--install-completion" in run("--help").stdout


def test_the_module_runs():
    words = [sys.executable, "-m", "nacre", "--version"]
    result = subprocess.run(words, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == f"nacre {__version__}"


def test_a_terminal_without_some_letters():
    """What it does not have becomes a question mark, but for the sign of plus or minus."""
    code = (
        "import sys; sys.argv = ['nacre', 'sign']\n"
        "from nacre.cli.app import app\nfrom nacre.cli.terminal import Terminal\n"
        "app.command()(lambda: Terminal().print('5 \u00b1 1 \u20ac'))\n"
        "app.registered_commands[-1].name = 'sign'\n"
        "from nacre.__main__ import main\nmain()"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert (result.returncode, result.stdout) == (0, "5 +- 1 ?\n"), result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.parametrize("words", [["--version"], ["experiments"], ["fit", "--help"]])
def test_a_full_device(words):
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [sys.executable, "-m", "nacre", *words], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert result.returncode == 1
    assert result.stderr == "nacre: the answer cannot be printed: No space left on device.\n"


def test_memory_that_is_not_there(capsys):
    with pytest.raises(typer.Exit), one_line():
        raise MemoryError
    assert capsys.readouterr().err.startswith("nacre: there is not enough memory: take fewer rows")


def test_a_library_that_finds_no_room(capsys):
    with pytest.raises(typer.Exit), one_line():
        raise ImportError("/lib/x.so: failed to map segment from shared object")
    said = "nacre: there is not enough memory to load the libraries; see ulimit -v.\n"
    assert capsys.readouterr().err == said
    with pytest.raises(ImportError, match="no such name"), one_line():
        raise ImportError("no such name")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited on Linux only")
@pytest.mark.parametrize("limit", [1e9, 2e9])
def test_too_little_address_space(limit, tmp_path):
    import resource

    table = tmp_path / "table.csv"
    table.write_text("x,y\n" + "1,a\n2,b\n" * 50)
    result = subprocess.run(
        [sys.executable, "-m", "nacre", "audit", str(table), "--label", "y"],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (int(limit), int(limit))),
    )
    assert result.returncode == 1
    assert result.stderr.startswith("nacre: ")
    assert "ulimit -v" in result.stderr
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == [table]


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there are no such signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGKILL"])
def test_nothing_half_written_is_left(name, tmp_path):
    """By a run that is stopped; what a killed one has left, the next removes."""
    code = (
        "import os, sys, time\n"
        "from importlib import import_module\n"
        "home = import_module('nacre.auditing.audit')\n"
        "home.examine = lambda *_: (print('at work', flush=True), time.sleep(60))\n"
        "from nacre.__main__ import main\nmain()"
    )
    (tmp_path / "in.csv").write_text("x,y\n" + "0.5,a\n1.5,b\n" * 10)
    words = ["audit", tmp_path / "in.csv", "--label", "y"]
    with subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "at work\n"
        (half,) = tmp_path.glob(".*")
        process.send_signal(getattr(signal, name))
        process.wait(30)
    if name == "SIGKILL":
        assert half.exists()
        result = run(*words, "--effort", "fast")
        assert result.exit_code == 0, result.stderr
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("words", [["--help"], []])
def test_help_names_all_commands(words):
    result = run(*words)
    assert "Usage" in result.output
    assert all(command in result.output for command in COMMANDS)


def test_help_fits_a_screen(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("--help").output.splitlines()
    assert len(lines) <= 36
    assert all(len(line) <= 80 for line in lines)
    for command in COMMANDS:  # what each does is said in one line
        (line,) = [line for line in lines if line.startswith(f"│ {command} ")]
        assert line.rstrip("│ ").endswith((".", "?"))


@pytest.mark.parametrize("command", COMMANDS)
def test_help_speaks_of_files_and_columns(command):
    """Not of types of Python."""
    shown = run(command, "--help").stdout
    assert not re.search(r"list\[|<(bool|str|path|dir|file)>", shown)
    usage = re.search(r"Usage: \S+ \w+ (.*?) *\n", shown).group(1)
    assert re.fullmatch(r"\[OPTIONS\]( [A-Z]+| \[[A-Z]+\])*", usage)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_shows_an_example(command):
    assert f"Example: nacre {command}" in run(command, "--help").stdout


def test_without_typer_one_line_says_what_to_install():
    code = "import sys; sys.modules['typer'] = None\nfrom nacre.__main__ import main\nmain()"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 1
    assert result.stderr.strip().count("\n") == 0
    assert "pip install 'nacre-boost[cli]'" in result.stderr


def test_warnings_are_one_line(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        before = warnings.showwarning
        with one_line():
            warnings.warn("Labels carry\nno signal.", UserWarning, stacklevel=1)
        assert warnings.showwarning is before
    assert capsys.readouterr().err == "nacre: Labels carry no signal.\n"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(28, "No space left on device"), "No space left on device."),
        (PermissionError(13, "Permission denied", "/x/y"), "/x/y: Permission denied."),
        (FileNotFoundError("There is no file 'x'."), "There is no file 'x'."),
        (ValueError("One thing\nand another."), "One thing and another."),
    ],
)
def test_errors_are_one_line(error, said, capsys):
    with pytest.raises(typer.Exit) as ended, one_line():
        raise error
    assert ended.value.exit_code == 1
    assert capsys.readouterr().err == f"nacre: {said}\n"


def work():
    """Three stages, of which the second is counted."""
    with progress_bar() as progress:
        progress(Event("Reading [the] table"))
        members = Tally("member", 9, within(Event("Learning"), progress))
        for _ in range(9):
            members.part(Event("round", 1, 2))
            members.step()
        progress(Event("Writing"))


def test_the_bar_of_a_terminal(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    shown = []
    monkeypatch.setattr("rich.progress.Progress.update", lambda self, bar, **now: shown.append(now))
    work()
    assert len(shown) == 1 + 1 + 2 * 9 + 1
    words, fractions = zip(*((now["description"], now["completed"]) for now in shown), strict=True)
    assert words[:3] == (
        "Reading [the] table",
        "Learning: member 1 of 9",
        "Learning: member 1 of 9, round 2 of 2",
    )
    assert fractions[2] == pytest.approx(0.5 / 9)
    assert (words[-1], fractions[-2:]) == ("Writing", (1.0, 0.0))
    assert capsys.readouterr().out == ""


def test_the_bar_says_how_far_compiling_is(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setitem(PLAIN, "cache", False)
    shown = []
    monkeypatch.setattr("rich.progress.Progress.update", lambda self, bar, **now: shown.append(now))
    with progress_bar() as progress:
        progress(Event("Learning"))
        assert Kernel(midpoint.__wrapped__)(1.0, 2.0) == 1.5
    words = [now["description"] for now in shown]
    assert words == ["Learning", "compiling, once: 1 of 1", "Learning"]


def test_without_a_terminal_there_is_one_line_at_the_end(capsys):
    work()
    said = capsys.readouterr()
    assert re.fullmatch(r"nacre: done in \d+\.\d s\.\n", said.err)
    assert said.out == ""
    with pytest.raises(KeyError), progress_bar():
        raise KeyError
    assert capsys.readouterr().err == ""


def test_long_work_is_told_of_without_a_terminal(capsys, monkeypatch):
    """Nothing was to be seen in a log for minutes."""
    monkeypatch.setattr(sys.modules["nacre.cli.app"], "A_WHILE", -1.0)
    work()
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Reading [the] table"
    assert lines[1].startswith("Learning: member 1 of 9")
    assert lines[-1].startswith("nacre: done in ")
