from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nacre.bins import bin_rows
from nacre.bins.binner import category_trust
from nacre.dask import sketch as sketch_module
from nacre.dask.sketch import POINTS, Sample, Sketch, Summary, cut_columns, merge


def summary_of(X, labels, weight=None, keys=None, categorical=()):
    keys = np.arange(len(X), dtype=np.uint64) if keys is None else keys
    return Summary.of(X, labels, weight, keys, categorical)


def merged_by_pairs(parts, categorical=()):
    while len(parts) > 1:
        pairs = [parts[k : k + 2] for k in range(0, len(parts), 2)]
        parts = [
            pair[0] if len(pair) == 1 else merge(*pair, categorical=categorical) for pair in pairs
        ]
    return parts[0]


@given(st.lists(st.floats(-5, 5).map(lambda x: round(x, 1)) | st.just(np.nan), max_size=60))
def test_few_values_are_kept_exactly(values):
    values = np.array(values, float)
    there = values[~np.isnan(values)]
    known, counts = np.unique(there, return_counts=True)
    half = len(values) // 2
    for sketch in (
        Sketch.of_sorted(np.sort(values), POINTS),
        Sketch.of(values, np.ones(len(values)), POINTS),
        Sketch.of_sorted(np.sort(values[:half]), POINTS).merged(
            Sketch.of_sorted(np.sort(values[half:]), POINTS), POINTS
        ),
    ):
        np.testing.assert_array_equal(sketch.values, known)
        np.testing.assert_array_equal(sketch.mass, counts)
        assert sketch.error == 0.0


@pytest.mark.parametrize("parts", [1, 5, 16])
@pytest.mark.parametrize("weighted", [False, True])
def test_ranks_are_off_by_no_more_than_stated(parts, weighted):
    rng = np.random.default_rng(parts)
    values, points = rng.lognormal(size=20_000), 64
    mass = rng.exponential(size=len(values)) if weighted else np.ones(len(values))
    pieces = np.array_split(np.arange(len(values)), parts)
    sketches = [
        Sketch.of(values[some], mass[some], points)
        if weighted
        else Sketch.of_sorted(np.sort(values[some]), points)
        for some in pieces
    ]
    while len(sketches) > 1:
        pairs = [sketches[k : k + 2] for k in range(0, len(sketches), 2)]
        sketches = [
            pair[0] if len(pair) == 1 else pair[0].merged(pair[1], points) for pair in pairs
        ]
    (sketch,) = sketches
    levels = int(np.ceil(np.log2(parts)))
    assert len(sketch.values) <= points
    assert 0.0 < sketch.error <= (levels + 1) * mass.sum() / points * (1 + 1e-9)
    heaviest = mass.max()
    for value, rank in zip(sketch.values, np.cumsum(sketch.mass), strict=True):
        true = mass[values <= value].sum()
        assert abs(rank - true) <= sketch.error + heaviest


def test_the_sample_does_not_depend_on_the_partitions():
    rng = np.random.default_rng(0)
    keys = rng.integers(0, 2**63, 30_000).astype(np.uint64)
    X, labels = rng.normal(size=(30_000, 2)), rng.integers(0, 2, 30_000)
    whole = Sample.of(keys, X, labels, np.ones(30_000))
    pieces = np.array_split(rng.permutation(30_000), 7)
    parts = [Sample.of(keys[some], X[some], labels[some], np.ones(len(some))) for some in pieces]
    merged = parts[0]
    for one in parts[1:]:
        merged = merged.merged(one)
    assert len(whole.keys) == 20_000
    np.testing.assert_array_equal(merged.keys, whole.keys)
    np.testing.assert_array_equal(merged.X, whole.X)


