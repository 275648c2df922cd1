"""Parameters that must be of a kind, and arrays that must have a form."""

from collections.abc import Sequence
from typing import Any

import numpy as np


def is_number(value: Any) -> bool:
    """Whether ``value`` is a number; True and False are none."""
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def check_whole(value: Any, name: str, least: int) -> None:
    """Raise unless ``value`` is a whole number, ``least`` or more."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be a whole number, got {value!r}.")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}.")


def check_number(value: Any, name: str, zero: bool = False) -> None:
    """Raise unless ``value`` is a number above 0 (or 0, where ``zero`` allows it), up to 1e6."""
    if not is_number(value) or not (0 < value <= 1e6 or (zero and value == 0)):
        kind = ValueError if is_number(value) else TypeError
        raise kind(
            f"{name} must be a number {'of 0 or more' if zero else 'above 0'} and at most 1e6, "
            f"got {value!r}."
        )


def check_share(value: Any, name: str) -> None:
    """Raise unless ``value`` is a number from 0 to 1."""
    if not is_number(value) or not 0 <= value <= 1:
        kind = ValueError if is_number(value) else TypeError
        raise kind(f"{name} must be a number from 0 to 1, got {value!r}.")


def as_share(value: Any, name: str) -> float:
    """A share, given as a number from 0 to 1 or as percent: ``"5%"``."""
    if isinstance(value, str):
        text = value.strip()
        try:
            value = float(text[:-1]) / 100.0 if text.endswith("%") else float(text)
        except ValueError:
            raise ValueError(f"{name} must be a share such as 5% or 0.05, got {text!r}.") from None
        if not 0 <= value <= 1:
            raise ValueError(f"{name} must be from 0% to 100%, or from 0 to 1; got {text!r}.")
    check_share(value, name)
    return float(value)


def check_flag(value: Any, name: str) -> None:
    """Raise unless ``value`` is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {value!r}.")


def check_choice(value: Any, name: str, choices: Sequence[Any]) -> None:
    """Raise unless ``value`` is one of the choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(str, choices))}; got {value!r}.")


def check_jobs(n_jobs: Any) -> None:
    """Raise unless ``n_jobs`` is None or a number of workers."""
    if n_jobs is not None:
        check_whole(n_jobs, "n_jobs", -(2**31))
        if n_jobs == 0:
            raise ValueError("n_jobs must not be 0: use 1, 2, ..., or -1 for all cores.")


def check_form(
    value: Any,
    name: str,
    dtype: Any,
    shape: tuple[int | None, ...],
    low: float = -np.inf,
    high: float = np.inf,
) -> None:
    """Raise unless ``value`` is an array of a type and a shape, where None is any length.

    Its numbers must be at least ``low`` and below ``high``, where they are given.
    """
    if not isinstance(value, np.ndarray) or value.dtype != dtype or value.ndim != len(shape):
        raise ValueError(f"{name} must be {len(shape)}-dimensional, of type {np.dtype(dtype)}.")
    if any(size not in (None, found) for size, found in zip(shape, value.shape, strict=True)):
        raise ValueError(f"{name} has shape {value.shape}, which does not fit.")
    bounded = low > -np.inf or high < np.inf
    if bounded and value.size and not (value.min() >= low and value.max() < high):
        raise ValueError(f"{name} must be from {low} to below {high}.")
