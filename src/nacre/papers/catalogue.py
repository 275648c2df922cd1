"""All experiments, and how to find one."""

from __future__ import annotations

from difflib import get_close_matches

from nacre.experiments.experiment import Experiment
from nacre.papers import barnes, beyond, chan, oza, sano, weil

PAPERS = (chan, weil, sano, barnes, oza)

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment for paper in (*PAPERS, beyond) for experiment in paper.EXPERIMENTS
}

READINGS: dict[str, Experiment] = {
    one.name: one
    for experiment in EXPERIMENTS.values()
    for one in map(experiment.under, experiment.readings)
}
"""Other readings of the papers, each an experiment of its own."""


def find(name: str) -> list[Experiment]:
    """The experiments of that name, of that paper, or all; or readings of the papers.

    Parameters
    ----------
    name : str
        Such as "barnes-6", "barnes" or "all"; "barnes-6-raw", a reading, or "readings".

    Returns
    -------
    list of Experiment

    Raises
    ------
    ValueError
        Where there is none; the message has names that are near.

    Examples
    --------
    >>> from nacre.papers.catalogue import find
    >>> [experiment.name for experiment in find("weil")][:3]
    ['weil-1-3', 'weil-3-2', 'weil-4-1']
    """
    if name == "all":
        return list(EXPERIMENTS.values())
    if name == "readings":
        return list(READINGS.values())
    if name in READINGS:
        return [READINGS[name]]
    found = [one for one in EXPERIMENTS.values() if name in (one.name, one.paper)]
    if not found:
        papers = dict.fromkeys(one.paper for one in EXPERIMENTS.values())
        names = [*EXPERIMENTS, *READINGS, *papers, "all", "readings"]
        near = get_close_matches(name, names, 3, 0.4) or names
        raise ValueError(f"There is no experiment {name!r}: did you mean {' or '.join(near)}?")
    return found
