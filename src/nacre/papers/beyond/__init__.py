"""What the papers ask for next."""

from nacre.papers.beyond import barnes, chan, oza, weil

EXPERIMENTS = (*chan.EXPERIMENTS, *weil.EXPERIMENTS, *barnes.EXPERIMENTS, *oza.EXPERIMENTS)
