"""Parameters that must be numbers of a kind."""

from typing import Any

import numpy as np


def check_whole(value: Any, name: str, least: int) -> None:
    """Raise unless ``value`` is a whole number, ``least`` or more."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be a whole number, got {value!r}.")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}.")


def check_number(value: Any, name: str, zero: bool = False) -> None:
    """Raise unless ``value`` is a number above 0 (or 0, where ``zero`` allows it), up to 1e6."""
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not number or not (0 < value <= 1e6 or (zero and value == 0)):
        raise ValueError(
            f"{name} must be a number {'of 0 or more' if zero else 'above 0'} and at most 1e6, "
            f"got {value!r}."
        )


def check_jobs(n_jobs: Any) -> None:
    """Raise unless ``n_jobs`` is None or a number of workers."""
    if n_jobs is not None:
        check_whole(n_jobs, "n_jobs", -(2**31))
        if n_jobs == 0:
            raise ValueError("n_jobs must not be 0: use 1, 2, ..., or -1 for all cores.")
