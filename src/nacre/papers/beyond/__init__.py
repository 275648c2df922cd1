"""What the papers ask for next."""

from nacre.papers.beyond import (
    growing_noise,
    hull_variants,
    noise_peers,
    trusted_rows,
    volume_detector,
)

EXPERIMENTS = (
    *volume_detector.EXPERIMENTS,
    *trusted_rows.EXPERIMENTS,
    *hull_variants.EXPERIMENTS,
    *growing_noise.EXPERIMENTS,
    *noise_peers.EXPERIMENTS,
)
