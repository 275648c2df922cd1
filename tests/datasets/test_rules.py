"""Sets made by rule against what is known of them, and against the files."""

from collections import Counter

import pytest

from nacre.datasets.files import read_files
from nacre.datasets.rules import balance, car, nursery

COUNTS = {
    balance: {"L": 288, "B": 49, "R": 288},
    car: {"unacc": 1210, "acc": 384, "good": 69, "vgood": 65},
    nursery: {
        "not_recom": 4320,
        "priority": 4266,
        "spec_prior": 4044,
        "very_recom": 328,
        "recommend": 2,
    },
}


def rows_of(data):
    """All rows as people read them, and how often each occurs."""
    words = [
        [data.levels[j][int(value)] if j in data.levels else value for j, value in enumerate(row)]
        for row in data.X.tolist()
    ]
    return Counter((*row, label) for row, label in zip(words, data.y.tolist(), strict=True))


@pytest.mark.parametrize("make", COUNTS)
def test_classes(make):
    assert Counter(make().y.tolist()) == COUNTS[make]


@pytest.mark.parametrize("make", COUNTS)
def test_every_combination_occurs_once(make):
    data = make()
    assert max(rows_of(data).values()) == 1
    sizes = [len(set(column)) for column in data.X.T.tolist()]
    product = 1
    for size in sizes:
        product *= size
    assert len(data.y) == product


@pytest.mark.parametrize("make", COUNTS)
def test_rows_are_those_of_the_file(make, datasets):
    data = make()
    file = read_files([datasets / f"{data.name}.csv.gz"], data.name)
    assert file.features == data.features
    assert file.categorical == data.categorical
    assert rows_of(file) == rows_of(data)


def test_a_few_rows_by_hand():
    assert rows_of(balance())[5, 1, 2, 2, "L"] == 1
    assert rows_of(balance())[1, 4, 2, 2, "B"] == 1
    assert rows_of(car())["low", "low", "4", "4", "big", "high", "vgood"] == 1
    assert rows_of(car())["low", "low", "4", "2", "big", "high", "unacc"] == 1
    rich = ("usual", "proper", "complete", "1", "convenient", "convenient", "nonprob")
    assert rows_of(nursery())[(*rich, "recommended", "recommend")] == 1
    assert rows_of(nursery())[(*rich, "not_recom", "not_recom")] == 1
