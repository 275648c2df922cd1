"""Quick runs of all that the papers ask for next."""

import pytest

from tests.papers.pictures import check_figures


@pytest.mark.parametrize(
    "name",
    [
        "beyond-volume",
        "beyond-core-logistic",
        "beyond-semi-supervised",
        "beyond-soft-hull",
        "beyond-acceleration",
        "beyond-aveboost",
    ],
)
def test_quick_runs(quick, datasets, name):
    experiment, results, outcome = quick(name)
    assert outcome.missing == []
    assert all(one.word in ("agree", "differ") for one in outcome.verdicts)
    assert outcome.table
    check_figures(experiment, results)
