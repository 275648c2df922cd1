"""Do the tests bite? Changes nacre in many small ways, one at a time; each should make a test fail.

    PYTHONPATH=src:. python benchmarks/mutations.py                # all, about half an hour
    PYTHONPATH=src:. python benchmarks/mutations.py auditing noise/quality.py

``mutations.txt`` has the changes: a file, and below it lines with what is there (-) and what stands
there instead (+). No file is touched: a process for each mutant reads the changed text where Python
asks for the module, and runs the tests of that file, those that are not slow first. Compiled
kernels have no mutants here; brute force in ``tests/kernels`` is their check.

A mutant that computes the same, so that no test can tell, stands in ``EQUIVALENT`` with a reason.
"""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.util
import io
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from itertools import islice
from pathlib import Path
from typing import NamedTuple, NoReturn

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "nacre"
LIST = Path(__file__).with_suffix(".txt")

SECONDS = 300
"""Of processor time that the tests of a mutant may take: one that never ends is found out.

Those that took longer are listed: where the tests alone take as long, nothing was noticed."""

GOAL = 0.9

BROKEN, NO_TESTS = (3, 4), 5
"""What pytest ends with where it cannot run, and where there are no tests."""

TESTS = {
    "auditing": ["auditing"],
    "auditing/large/judging.py": ["auditing/large/test_rank.py"],
    "auditing/predictions.py": ["auditing/test_predictions.py", "cli/test_models.py"],
    "boost/algorithm.py": ["boost/test_loop.py", "boost/test_parts.py"],
    "boost/compiled.py": ["boost/test_loop.py", "boost/test_continue.py"],
    "boost/cost.py": ["boost/test_parts.py", "boost/test_loop.py"],
    "boost/draw.py": ["boost/test_loop.py", "boost/test_gradient.py", "models/test_order.py"],
    "boost/loop.py": ["boost/test_loop.py", "boost/test_continue.py"],
    "boost/result.py": ["boost", "models/test_boosters.py"],
    "boost/step.py": ["boost/test_parts.py", "boost/test_loop.py", "models/test_boosters.py"],
    "boost/stopping.py": ["models/test_early_stopping.py", "models/test_warm_start.py"],
    "consensus": ["consensus"],
    "consensus/prediction.py": ["consensus/test_classifier.py"],
    "data/categories.py": ["data/test_features.py", "learners", "persistence"],
    "data/folds.py": [
        "data/test_folds.py",
        "data/test_training.py",
        "models/test_early_stopping.py",
    ],
    "diagnostics/ensemble.py": ["diagnostics"],
    "filters": ["filters"],
    "io": ["io", "auditing/test_files.py"],
    "io/frames.py": ["io/test_read.py", "data/test_features.py", "data/test_training.py"],
    "learners/base.py": [
        "learners",
        "boost/test_loop.py",
        "models/test_bad_input.py",
        "persistence",
    ],
    "learners/branches.py": ["learners", "persistence", "models/test_boosters.py"],
    "learners/stump.py": ["learners/test_stump.py", "diagnostics/test_contributions.py"],
    "learners": ["learners"],
    "models/adaboost.py": ["models/test_adaboost_twin.py", "models/test_adaboost_api.py"],
    "models/base.py": ["models/test_base.py", "models/test_adaboost_others.py"],
    "models/brownboost.py": ["models/test_brownboost.py"],
    "models/gradient_base.py": ["models/test_gradient.py", "persistence"],
    "models/gradientboost.py": ["models/test_gradient.py"],
    "models/voting_base.py": ["models/test_boosters.py", "models/test_adaboost_api.py"],
    "models": ["models"],
    "noise": ["noise"],
    "review/evidence.py": ["review/test_evidence.py", "review/test_session.py"],
    "review": ["review"],
}
"""Which tests a file is held to, where they are not just those of its name."""

EQUIVALENT: dict[tuple[str, str], str] = {
    (
        "boost/pairs.py",
        "if loss > 0.5 - fm.TIE:",
    ): "a loss of exactly 1/2 less a millionth of a millionth is not met: one of 1/2 stops both",
    (
        "models/adaboost.py",
        'if self.variant == "m2" and training.n_classes >= 2:',
    ): "of two classes each row has one pair, whose pseudo-loss is the row's error",
    (
        "diagnostics/diversity.py",
        "return np.asarray((as_hits(hits) >= 0).mean(axis=1))",
    ): "hits are +1 or -1, as has been checked",
    (
        "data/embed.py",
        "flags = [column[:, None] != np.unique(column) for column in places.T]",
    ): "complements of one-hot codes are as far from each other as the codes are",
}
"""Mutants, by file and new text, that compute the same, and why."""


class Mutant(NamedTuple):
    """A change of one place."""

    file: str
    old: str
    new: str

    @property
    def module(self) -> str:
        """The module that is changed."""
        return "nacre." + self.file.removesuffix(".py").replace("/", ".")

    @property
    def tests(self) -> list[str]:
        """Files and folders of tests that should notice."""
        folder, name = self.file.rsplit("/", 1)
        own = ROOT / "tests" / folder / f"test_{name}"
        default = [f"{folder}/{own.name}"] if own.exists() else TESTS.get(folder, [folder])
        return [str(ROOT / "tests" / one) for one in TESTS.get(self.file, default)]


