"""Who may ask the server what: a layer around an application that lets nobody else in."""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

MOST_BODY = 65_536
"""Bytes of a request, at most."""

OWN = ("127.0.0.1", "::1", "localhost")
"""What this machine calls itself."""

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'{style}; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors {frames}"
)


class Guard:
    """Lets requests through that come from the reviewer's own browser.

    - The Host header must name this server: a foreign name that somebody has pointed at this
      machine (DNS rebinding) does not.
    - An address with a one-time token gets a cookie, HttpOnly and SameSite=Strict; all else asks
      for it. A token is used up by the first who shows it.
    - Requests that write must come from a page of this server, by their Origin header.
    - Bodies are bounded, and every answer has a content security policy without inline scripts.

    Parameters
    ----------
    app : ASGI application
    hosts : names in the Host header that are this server
    address : whether any IP address is as well (a server that is open to the network)
    frames : origins whose pages may frame this one, such as a notebook's
    """

    def __init__(
        self, app: Any, hosts: Sequence[str] = OWN, address: bool = False, frames: str = "'none'"
    ) -> None:
        self.app, self._hosts, self._address, self._frames = app, set(hosts), address, frames
        self._tokens: set[str] = set()
        self._key = secrets.token_urlsafe(32)
        self._name = f"nacre-{secrets.token_hex(4)}"  # cookies do not know ports: one per server

    def invite(self) -> str:
        """A token that opens the page once."""
        token = secrets.token_urlsafe(24)
        self._tokens.add(token)
        return token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            return
        heads: dict[str, str] = {}
        for name, value in scope["headers"]:
            key = name.decode("latin-1").lower()
            if key == "host" and key in heads:
                await _refuse(send, 400, "Two hosts.")
                return
            heads[key] = value.decode("latin-1")
        refusal = self._refusal(scope, heads)
        fresh = False
        if refusal is None and not self._knows(heads):
            fresh = self._redeem(scope)
            if not fresh:
                refusal = (
                    403,
                    "This address was used up, or never was one. Start nacre review anew.",
                )
        if refusal is not None:
            await _refuse(send, *refusal)
            return
        await self.app(scope, _bounded(receive), self._dressed(send, fresh))

    def _refusal(self, scope: Scope, heads: dict[str, str]) -> tuple[int, str] | None:
        """Why a request is refused whoever sends it, or None."""
        host = heads.get("host", "")
        if not self._is_own(host):
            return 421, "This server does not go by that name."
        if scope["method"] not in ("GET", "POST", "HEAD"):
            return 405, "No such method."
        if scope["method"] == "POST":
            if heads.get("origin") not in (f"http://{host}", f"https://{host}"):
                return 403, "Only pages of this server may write."
            if heads.get("content-type", "").split(";")[0].strip() != "application/json":
                return 415, "Only JSON is taken."
        if heads.get("sec-fetch-site") == "cross-site" and scope["path"] != "/":
            return 403, "Only pages of this server may ask."
        length = heads.get("content-length", "0")
        if not length.isdecimal():
            return 400, "No such length."
        if int(length) > MOST_BODY:
            return 413, "Too large."
        return None

    def _is_own(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name in self._hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return self._address

    def _knows(self, heads: dict[str, str]) -> bool:
        """Whether the cookie is there, among those of any form that other ports have set."""
        cookies = (one.strip().partition("=") for one in heads.get("cookie", "").split(";"))
        return any(
            name == self._name and secrets.compare_digest(value.encode(), self._key.encode())
            for name, _, value in cookies
        )

    def _redeem(self, scope: Scope) -> bool:
        """Whether the address has a token that was not used before."""
        if scope["method"] != "GET" or scope["path"] != "/":
            return False
        shown = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0].encode()
        for token in list(self._tokens):
            if secrets.compare_digest(shown, token.encode()):
                self._tokens.discard(token)
                return True
        return False

    def _dressed(self, send: Send, fresh: bool) -> Send:
        """Answers with the headers that keep browsers in line, and for a newcomer the cookie."""

        async def dressed(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                style = dict(message["headers"]).get(b"x-style-hash", b"").decode()
                policy = POLICY.format(style=f" '{style}'" if style else "", frames=self._frames)
                message["headers"] = [
                    *(one for one in message["headers"] if one[0] != b"x-style-hash"),
                    (b"content-security-policy", policy.encode()),
                    (b"x-content-type-options", b"nosniff"),
                    (b"referrer-policy", b"no-referrer"),
                    (b"cross-origin-resource-policy", b"same-origin"),
                    (b"cache-control", b"no-store"),
                ]
                if fresh:
                    cookie = f"{self._name}={self._key}; Path=/; HttpOnly; SameSite=Strict"
                    message["headers"].append((b"set-cookie", cookie.encode()))
            await send(message)

        return dressed


class TooLarge(Exception):
    """A body that goes on after it has said that it would not."""


def _bounded(receive: Receive) -> Receive:
    """A body of so many bytes, whatever its header says."""
    seen = 0

    async def bounded() -> MutableMapping[str, Any]:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > MOST_BODY:
            raise TooLarge
        return message

    return bounded


async def _refuse(send: Send, status: int, why: str) -> None:
    heads = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"x-content-type-options", b"nosniff"),
        (b"connection", b"close"),  # a body that nobody reads must not become a request
    ]
    await send({"type": "http.response.start", "status": status, "headers": heads})
    await send({"type": "http.response.body", "body": f"nacre: {why}\n".encode()})
