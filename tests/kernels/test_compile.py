"""Where machine code is kept."""

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import nacre
from nacre.kernels import compile as made
from nacre.kernels.histogram import sum_of

CALL = """
import numpy as np
from nacre.kernels.binning import infinite_column
print(infinite_column(np.array([[0.0, np.inf]])))
"""


@pytest.mark.slow
def test_an_installation_that_cannot_be_written_to(tmp_path):
    """Nor is there a home, as in many containers: temporary files take the machine code.

    Files in the place of folders keep all writers out, even those who may write anywhere.
    """
    library, blocked = tmp_path / "lib", tmp_path / "file"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(nacre.__file__).parent, library / "nacre", ignore=ignored)
    for place in (blocked, library / "nacre" / "kernels" / "__pycache__"):
        place.write_text("")
    (tmp_path / "tmp").mkdir()
    kept = {name: one for name, one in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    kept |= {"PYTHONPATH": str(library), "TMPDIR": str(tmp_path / "tmp")}
    kept |= {"HOME": str(blocked / "home"), "XDG_CACHE_HOME": str(blocked / "cache")}
    found = subprocess.run(
        [sys.executable, "-B", "-c", CALL], env=kept, capture_output=True, text=True
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout == "1\n"
    (folder,) = (tmp_path / "tmp").iterdir()
    assert any(folder.rglob("*.nbi"))


def test_folders_that_others_may_write_to_are_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(made.tempfile, "gettempdir", lambda: str(tmp_path))
    folder = Path(made._private_folder())
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o777)
    assert made._private_folder() is None
    folder.rmdir()
    folder.symlink_to(tmp_path)
    assert made._private_folder() is None


def test_nothing_is_kept_where_nothing_can_be(tmp_path, monkeypatch):
    monkeypatch.setattr(made, "_can_be_kept", lambda: False)
    monkeypatch.setattr(made.tempfile, "gettempdir", lambda: str(tmp_path / "none"))
    before = numba.config.CACHE_DIR
    assert not made.find_cache()
    assert before == numba.config.CACHE_DIR


@made.compiled
def half(x):
    return 0.5 * x


@made.compiled
def quarter(x):
    return half(half(x))


def test_what_kernels_call_is_lowered_only():
    """Kernels that Python calls have machine code of their own, those they call have none."""
    assert quarter(3.0) == 0.75
    assert quarter.own.overloads
    assert not quarter.linked.overloads
    assert not half.own.overloads
    assert half(3.0) == 1.5


def test_kernels_are_pickled_by_name():
    assert pickle.loads(pickle.dumps(sum_of)) is sum_of
