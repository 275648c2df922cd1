"""Text without what a terminal would take for a command."""

import pytest

from nacre.io.printable import printable

CODES = {
    "\x1b]0;title\x07": "",
    "\x1b]52;c;cGF5bG9hZA==\x1b\\": "",
    "\x1b[31m": "",
    "\x1b[?1049h": "",
    "\x9b31m": "",
    "\x9d0;title\x9c": "",
    "\x1bc": "",
    "\x1b(B": "",
    "\x1b": "",
    "\r": "",
    "\x08\x08": "",
    "\x7f": "",
    "\u202e": "",
    "\ud800": "",
    "\uffff\ufffe": "",
    "a\tb\nc": "a\tb\nc",
    "né ± 東 🙂": "né ± 東 🙂",
}


@pytest.mark.parametrize(("text", "left"), CODES.items(), ids=repr)
def test_codes_are_taken_out(text, left):
    assert printable(text) == left
    assert printable(f"before {text}").startswith(f"before {left}")
