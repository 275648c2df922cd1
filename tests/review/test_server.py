"""The server: what it refuses, what it keeps, and that it lives."""

import asyncio
import json
import shutil
import socket
import sqlite3
import time

import pytest

from nacre.review.server import _answer
from nacre.review.session import Review
from tests.review.serving import Client, serving

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def served(audited, tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    shutil.copytree(audited, folder / "data")
    with serving(folder / "data" / "cases-audit") as (run, address):
        yield run, address, Client(address)


@pytest.fixture
def client(served):
    run, _, made = served
    yield made
    assert run.poll() is None
    assert made.get("/api/about")[0] == 200  # it lives


def row(client):
    return client.get("/api/queue?at=0&count=1&open=1")[1]["rows"][0]


def choice(client):
    one = row(client)
    return {"row": one["row"], "verdict": "keep", "seen": 0, "slot": one["slot"]}


def test_the_address_is_good_for_once(served, client):
    _, address, _ = served
    query = client.at.query
    status, heads, body = client.send("GET", f"/?{query}", Cookie=None)
    assert (status, "set-cookie" in heads) == (403, False)
    assert b"used up" in body
    again = client.post("invite", {})[1]["token"]
    assert Client(address.split("?")[0] + f"?token={again}").get("/api/about")[0] == 200


def test_the_cookie_is_for_this_site_and_not_for_scripts(served, client):
    token = client.post("invite", {})[1]["token"]
    heads = client.send("GET", f"/?token={token}", Cookie=None)[1]
    assert "HttpOnly" in heads["set-cookie"]
    assert "SameSite=Strict" in heads["set-cookie"]
    policy = heads["content-security-policy"]
    assert "default-src 'none'; script-src 'self'; style-src 'self';" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert heads["x-content-type-options"] == "nosniff"
    assert heads["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path",
    ["/", "/?token=", "/?token=x", "/?token=%00%ff", "/review.js", "/api/about", "/api/state",
     "/certificate", "/image?row=1&column=picture"],
)  # fmt: skip
def test_without_a_cookie_nothing_is_shown(client, path):
    for cookie in (None, "", "a=b", "nacre-00000000=x", client.cookie[:-1], ";;;=\x7f", "=" * 5000):
        assert client.send("GET", path, Cookie=cookie)[0] == 403


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}", "", "localhost@evil",
     "[::1", "10.0.0.1:{port}", None],
)  # fmt: skip
def test_other_hosts_are_refused(client, host):
    if host is not None:
        host = host.format(port=client.at.port)
    assert client.send("GET", "/api/about", Host=host)[0] in (400, 421)
    assert client.post("decide", choice(client), Host=host)[0] in (400, 421)


def test_its_own_names_are_known(client):
    for host in (f"localhost:{client.at.port}", f"127.0.0.1:{client.at.port}"):
        assert client.send("GET", "/api/about", Host=host)[0] == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://localhost.evil.example", "https://127.0.0.1",
     "http://127.0.0.1:1", "http://[", "javascript:alert(1)", "", None],
)  # fmt: skip
def test_other_pages_may_not_write(client, origin):
    words = choice(client)
    assert client.post("decide", words, Origin=origin)[0] == 403
    assert row(client)["row"] == words["row"]


def test_other_pages_may_not_read(client):
    assert client.get("/api/about", Sec_Fetch_Site="cross-site")[0] == 403


def test_only_json_is_taken(client):
    for kind in ("text/plain", "application/x-www-form-urlencoded", None):
        assert client.post("decide", choice(client), Content_Type=kind)[0] == 415


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"7", b'"x"', b"\xff\xfe", b"[" * 30_000, b'{"row": 1e999}', b"{}",
     b'{"row": "1; DROP TABLE decisions", "verdict": "keep"}', b'{"row": true}',
     b'{"row": 99999999999999999999999, "verdict": "keep"}', b'{"row": -1, "verdict": "keep"}',
     b'{"row": 1, "verdict": ["keep"]}', b'{"row": 1, "verdict": "change", "label": {"a": 1}}',
     b'{"row": 1, "verdict": "keep", "seen": "x"}'],
    ids=range(16),
)  # fmt: skip
def test_malformed_bodies(client, body):
    assert client.post("decide", body)[0] == 400


@pytest.mark.parametrize("what", ["undo", "bulk", "learn", "mix", "write", "invite"])
def test_malformed_bodies_of_others(client, what):
    assert client.post(what, b"[1")[0] == 400
    if what in ("bulk", "mix"):
        assert client.post(what, {"share": "x", "least": "x", "first": []})[0] == 400


