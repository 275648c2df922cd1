"""Wrong labels: making them on purpose."""

from nacre.noise.flip import flip_labels

__all__ = ["flip_labels"]
