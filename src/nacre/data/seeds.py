"""Seeds: one for each thing that is drawn, all from the one that was given."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

WORD = 2**64 - 1


def seed_of(random_state: Any) -> int:
    """The seed that an int, RandomState or None stands for."""
    return int(check_random_state(random_state).randint(2**31 - 1))


def derive_seed(seed: int, *parts: int) -> int:
    """A seed of its own for each fold, round, class or whatever ``parts`` count.

    SplitMix64's mixing function (Steele, Lea, Flood 2014), once for each number, so that all bits
    depend on all of them. Sums such as seed + round would repeat: round 2 of one fold would draw as
    round 1 of the next. (NumPy's ``SeedSequence`` does the same, but a round on a small table takes
    less time than it.)
    """
    x = seed
    for part in (len(parts), *parts):
        x = (x + (part + 1) * 0x9E3779B97F4A7C15) & WORD
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & WORD
        x ^= x >> 31
    return x >> 1


def set_seeds(estimator: BaseEstimator, seed: int) -> None:
    """Give every random part of an estimator a fixed seed."""
    seeds = {
        name: seed % (2**31)
        for name in sorted(estimator.get_params(deep=True))
        if name == "random_state" or name.endswith("__random_state")
    }
    estimator.set_params(**seeds)
