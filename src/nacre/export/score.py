"""Score rows with a model that nacre has exported. Needs Python, and nothing else.

    python score.py model.json table.csv > scored.csv

or ``import score``; ``score.load("model.json").predict_proba(row)``. A row is a list in the order
of the columns, or a dict that has all of them by name; a gap is None, NaN or an empty text. In a
table it may also be a word such as NA.
"""

import csv
import json
import math
import sys
from bisect import bisect_left
from typing import Any

GAPS = {"", "?", "na", "n/a", "nan", "null", "<na>", "#n/a", "nat"}
"""What a table says, in any case of its letters, where there is no value."""


class Scorer:
    """A model out of its JSON."""

    def __init__(self, model: dict[str, Any]) -> None:
        if model.get("format") != "nacre-scorer" or model.get("version") != 1:
            raise ValueError("this is no model that nacre has exported, or of a later version.")
        self.model, self.classes, self.columns = model, model["classes"], model["columns"]

    def scores(self, row: Any) -> list[float]:
        """The score of each class; of two classes one number, for the second."""
        values = [row[name] for name in self.columns] if isinstance(row, dict) else row
        total = list(self.model["intercept"])
        for one in self.model["functions"]:
            add(total, step(one, values[one["column"]]))
        for tree in self.model["trees"]:
            add(total, leaf(tree, values))
        return level(total, self.model["near"])

    def predict_proba(self, row: Any) -> list[float]:
        """The probability of each class."""
        scores = self.scores(row)
        both = [-scores[0] / 2, scores[0] / 2] if len(scores) == 1 else scores
        parts = [math.exp(2 * self.model["scale"] * (one - max(both))) for one in both]
        return [part / sum(parts) for part in parts]

    def predict(self, row: Any) -> Any:
        """The class of the highest score, the first among equals."""
        scores = self.scores(row)
        return self.classes[scores[0] > 0 if len(scores) == 1 else scores.index(max(scores))]


def add(total: list[float], values: list[float]) -> None:
    """Add to each number of a list."""
    for k, value in enumerate(values):
        total[k] += value


def category(value: Any, known: list[Any]) -> Any:
    """A value as it is among the categories: a number, where these are numbers."""
    return float(value) if known and isinstance(known[0], (int, float)) else value


def gap(value: Any) -> bool:
    """Whether a value is missing."""
    return value is None or value == "" or bool(value != value)


def step(function: dict[str, Any], value: Any) -> Any:
    """What a column contributes."""
    if gap(value):
        return function["missing"]
    if "categories" in function:
        known = function["categories"]
        value = category(value, known)
        return function["values"][known.index(value)] if value in known else function["missing"]
    return function["values"][bisect_left(function["edges"], float(value))]


def leaf(tree: list[dict[str, Any]], values: Any) -> Any:
    """What the leaf of a tree says that a row comes to."""
    node = tree[0]
    while "says" not in node:
        value = values[node["column"]]
        if gap(value):
            left = node["gap"]
        elif "in" in node:
            value = category(value, node["known"])
            left = value in node["in"] if value in node["known"] else node["gap"]
        else:
            left = node["upto"] is None or float(value) <= node["upto"]
        node = tree[node["left"] if left else node["right"]]
    return node["says"]


def level(total: list[float], near: float) -> list[float]:
    """Scores with ties made exact and, of more than two classes, less their mean."""
    if len(total) == 1:
        return [0.0 if abs(total[0]) <= near else total[0]]
    top = max(total)
    total = [top if one >= top - near else one for one in total]
    return [one - sum(total) / len(total) for one in total]


def load(path: str) -> Scorer:
    """A scorer out of a file."""
    with open(path, encoding="utf-8") as file:
        return Scorer(json.load(file))


def main(model: str, path: str) -> None:
    """Print what a model says of each row of a table."""
    scorer = load(model)
    with open(path, newline="", encoding="utf-8-sig") as table:
        reader = csv.DictReader(table)
        there = reader.fieldnames or []
        missing = [name for name in scorer.columns if name not in there]
        if missing:
            sys.exit(
                f"{path} has no column {listed(missing)}, its columns are {listed(there)}: name "
                "them as the model does, with commas between."
            )
        out = csv.writer(sys.stdout)
        out.writerow(["predicted", *scorer.classes])
        for cells in reader:
            if None in cells or None in cells.values():
                sys.exit(f"{path}, line {reader.line_num}: not as many cells as the header has.")
            row = {name: cell(cells[name]) for name in scorer.columns}
            try:
                out.writerow([scorer.predict(row), *scorer.predict_proba(row)])
            except ValueError as error:
                sys.exit(f"{path}, line {reader.line_num}: {error}.")


def listed(names: Any) -> str:
    """Some names, in a message."""
    return ", ".join([repr(name) for name in names[:10]] + ["..."] * (len(names) > 10)) or "none"


def cell(text: str) -> str | None:
    """What a cell of a table says; None where there is nothing, or a word for it."""
    return None if text.strip().lower() in GAPS else text


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("Name a model and a table: python score.py model.json table.csv")
    try:
        main(*sys.argv[1:])
    except (OSError, ValueError) as error:  # no such file, or not of that kind
        sys.exit(str(error))
