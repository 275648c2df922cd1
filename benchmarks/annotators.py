"""Answers of several annotators: consensus labels and error rates beside majority vote and peers.

Five sets whose true labels are known: songs by listeners (music-genre), reviews by workers
(amazon-isbook), comments and headlines by keyword functions (youtube-spam, hausa-topics), images by
three workers each (cifar10n-embed, the first 2000). The witness of all that take one is the same:
held-out probabilities of a random forest, or of nacre's own classifier, that has learned from the
majority vote; text is TF-IDF and 50 components of a truncated SVD. "nacre, again" lets nacre's
classifier learn from the first consensus and judges once more, as ``nacre audit`` does.

Reported: the share of right consensus labels among rows with an answer; and how far annotators'
rates of wrong answers are off on average (weighted by their answers), and how many of the intervals
hold. cleanlab's annotator quality is taken for the share of right answers. Beside both: nacre less
the best of the peers on that set, with the standard error of the paired difference, over rows and
over annotators.

Run (after pip install crowd-kit): NACRE_DATA=folder python benchmarks/annotators.py
     [--sets music-genre ...]
"""

import argparse
import os
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from cleanlab.multiannotator import get_label_quality_multiannotator
from contenders import print_table
from crowdkit.aggregation import DawidSkene, OneCoinDawidSkene
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import cross_val_predict

from nacre import NacreClassifier, judge_answers

FOLDER = Path(os.environ.get("NACRE_DATA", "datasets"))
SETS = "music-genre", "amazon-isbook", "youtube-spam", "hausa-topics", "cifar10n-embed"
ROWS = 2000
"""Of images: more take longer and say the same."""


def read(name):
    """Features, true labels, and answers one below the other."""
    table = pd.read_csv(FOLDER / f"{name}{'-train' * (name == 'music-genre')}.csv.gz")
    answers = pd.read_csv(FOLDER / f"{name}-answers.csv.gz")
    if name == "music-genre":
        places = dict(zip(table["song"], range(len(table)), strict=True))
        answers["row"] = answers["song"].map(places)
        answers = answers.rename(columns={"label": "answer"})
    if name == "cifar10n-embed":
        table = table[:ROWS]
        answers = answers[answers["row"] < ROWS]
    numbers = table.filter(regex=r"^[ef]\d+$")
    if len(numbers.columns):
        X = numbers.to_numpy(float)
    else:
        words = TfidfVectorizer(sublinear_tf=True, min_df=2).fit_transform(table["text"].fillna(""))
        X = TruncatedSVD(50, random_state=0).fit_transform(words)
    return X, table["label"].to_numpy(str), answers[["row", "annotator", "answer"]]


@dataclass(frozen=True)
class Answer:
    """What one contender says: which consensus labels are right, and rates of wrong answers."""

    by: str
    right: np.ndarray  # of each row, 0 or 1
    off: np.ndarray  # of each annotator, by how much its rate is
    held: np.ndarray | None = None  # whether its interval holds the rate


def difference(own, peers, weight, best=min):
    """The mean less that of the best peer, and the standard error of the paired difference."""
    share = weight / weight.sum()
    apart = own - best(peers, key=lambda one: share @ one)
    mean = share @ apart
    return f"{mean:+.3f} +- {np.sqrt(share**2 @ (apart - mean) ** 2):.3f}"


def majority(votes):
    """The commonest answer of each row, ties by lot."""
    return (votes + np.random.default_rng(0).random(votes.shape) / 1000).argmax(axis=1)


def chances_of(found, known, n_classes):
    """Probabilities with a column for each class, those that are not in the labels at 0."""
    out = np.zeros((len(found), n_classes))
    out[:, known] = found
    return np.maximum(out, 1e-6) / np.maximum(out, 1e-6).sum(axis=1, keepdims=True)


