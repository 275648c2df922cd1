"""Time and memory to read a file of 40 columns of numbers, dates and truths in disguise.

Files of growing size are written, and each is read in a process of its own as ``nacre audit`` reads
it: file, schema, matrix. The time a row is the same in all lines where reading is linear.

Run: python benchmarks/reading.py [--rows 50000 200000 1000000]
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pv
from contenders import print_table

GAPS = "n/a", "unknown", "-", ""


def columns(n, rng):
    """Texts of ten kinds of columns, n of each."""
    number, whole = rng.lognormal(8, 1, n), rng.integers(1, 10_000_000, n)
    day = np.datetime64("2019-01-01") + rng.integers(0, 2000, n)
    parts = [str(one).split("-") for one in day.tolist()]
    minute = rng.integers(0, 1440, n)
    below = rng.random(n) < 0.05
    continental = str.maketrans(",.", ".,")
    yield "price", [f"${one:,.2f}" for one in number]
    yield "income", [f"{one:,.2f} EUR".translate(continental) for one in number]
    yield "share", [f"{one:.1f}%" for one in 100 * rng.random(n)]
    yield "weight", [f"{one:.1f} kg" for one in 60 + 30 * rng.random(n)]
    yield "count", [f"{one:,}" for one in whole]
    yield "level", ["<5" if low else f"{one:.2f}" for low, one in zip(below, number, strict=True)]
    yield "seen", [f"{d}.{m}.{y}" for y, m, d in parts]
    clock = [f"{one // 60:02}:{one % 60:02}" for one in minute]
    yield "sent", [f"{one} {at}" for one, at in zip(day.tolist(), clock, strict=True)]
    yield "clock", clock
    yield "smokes", np.where(rng.random(n) < 0.3, "Yes", "no").tolist()


def write(path, n, chunk=100_000):
    """A file of n rows and 40 columns in disguise, and a label."""
    rng = np.random.default_rng(0)
    writer = None
    for first in range(0, n, chunk):
        size = min(chunk, n - first)
        table = {"label": np.where(rng.random(size) < 0.5, "ill", "well").tolist()}
        for k in range(4):
            for name, texts in columns(size, rng):
                gone = np.flatnonzero(rng.random(size) < 0.02)
                for row in gone:
                    texts[row] = GAPS[row % len(GAPS)]
                table[f"{name} {k + 1}"] = texts
        part = pa.table(table)
        writer = writer or pv.CSVWriter(str(path), part.schema)
        writer.write_table(part)
    writer.close()


def read(path):
    """Read a file as an audit does; print processor and clock seconds, peak memory, features."""
    from nacre.auditing.load import load

    clock, used = time.perf_counter(), time.process_time()
    found = load(path, "label")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(time.process_time() - used, time.perf_counter() - clock, peak, found.training.X.shape[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="*", default=[50_000, 200_000, 1_000_000])
    parser.add_argument("--read", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.read:
        read(args.read)
        return
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "disguised.csv"
        for n in args.rows:
            write(path, n)
            size = path.stat().st_size / 2**20
            said = subprocess.check_output([sys.executable, __file__, "--read", path], text=True)
            used, clock, peak, features = map(float, said.split())
            lines.append([f"{n:,}", f"{size:.0f}", f"{features:.0f}", f"{used:.1f}", f"{clock:.1f}",
                          f"{1e6 * used / n:.0f}", f"{peak:.0f}"])  # fmt: skip
    head = ["rows", "MB", "features", "processor s", "clock s", "us a row", "peak MB"]
    print_table("A file of 40 columns in disguise, read as by nacre audit", head, lines)


if __name__ == "__main__":
    main()
