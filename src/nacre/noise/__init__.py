"""Wrong labels: making them on purpose, judging which are wrong, and how many."""

from nacre.noise.answer_quality import AnnotatorQuality, AnswerQuality
from nacre.noise.estimate import estimate_noise_rate
from nacre.noise.flip import flip_labels
from nacre.noise.neighbors import Neighbors
from nacre.noise.outoffold import OutOfFold
from nacre.noise.quality import LabelQuality, NoiseRate

__all__ = [
    "AnnotatorQuality",
    "AnswerQuality",
    "LabelQuality",
    "Neighbors",
    "NoiseRate",
    "OutOfFold",
    "estimate_noise_rate",
    "flip_labels",
]