def test_copies_do_not_fill_the_sample(monkeypatch):
    """They are one row with the weight of all, however they are parted."""
    rng, n = np.random.default_rng(0), 3000
    X = rng.integers(0, 60, (n, 1)).astype(float)
    keys, labels = (X[:, 0].astype(np.uint64) * 7) % 61, rng.choice(["a", "b"], n)
    weight = rng.integers(1, 4, n).astype(float)
    for room in (50, 200):
        monkeypatch.setattr(sketch_module, "SAMPLE", room)
        for some in (np.arange(n), rng.permutation(n)):
            parts = [
                Sample.of(*(one[own] for one in (keys, X, labels, weight)))
                for own in np.split(some, [1400, 1410, 1500])
            ]
            found = parts[0].merged(parts[1]).merged(parts[2].merged(parts[3]))
            expected = sorted(set(zip(keys.tolist(), labels.tolist(), strict=True)))[:room]
            assert list(zip(found.keys.tolist(), found.labels.tolist(), strict=True)) == expected
            for key, x, label, mass in zip(*list(vars(found).values())[:4], strict=True):
                assert mass == weight[(keys == key) & (labels == label)].sum()
                assert x[0] * 7 % 61 == key


def test_cuts_of_few_values_are_those_of_the_binner():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.integers(0, 40, 500), rng.normal(size=500).round(1), np.ones(500)])
    X[rng.random(500) < 0.1, 1] = np.nan
    X[:, 2] = rng.integers(0, 6, 500)
    parts = [summary_of(piece, np.zeros(len(piece)), None, None, (2,)) for piece in
             np.array_split(X, 3)]  # fmt: skip
    cuts = cut_columns(merged_by_pairs(parts, (2,)), (2,), 255)
    bins = bin_rows(X, np.arange(500, dtype=np.int32), None, (2,))
    np.testing.assert_array_equal(cuts.plan.cuts[:2], bins.cuts[:2])
    np.testing.assert_array_equal(cuts.categories[2], bins.categories[2])
    np.testing.assert_array_equal(cuts.missing, bins.missing[:3].astype(bool))
    np.testing.assert_allclose(cuts.share, category_trust(bins, np.ones(500)))
    assert cuts.error == 0.0


def test_none_stands_for_no_rows():
    one = summary_of(np.ones((3, 1)), np.zeros(3))
    assert merge(None, None, ()) is None
    assert merge(one, None, ()) is one
    assert merge(None, one, ()) is one


def test_what_cannot_be_learned_from_is_refused():
    with pytest.raises(ValueError, match="Column 1 of X contains infinity"):
        summary_of(np.array([[0.0, np.inf]]), np.zeros(1))
    with pytest.raises(ValueError, match="more than 100000 categories"):
        summary_of(np.arange(100_001.0)[:, None], np.zeros(100_001), categorical=(0,))


@given(st.lists(st.integers(0, 99) | st.just(np.nan), max_size=80), st.integers(1, 12))
@example([1, 2, 3], 2)
@example([1, 1, 2, 3, 3, 3, 4], 3)
def test_rows_without_weights_are_rows_of_weight_one(values, points):
    values = np.array(values, np.float32)
    plain, weighed = (
        Sketch.of_sorted(np.sort(values), points),
        Sketch.of(values, np.ones_like(values), points),
    )
    np.testing.assert_array_equal(plain.values, weighed.values)
    np.testing.assert_array_equal(plain.mass, weighed.mass)
    assert plain.error == weighed.error


def test_a_sample_has_the_lowest_keys_and_of_equal_ones_the_first(monkeypatch):
    monkeypatch.setattr(sketch_module, "SAMPLE", 50)
    keys = np.random.default_rng(0).integers(0, 40, 300).astype(np.uint64)
    rows = np.arange(300)
    found = Sample.of(keys, rows[:, None], rows, np.ones(300))
    np.testing.assert_array_equal(found.labels, np.argsort(keys, kind="stable")[:50])


def test_rows_that_are_held_out_count_by_the_classes_that_there_are():
    X, labels = np.array([[1.0], [2.0]]), np.array(["a", "b"])
    one = replace(summary_of(X, labels), held={"c": 3.0})
    other = replace(summary_of(X[:0], labels[:0]), held={"b": 2.0, "c": 1.0})
    assert one.held_mass == 0.0
    both = merge(one, other, ())
    assert both.rows == 2
    assert both.classes.tolist() == ["a", "b"]
    assert both.held == {"b": 2.0, "c": 4.0}
    assert both.held_mass == 2.0
