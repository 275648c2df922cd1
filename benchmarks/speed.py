"""Time of fit and predict at equal rounds, beside scikit-learn, LightGBM and XGBoost.

Run: python benchmarks/speed.py [--quick] [--sizes 10kx50 ...] [--peers lightgbm ...]
"""

import argparse
import gc
import statistics
import sys
import time

from contenders import (
    LABELS,
    PEERS,
    at_least,
    breast_cancer,
    installed,
    make,
    parse_size,
    print_goals,
    print_table,
    show_size,
    synthetic,
)

SIZES = ["569x30", "10kx50", "100kx50", "1Mx30"]
QUICK_SIZES = ["569x30", "10kx50"]
BREAST_CANCER = (569, 30)
GOALS = {(569, 30): 5, (100_000, 50): 15}  # times as fast as LightGBM
TEST_ROWS = 20_000
SMALL = 2_000  # rows up to which one timing is the mean of several calls
TIMING_SECONDS = 0.02  # how long such a timing should last


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two small sizes, three repeats")
    parser.add_argument("--sizes", nargs="+", metavar="ROWSxCOLUMNS", help="569x30 is real data")
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=PEERS)
    parser.add_argument("--repeats", type=int, help="timings per contender (default: by size)")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=100)
    args = parser.parse_args()
    args.sizes = [parse_size(s) for s in args.sizes or (QUICK_SIZES if args.quick else SIZES)]
    args.repeats = args.repeats or (3 if args.quick else None)
    return args


def load(size):
    return breast_cancer() if size == BREAST_CANCER else synthetic(*size, seed=0)


def repeats_for(name, rows, asked):
    """How many timings; 0 leaves the contender out."""
    by_size = [(2_000, 15, 5), (20_000, 7, 2), (200_000, 5, 1), (float("inf"), 3, 0)]
    usual, slow = next((u, s) for limit, u, s in by_size if rows <= limit)
    wanted = asked or usual
    return min(wanted, slow) if name == "sklearn" else wanted


def timed(call, number=1):
    """Wall and processor seconds of one call, the mean of `number`."""
    gc.collect()
    gc.disable()
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(number):
        call()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    gc.enable()
    return wall / number, cpu / number


def calls_per_timing(call, rows):
    if rows > SMALL:
        return 1
    return min(100, max(1, int(TIMING_SECONDS / timed(call)[0])))


