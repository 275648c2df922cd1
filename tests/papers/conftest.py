"""Quick runs, shared by the tests of each paper."""

import pytest

from nacre.experiments.reproduce import reproduce
from nacre.experiments.run import run, to_run
from nacre.experiments.store import Store
from nacre.papers.catalogue import find
from tests.papers.pictures import check_figures


@pytest.fixture(scope="session")
def quick(tmp_path_factory):
    """Runs an experiment's quick size, once: its results and its outcome.

    Every claim finds what it asks for, and every figure can be read. Verdicts of so few trials are
    for each test to judge: that a claim's rule is right is tested on made-up results.
    """
    done = {}

    def run_once(name):
        if name not in done:
            (experiment,) = find(name)
            folder = tmp_path_factory.mktemp(name)
            outcome = reproduce(experiment, "quick", folder, n_jobs=1)
            with Store(folder) as store:
                results = run(experiment, to_run(experiment, "quick")[0], store)
            assert outcome.missing == []
            assert "not run" not in [one.word for one in outcome.verdicts]
            check_figures(experiment, results)
            done[name] = results, outcome
        return done[name]

    return run_once
