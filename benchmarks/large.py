"""An audit of a folder of Parquet files larger than its memory, killed half-way and resumed.

Rows are generated file by file, and a share of their labels flipped at random. ``nacre audit`` runs
in a process of its own that may have so much address space; it is killed (SIGKILL) once half of the
parts are judged, and started again with the same words. Reported: processor time and time by the
clock of both runs, the peak of resident memory, the noise rate, and how many of the suspects and of
the changed labels were flipped indeed.

Run: python benchmarks/large.py [--rows 20000000] [--columns 30] [--files 40] [--flipped 0.1]
     [--memory 4000000] [--sample 100000] [--folder FOLDER] [--whole]
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from contenders import print_table

LABEL, TRUTH = "label", "truth"


def generate(folder, rows, columns, files, flipped):
    """Write the table, and beside it which labels were flipped."""
    for k in range(files):
        rng = np.random.default_rng([1, k])
        n = rows * (k + 1) // files - rows * k // files
        X = rng.normal(size=(n, columns)).astype(np.float32)
        y = X[:, :5].sum(axis=1) + X[:, 5] * X[:, 6] > 0
        wrong = rng.random(n) < flipped
        table = {f"x{j}": X[:, j] for j in range(columns)}
        table[LABEL] = np.where(y ^ wrong, "yes", "no")
        pq.write_table(pa.table(table), folder / f"part-{k:03}.parquet")
        pq.write_table(pa.table({TRUTH: wrong}), folder.parent / f"truth-{k:03}.parquet")


class Run:
    """One ``nacre audit`` of the folder, under a limit of address space in kB."""

    def __init__(self, folder, out, memory, sample):
        words = [sys.executable, "-m", "nacre", "audit", str(folder), "--label", LABEL]
        words += ["--effort", "fast", "--sample", str(sample), "--out", str(out)]

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (1024 * memory,) * 2)

        self.begun = time.perf_counter()
        self.process = subprocess.Popen(
            words, preexec_fn=limit, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def kill_when(self, done):
        """End it the hard way as soon as something is done; False where it ended before."""
        ended = os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT
        while os.waitid(*ended) is None:
            if done():
                self.process.send_signal(signal.SIGKILL)
                return True
            time.sleep(0.2)
        return False

    def end(self):
        """Its output; seconds by the clock and of processors, and the peak of memory in GiB."""
        said = self.process.stdout.read()
        _, status, used = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - self.begun
        return said, seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20


def judged(out):
    """How many parts an audit that is under way has judged."""
    return len(list(out.with_name(f".{out.name}.parts").glob("judge-*")))


def found(folder, out):
    """How many rows there are, are suspects, have another label now; and were flipped of each."""
    counts = np.zeros(6, np.int64)
    given, wrong = (
        np.concatenate([np.asarray(pq.read_table(one, columns=[name])[name]) for one in paths])
        for name, paths in {
            LABEL: sorted(folder.glob("*.parquet")),
            TRUTH: sorted(folder.parent.glob("truth-*.parquet")),
        }.items()
    )
    start = 0
    for path in sorted((out / "cleaned").glob("*.parquet")):
        cleaned = pq.read_table(path, columns=["nacre_label", "nacre_suspect"])
        rows = slice(start, start := start + len(cleaned))
        suspect = np.asarray(cleaned["nacre_suspect"], bool)
        changed = np.asarray(cleaned["nacre_label"]) != given[rows]
        for k, some in enumerate((np.ones_like(suspect), suspect, changed)):
            counts[2 * k : 2 * k + 2] += np.sum(some), np.sum(some & wrong[rows])
    return counts.tolist()


def measure(args, folder):
    """Lines of the table: what, and how much."""
    generate(folder, args.rows, args.columns, args.files, args.flipped)
    told = folder, folder.parent / "answer", args.memory, args.sample
    seconds, processor, peak = [], [], []
    killed = args.whole
    while True:
        run = Run(*told)
        if not killed:
            killed = run.kill_when(lambda: judged(told[1]) >= args.files // 2)
        said, *used = run.end()
        for figures, one in zip((seconds, processor, peak), used, strict=True):
            figures.append(one)
        if run.process.returncode == 0:
            break
        if run.process.returncode != -signal.SIGKILL:
            raise SystemExit(said)
    noise = json.loads((told[1] / "audit.json").read_text())["noise"]
    rows, wrong, suspects, right, changed, rightly = found(folder, told[1])
    low, high = noise["interval"]
    yield "seconds by the clock, until it was killed and after", added(seconds)
    yield "processor seconds", added(processor)
    yield "peak of resident memory", f"{max(peak):.2f} GiB"
    yield "noise rate said (interval)", f"{noise['rate']:.1%} ({low:.1%} to {high:.1%})"
    yield "labels that are wrong", f"{wrong / rows:.1%}"
    yield "suspects", f"{suspects:,}, {right / max(suspects, 1):.1%} of them wrong"
    yield "wrong labels among the suspects", f"{right / wrong:.1%}"
    yield "labels changed", f"{changed:,}, {rightly / max(changed, 1):.1%} of them rightly"


def added(figures):
    return " + ".join(f"{one:.0f}" for one in figures)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--columns", type=int, default=30)
    parser.add_argument("--files", type=int, default=40)
    parser.add_argument("--flipped", type=float, default=0.1)
    parser.add_argument("--memory", type=int, default=4_000_000, help="kB of address space")
    parser.add_argument("--sample", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, help="where to work; default a temporary folder")
    parser.add_argument("--whole", action="store_true", help="kill nothing")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as place:
        folder = Path(place) / "table"
        folder.mkdir()
        lines = [list(line) for line in measure(args, folder)]
    title = f"{args.rows:,} rows x {args.columns} columns, {args.memory:,} kB of address space"
    print_table(title, ["what", "came out"], lines, left=2)


if __name__ == "__main__":
    main()
