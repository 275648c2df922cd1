"""Finding mislabelled rows: score them, cut the ranking, treat what was found."""

from nacre.filters.cut import Budget, Consensus, EstimatedRate, Fraction, Threshold
from nacre.filters.named import (
    MarginFilter,
    NeighborFilter,
    VolumeFilter,
    VoteFilter,
    WeightFilter,
)
from nacre.filters.saturation import SaturationFilter
from nacre.filters.surprise import SurpriseFilter
from nacre.filters.theory import (
    consensus_discards_good,
    consensus_keeps_bad,
    majority_discards_good,
    majority_keeps_bad,
)
from nacre.filters.treat import DownWeight, Drop, Relabel

__all__ = [
    "Budget",
    "Consensus",
    "DownWeight",
    "Drop",
    "EstimatedRate",
    "Fraction",
    "MarginFilter",
    "NeighborFilter",
    "Relabel",
    "SaturationFilter",
    "SurpriseFilter",
    "Threshold",
    "VolumeFilter",
    "VoteFilter",
    "WeightFilter",
    "consensus_discards_good",
    "consensus_keeps_bad",
    "majority_discards_good",
    "majority_keeps_bad",
]
