"""A review from Python."""

import urllib.request

import pytest

from nacre.auditing import Audit

pytestmark = pytest.mark.slow


def test_a_notebook_shows_the_page(folder):
    found = Audit.read(folder)
    serving = found.review(folder, who="Ann")
    try:
        assert "<iframe src=" in serving._repr_html_()
        assert serving.address in repr(serving)
        with urllib.request.urlopen(serving.address) as reply:
            policy = reply.headers["content-security-policy"]
            assert b"nacre review" in reply.read()
        assert "frame-ancestors 'self' http://localhost:*" in policy
    finally:
        serving.stop()
    assert "ended" in repr(serving)


def test_another_audit_is_not_overwritten(folder):
    found = Audit.read(folder)
    found.summary["seed"] = "another"
    with pytest.raises(ValueError, match="Another audit"):
        found.review(folder)


def test_what_goes_wrong_is_said(folder):
    (folder / "review.sqlite").write_text("no data base " * 100)
    with pytest.raises(ValueError, match="cannot be used"):
        Audit.read(folder).review(folder)
