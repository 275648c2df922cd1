"""Docstrings that say what is new: the rest is filled in from those of the base.

Texts that many estimators share stand once, in the docstring of the base that has the parameter or
sets the attribute. ``help`` shows the whole.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection
from typing import Any

HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
ENTRY = re.compile(r"^(?=\S)", re.MULTILINE)
ORDER = "Parameters", "Returns", "Attributes", "See Also", "Notes", "References", "Examples"


def inherit_docs(cls: type) -> None:
    """Complete the docstrings of a class and of its methods by those of its first base.

    Parameters and attributes that the class does not describe are described as in the base; what
    it describes anew takes the place of the base's text. For ``__init_subclass__``.
    """
    base = cls.__mro__[1]
    if cls.__doc__ and base.__doc__ and "__init__" not in vars(cls):
        cls.__doc__ = complete(cls.__doc__, base.__doc__, positional(base))
    for name, method in vars(cls).items():
        former = getattr(base, name, None)
        if inspect.isfunction(method) and method.__doc__ and inspect.isfunction(former):
            first = positional(former)
            method.__doc__ = complete(method.__doc__, former.__doc__ or "", first)


def complete(own: str, base: str, first: Collection[str] = ()) -> str:
    """A numpydoc docstring with the entries that only the base's has.

    Parameters that are new come after those named ``first``, other new entries come last.
    """
    summary, sections = split(own)
    _, inherited = split(base)
    for title, text in inherited.items():
        if title == "Parameters":
            sections[title] = merge(sections.get(title, ""), text, first)
        elif title == "Attributes":
            sections[title] = merge(sections.get(title, ""), text, None)
        elif title == "Returns":
            sections.setdefault(title, text)
    titles = sorted(sections, key=lambda one: ORDER.index(one) if one in ORDER else len(ORDER))
    parts = [f"{title}\n{'-' * len(title)}\n{sections[title]}" for title in titles]
    return "\n\n".join([summary, *parts])


def split(doc: str) -> tuple[str, dict[str, str]]:
    """What a docstring begins with, and its sections by title."""
    summary, *rest = HEADING.split(inspect.cleandoc(doc))
    texts = (text.strip("\n") for text in rest[1::2])
    return summary.strip(), dict(zip(rest[::2], texts, strict=True))


def merge(own: str, base: str, first: Collection[str] | None) -> str:
    """The entries of two lists: the base's in its order, the own ones where they replace them."""
    mine, out, place = entries(own), [], 0
    for names, text in entries(base).items():
        same = [one for one in mine if set(one) & set(names)]
        out += [mine.pop(one) for one in same] if same else [text]
        if first is not None and set(names) & set(first):
            place = len(out)
    place = len(out) if first is None else place
    return "\n".join([*out[:place], *mine.values(), *out[place:]])


def entries(section: str) -> dict[tuple[str, ...], str]:
    """The entries of a list by the names that they describe."""
    texts = [text.rstrip() for text in ENTRY.split(section) if text.strip()]
    return {tuple(text.splitlines()[0].split(" : ")[0].split(", ")): text for text in texts}


def positional(function: Any) -> list[str]:
    """The parameters that may be given by place."""
    kinds = inspect.signature(function).parameters.values()
    return [one.name for one in kinds if one.kind is one.POSITIONAL_OR_KEYWORD]
