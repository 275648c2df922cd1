"""Wrong labels of texts: nacre beside TF-IDF, logistic regression and cleanlab, in one run.

Four public sets of texts from the folder NACRE_DATA, with 10, 20 and 40 % of the labels flipped at
random and with the labels that people or programs really gave. At most 1500 training rows; the
rest, with its clean labels, is the test. amazon-isbook also has what another of a row's workers
answered, drawn anew for each seed ("drawn"): its real labels are one draw, the same for all seeds.
Both sides get the raw text. Peers are cleanlab's CleanLearning with logistic regression, on TF-IDF
of words, and of words and characters.

Differences are nacre less the stronger peer, with their standard errors over the seeds. Seeds share
rows, and of real labels which ones are wrong: so the average precision also has the standard error
of a bootstrap over the training rows, the mean of the seeds' ones. Neither says what another set
would change.

A second table joins texts with columns of another set by their class: text alone, columns alone,
both.

Run: NACRE_DATA=folder python benchmarks/text.py [--rows 1500] [--seeds 5] [--sets sms-spam ...]
"""

import argparse
import os
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
from cleanlab.classification import CleanLearning
from contenders import print_table
from scipy.sparse import hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score

from nacre import NacreClassifier
from nacre.auditing.load import load
from nacre.noise import flip_labels

SETS = ["sms-spam", "amazon-isbook", "youtube-spam", "hausa-topics"]
RATES = (0.1, 0.2, 0.4)
REAL, DRAWN = "real", "drawn"
EFFORT = "full"


def table(name, rows, seed):
    """Texts and labels to train on and to test on, and the labels as they were really given."""
    frame = pd.read_csv(
        Path(os.environ["NACRE_DATA"]) / f"{name}.csv.gz", keep_default_na=False, na_values=[""]
    )
    frame = frame[frame["text"].notna()]
    given = frame["noisy_label"] if "noisy_label" in frame else frame["label"]
    frame = frame.assign(given=given)[given.notna()]
    order = np.random.default_rng(1000 + seed).permutation(len(frame))
    n = min(rows, int(0.7 * len(frame)))
    return frame.iloc[order[:n]], frame.iloc[order[n:]]


def drawn_answers(name, train, seed):
    """For each row what one of its workers has answered, drawn anew; None where a set has none."""
    if name != "amazon-isbook":  # of the others, programs answer or abstain
        return None
    answers = pd.read_csv(Path(os.environ["NACRE_DATA"]) / f"{name}-answers.csv.gz")
    answers = answers.sample(frac=1, random_state=seed).drop_duplicates("row")
    return answers.set_index("row")["answer"].loc[train.index].to_numpy()


def given_labels(name, train, noise, seed):
    """The labels to learn from."""
    if noise == REAL:
        return train["given"].to_numpy()
    if noise == DRAWN:
        return drawn_answers(name, train, seed)
    return flip_labels(train["label"].to_numpy(), noise, random_state=seed)[0]


def nacre(train, labels, test, columns, seed):
    loaded = load(train[columns].assign(label=labels), "label")
    model = NacreClassifier(EFFORT, random_state=seed, n_jobs=1)
    found = model.fit_training(loaded.training, loaded.classes).found_
    schema = loaded.schema
    said = model.predict_proba(schema.matrix(test), schema.words(test)).argmax(axis=1)
    return loaded.classes[said], found.scores


def cleanlab(*readers):
    def run(train, labels, test, columns, seed):
        X = hstack([one.fit_transform(train["text"]) for one in readers]).tocsr()
        Z = hstack([one.transform(test["text"]) for one in readers]).tocsr()
        classes, codes = np.unique(labels, return_inverse=True)
        model = CleanLearning(LogisticRegression(max_iter=1000), seed=seed)
        model.fit(X, codes)
        quality = model.get_label_issues()["label_quality"].to_numpy()
        return classes[model.predict(Z)], 1.0 - quality

    return run


def contenders():
    words = TfidfVectorizer(sublinear_tf=True)
    parts = TfidfVectorizer(
        sublinear_tf=True, analyzer="char_wb", ngram_range=(2, 4), max_features=20_000
    )
    return {
        "nacre": nacre,
        "cleanlab, words": cleanlab(words),
        "cleanlab, words and characters": cleanlab(words, parts),
    }


def measure(sets, rows, seeds):
    """For each contender, set and noise: error, average precision, processor time.

    And of each set and noise the standard error over rows of nacre's average precision less that of
    the stronger peer.
    """
    found, over_rows = defaultdict(lambda: defaultdict(list)), defaultdict(list)
    for name in sets:
        print(f"measuring {name}", file=sys.stderr, flush=True)
        for seed in range(seeds):
            train, test = table(name, rows, seed)
            truth = train["label"].to_numpy()
            for noise in [*RATES, REAL, DRAWN]:
                labels = given_labels(name, train, noise, seed)
                if labels is None or np.array_equal(labels, truth):
                    continue
                wrong, ranked = labels != truth, []
                for what, run in contenders().items():
                    start = time.process_time()
                    guess, scores = run(train, labels, test, ["text"], seed)
                    ranked.append(scores)
                    found[what][name, noise].append(
                        (
                            np.mean(guess != test["label"].to_numpy()),
                            average_precision_score(wrong, scores),
                            time.process_time() - start,
                        )
                    )
                over_rows[name, noise].append(bootstrapped(wrong, ranked[0], ranked[-1], seed))
    return found, over_rows


