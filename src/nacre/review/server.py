"""The server of a review: a few addresses around a ``Review``."""

from __future__ import annotations

import json
import socket
import sqlite3
from collections.abc import Callable
from dataclasses import asdict
from importlib.resources import files
from threading import Lock, Thread
from typing import Any

from nacre.auditing.page import template
from nacre.review.guard import OWN, Guard, TooLarge
from nacre.review.outputs import certificate, write_outputs
from nacre.review.session import Review
from nacre.review.store import Conflict
from nacre.review.view import (
    Filter,
    bulk,
    column_values,
    describe,
    image,
    list_view,
    row_view,
)

try:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route
except ModuleNotFoundError as error:
    if error.name not in ("starlette", "uvicorn", "anyio"):
        raise
    raise ModuleNotFoundError(
        "A review needs two more packages: pip install 'nacre-boost[review]'", name=error.name
    ) from None

STATIC = {
    "page.css": ("nacre.auditing", "text/css"),
    "review.css": ("nacre.review", "text/css"),
    "review.js": ("nacre.review", "text/javascript"),
    "pearl.svg": ("nacre.review", "image/svg+xml"),
}
"""Files of the page, where they are and what they are."""

MOST_LISTED = 200
"""Lines of a list that are sent at a time, and rows that are fetched ahead."""

LONGEST_NAME = 60


class Job:
    """Learning in the background: one at a time.

    Parameters
    ----------
    review : what to learn from
    every : after so many decisions it begins by itself; 0 for never
    """

    def __init__(self, review: Review, every: int = 0) -> None:
        self._review, self._every = review, every
        self._lock = Lock()
        self._since = review.revision
        self.running, self.error = False, ""

    def begin(self) -> bool:
        """Start, unless it runs already."""
        with self._lock:
            if self.running:
                return False
            self.running, self.error, self._since = True, "", self._review.revision
        Thread(target=self._run, name="nacre-rejudge", daemon=True).start()
        return True

    def decided(self) -> None:
        """Hear of a decision."""
        if self._every and self._review.revision - self._since >= self._every:
            self.begin()

    def _run(self) -> None:
        try:
            if self._review.rejudge() is None:
                self.error = "Decide about some suspects first: there is nothing to learn from yet."
        except Exception as error:  # shown on the page; the server goes on
            self.error = f"Learning has failed: {error}"
        finally:
            self.running = False


