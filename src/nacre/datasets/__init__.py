"""Data sets: generators, sets that follow exact rules, and loaders for the rest."""

from nacre.datasets.dataset import Dataset
from nacre.datasets.files import load
from nacre.datasets.generate import (
    make_bernoulli,
    make_random_labels,
    make_ring,
    make_sine,
    make_sphere,
)
from nacre.datasets.rules import balance, car, nursery

__all__ = [
    "Dataset",
    "balance",
    "car",
    "load",
    "make_bernoulli",
    "make_random_labels",
    "make_ring",
    "make_sine",
    "make_sphere",
    "nursery",
]
