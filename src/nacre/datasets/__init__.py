"""Data sets of the papers: ``make_*`` draws artificial ones, ``load`` has the others by name."""

from nacre.datasets.dataset import Dataset
from nacre.datasets.files import load
from nacre.datasets.generate import (
    make_bernoulli,
    make_random_labels,
    make_ring,
    make_sine,
    make_sphere,
)

__all__ = [
    "Dataset",
    "load",
    "make_bernoulli",
    "make_random_labels",
    "make_ring",
    "make_sine",
    "make_sphere",
]
