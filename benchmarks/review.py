"""What a review is worth: do its intervals hold, what does it find, what does the model gain?

A simulated reviewer who is always right looks at rows of ten tables whose truth is known: four with
labels that people (or programs) got wrong, six with 10 % of the labels flipped. The queue has one
random row in five, as by default.

- Intervals: of the wrong labels there were, of those left, and of those that will be left after
  twice as many rows; the order learned anew every 50 decisions. Hits of 95 % intervals over draws.
- Found: wrong labels found in 50, 100, 200 rows looked at, by several orders.
- Gain: test error of models fitted to the labels as corrected so far.

Run: NACRE_DATA=folder python benchmarks/review.py [--rows 1500] [--draws 10] [--figure found.png]
"""

import argparse
import os
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from contenders import print_table
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from nacre import NacreClassifier
from nacre.data import Schema
from nacre.io import read_table
from nacre.noise import flip_labels
from nacre.review.estimate import OPEN, measure, wrong_left
from nacre.review.queue import draw_rows, interleave

REAL = {
    "nhanes-bmi": "noisy_label",
    "szz-jit": "noisy_label",
    "cifar10n-embed": "noisy_label",
    "music-genre-train": "random_answer",
}
"""Tables whose labels went wrong by themselves, and the column that has them."""

FLIPPED = ("spambase", "magic-telescope", "phoneme", "german-credit", "dry-bean", "page-blocks")
ASIDE = (
    "noisy_label", "random_answer", "majority_answer", "n_answers", "annotator", "song",
    "label_ag_szz", "label_ma_szz", "aggregate_label", "worst_label", "project",
)  # fmt: skip
RATE, SHARE, STEP = 0.1, 0.2, 50
STOPS = (50, 100, 200)
TEST = 3000


@dataclass
class Table:
    name: str
    X: np.ndarray
    truth: np.ndarray
    given: np.ndarray
    categorical: list
    test: tuple

    @property
    def wrong(self):
        return (self.truth != self.given).astype(int)


def read(folder, name, most):
    frame = read_table(folder / f"{name}.csv.gz")
    ignore = [one for one in ASIDE if one in frame.columns]
    schema = Schema.learn(frame, "label", ignore=ignore)
    X, truth = schema.matrix(frame), schema.codes(frame)
    rng = np.random.default_rng(0)
    order = rng.permutation(len(truth))
    if name in REAL:
        words = [str(one) for one in frame[REAL[name]].to_list()]
        codes = {str(one): code for code, one in enumerate(schema.classes)}
        given = np.array([codes.get(one, -1) for one in words])
        order = order[given[order] >= 0]
    else:
        given = flip_labels(truth, RATE, random_state=0)[0]
    some, rest = order[:most], order[most : most + TEST]
    return Table(
        name, X[some], truth[some], given[some], list(schema.categorical), (X[rest], truth[rest])
    )


def judge(table, labels, clean):
    model = NacreClassifier("fast", random_state=0, categorical_features=table.categorical or None)
    told = {"clean": clean, "original": table.given} if clean.any() else {}
    model.fit(table.X, labels, **told)
    return model


def chances(table, labels, clean):
    """The probability of each row that the label it came with is wrong."""
    found = judge(table, labels, clean).found_
    place = np.searchsorted(found.classes, table.given)
    fine = found.classes[np.minimum(place, len(found.classes) - 1)] == table.given
    quality = np.zeros(len(table.given))
    quality[fine] = found.posterior[np.flatnonzero(fine), place[fine]]
    return 1.0 - quality


def cleanlab_order(table):
    """By self-confidence out of fold, a random forest's: cleanlab's default score."""
    filled = np.where(np.isnan(table.X), -1.0, table.X)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    forest = RandomForestClassifier(random_state=0)
    said = cross_val_predict(forest, filled, table.given, cv=folds, method="predict_proba")
    place = np.searchsorted(np.unique(table.given), table.given)
    return np.argsort(said[np.arange(len(place)), place], kind="stable")


