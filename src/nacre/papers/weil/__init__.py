"""M. Weil, Stage apprentissage statistique (Core AdaBoost), Ecole polytechnique, 2015."""

from nacre.papers.weil import (
    core_boosting,
    corrected_loss,
    noise_rate,
    risk_bounds,
    step_sequences,
    verdict,
)

EXPERIMENTS = (
    *corrected_loss.EXPERIMENTS,
    *risk_bounds.EXPERIMENTS,
    *step_sequences.EXPERIMENTS,
    *core_boosting.EXPERIMENTS,
    *noise_rate.EXPERIMENTS,
)

__all__ = ["EXPERIMENTS", "verdict"]
