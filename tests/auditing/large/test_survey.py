"""The first pass: counts of all parts, and a sample by what stands in the rows."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nacre.auditing.large.learn import learn_schema
from nacre.auditing.large.survey import (
    FEWEST,
    LEVELS,
    Asked,
    Merging,
    choose,
    merge_surveys,
    ranks,
    survey,
)
from nacre.auditing.large.work import Work
from nacre.io.parts import Part, find_parts


def surveyed(folder, asked, size=8_000):
    table = find_parts(folder, size)
    rows = np.array([part.rows or part.span[1] - part.span[0] for part in table.parts])
    paths = []
    for part, share in zip(table.parts, rows / rows.sum(), strict=True):
        paths.append(folder.parent / f"{part.number}-{size}.arrow")
        survey(table, asked, float(share), part, paths[-1])
    return table, merge_surveys(table, asked, paths)


def make(n=3000, copies=1):
    draw = np.random.default_rng(0)
    x = np.repeat(draw.normal(size=n // copies), copies)
    word = np.repeat(draw.choice(["a", "b", "c"], n // copies), copies)
    y = np.where(draw.random(n) < 0.002, "rare", np.where(x > 0, "yes", "no"))
    return pa.table({"x": x, "word": word, "n": np.arange(n), "y": y, "g": np.arange(n) // 7})


def write(table, folder, group=250):
    folder.mkdir()
    pq.write_table(table, folder / "one.parquet", row_group_size=group)
    return folder


def test_the_sample_does_not_depend_on_the_parts_and_knows_every_class(tmp_path):
    table = make()
    folder = write(table, tmp_path / "table")
    asked = Asked("y", id="n", sample=300, held=100)
    found = [surveyed(folder, asked, size)[1] for size in (8_000, 40_000, 10**9)]
    for one in found:
        assert one.numbers.tolist() == found[0].numbers.tolist()
        assert one.learned == 300
        assert len(one.numbers) == 400
    labels = table["y"].to_pylist()
    assert found[0].labels == {name: labels.count(name) for name in set(labels)}
    learned = found[0].table["y"][:300].to_pylist()
    assert learned.count("rare") == min(FEWEST, labels.count("rare"))
    assert found[0].counts["word"] == {w: table["word"].to_pylist().count(w) for w in "abc"}
    assert found[0].range["n"] == [0, 2999, 0]
    assert found[0].table["n"].to_pylist() == found[0].numbers.tolist()


@pytest.mark.parametrize("group", [None, "g"])
def test_copies_and_groups_stay_together(tmp_path, group):
    table = make(copies=3)
    folder = write(table.drop_columns(["n"]) if group is None else table, tmp_path / "table")
    ignore = () if group else ("g",)
    asked = Asked("y", group=group, ignore=ignore, sample=600, held=300)
    _, found = surveyed(folder, asked)
    names = table["g" if group else "x"].to_numpy()
    where = {"learned": found.numbers[: found.learned], "held": found.numbers[found.learned :]}
    rare = np.array(table["y"].to_pylist()) == "rare"
    for rows in where.values():
        mates = np.isin(names, names[rows[~rare[rows]]]).sum()
        assert mates <= len(rows) + (7 if group else 3) + rare.sum()  # the last may be cut


@pytest.mark.parametrize("size", [10_000, 10**9])
@pytest.mark.parametrize("ordered", [False, True])
def test_few_large_groups_do_not_fill_the_sample(tmp_path, ordered, size):
    draw = np.random.default_rng(2)
    group = draw.integers(0, 5, 20_000)
    group = np.sort(group) if ordered else group
    columns = {"x": draw.normal(size=20_000), "y": draw.choice(["u", "v"], 20_000), "g": group}
    folder = write(pa.table(columns), tmp_path / "table", 1000)
    asked = Asked("y", group="g", sample=1000, held=500)
    _, found = surveyed(folder, asked, size)
    assert (found.learned, len(found.numbers)) == (1000, 1500)
    groups = found.table["g"].to_numpy()
    for some in (groups[:1000], groups[1000:]):
        assert np.all(np.bincount(some, minlength=5) > 0.1 * len(some))
    assert "Column 'g' has groups that are too large" in learn_schema(found, asked).notes[-1]


def test_a_group_in_very_many_parts_does_not_fill_the_sample_either():
    """Though each of them has few rows of it."""
    key, codes = np.repeat(np.arange(9, dtype=np.uint64), 1000), np.arange(9000) % 2
    chosen, learned = choose(key, codes, 9, Asked("y", sample=100, held=50))
    assert len({*key[chosen[:learned]].tolist()}) > 2
    assert len({*key[chosen[learned:]].tolist()}) > 2


def test_a_table_of_few_different_rows_is_sampled_all_the_same(tmp_path):
    draw = np.random.default_rng(1)
    table = pa.table({"a": draw.integers(0, 2, 4000), "y": draw.choice(["u", "v"], 4000)})
    _, found = surveyed(write(table, tmp_path / "table", 1000), Asked("y", sample=400, held=200))
    assert found.learned == 400
    assert 0.3 < np.mean(found.table["a"].to_numpy()) < 0.7


def test_rows_that_were_not_looked_at_are_never_skipped():
    """A part that gave only some of its rows bounds the keys of all."""
    key, codes = np.arange(100, dtype=np.uint64), np.zeros(100, np.int64)
    chosen, learned = choose(key, codes, 59, Asked("y", sample=30, held=50))
    assert learned == 30
    assert chosen.max() == 59
    assert ranks(np.array([1, 0, 1, 1])).tolist() == [0, 0, 1, 2]


def test_a_third_is_held_out_where_classes_are_small():
    key, codes = np.arange(36, dtype=np.uint64), np.repeat([0, 1], 18)
    chosen, learned = choose(key, codes, 2**64 - 1, Asked("y", sample=100, held=50))
    assert (learned, len({*chosen.tolist()})) == (24, 36)
    assert np.bincount(codes[chosen[:learned]]).tolist() == [12, 12]


def test_what_is_held_while_parts_are_merged_does_not_grow(tmp_path, monkeypatch):
    draw, n, K = np.random.default_rng(4), 300, 10
    paths, asked = [], Asked("y", sample=100, held=50)
    words = [f"word {i}" for i in range(40 * n)]
    columns = {
        "x": draw.normal(size=40 * n),
        "word": words,
        "few": [one[-1] for one in words],
        "y": [f"class {i % K}" for i in range(40 * n)],
    }
    table = find_parts(write(pa.table(columns), tmp_path / "table", n), 1)
    assert len(table.parts) == 40
    merging, most = Merging(asked), 0
    for part in table.parts:
        paths.append(tmp_path / f"{part.number}.arrow")
        survey(table, asked, 1 / 40, part, paths[-1])
        with pa.ipc.open_file(str(paths[-1])) as file:
            merging.add(file.read_all())
        most = max(most, len(merging.rows))
    assert most <= 2 * merging.room == 2 * (300 + FEWEST * K)
    assert merging.counts["word"] is None
    assert len(words) > LEVELS
    assert sum(merging.counts["few"].values()) == 40 * n
    found = merge_surveys(table, asked, paths)
    monkeypatch.setattr(Merging, "room", 10**9)
    assert merge_surveys(table, asked, paths).numbers.tolist() == found.numbers.tolist()


def test_a_column_of_no_classes_is_refused(tmp_path):
    n = 3000
    table = pa.table({"x": np.arange(n) * 0.5, "y": [f"name {i}" for i in range(n)]})
    with pytest.raises(ValueError, match=r"holds \d+ different values|holds more than 1000"):
        surveyed(write(table, tmp_path / "table"), Asked("y"))


def test_results_are_named_by_what_they_are_made_of(tmp_path):
    """Another file of the same name, another question: nothing is taken for what it is not."""
    work, asked = Work(tmp_path), Asked("y")
    part = Part(0, "a.parquet", (100, 5), (0, 3), 50)
    names = {
        work.path("survey", ".arrow", one, other)
        for one in (part, replace(part, mark=(100, 6)), replace(part, span=(0, 2)))
        for other in (asked, replace(asked, seed=1))
    }
    assert len(names) == 6
    assert work.path("survey", ".arrow", part, asked) in names
