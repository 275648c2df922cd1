"""Quick runs, shared by the tests of each paper."""

import pytest

from nacre.experiments.reproduce import reproduce
from nacre.experiments.run import run, to_run
from nacre.experiments.store import Store
from nacre.papers.catalogue import find


@pytest.fixture(scope="session")
def quick(tmp_path_factory):
    """Runs an experiment's quick size, once: the experiment, its results and its outcome."""
    done = {}

    def run_once(name):
        if name not in done:
            (experiment,) = find(name)
            folder = tmp_path_factory.mktemp(name)
            outcome = reproduce(experiment, "quick", folder, n_jobs=1)
            with Store(folder) as store:
                results = run(experiment, to_run(experiment, "quick")[0], store)
            done[name] = experiment, results, outcome
        return done[name]

    return run_once