class Reviewer:
    """Looks at rows in the order of the queue; learns as a review does, or from all it knows."""

    def __init__(self, table, first, seed, share=SHARE, learn=None):
        n = len(table.truth)
        self.table, self.share, self.learn = table, share, learn
        self.state, self.reached = np.full(n, OPEN), np.zeros(n, bool)
        self.draws, self.sampled = draw_rows(np.arange(n), seed), 0
        self.chances = first
        self.order(np.argsort(-first, kind="stable"))

    def order(self, ranking):
        self.ranking, self.frontier = ranking, int(self.reached.sum())
        self.queue = interleave(ranking, self.draws, self.share)
        self.rank = np.empty(len(ranking), np.int64)
        self.rank[ranking] = np.arange(len(ranking))

    def look(self, count):
        """At so many rows more."""
        place = np.empty(len(self.draws), np.int64)
        place[self.draws] = np.arange(len(place))
        for row, random in zip(self.queue.rows, self.queue.random, strict=True):
            if count == 0:
                break
            if self.state[row] != OPEN:
                continue
            self.state[row] = self.table.wrong[row]
            count -= 1
            if random:
                self.sampled = max(self.sampled, place[row] + 1)
            else:
                self.frontier = max(self.frontier, self.rank[row] + 1)
        done = self.state[self.ranking] != OPEN
        prefix = len(done) if done.all() else int(done.argmin())
        self.reached[:] = False
        self.reached[self.ranking[: max(self.frontier, prefix)]] = True

    def rejudge(self):
        known = (self.state != OPEN) & (self.reached if self.learn == "reached" else True)
        labels = np.where(known, self.table.truth, self.table.given)
        self.chances = chances(self.table, labels, known)
        old = self.ranking[self.reached[self.ranking]]
        rest = np.flatnonzero(~self.reached)
        self.order(np.concatenate([old, rest[np.argsort(-self.chances[rest], kind="stable")]]))

    def drawn(self):
        out = np.zeros(len(self.state), bool)
        out[self.draws[: self.sampled]] = True
        return out

    def go(self, stops):
        """What stands at each stop: itself."""
        seen = 0
        for stop in stops:
            while seen < stop:
                step = min(STEP, stop - seen)
                if self.learn and seen:
                    self.rejudge()
                self.look(step)
                seen += step
            yield stop, self


def intervals(table, first, draws, learn):
    """Hits of the three intervals, and the half widths, by stop."""
    hits = {stop: [] for stop in STOPS}
    total = table.wrong.sum()
    for seed in range(draws):
        for stop, one in Reviewer(table, first, seed, learn=learn).go(STOPS):
            now = measure(one.state, one.reached, one.drawn())
            curve = wrong_left(
                one.state, one.ranking, one.drawn(), one.chances, int(one.reached.sum())
            )
            k = int(np.argmin(np.abs(curve.reached - 2 * stop)))
            top = one.ranking[: curve.reached[k]]
            later = table.wrong.copy()
            later[top] = 0
            later[one.state != OPEN] = 0
            left = total - table.wrong[one.state != OPEN].sum()
            hits[stop].append(
                [
                    now.wrong.low <= total <= now.wrong.high,
                    now.left.low <= left <= now.left.high,
                    curve.low[k] <= later.sum() <= curve.high[k],
                    (now.wrong.high - now.wrong.low) / 2 / len(later),
                    (now.wrong.count - total) / len(later),
                ]
            )
    return {stop: np.mean(all_of, axis=0) for stop, all_of in hits.items()}


def found(table, first, order, draws):
    """Wrong labels found at each stop, by way of looking."""
    ways = {}
    ways["random"] = [table.wrong.mean() * stop for stop in STOPS]
    ways["cleanlab"] = [table.wrong[order[:stop]].sum() for stop in STOPS]
    plans = {
        "fixed": (0.0, None),
        "learning": (0.0, "reached"),
        "fixed, 1 in 5 random": (SHARE, None),
        "learning, 1 in 5 random": (SHARE, "reached"),
        "learning from all, 1 in 5": (SHARE, "all"),
    }
    for name, (share, learn) in plans.items():
        runs = [
            [
                table.wrong[one.state != OPEN].sum()
                for _, one in Reviewer(table, first, seed, share, learn).go(STOPS)
            ]
            for seed in range(draws if share else 1)
        ]
        ways[name] = np.mean(runs, axis=0)
    return ways


def gain(table, first):
    """Test errors after 0, 50, 100, 200 decisions: nacre told which are checked, and ordinary."""
    X, truth = table.test
    if not len(truth):
        return None
    reviewer = Reviewer(table, first, 0, learn="reached")
    stops = [(0, None), *((stop, None) for stop in STOPS)]
    out, walk = [], reviewer.go(STOPS)
    for stop, _ in stops:
        if stop:
            next(walk)
        known = reviewer.state != OPEN
        labels = np.where(known, table.truth, table.given)
        ours = judge(table, labels, known)
        plain = HistGradientBoostingClassifier(random_state=0).fit(table.X, labels)
        out.append([1 - ours.score(X, truth), 1 - plain.score(X, truth)])
    return np.array(out)


