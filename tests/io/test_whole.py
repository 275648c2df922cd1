"""Files and folders: whole, or not at all."""

import pytest

from nacre.io.whole import fcntl, whole_file, whole_folder

NAMES = ("report.html", "cleaned.csv", "cleaned.parquet", "audit.json")


def names(folder):
    return sorted(path.name for path in folder.rglob("*"))


def fill(half, *files, text="new"):
    for name in files:
        (half / name).write_text(text)


def fail(folder, force=False):
    """Write one file of several, and stop."""
    with whole_folder(folder, force, NAMES) as half:
        fill(half, "report.html")
        raise KeyError


def test_a_new_folder_appears_when_all_is_written(tmp_path):
    with whole_folder(tmp_path / "out", force=False, names=NAMES) as half:
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
        whole_folder(tmp_path, False, NAMES),
    ):
        pass
    with pytest.raises(KeyError):
        fail(tmp_path, force=True)
    assert (tmp_path / "report.html").read_text() == "old"
    with whole_folder(tmp_path, True, NAMES) as half:
        fill(half, "report.html", "cleaned.csv")
    assert names(tmp_path) == ["cleaned.csv", "own.txt", "report.html"]
    assert (tmp_path / "report.html").read_text() == "new"
    assert (tmp_path / "own.txt").read_text() == "old"


def test_a_file_in_the_place_of_a_folder(tmp_path):
    fill(tmp_path, "out")
    with (
        pytest.raises(FileExistsError, match="is a file: name a folder"),
        whole_folder(tmp_path / "out", True, NAMES),
    ):
        pass


def test_folders_above_are_made(tmp_path):
    with whole_folder(tmp_path / "deep" / "er" / "out", False, NAMES) as half:
        fill(half, "report.html")
    assert names(tmp_path) == ["deep", "er", "out", "report.html"]
    with whole_file(tmp_path / "deep" / "also" / "some.csv", parents=True) as half:
        half.write_text("new")
    assert (tmp_path / "deep" / "also" / "some.csv").read_text() == "new"


def test_folders_above_are_gone_where_nothing_came_of_it(tmp_path):
    (tmp_path / "there").mkdir()
    with pytest.raises(KeyError):
        fail(tmp_path / "there" / "deep" / "er" / "out")
    assert names(tmp_path) == ["there"]


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


def test_a_folder_in_the_place_of_a_file(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder: name a file"), whole_file(tmp_path):
        pass


@pytest.mark.parametrize("deep", [(), ("table.csv",)])
def test_errors_name_the_place_that_was_asked_for(tmp_path, deep):
    def refuse(half):
        raise PermissionError(13, "Permission denied", str(half.joinpath(*deep)))

    for place in (whole_file(tmp_path / "out"), whole_folder(tmp_path / "out", True, NAMES)):
        with pytest.raises(PermissionError) as caught, place as half:
            refuse(half)
        assert caught.value.filename == str(tmp_path / "out")
    assert names(tmp_path) == []


def test_errors_of_other_files_stay_as_they_are(tmp_path):
    with (
        pytest.raises(FileNotFoundError) as caught,
        whole_file(tmp_path / "out"),
        (tmp_path / "table.csv").open(),
    ):
        pass
    assert caught.value.filename == str(tmp_path / "table.csv")


def test_what_a_killed_run_has_left_is_removed(tmp_path):
    """In a new folder, and in one that is there; what is not ours stays."""
    (tmp_path / "there").mkdir()
    left = [tmp_path / ".0123abcd.out", tmp_path / "there" / ".89abcdef.there"]
    for half in (*left, tmp_path / ".0123abcd.other", tmp_path / ".settings.out"):
        half.mkdir()
        fill(half, "report.html")
    for out in ("out", "there"):
        with whole_folder(tmp_path / out, False, NAMES) as half:
            fill(half, "audit.json")
    assert not any(half.exists() for half in left)
    assert (tmp_path / ".0123abcd.other").exists()
    assert (tmp_path / ".settings.out").exists()


@pytest.mark.skipif(fcntl is None, reason="there are no such locks")
@pytest.mark.parametrize("force", [False, True])
def test_two_runs_into_one_folder(tmp_path, force):
    """The second would replace what the first has written."""
    with whole_folder(tmp_path / "out", False, NAMES) as half:
        with (
            pytest.raises(FileExistsError, match=r"Another run is writing to '.*out': wait"),
            whole_folder(tmp_path / "out", force, NAMES),
        ):
            pass
        fill(half, "report.html", text="first")
    assert (tmp_path / "out" / "report.html").read_text() == "first"
    with whole_folder(tmp_path / "out", True, NAMES) as half:
        fill(half, "report.html")


def test_files_that_came_meanwhile_are_not_replaced(tmp_path):
    def meet():
        with whole_folder(tmp_path / "out", False, NAMES) as half:
            fill(half, "report.html")
            (tmp_path / "out").mkdir()
            fill(tmp_path / "out", "report.html", text="mine")

    with pytest.raises(FileExistsError, match=r"report\.html' is there"):
        meet()
    assert (tmp_path / "out" / "report.html").read_text() == "mine"
    assert names(tmp_path) == ["out", "report.html"]


def test_two_writers_of_one_file_do_not_meet(tmp_path):
    """Nor would those of two containers, whose process ids may be the same."""
    path = tmp_path / "model.nacre"
    with whole_file(path) as first:
        first.write_text("first")
        with whole_file(path) as second:
            second.write_text("second")
        assert path.read_text() == "second"
    assert path.read_text() == "first"
    assert first != second


def test_a_full_disk_is_said_of_the_file_that_was_asked_for(tmp_path):
    with pytest.raises(OSError, match="No space") as error, whole_file(tmp_path / "out.csv"):
        raise OSError(28, "No space left on device")
    assert error.value.filename == str(tmp_path / "out.csv")