class Pages:
    """What the server answers. Each method takes the words of a request and gives plain data."""

    def __init__(self, review: Review, who: str, every: int, invite: Callable[[], str]) -> None:
        self.review, self.who, self.invite = review, who, invite
        self.job = Job(review, every)

    def about(self, _: dict[str, Any]) -> Any:
        """What the review is of, and who reviews."""
        return {**describe(self.review), "who": self.who}

    def state(self, words: dict[str, Any]) -> Any:
        """How far the review is, and what came since a revision."""
        review, since = self.review, _whole(words, "since", 0)
        review.catch_up()
        news = [asdict(one) for one in review.store.after(since)][-50:] if since else []
        return {
            **review.outlook(),
            "revision": review.revision,
            "share": review.share,
            "news": news,
            "learning": {
                "running": self.job.running,
                "error": self.job.error,
                "judgement": review.judgement,
                "changes": review.changes,
            },
        }

    def queue(self, words: dict[str, Any]) -> Any:
        """Rows of the queue: at a slot, or the next open ones."""
        review = self.review
        review.catch_up()
        at, count = _whole(words, "at", 0), min(max(_whole(words, "count", 1), 1), 10)
        size = len(review.population)
        if words.get("open"):
            slots = review.next_open(at, count)
        else:
            slots = [one for one in range(at, at + count) if 0 <= one < size]
        places = review.queue.rows[slots].tolist()
        return {"rows": [row_view(review, place) for place in places], "size": size}

    def row(self, words: dict[str, Any]) -> Any:
        """One row, by its number in the table."""
        self.review.catch_up()
        place = self.review.places.get(_whole(words, "row", -1))
        if place is None:
            raise ValueError("There is no such row.")
        return row_view(self.review, place, bool(words.get("every")))

    def listed(self, words: dict[str, Any]) -> Any:
        """A page of the list."""
        self.review.catch_up()
        count = min(max(_whole(words, "count", 50), 0), MOST_LISTED)
        return list_view(self.review, _filter(words), max(_whole(words, "start", 0), 0), count)

    def values(self, words: dict[str, Any]) -> Any:
        """What a column holds, to filter by."""
        return column_values(self.review, _text(words, "column"))

    def decide(self, words: dict[str, Any]) -> Any:
        """Decide about a row; the answer comes once it is on the disk."""
        label, slot = words.get("label"), _whole(words, "slot", 0)
        made = self.review.decide(
            _whole(words, "row", -1),
            _text(words, "verdict"),
            None if label is None else str(label),
            who=self._name(words),
            seen=_whole(words, "seen", 0),
            listed=bool(words.get("listed")),
            slot=slot,
        )
        self.job.decided()
        return {"decision": asdict(made), "next": self.review.next_open(slot + 1)}

    def undo(self, words: dict[str, Any]) -> Any:
        """Take the reviewer's last decision back."""
        made = self.review.undo(self._name(words))
        return {"decisions": [asdict(one) for one in made[:50]], "count": len(made)}

    def bulk(self, words: dict[str, Any]) -> Any:
        """Decide about a list: shown first, then applied as it was shown."""
        review = self.review
        review.catch_up()
        seen = review.revision
        choices, preview = bulk(review, _filter(words), _text(words, "verdict"))
        if not words.get("ticket"):
            return {"preview": preview}
        if words["ticket"] != preview["ticket"]:
            return {"preview": preview, "changed": True}
        made = review.store.add(choices, self._name(words), seen) if choices else []
        review.catch_up()
        self.job.decided()
        return {"made": len(made)}

    def learn(self, _: dict[str, Any]) -> Any:
        """Begin to learn from the decisions."""
        return {"begun": self.job.begin()}

    def mix(self, words: dict[str, Any]) -> Any:
        """Have more or fewer random rows in the queue."""
        share = float(words.get("share", -1))
        if not 0.0 <= share <= 1.0:
            raise ValueError("The share of random rows must be from 0 to 1.")
        self.review.mix(share)
        return {"share": share}

    def write(self, _: dict[str, Any]) -> Any:
        """Write the corrected table and all else."""
        self.review.catch_up()
        return {"files": [str(path) for path in write_outputs(self.review)]}

    def another(self, _: dict[str, Any]) -> Any:
        """A token for another browser."""
        return {"token": self.invite()}

    def _name(self, words: dict[str, Any]) -> str:
        name = " ".join(str(words.get("who") or self.who).split())
        return name[:LONGEST_NAME] or self.who


def _whole(words: dict[str, Any], name: str, default: int) -> int:
    value = words.get(name, default)
    if isinstance(value, str) and value.removeprefix("-").isdecimal() and len(value) < 16:
        value = int(value)
    if type(value) is not int or abs(value) > 2**53:
        raise ValueError(f"{name} must be a whole number.")
    return value


def _text(words: dict[str, Any], name: str) -> str:
    value = words.get(name, "")
    if not isinstance(value, str):
        raise ValueError(f"{name} must be text.")
    return value


def _filter(words: dict[str, Any]) -> Filter:
    least = float(words.get("least") or 0.0)
    texts = {
        name: _text(words, name) for name in ("given", "suggested", "decision", "column", "value")
    }
    return Filter(**texts, least=least, first=max(_whole(words, "first", 0), 0))


