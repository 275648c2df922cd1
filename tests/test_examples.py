"""The examples run, and print what they promise."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.skipif(not EXAMPLES.exists(), reason="the examples are not beside the tests")
def test_the_wisconsin_example(datasets):
    script = EXAMPLES / "chan_wisconsin.py"
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    lines = run.stdout.splitlines()
    assert lines[0].startswith("699 rows, 9 columns")
    few, many = (float(line.split(": ")[1].split("%")[0]) for line in lines[2:4])
    assert 2.0 < few < 4.0 < many < 6.0
    (ratio,) = (line.split(": ")[1] for line in lines if line.startswith("mean decision volume"))
    assert 2.0 < float(ratio.split()[0]) < 5.0