def bootstrapped(wrong, own, other, seed, draws=200):
    """The standard error over rows of a difference of average precisions."""
    rng = np.random.default_rng(seed)
    apart = []
    while len(apart) < draws:
        some = rng.integers(len(wrong), size=len(wrong))
        if wrong[some].any():
            each = (average_precision_score(wrong[some], scores[some]) for scores in (own, other))
            apart.append(np.subtract(*each))
    return np.std(apart)


def said(error, precision):
    return f"{100 * error:.1f} / {precision:.2f}"


def difference(own, other):
    """Of errors in points and of average precisions, each with its standard error over seeds."""
    apart = (np.array(own) - np.array(other))[:, :2]
    mean, n = apart.mean(axis=0), len(apart)
    spread = apart.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else np.full(2, np.nan)
    return f"{100 * mean[0]:+.1f} +- {100 * spread[0]:.1f} / {mean[1]:+.3f} +- {spread[1]:.3f}"


def print_found(found, over_rows):
    own, *_, peer = found.values()
    rows = []
    for name, noise in own:
        means = [np.mean(by_cell[name, noise], axis=0)[:2] for by_cell in found.values()]
        how = noise if isinstance(noise, str) else f"{noise:.0%}"
        apart = difference(own[name, noise], peer[name, noise])
        by_rows = f"{np.mean(over_rows[name, noise]):.3f}"
        rows.append([name, how, *(said(*one) for one in means), apart, by_rows])
    cells = [cell for cell in own if cell[1] != DRAWN]
    means = [np.mean([np.mean(by_cell[c], axis=0) for c in cells], axis=0)
             for by_cell in found.values()]  # fmt: skip
    each = ([np.mean(one[c], axis=0) for c in cells] for one in (own, peer))
    rows.append(["mean", "", *(said(*one[:2]) for one in means), difference(*each), ""])
    ratios = [f"{one[2] / means[-1][2]:.2f}" for one in means]
    rows.append(["processor time, ratio", "", *ratios, "", ""])
    print_table(
        "Error on clean test labels in percent / average precision of wrong labels",
        ["set", "wrong", *found, "nacre less the last", "over rows"],
        rows,
    )


def mixed(rows, seeds, first=12):
    """Texts and columns of one class each: what both say, and what each says alone."""
    folder = Path(os.environ["NACRE_DATA"])
    numbers = pd.read_csv(folder / "pima-diabetes.csv.gz")
    texts = pd.read_csv(folder / "amazon-isbook.csv.gz", keep_default_na=False)
    beginnings = texts["text"].str.split().str[:first].str.join(" ")
    found = defaultdict(lambda: defaultdict(list))
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        parts = [
            numbers[numbers["label"] == a].sample(frac=1, random_state=seed).reset_index(drop=True)
            for a in ("tested_positive", "tested_negative")
        ]
        for part, b in zip(parts, ("other", "book"), strict=True):
            own = beginnings[texts["label"] == b].sample(
                len(part), replace=False, random_state=seed
            )
            part["text"] = own.to_numpy()
        frame = pd.concat(parts, ignore_index=True)
        frame = frame.iloc[rng.permutation(len(frame))]
        n = min(rows, int(0.7 * len(frame)))
        train, test = frame.iloc[:n], frame.iloc[n:]
        columns = [name for name in numbers if name != "label"]
        for rate in RATES:
            truth = train["label"].to_numpy()
            labels, wrong = flip_labels(truth, rate, random_state=seed)
            for what, some in (
                ("text alone", ["text"]), ("columns alone", columns), ("both", ["text", *columns]),
            ):  # fmt: skip
                guess, scores = nacre(train, labels, test, some, seed)
                error = np.mean(guess != test["label"].to_numpy())
                found[what][rate].append((error, average_precision_score(wrong, scores)))
    rows = []
    for what, by_rate in found.items():
        rows.append([what, *(said(*np.mean(by_rate[rate], axis=0)) for rate in RATES)])
    for what in ("text alone", "columns alone"):
        apart = [difference(found["both"][rate], found[what][rate]) for rate in RATES]
        rows.append([f"both less {what}", *apart])
    print_table(
        "A table of columns (pima-diabetes) and of beginnings of texts (amazon-isbook), by class",
        ["nacre learns from", *(f"{rate:.0%} flipped" for rate in RATES)],
        rows,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1500, help="to train on, at most")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--sets", nargs="*", default=SETS)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    if args.sets:
        print_found(*measure(args.sets, args.rows, args.seeds))
    mixed(args.rows, args.seeds)


if __name__ == "__main__":
    main()