def make_app(
    review: Review, who: str, every: int = 0, hosts: tuple[str, ...] = OWN, address: bool = False,
    frames: str = "'none'",
) -> Guard:  # fmt: skip
    """The application, behind its guard."""
    guard = Guard(None, hosts, address, frames)
    pages = Pages(review, who, every, guard.invite)
    asked: dict[str, Callable[[dict[str, Any]], Any]] = {
        "about": pages.about,
        "state": pages.state,
        "queue": pages.queue,
        "row": pages.row,
        "list": pages.listed,
        "values": pages.values,
    }
    told: dict[str, Callable[[dict[str, Any]], Any]] = {
        "decide": pages.decide,
        "undo": pages.undo,
        "bulk": pages.bulk,
        "learn": pages.learn,
        "mix": pages.mix,
        "write": pages.write,
        "invite": pages.another,
    }
    routes = [Route("/", _page), *(Route(f"/{name}", _static(name)) for name in STATIC)]
    routes += [Route(f"/api/{name}", _get(work)) for name, work in asked.items()]
    routes += [Route(f"/api/{name}", _post(work), methods=["POST"]) for name, work in told.items()]
    routes += [
        Route("/image", _image(review)),
        Route("/certificate", _certificate(review)),
    ]
    guard.app = Starlette(routes=routes)
    return guard


def _page(_: Request) -> Response:
    return Response(template("nacre.review", "review.html").render(), media_type="text/html")


def _static(name: str) -> Callable[[Request], Response]:
    package, kind = STATIC[name]
    return lambda _: Response(_read(package, name), media_type=kind)


def _read(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8")


def _get(work: Callable[[dict[str, Any]], Any]) -> Any:
    async def answer(request: Request) -> Response:
        return await _answer(work, dict(request.query_params))

    return answer


def _post(work: Callable[[dict[str, Any]], Any]) -> Any:
    async def answer(request: Request) -> Response:
        try:
            words = json.loads(await request.body())
        except TooLarge:
            return _said(413, "Too large.")
        except (ValueError, RecursionError):
            return _said(400, "That is no JSON.")
        if not isinstance(words, dict):
            return _said(400, "That is no object.")
        return await _answer(work, words)

    return answer


async def _answer(work: Callable[[dict[str, Any]], Any], words: dict[str, Any]) -> Response:
    try:
        return JSONResponse(await run_in_threadpool(work, words))
    except Conflict as conflict:
        told = {"error": str(conflict), "decision": asdict(conflict.decision)}
        return JSONResponse(told, 409)
    except (ValueError, TypeError, OverflowError) as error:
        return _said(400, str(error))
    except (OSError, sqlite3.Error) as error:
        return _said(500, f"It could not be written: {error}")


def _said(status: int, error: str) -> Response:
    return JSONResponse({"error": error}, status)


def _image(review: Review) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        row = request.query_params.get("row", "")
        column = request.query_params.get("column", "")
        found = image(review, int(row), column) if row.isdecimal() and len(row) < 16 else None
        if found is None:
            return _said(404, "There is no such image.")
        return Response(found[0], media_type=found[1])

    return answer


def _certificate(review: Review) -> Callable[[Request], Response]:
    def answer(_: Request) -> Response:
        review.catch_up()
        text, style = certificate(review.snapshot())
        return Response(text, media_type="text/html", headers={"x-style-hash": style})

    return answer


def bind(host: str, port: int) -> socket.socket:
    """A socket at an address; port 0 is any that is free."""
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        made.listen()  # so that a browser that is quick waits, and is not refused
    except OSError as error:
        made.close()
        raise OSError(f"Port {port} of {host} cannot be used: {error.strerror}.") from None
    return made


def serve(app: Guard, at: socket.socket) -> None:
    """Answer requests until the process is interrupted."""
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        lifespan="off",
        ws="none",
        http="h11",
        server_header=False,
        proxy_headers=False,
        limit_concurrency=100,
        timeout_graceful_shutdown=3,
    )
    uvicorn.Server(config).run(sockets=[at])