def draw(ways, path):
    """Wrong labels found against rows looked at, mean over tables."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    for name, found_at in ways.items():
        axes.plot([0, *STOPS], [0, *found_at], marker="o", markersize=4, label=name)
    axes.set(xlabel="rows looked at", ylabel="wrong labels found, mean of ten tables")
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1500, help="at most, drawn at random")
    parser.add_argument("--draws", type=int, default=10, help="of random rows, with learning")
    parser.add_argument("--many", type=int, default=200, help="draws in a fixed order")
    parser.add_argument("--tables", nargs="+", default=[*REAL, *FLIPPED])
    parser.add_argument("--figure", help="file for a figure of what is found")
    args = parser.parse_args()
    folder = Path(os.environ.get("NACRE_DATA", "."))
    warnings.simplefilter("ignore")
    fixed, learned, ways, gains, sizes = {}, {}, {}, {}, {}
    for name in args.tables:
        if not (folder / f"{name}.csv.gz").exists():
            print(f"{name} left out: it is not in {folder}.", file=sys.stderr)
            continue
        table = read(folder, name, args.rows)
        nothing = np.zeros(len(table.truth), bool)
        first = chances(table, table.given, nothing)
        fixed[name] = intervals(table, first, args.many, None)
        learned[name] = intervals(table, first, args.draws, "reached")
        ways[name] = found(table, first, cleanlab_order(table), max(args.draws // 3, 1))
        gains[name] = gain(table, first)
        sizes[name] = len(table.truth), table.wrong.mean()
        print(f"{name} done", file=sys.stderr, flush=True)
    for title, found_hits in (
        (f"fixed order, {args.many} draws", fixed),
        (f"learning every {STEP}, {args.draws} draws", learned),
    ):
        lines = [
            [name, f"{sizes[name][1]:.1%}"]
            + [f"{100 * x:.0f}" for stop in STOPS for x in hits[stop][:3]]
            + [f"{100 * hits[stop][3]:.1f}" for stop in STOPS]
            + [f"{100 * hits[STOPS[-1]][4]:+.1f}"]
            for name, hits in found_hits.items()
        ]
        mean = np.mean([[hits[stop] for stop in STOPS] for hits in found_hits.values()], axis=0)
        lines.append(
            ["mean", ""]
            + [f"{100 * x:.1f}" for row in mean for x in row[:3]]
            + [f"{100 * row[3]:.1f}" for row in mean]
            + [f"{100 * mean[-1][4]:+.1f}"]
        )
        head = ["table", "wrong"]
        head += [f"{what} {stop}" for stop in STOPS for what in ("rate", "left", "later")]
        head += [f"+- {stop}" for stop in STOPS] + ["bias"]
        print_table(f"Hits of 95 % intervals in percent; {title}", head, lines)
    names = list(next(iter(ways.values())))
    lines = []
    for stop_at, stop in enumerate(STOPS):
        means = [np.mean([one[name][stop_at] for one in ways.values()]) for name in names]
        lines.append([str(stop), *(f"{mean:.1f}" for mean in means)])
    print_table("Wrong labels found, mean over tables", ["looked at", *names], lines)
    if args.figure:
        means = {name: np.mean([one[name] for one in ways.values()], axis=0) for name in names}
        draw(means, args.figure)
    lines = [[table, *(f"{one[name][-1]:.0f}" for name in names)] for table, one in ways.items()]
    print_table(f"Wrong labels found in {STOPS[-1]} rows", ["table", *names], lines)
    there = {name: one for name, one in gains.items() if one is not None}
    lines = [[name, *(f"{100 * x:.1f}" for x in one.T.ravel())] for name, one in there.items()]
    mean = np.mean(list(there.values()), axis=0)
    lines.append(["mean", *(f"{100 * x:.1f}" for x in mean.T.ravel())])
    head = ["table", *(f"{who} {stop}" for who in ("nacre", "ordinary") for stop in (0, *STOPS))]
    print_table("Test error in percent after so many decisions", head, lines)


if __name__ == "__main__":
    main()