def read_mutants(text: str) -> list[Mutant]:
    """The list, from its file."""
    found, file = [], ""
    parts: dict[str, list[str]] = {}
    for line in [*text.splitlines(), ""]:
        mark, rest = line[:2], line[2:]
        if mark == "  ":
            parts["+" if "+" in parts else "-"].append(rest)
            continue
        if "+" in parts and mark != "+ ":
            found.append(Mutant(file, "\n".join(parts["-"]), "\n".join(parts["+"])))
            parts = {}
        if mark in ("- ", "+ "):
            parts[mark[0]] = [rest]
        elif line:
            file = line
    return found


class Changed(importlib.abc.MetaPathFinder, importlib.abc.SourceLoader):
    """Finds one module in its changed form."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(self, name, path=None, target=None):
        """The module, if it is the one."""
        if name != self.mutant.module:
            return None
        place = str(SOURCE / self.mutant.file)
        return importlib.util.spec_from_file_location(name, place, loader=self)

    def get_filename(self, fullname):
        """Where the module stands."""
        return str(SOURCE / self.mutant.file)

    def get_data(self, path):
        """Its text, changed; nothing of what Python has kept of it."""
        if not path.endswith(".py"):
            raise OSError(path)
        return changed(Path(path).read_text(), self.mutant).encode()


def changed(text: str, mutant: Mutant) -> str:
    """The text of a file with the mutant in it."""
    if text.count(mutant.old) != 1:
        raise ValueError(
            f"{mutant.file}: {mutant.old!r} stands there {text.count(mutant.old)} times."
        )
    return text.replace(mutant.old, mutant.new)


def unnoticed(mutants: list[Mutant], workers: int) -> Iterator[tuple[Mutant, bool]]:
    """Mutants that no test notices, and whether time ran out; each in a process of its own.

    Processes are forked from one that has no threads, which would not come along.
    """
    running: dict[int, Mutant] = {}
    left = iter(mutants)
    while True:
        for mutant in islice(left, workers - len(running)):
            child = os.fork()
            if not child:
                _test(mutant)
            running[child] = mutant
        if not running:
            return
        child, status = os.wait()
        mutant, code = running.pop(child), os.waitstatus_to_exitcode(status)
        if code in BROKEN:
            raise ValueError(f"{mutant.file}: its tests cannot be run.")
        if code in (0, -signal.SIGXCPU, -signal.SIGKILL):
            yield mutant, code != 0


def _test(mutant: Mutant) -> NoReturn:
    """End with what pytest makes of a mutant; slow tests only where the others say nothing."""
    code = BROKEN[0]
    try:
        import pytest

        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        sys.meta_path.insert(0, Changed(mutant))
        words = ["-x", "-q", "-p", "no:cacheprovider", *mutant.tests]
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            code = int(pytest.main(["-m", "not slow", *words]))
            if code in (0, NO_TESTS):
                code = int(pytest.main(["-m", "slow", *words])) % NO_TESTS
    finally:
        os._exit(code)


def load_what_stays() -> None:
    """What no mutant changes, so that it is loaded once."""
    where = "import os, tests.conftest; print(os.environ['NUMBA_CACHE_DIR'])"
    found = subprocess.run(
        [sys.executable, "-c", where], capture_output=True, text=True, check=True
    )
    os.environ["NUMBA_CACHE_DIR"] = found.stdout.strip()
    for name in ("pytest", "scipy.stats", "sklearn.ensemble"):
        importlib.import_module(name)
    for path in (SOURCE / "kernels").glob("*.py"):
        importlib.import_module(f"nacre.kernels.{path.stem}")


def main() -> None:
    """Run all mutants, or those of some files and folders."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("where", nargs="*", help="files or folders of src/nacre; default all")
    parser.add_argument("--workers", type=int, default=2)
    words = parser.parse_args()
    mutants = [
        one
        for one in read_mutants(LIST.read_text())
        if (one.file, one.new) not in EQUIVALENT
        and (not words.where or one.file.startswith(tuple(words.where)))
    ]
    load_what_stays()
    begun, survived = time.monotonic(), 0
    for mutant, late in unnoticed(mutants, words.workers):
        survived += not late
        what = f"no end after {SECONDS} s" if late else "survived"
        print(f"{what}: {mutant.file}\n  - {mutant.old}\n  + {mutant.new}", flush=True)
    killed = len(mutants) - survived
    print(
        f"{killed} of {len(mutants)} mutants were noticed ({killed / len(mutants):.0%}), and "
        f"{len(EQUIVALENT)} compute the same; {time.monotonic() - begun:.0f} s."
    )
    sys.exit(killed < GOAL * len(mutants))


if __name__ == "__main__":
    main()
