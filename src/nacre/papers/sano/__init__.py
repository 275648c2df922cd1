"""N. Sano, H. Suzuki, M. Koda, A robust ensemble learning using zero-one loss, JORSJ 50, 2007."""

from nacre.papers.sano import (
    choices,
    losses,
    networks,
    sphere,
    toy_data,
    verdict,
    zero_one_loss,
)

EXPERIMENTS = (
    *losses.EXPERIMENTS,
    *zero_one_loss.EXPERIMENTS,
    *toy_data.EXPERIMENTS,
    *networks.EXPERIMENTS,
    *sphere.EXPERIMENTS,
    *choices.EXPERIMENTS,
)

__all__ = ["EXPERIMENTS", "verdict"]
