"""Who is let in, by the headers of a request."""

import asyncio

import pytest

from nacre.review.guard import Guard


def ask(guard, path="/", query="", host="localhost", **heads):
    """The status of an answer, and its headers."""
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.request"}

    pairs = [(name.encode(), one.encode("latin-1")) for name, one in heads.items()]
    scope = {
        "type": "http", "method": "GET", "path": path, "query_string": query.encode(),
        "headers": [(b"host", host.encode()), *pairs],
    }  # fmt: skip
    asyncio.run(guard(scope, receive, send))
    return sent[0]["status"], dict(sent[0]["headers"])


async def welcome(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body"})


@pytest.mark.parametrize(
    "other",
    ["a=b", 'prefs={"theme":"dark"}', "x=[1,2]", "user=a b", "k y=1", "flag", "_xsrf=2|ab|cd|1",
     "n=\xe9", "session=a,b", 'half="open', "=", ""],
)  # fmt: skip
def test_cookies_of_other_servers_do_not_matter(other):
    """Cookies know no ports: whatever else runs on this machine is sent along."""
    guard = Guard(welcome)
    status, heads = ask(guard, query=f"token={guard.invite()}")
    assert status == 200
    own = heads[b"set-cookie"].decode().split(";")[0]
    for cookie in (f"{other}; {own}", f"{own}; {other}", f"{other};{own};{other}"):
        assert ask(guard, cookie=cookie)[0] == 200
    name, key = own.split("=")
    for cookie in (other, f"{other}; {own[:-1]}", f"{other}; {name}={key}x", f"{name}; {key}"):
        assert ask(guard, cookie=cookie)[0] == 403
