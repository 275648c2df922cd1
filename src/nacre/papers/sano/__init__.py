"""N. Sano, H. Suzuki, M. Koda, A robust ensemble learning using zero-one loss, JORSJ 50, 2007."""

from nacre.papers.sano import comparison, losses

EXPERIMENTS = (*losses.EXPERIMENTS, *comparison.EXPERIMENTS)
