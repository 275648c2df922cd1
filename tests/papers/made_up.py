"""Made-up results, on which a claim's rule must tell one outcome from another."""

from nacre.experiments.experiment import Results
from nacre.experiments.reproduce import judge


def made_up(*entries):
    """Results from settings and, for each quantity, what its trials recorded."""
    return Results(
        (setting, [dict(zip(columns, trial, strict=True)) for trial in _trials(columns)])
        for setting, columns in entries
    )


def _trials(columns):
    return zip(*columns.values(), strict=True)


def always(**values):
    """The same in two trials: any difference is then significant."""
    return {quantity: [value, value] for quantity, value in values.items()}


def agree(experiment, results):
    """Whether each claim of an experiment agrees; None where its results are not there."""
    return [verdict.agrees for verdict in judge(experiment, results)]
