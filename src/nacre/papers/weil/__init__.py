"""M. Weil, Stage apprentissage statistique (Core AdaBoost), Ecole polytechnique, 2015."""

from nacre.papers.weil import core_boosting, corrected_loss, noise_rate

EXPERIMENTS = (
    *corrected_loss.EXPERIMENTS,
    *core_boosting.EXPERIMENTS,
    *noise_rate.EXPERIMENTS,
)
