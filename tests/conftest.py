"""What all tests share: a cache of compiled kernels, how hard hypothesis tries, and data."""

import hashlib
import os
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

KERNELS = Path(__file__).parents[1] / "src" / "nacre" / "kernels"


def cache_folder() -> Path:
    """A folder for compiled kernels, another one whenever any of them, or Numba, changes.

    Numba's own check sees only the file of the outermost function: it would go on using a called
    function of another file as it was. And it throws away what another version has compiled.
    """
    sources = hashlib.sha256(version("numba").encode() + b"\0")
    for path in sorted(KERNELS.glob("*.py")):
        sources.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    user = os.getuid() if hasattr(os, "getuid") else "any"
    return Path(tempfile.gettempdir()) / f"nacre-kernels-{user}-{sources.hexdigest()[:16]}"


collect_ignore_glob = ["persistence/files-*/*"]
"""Scripts of former versions, kept to read."""

# Numba and Matplotlib read these when they are imported, which no test module has done yet.
os.environ["NUMBA_CACHE_DIR"] = str(cache_folder())
os.environ["MPLBACKEND"] = "Agg"

settings.register_profile(
    "quick",
    derandomize=True,
    deadline=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough", settings.get_profile("quick"), derandomize=False, max_examples=1000, print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_runtest_setup():
    """Close the figures that others have left open, so that each test counts its own."""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(scope="session")
def datasets() -> Path:
    """The folder of data sets that do not come with the library."""
    folder = os.environ.get("NACRE_DATA")
    if not folder:
        pytest.skip("needs data: set NACRE_DATA to the folder that holds the data sets")
    if not Path(folder).is_dir():
        pytest.skip(f"needs data: NACRE_DATA is {folder!r}, which is not a folder")
    return Path(folder)


@pytest.fixture
def threads(monkeypatch):
    """Have even small tables shared out among threads."""
    from nacre.learners import stump

    monkeypatch.setattr(stump, "WORTH_THREADS", 0)