def test_a_decision_that_cannot_be_kept_is_said_so():
    def locked(_):
        raise sqlite3.OperationalError("database is locked")

    answer = asyncio.run(_answer(locked, {}))
    said = {"error": "It could not be written: database is locked"}
    assert (answer.status_code, json.loads(answer.body)) == (500, said)


def test_huge_bodies_are_refused_before_they_are_read(client):
    started = time.monotonic()
    assert client.post("decide", b" ", Content_Length="10000000000")[0] == 413
    assert client.post("decide", b"x" * 200_000)[0] == 413
    assert client.post("decide", b" ", Content_Length="-5")[0] == 400
    assert time.monotonic() - started < 10


def test_huge_bodies_in_chunks_are_refused_too(client):
    with socket.create_connection((client.at.hostname, client.at.port), 30) as link:
        heads = (
            f"POST /api/decide HTTP/1.1\r\nHost: {client.at.netloc}\r\nOrigin: {client.origin}\r\n"
            f"Cookie: {client.cookie}\r\nContent-Type: application/json\r\n"
            "Transfer-Encoding: chunked\r\n\r\n"
        )
        link.sendall(heads.encode())
        try:
            for _ in range(20):
                link.sendall(b"4000\r\n" + b"x" * 0x4000 + b"\r\n")
            link.sendall(b"0\r\n\r\n")
        except OSError:
            pass
        assert b" 413 " in link.recv(4096).split(b"\r\n")[0]


def test_a_slow_talker_holds_nobody_up(client):
    with socket.create_connection((client.at.hostname, client.at.port), 30) as link:
        link.sendall(b"POST /api/decide HTTP/1.1\r\nHost: ")
        assert client.get("/api/about")[0] == 200


@pytest.mark.parametrize(
    "path",
    ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/review.js/../store.py", "/store.py",
     "//etc/passwd", "/api/../store.py", "/image?row=0&column=picture",
     "/image?row=1&column=../../secret.png", "/image?row=-1&column=picture",
     "/image?row=1e5&column=picture", "/image", "/image?row=" + "9" * 5000 + "&column=picture"],
)  # fmt: skip
def test_no_file_can_be_had_by_its_path(client, path):
    assert client.send("GET", path)[0] == 404


def test_images_of_the_table_can_be_had(client):
    status, heads, body = client.send("GET", "/image?row=1&column=picture")
    assert (status, heads["content-type"]) == (200, "image/png")
    assert body.startswith(b"\x89PNG")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "HEAD"])
def test_other_methods(client, method):
    assert client.send(method, "/api/decide")[0] == 405


def test_decisions_conflicts_and_undo(client):
    words = choice(client)
    status, told = client.post("decide", words)
    assert status == 200
    assert told["decision"]["verdict"] == "keep"
    status, told = client.post("decide", {**words, "who": "Ben", "verdict": "unsure"})
    assert status == 409
    assert told["decision"]["who"] == "Ann"
    seen = told["decision"]["id"]
    assert client.post("decide", {**words, "who": "Ben", "seen": seen})[0] == 200
    assert client.post("undo", {"who": "Ben"})[1]["count"] == 1
    assert client.post("undo", {})[1]["decisions"][0]["verdict"] == "open"
    state = client.get("/api/state?since=1")[1]
    assert state["revision"] >= 3


def test_a_bulk_is_applied_as_it_was_shown(client):
    words = {"decision": "open", "first": 5, "verdict": "suggested"}
    shown = client.post("bulk", words)[1]["preview"]
    assert shown["count"] == 5
    other = {"row": shown["rows"][0]["row"], "verdict": "keep", "seen": 10**6}
    assert client.post("decide", other)[0] == 200
    told = client.post("bulk", {**words, "ticket": shown["ticket"]})[1]
    assert told["changed"]
    told = client.post("bulk", {**words, "ticket": told["preview"]["ticket"]})[1]
    assert told == {"made": 5}
    assert client.post("undo", {})[1]["count"] == 5


def test_every_acknowledged_decision_survives_kill_9(folder):
    told = []
    with serving(folder) as (run, address):
        client = Client(address)
        rows = client.get("/api/list?count=200")[1]["rows"]
        started = time.monotonic()
        for one in rows:
            try:
                status, answer = client.post("decide", {"row": one["row"], "verdict": "unsure"})
            except OSError:
                break
            assert status == 200
            told.append(answer["decision"]["id"])
            if len(told) == 60:
                run.kill()
        took = (time.monotonic() - started) / len(told)
    assert 60 <= len(told) <= 61
    assert took < 0.1
    review = Review(folder)
    kept = {one.id for one in review.store.after(0)}
    assert kept >= set(told)
    assert review.progress().unsure == len(kept)
    review.store.close()
    with serving(folder) as (_, address):
        assert Client(address).get("/api/state")[1]["checked"] == len(kept)
