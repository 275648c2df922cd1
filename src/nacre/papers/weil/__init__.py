"""M. Weil, Stage apprentissage statistique (Core AdaBoost), Ecole polytechnique, 2015."""

from nacre.papers.weil import core, noise_rate

EXPERIMENTS = (*core.EXPERIMENTS, *noise_rate.EXPERIMENTS)