def held_out(X, codes, n_classes, own):
    """Held-out probabilities of a model that learns from labels."""
    if own:
        model = NacreClassifier("fast", random_state=0).fit(X, codes)
        return chances_of(model.found_.probabilities, model.classes_, n_classes)
    forest = RandomForestClassifier(random_state=0)
    found = cross_val_predict(forest, X, codes, method="predict_proba")
    return chances_of(found, np.unique(codes), n_classes)


def measure(name):
    """What contenders say of one set, and how many answers each annotator gave."""
    X, truth, answers = read(name)
    some = np.unique(answers["row"])  # rows without an answer have no consensus to be judged
    X, truth = X[some], truth[some]
    answers = answers.assign(row=np.searchsorted(some, answers["row"]))
    classes = np.unique([*truth, *answers["answer"]])
    row, said = answers["row"].to_numpy(), np.searchsorted(classes, answers["answer"])
    names, by = np.unique(answers["annotator"], return_inverse=True)
    votes = np.zeros((len(truth), len(classes)))
    np.add.at(votes, (row, said), 1)
    codes, count = majority(votes), np.bincount(by)
    wrong = np.bincount(by, answers["answer"].to_numpy(str) != truth[row]) / count

    said_by = []

    def note(by, labels, rates, intervals=None):
        held = None
        if intervals is not None:
            held = (intervals[:, 0] <= wrong) & (wrong <= intervals[:, 1])
        said_by.append(Answer(by, 1.0 * (labels == truth), np.abs(rates - wrong), held))

    def against(labels):
        return np.bincount(by, answers["answer"].to_numpy(str) != labels[row]) / count

    note("majority vote", classes[codes], against(classes[codes]))
    triples = answers.rename(columns={"row": "task", "annotator": "worker", "answer": "label"})
    for kind in (DawidSkene, OneCoinDawidSkene):
        labels = kind(n_iter=100).fit_predict(triples).sort_index().to_numpy(str)
        note(f"{kind.__name__} (crowd-kit)", labels, against(labels))
    wide = np.full((len(truth), len(names)), np.nan)
    wide[row, by] = said
    for own in (False, True):
        chances = held_out(X, codes, len(classes), own)
        witness = "nacre's model" if own else "forest"
        theirs = get_label_quality_multiannotator(pd.DataFrame(wide), chances, verbose=False)
        labels = classes[theirs["label_quality"]["consensus_label"].to_numpy(int)]
        stats = theirs["annotator_stats"].sort_index()["annotator_quality"].to_numpy()
        note(f"CROWDLAB, {witness}", labels, 1.0 - stats)
        ours = judge_answers(answers, chances, classes=classes)
        note(f"nacre, {witness}", ours.consensus, *rates_of(ours))
    chances = held_out(X, ours.given, len(classes), True)
    again = judge_answers(answers, chances, classes=classes)
    note("nacre, again", again.consensus, *rates_of(again))
    return said_by, count


def lines(said_by, count):
    """Lines of the table for one set."""
    peers = [one for one in said_by if not one.by.startswith("nacre")]
    for one in said_by:
        rows = np.ones(len(one.right))
        apart = "", ""
        if one.by.startswith("nacre"):
            apart = (
                difference(one.right, [peer.right for peer in peers], rows, best=max),
                difference(one.off, [peer.off for peer in peers], count),
            )
        yield (
            one.by,
            f"{one.right.mean():.4f}",
            apart[0],
            f"{np.average(one.off, weights=count):.3f}",
            apart[1],
            "" if one.held is None else f"{one.held.mean():.2f}",
        )


def rates_of(found):
    return found.annotators.rates, found.annotators.intervals


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="*", default=SETS, choices=SETS)
    chosen = parser.parse_args().sets
    warnings.simplefilter("ignore")
    less = "less best peer"
    head = ["by", "right", less, "rates off by", less, "intervals hold"]
    for name in chosen:
        print_table(name, head, list(lines(*measure(name))), left=1)


if __name__ == "__main__":
    main()
