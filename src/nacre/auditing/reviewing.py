"""A review started from Python: the command, in a process of its own."""

from __future__ import annotations

import re
import subprocess
import sys
import webbrowser
from html import escape
from pathlib import Path


class Reviewing:
    """A review that is being served; a notebook shows its page.

    A process of its own goes on serving while the notebook computes, and nothing that happens in
    the notebook can lose a decision.

    Parameters
    ----------
    folder : of an audit
    words : further words of ``nacre review``

    Attributes
    ----------
    address : str
        Opens the page, once.
    """

    def __init__(self, folder: Path, words: list[str]) -> None:
        command = [sys.executable, "-m", "nacre", "review", str(folder), "--no-browser", "--frame"]
        self._process = subprocess.Popen(
            [*command, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert self._process.stdout is not None
        said, found = "", list[str]()
        for line in self._process.stdout:
            said += line
            found += re.findall(r"http://\S+", line)
            if len(found) == 2:
                break
        else:
            self.stop()
            raise ValueError(" ".join(said.removeprefix("nacre: ").split()))
        self._framed, self.address = found

    def open(self) -> None:
        """Open the page in a browser."""
        webbrowser.open(self.address)

    def stop(self) -> None:
        """End it; every decision is kept."""
        self._process.terminate()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def __repr__(self) -> str:
        ended = self._process.poll() is not None
        return f"<Reviewing{', ended' if ended else ''}: {self.address}>"

    def _repr_html_(self) -> str:
        link = f'<a href="{escape(self.address)}" target="_blank" rel="noopener">another tab</a>'
        return (
            f'<iframe src="{escape(self._framed)}" title="nacre review" '
            f'style="width: 100%; height: 860px; border: 0"></iframe>'
            f"<p>Nothing to see? Open the review in {link}.</p>"
        )

    def __del__(self) -> None:
        process = getattr(self, "_process", None)
        if process is not None and process.poll() is None:
            self.stop()
