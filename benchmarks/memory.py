"""Peak memory of one fit above the caller's array, each measured in a fresh process.

Run: python benchmarks/memory.py [--sizes 100kx50 ...] [--solve 1Mx10 1Mx30]
"""

import argparse
import contextlib
import ctypes
import gc
import resource
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

from contenders import (
    LABELS,
    PEERS,
    installed,
    make,
    parse_size,
    print_table,
    show_size,
    synthetic,
)

SIZES = ["10kx50", "100kx50", "1Mx30"]
SOLVE = ["1Mx10", "1Mx30"]
MIB = 2**20


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="*", metavar="ROWSxCOLUMNS", default=SIZES)
    parser.add_argument(
        "--solve",
        nargs=2,
        metavar="ROWSxCOLUMNS",
        default=SOLVE,
        help="two shapes from which bytes per cell and per row are solved",
    )
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=["lightgbm", "xgboost"])
    parser.add_argument("--repeats", type=int, default=3, help="processes per figure (median)")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--child", nargs=2, metavar=("NAME", "SIZE"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.sizes = [parse_size(size) for size in args.sizes]
    args.solve = [parse_size(size) for size in args.solve]
    return args


def status(field):
    """A field of /proc/self/status in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise LookupError(field)


def reset_peak():
    """Set VmHWM back to the present size; False where the system does not let us."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return status("VmHWM") - status("VmRSS") < MIB


def give_back():
    """Return freed memory to the system, lest the fit reuse it unseen."""
    gc.collect()
    with contextlib.suppress(AttributeError):  # only glibc has it
        ctypes.CDLL(None).malloc_trim(0)


def sampled_peak(call):
    """Highest resident size seen by a thread, or ru_maxrss where the call raised that."""
    seen, done = [status("VmRSS")], threading.Event()

    def sample():
        while not done.is_set():
            seen.append(status("VmRSS"))
            time.sleep(0.001)

    thread = threading.Thread(target=sample)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    thread.start()
    call()
    done.set()
    thread.join()
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return max(seen) if after == before else after * 1024


def peak_above_base(call):
    """Bytes by which the call raised the resident size at its highest, and how that was read."""
    give_back()
    if reset_peak():
        base = status("VmRSS")
        call()
        return status("VmHWM") - base, "VmHWM"
    base = status("VmRSS")
    return sampled_peak(call) - base, "sampled"


def child(name, size, rounds):
    """In the fresh process: load everything, warm up on a few rows, measure one fit."""
    rows, columns = parse_size(size)
    X, y = synthetic(rows, columns, seed=0)
    make(name, rounds).fit(*synthetic(1_000, columns, seed=1))
    model = make(name, rounds)
    print(*peak_above_base(lambda: model.fit(X, y)))


def peak(name, size, args):
    """Median over fresh processes of the peak in bytes, and how it was read."""
    command = [sys.executable, __file__, "--rounds", str(args.rounds)]
    command += ["--child", name, show_size(*size)]
    print(f"measuring {name} {show_size(*size)}", file=sys.stderr, flush=True)
    answers = [
        subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
        for _ in range(args.repeats)
    ]
    return statistics.median(int(above) for above, _ in answers), answers[0][1]


def peak_row(name, size, above, method):
    rows, columns = size
    array = rows * columns * 8
    return [
        show_size(*size),
        LABELS[name],
        f"{array / MIB:.1f}",
        f"{above / MIB:.1f}",
        f"{above / array:.2f}",
        f"{above / (rows * columns):.2f}",
        f"{above / rows:.1f}",
        method,
    ]


def solve(shapes, peaks):
    """a and b of: peak = a * cells + b * rows, from two shapes."""
    (n1, d1), (n2, d2) = shapes
    per_row1, per_row2 = peaks[0] / n1, peaks[1] / n2
    a = (per_row2 - per_row1) / (d2 - d1)
    return a, per_row1 - a * d1


def solved_row(name, shapes, peaks):
    per_cell, per_row = solve(shapes, peaks)
    sizes = [f"{p / MIB:.1f} MiB" for p in peaks]
    return [LABELS[name], *sizes, f"{per_cell:.2f}", f"{per_row:.1f}"]


def main():
    args = options()
    if args.child:
        child(*args.child, args.rounds)
        return
    if args.solve[0][1] == args.solve[1][1]:
        sys.exit("--solve needs two different numbers of columns")
    names = ["nacre", *installed(args.peers)]
    sizes = list(dict.fromkeys([*args.sizes, *args.solve]))
    peaks = {(name, size): peak(name, size, args) for size in sizes for name in names}
    print_table(
        f"Peak of one fit above the caller's array, {args.rounds} rounds, one thread",
        ["size", "contender", "array MiB", "peak MiB", "x array", "B/cell", "B/row", "read by"],
        [peak_row(name, size, *answer) for (name, size), answer in peaks.items()],
    )
    print_table(
        "Solved: peak = (bytes per cell) x rows x columns + (bytes per row) x rows",
        ["contender", *(show_size(*size) for size in args.solve), "bytes/cell", "bytes/row"],
        [
            solved_row(name, args.solve, [peaks[name, size][0] for size in args.solve])
            for name in names
        ],
        left=1,
    )


if __name__ == "__main__":
    main()
