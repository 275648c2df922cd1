"""``nacre review`` and ``nacre apply``; the page itself has tests of its own."""

import json
import re

import pytest

from nacre.review.server import bind
from nacre.review.session import Review
from tests.cli.runner import run
from tests.review.conftest import audited, folder, truth
from tests.review.test_guard import ask

__all__ = ["audited", "folder", "truth"]

pytestmark = pytest.mark.slow


def test_apply(folder, truth):
    result = run("apply", folder)
    assert result.exit_code == 1
    assert "Nothing was decided" in result.stderr
    review = Review(folder)
    for place in review.queue.rows[:10]:
        row = int(review.loaded.rows[place])
        review.decide(row, "change", truth[row], who="Ann", seen=0)
    review.store.close()
    result = run("apply", folder)
    assert result.exit_code == 0, result.stderr
    assert "10 rows decided" in result.stdout
    assert (folder / "corrected.csv").exists()
    file = folder.with_name(f"{folder.name.removesuffix('-audit')}.csv")
    assert run("apply", file).stdout == result.stdout
    out = folder.with_name("out")
    found = json.loads(run("apply", folder, "--out", out, "--json").stdout)
    assert found["checked"] == 10
    assert str(out / "corrected.csv") in found["files"]
    table = folder.with_name("corrected.csv")
    (out / "corrected.csv").rename(table)
    words = ("--label", "state", "--clean", "checked", "--ignore", "truth", "--effort", "fast")
    again = run("audit", table, *words, "--json")
    assert again.exit_code == 0, again.stderr
    assert json.loads(again.stdout)["trusted"] == found["checked"]


def test_review_says_what_is_missing(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,a\n")
    result = run("review", tmp_path / "a.csv", "--no-browser")
    assert (result.exit_code, "--label" in result.stderr) == (1, True)
    result = run("review", tmp_path, "--no-browser")
    assert "There is no audit" in result.stderr


@pytest.fixture
def served(monkeypatch):
    """What would have been served."""
    found = []

    def serve(app, at):
        found.append(app)
        at.close()

    monkeypatch.setattr("nacre.review.server.serve", serve)
    return found


def test_review_of_another_label_than_the_audit_has(folder, served):
    """Is refused in one line, before anything is served."""
    for target in (folder, folder.with_name("cases.csv")):
        result = run("review", target, "--label", "zz", "--no-browser")
        assert result.exit_code == 1
        assert "is of the labels in 'state', not 'zz': leave --label out" in result.stderr
        assert len(result.stderr.splitlines()) == 1
        assert not served
    result = run("review", folder, "--label", "state", "--no-browser")
    assert (result.exit_code, len(served)) == (0, 1), result.stderr


@pytest.mark.parametrize("host", ["MyBox.local", "192.0.2.1"])
def test_the_address_that_is_printed_can_be_opened(folder, monkeypatch, host):
    served = []

    def serve(app, at):
        served.append(app)
        at.close()

    monkeypatch.setattr("nacre.review.server.serve", serve)
    monkeypatch.setattr("nacre.review.server.bind", lambda host, port: bind("127.0.0.1", port))
    result = run("review", folder, "--host", host, "--no-browser")
    name, query = re.search(r"http://(\S+)/\?(\S+)", result.stdout).groups()
    assert name.startswith(f"{host}:")
    assert ask(served[0], query=query, host=name)[0] == 200
    assert ask(served[0], host="other.local")[0] == 421


@pytest.mark.parametrize(
    "words",
    [
        ("--group", "kind"),
        ("--clean", "checked"),
        ("--id", "kind"),
        ("--effort", "full"),
        ("--ignore", "kind"),
        ("--categorical", "kind"),
        ("--text", "kind"),
        ("--read", "kind=text"),
        ("--join-labels",),
    ],
)
def test_review_of_an_audit_that_was_made_otherwise(folder, served, words):
    """Is refused, as the options would do nothing; those that it was made with may be said."""
    for target in (folder, folder.with_name("cases.csv")):
        result = run("review", target, "--label", "state", *words, "--no-browser")
        assert result.exit_code == 1
        assert f"already, which {words[0]} does not change: leave it out" in result.stderr
        assert len(result.stderr.splitlines()) == 1
        assert not served
    same = ("--label", "state", "--id", "case", "--effort", "fast")
    result = run("review", folder, *same, "--no-browser")
    assert (result.exit_code, len(served)) == (0, 1), result.stderr
