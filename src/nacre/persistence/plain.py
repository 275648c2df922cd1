"""A model as plain data: what JSON knows, arrays, and objects of classes that files may hold."""

from __future__ import annotations

import inspect
import math
import re
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from nacre import __version__
from nacre.data.storable import is_storable
from nacre.persistence.arrays import TYPE, stored_type, values_of
from nacre.persistence.former import CONVERSIONS, MOVED

CLASS = re.compile(r"(nacre(?:\.[a-z][a-z0-9_]*)+)\.([A-Z][A-Za-z0-9]*)")
"""A class in a file: the module of nacre that is its home, and its name."""


class Unknown(ValueError):
    """A file may be sound, but holds something that this version does not know."""

    def __init__(self, what: str) -> None:
        super().__init__(f"nacre {__version__} does not know {what}: install a later version.")


class Writer:
    """Turns a model into plain data: what JSON knows, arrays, and objects of known classes.

    What JSON does not know is an object of one entry, whose name says what it is. Arrays and
    objects are written once, and referred to by number.
    """

    def __init__(self) -> None:
        self.arrays: list[np.ndarray] = []
        self.objects: list[dict[str, Any]] = []
        self._met: dict[int, tuple[Any, dict[str, int]]] = {}

    def plain(self, thing: Any, where: str) -> Any:
        """A thing as plain data; ``where`` it is, for messages."""
        kind = type(thing)
        if thing is None or kind in (bool, int, str) or (kind is float and math.isfinite(thing)):
            return thing
        if kind is float:
            return {"float": str(thing)}
        if kind is list:
            return [self.plain(one, where) for one in thing]
        if kind is tuple:
            return {"tuple": [self.plain(one, where) for one in thing]}
        if kind is dict:
            return {"dict": [[self.plain(one, where) for one in pair] for pair in thing.items()]}
        if isinstance(thing, np.generic) and re.fullmatch(TYPE, stored_type(thing)):
            little = thing.astype(stored_type(thing))
            return {"scalar": [stored_type(thing), little.tobytes().hex()]}
        if kind is np.ndarray and thing.dtype == object and thing.ndim == 1:
            return {"objects": [self.plain(one, where) for one in thing.tolist()]}
        if isinstance(thing, type) and _is_known(thing):
            return {"class": _home(thing)}
        if id(thing) not in self._met:  # which keeps the thing, so that its id stays its own
            self._met[id(thing)] = thing, self._add(thing, where)
        return self._met[id(thing)][1]

    def _add(self, thing: Any, where: str) -> dict[str, int]:
        kind = type(thing)
        if kind is np.ndarray and re.fullmatch(TYPE, stored_type(thing)):
            self.arrays.append(thing)
            return {"array": len(self.arrays) - 1}
        if not _is_known(kind):
            raise TypeError(
                f"{where} is a {kind.__name__}, which a model file cannot hold: use a learner of "
                "nacre (Stump, Tree, NaiveBayes, Network) and plain parameters; or joblib or "
                "skops, and then load only files that you trust."
            )
        name = kind.__name__
        parts = thing.__getstate__() or {}
        state = {key: self.plain(part, f"{key} of {name}") for key, part in parts.items()}
        self.objects.append({"class": _home(kind), "state": state})
        return {"object": len(self.objects) - 1}


class Reader:
    """Turns plain data into what a :class:`Writer` was given."""

    def __init__(self, arrays: list[np.ndarray]) -> None:
        self.arrays = arrays
        self.objects: list[Any] = []

    def thing(self, node: Any) -> Any:
        """What a piece of plain data stands for."""
        match node:
            case None | bool() | int() | float() | str():
                return node
            case list():
                return [self.thing(one) for one in node]
            case {"float": "nan" | "inf" | "-inf" as text}:
                return float(text)
            case {"tuple": list(items)}:
                return tuple(self.thing(one) for one in items)
            case {"dict": list(pairs)}:
                return {self.thing(key): self.thing(value) for key, value in pairs}
            case {"scalar": [str(dtype), str(data)]} if re.fullmatch(TYPE, dtype):
                return values_of(bytes.fromhex(data), np.dtype(dtype), ())[()]
            case {"objects": list(items)}:
                array = np.empty(len(items), object)
                for i, one in enumerate(items):
                    array[i] = self.thing(one)
                return array
            case {"class": str(name)}:
                return _class(name)
            case {"array": int(i)}:
                return self.arrays[i]
            case {"object": int(i)}:
                return self.objects[i]
        raise ValueError(f"it holds {str(node)[:50]}.")

    def add(self, name: str, state: dict[str, Any]) -> None:
        """Make an object whose parts are there already."""
        kind = _class(name)
        parts = {key: self.thing(part) for key, part in state.items()}
        if name in CONVERSIONS:
            parts = CONVERSIONS[name](parts)
        for key in parts:
            if hasattr(inspect.getattr_static(kind, key, None), "__get__"):
                raise ValueError(f"{key} is no part of a {kind.__name__}.")
        fitted = True
        if issubclass(kind, BaseEstimator):
            made = kind()
            fitted = any(_is_fitted(key) for key in parts)
            unknown = [key for key in parts if key not in vars(made) and not _is_fitted(key)]
            if unknown:
                raise Unknown(f"{unknown[0]} of {kind.__name__}")
        else:
            made = object.__new__(kind)
        getattr(made, "__setstate__", vars(made).update)(parts)
        if fitted and hasattr(kind, "_check_loaded"):
            made._check_loaded()
        self.objects.append(made)


def _home(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _is_known(kind: type) -> bool:
    return is_storable(kind) and CLASS.fullmatch(_home(kind)) is not None


def _class(name: str) -> type:
    """A class of nacre that files may hold; nothing else that a file names is even looked at."""
    home = CLASS.fullmatch(MOVED.get(name, name))
    if home is None:
        raise Unknown(name[:50])
    try:
        kind = getattr(import_module(home[1]), home[2], None)
    except ModuleNotFoundError as error:
        raise Unknown(name[:50]) from error
    if not isinstance(kind, type) or not _is_known(kind) or _home(kind) != home[0]:
        raise Unknown(name[:50])
    return kind


def _is_fitted(name: str) -> bool:
    """Whether an attribute is set by ``fit``, going by its name."""
    return name.startswith("_") or name.endswith("_")
