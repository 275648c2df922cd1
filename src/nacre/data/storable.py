"""Which classes a model file may hold: those that say so themselves."""

from __future__ import annotations

from typing import TypeVar

Class = TypeVar("Class", bound=type)


def storable(cls: Class) -> Class:
    """Mark a class whose objects model files may hold: see :mod:`nacre.persistence`.

    A file gives such an object its state (``__setstate__`` or its attributes) without any call of
    ``__init__``; where a wrong state could do harm, ``_check_loaded`` of the class refuses it.
    """
    cls._storable = cls  # type: ignore[attr-defined]
    return cls


def is_storable(cls: type) -> bool:
    """Whether a class is marked itself: a subclass may hold what no file can bring back."""
    return getattr(cls, "_storable", None) is cls
