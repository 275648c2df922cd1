"""Files and folders: whole, or not at all."""

import pytest

from nacre.io.whole import whole_file, whole_folder


def names(folder):
    return sorted(path.name for path in folder.rglob("*"))


def fill(half, *files, text="new"):
    for name in files:
        (half / name).write_text(text)


def fail(folder, force=False):
    """Write one file of several, and stop."""
    with whole_folder(folder, force) as half:
        fill(half, "report.html")
        raise KeyError


def test_a_new_folder_appears_when_all_is_written(tmp_path):
    with whole_folder(tmp_path / "out", force=False) as half:
        fill(half, "report.html", "audit.json")
        assert not (tmp_path / "out").exists()
    assert names(tmp_path) == ["audit.json", "out", "report.html"]


def test_nothing_is_left_of_what_failed(tmp_path):
    (tmp_path / "there").mkdir()
    for out in ("out", "there"):
        with pytest.raises(KeyError):
            fail(tmp_path / out)
    assert names(tmp_path) == ["there"]


def test_files_are_replaced_by_force_only(tmp_path):
    fill(tmp_path, "report.html", "cleaned.parquet", "own.txt", text="old")
    with (
        pytest.raises(FileExistsError, match=r"report\.html' is there: --force"),
        whole_folder(tmp_path, force=False),
    ):
        pass
    with pytest.raises(KeyError):
        fail(tmp_path, force=True)
    assert (tmp_path / "report.html").read_text() == "old"
    with whole_folder(tmp_path, force=True) as half:
        fill(half, "report.html", "cleaned.csv")
    assert names(tmp_path) == ["cleaned.csv", "own.txt", "report.html"]
    assert (tmp_path / "report.html").read_text() == "new"
    assert (tmp_path / "own.txt").read_text() == "old"


def test_a_file_in_the_place_of_a_folder(tmp_path):
    fill(tmp_path, "out")
    with (
        pytest.raises(FileExistsError, match="is a file: name a folder"),
        whole_folder(tmp_path / "out", force=True),
    ):
        pass
    with pytest.raises(FileNotFoundError), whole_folder(tmp_path / "no" / "out", force=True):
        pass


def test_a_file(tmp_path):
    path = tmp_path / "model.nacre"
    with pytest.raises(UnicodeEncodeError), whole_file(path) as half:
        half.write_text("half" * 10_000 + "\ud800", encoding="utf-8")
    assert names(tmp_path) == []
    with whole_file(path, force=False) as half:
        assert half.suffix == ".nacre"
        half.write_text("new")
    assert names(tmp_path) == ["model.nacre"]
    with pytest.raises(FileExistsError, match="is there: --force"), whole_file(path, force=False):
        pass
    nowhere = tmp_path / "none" / "model.nacre"
    with pytest.raises(FileNotFoundError, match="There is no folder"), whole_file(nowhere):
        pass