def limited(threads):
    """Hold OpenMP and BLAS to `threads`; libraries with an own option are given that as well."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(limits=threads)


def interleaved(calls, repeats, numbers):
    """Time the calls round-robin, each round starting with another one."""
    times = {name: [] for name in calls}
    names = list(calls)
    for turn in range(max(repeats.values())):
        start = turn % len(names)
        for name in names[start:] + names[:start]:
            if turn < repeats[name]:
                times[name].append(timed(calls[name], numbers[name]))
    return times


def first_calls(names, rounds):
    """First and second fit of each contender in this process, its library already imported."""
    X, y = breast_cancer()
    rows = []
    for name in names:
        model = make(name, rounds)
        first, second = timed(lambda m=model: m.fit(X, y))[0], timed(lambda m=model: m.fit(X, y))[0]
        rows.append([LABELS[name], "569x30", seconds(first), seconds(second)])
    print_table(
        "First call in this process, one thread (compilation or loading of kernels)",
        ["contender", "size", "first fit", "second fit"],
        rows,
    )


def measure(size, names, args, threads):
    """Times of fit and of predict, and the fitted models."""
    X, y = load(size)
    repeats = {name: repeats_for(name, len(X), args.repeats) for name in names}
    names = [name for name in names if repeats[name]]
    repeats = {name: repeats[name] for name in names}
    models = {name: make(name, args.rounds, threads) for name in names}
    fits = {name: lambda m=models[name]: m.fit(X, y) for name in names}
    predicts = {name: lambda m=models[name]: m.predict(X) for name in names}
    with limited(threads):
        for name in names:  # warm-up; scikit-learn's AdaBoost compiles nothing and is slow
            if name != "sklearn":
                fits[name]()
        numbers = {name: calls_per_timing(fits[name], len(X)) for name in names}
        fit_times = interleaved(fits, repeats, numbers)
        for name in names:
            predicts[name]()
        numbers = {name: calls_per_timing(predicts[name], len(X)) for name in names}
        predict_times = interleaved(predicts, repeats, numbers)
    return fit_times, predict_times, models


def cross_validated(name, rounds, X, y):
    """Out-of-fold predictions, for data of which there is no more."""
    from sklearn.model_selection import StratifiedKFold

    predicted = y.copy()
    for train, test in StratifiedKFold(10, shuffle=True, random_state=0).split(X, y):
        predicted[test] = make(name, rounds).fit(X[train], y[train]).predict(X[test])
    return predicted


def hits(size, models, rounds):
    """Per contender, which test rows it predicts right."""
    if size == BREAST_CANCER:
        X, y = breast_cancer()
        return {name: cross_validated(name, rounds, X, y) == y for name in models}
    X, y = synthetic(TEST_ROWS, size[1], seed=1)
    return {name: model.predict(X) == y for name, model in models.items()}


def accuracy_cells(right, nacre_right):
    """Accuracy, its binomial error, and the difference to nacre with the error of the pair."""
    p, n = right.mean(), len(right)
    gap = right.astype(float) - nacre_right
    return [
        f"{p:.4f}",
        f"{(p * (1 - p) / n) ** 0.5:.4f}",
        f"{gap.mean():+.4f}",
        f"{gap.std() / n**0.5:.4f}",
    ]


def seconds(value):
    return f"{value:.2f} s" if value >= 1 else f"{value * 1e3:.2f} ms"


def time_cells(times, nacre_best):
    walls = [wall for wall, _ in times]
    best = min(walls)
    cpu_share = statistics.median(cpu / wall for wall, cpu in times)
    return [
        seconds(best),
        seconds(statistics.median(walls)),
        str(len(walls)),
        f"{cpu_share:.2f}",
        f"{best / nacre_best:.2f}",
    ]


def time_rows(size, times):
    nacre_best = min(wall for wall, _ in times["nacre"])
    return [
        [show_size(*size), LABELS[name], *time_cells(times[name], nacre_best)] for name in times
    ]


TIME_HEAD = ["size", "contender", "best", "median", "timings", "cpu/wall", "x nacre"]
ACCURACY_HEAD = ["accuracy", "+-", "minus nacre", "+- pair"]


def run(names, args, threads, with_accuracy):
    fit_rows, predict_rows, goals = [], [], []
    for size in args.sizes:
        print(f"measuring {show_size(*size)}, threads: {threads}", file=sys.stderr, flush=True)
        fit_times, predict_times, models = measure(size, names, args, threads)
        rows = time_rows(size, fit_times)
        if with_accuracy:
            right = hits(size, models, args.rounds)
            for row, name in zip(rows, models, strict=True):
                row += accuracy_cells(right[name], right["nacre"])
        fit_rows += rows
        predict_rows += time_rows(size, predict_times)
        if threads == 1 and size in GOALS and "lightgbm" in fit_times:
            ours, theirs = (min(fit_times[name])[0] for name in ("nacre", "lightgbm"))
            text = f"stumps, {show_size(*size)}, fit: times as fast as LightGBM"
            goals.append(at_least(text, theirs / ours, GOALS[size]))
    what = f"{args.rounds} rounds, threads: {threads}"
    head = TIME_HEAD + (ACCURACY_HEAD if with_accuracy else [])
    print_table(f"fit, binning included, {what}", head, fit_rows)
    print_table(f"predict on the training rows, {what}", TIME_HEAD, predict_rows)
    print_goals(goals)


def main():
    args = options()
    names = ["nacre", *installed(args.peers)]
    first_calls(names, args.rounds)
    for i, threads in enumerate(args.threads):
        threaded = names if threads == 1 else [n for n in names if n != "sklearn"]
        run(threaded, args, threads, with_accuracy=i == 0)


if __name__ == "__main__":
    main()
