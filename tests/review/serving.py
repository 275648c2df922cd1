"""A server in a process of its own, as ``nacre review`` starts it."""

import http.client
import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from urllib.parse import urlsplit


@contextmanager
def serving(folder, *words, who="Ann"):
    """Yields the process and its address, which is good for once."""
    command = [sys.executable, "-m", "nacre", "review", str(folder), "--no-browser", "--who", who]
    run = subprocess.Popen(
        [*command, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "COLUMNS": "200"},
    )  # fmt: skip
    said = []
    try:
        for line in run.stdout:
            said.append(line)
            if found := re.search(r"http://\S+", line):
                break
        else:
            raise AssertionError("".join(said))
        yield run, found[0]
    finally:
        run.kill()
        run.wait()
        run.stdout.close()


class Client:
    """A browser without a screen: keeps its cookie."""

    def __init__(self, address):
        self.at = urlsplit(address)
        self.origin = f"http://{self.at.netloc}"
        status, heads, _ = self.send("GET", f"/?{self.at.query}")
        assert status == 200
        self.cookie = heads["set-cookie"].split(";")[0]

    def send(self, method, path, body=None, **heads):
        """Status, headers and body of an answer; ``None`` leaves a header out."""
        link = http.client.HTTPConnection(self.at.hostname, self.at.port, timeout=30)
        all_of = {"Host": self.at.netloc, "Cookie": getattr(self, "cookie", "")}
        if method == "POST":
            all_of |= {"Origin": self.origin, "Content-Type": "application/json"}
        all_of |= {name.replace("_", "-"): value for name, value in heads.items()}
        link.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in all_of.items():
            if value is not None:
                link.putheader(name, value)
        body = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        if body is not None and "Content-Length" not in all_of:
            link.putheader("Content-Length", str(len(body)))
        link.endheaders()
        try:
            if body is not None:
                link.send(body)
        except (BrokenPipeError, ConnectionResetError):
            pass  # refused before all of it was sent
        answer = link.getresponse()
        found = answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        link.close()
        return found

    def get(self, path, **heads):
        status, _, body = self.send("GET", path, **heads)
        return status, json.loads(body) if body.startswith((b"{", b"[")) else body

    def post(self, what, words, **heads):
        status, _, body = self.send("POST", f"/api/{what}", words, **heads)
        return status, json.loads(body) if body.startswith(b"{") else body
