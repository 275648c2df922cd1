"""Sizes, and what they may be."""

import gzip

import pytest

from nacre.io import delimited, read_table, size


@pytest.mark.parametrize(
    ("text", "count"),
    [("500MB", 5e8), ("2GB", 2e9), ("2.5 g", 2.5e9), ("1000", 1e3), ("3kb", 3e3), (" 1 TB ", 1e12)],
)
def test_sizes(text, count):
    assert size.parse_size(text) == count


@pytest.mark.parametrize("text", ["", "much", "-1GB", "1 XB", "GB", "1e9"])
def test_what_is_no_size(text):
    with pytest.raises(ValueError, match="is no size: write 500MB or 2GB"):
        size.parse_size(text)


def test_sizes_as_people_read_them():
    assert [size.shown_size(one) for one in (12, 3200, 4e9)] == ["12 B", "3.2 KB", "4 GB"]


def test_tables_that_memory_cannot_hold(monkeypatch):
    monkeypatch.setattr(size, "_free", lambda: 1e9)
    size.check_memory(10_000, 4_000)
    said = r"\(10000 rows, 5000 columns\) needs about 1.23 GB of memory, and 1 GB are free: take"
    with pytest.raises(ValueError, match=said):
        size.check_memory(10_000, 5_000)


def test_columns_need_memory_however_few_their_rows(monkeypatch, tmp_path):
    """100 000 columns of 200 rows, which are 0.5 GB by their cells, took 2.6 GB to read."""
    monkeypatch.setattr(size, "_free", lambda: 1e9)
    with pytest.raises(ValueError, match=r"\(200 rows, 100000 columns\) needs about 1.08 GB"):
        size.check_memory(200, 100_000)
    monkeypatch.setattr(size, "_free", lambda: 50e6)
    (tmp_path / "wide.csv").write_text(",".join(map(str, range(3_000))) + "\n")
    with pytest.raises(ValueError, match=r"1 lines, 3000 columns\) needs about 60.1 MB of memory"):
        read_table(tmp_path / "wide.csv")


def test_a_file_that_expands_beyond_memory_is_not_read(monkeypatch, tmp_path):
    """A gzip bomb below the limit of size took what memory there was, and was refused then."""
    with gzip.open(tmp_path / "bomb.csv.gz", "wb") as file:
        file.write(b"a,b,y\n" + b"1,2,p\n" * 1_000_000)
    monkeypatch.setattr(size, "_free", lambda: 50e6)
    monkeypatch.setattr(delimited, "read_fields", None)  # is not called
    said = r"\(1000001 lines, 3 columns\) needs about 72.1 MB of memory, and 50 MB are free: take"
    with pytest.raises(ValueError, match=said):
        read_table(tmp_path / "bomb.csv.gz")


def test_scores_of_many_classes_need_memory_too(monkeypatch):
    monkeypatch.setattr(size, "_free", lambda: 1e9)
    size.check_memory(10_000, 10, 100)
    said = (
        r"\(10000 rows, 10 columns, 1000 classes\) needs about 7.32 GB of memory, and 1 GB are free"
    )
    with pytest.raises(ValueError, match=said):
        size.check_memory(10_000, 10, 1_000)


def test_limits_of_address_space(monkeypatch):
    """With 1.1 GB of it, libraries wait for memory that never comes; with 2 GB, LLVM aborts."""
    monkeypatch.setattr(size, "_limit", lambda: 2.0e9)
    with pytest.raises(ValueError, match=r"takes 2.3 GB of address space.* ulimit -v allows 2 GB"):
        size.check_memory(100, 10)
    monkeypatch.setattr(size, "_limit", lambda: 2.4e9)
    size.check_memory(100, 10)
    with pytest.raises(ValueError, match=r"2.54 GB of address space, and ulimit -v allows 2.4 GB"):
        size.check_memory(1_000_000, 10)


def test_what_the_system_says():
    assert size._free() > 1e6
    assert size._limit() > 1e6
