"""Seeds: one for each thing that is drawn, all from the one that was given."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state


def seed_of(random_state: Any) -> int:
    """The seed that an int, RandomState or None stands for."""
    return int(check_random_state(random_state).randint(2**31 - 1))


def derive_seed(seed: int, *parts: int) -> int:
    """A seed of its own for each fold, round, class or whatever ``parts`` count.

    By NumPy's ``SeedSequence``, whose output depends on all of its input. Sums such as seed + round
    would repeat: round 2 of one fold would draw as round 1 of the next.
    """
    return int(np.random.SeedSequence(seed, spawn_key=parts).generate_state(1, np.uint64)[0] >> 1)


def set_seeds(estimator: BaseEstimator, seed: int) -> None:
    """Give every random part of an estimator a fixed seed."""
    seeds = {
        name: seed % (2**31)
        for name in sorted(estimator.get_params(deep=True))
        if name == "random_state" or name.endswith("__random_state")
    }
    estimator.set_params(**seeds)
