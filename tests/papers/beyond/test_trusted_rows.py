"""Learners that know some rows to be clean."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from nacre.experiments.experiment import Cell
from nacre.papers.beyond.trusted_rows import LOGISTIC, SEMI_SUPERVISED, draw_trusted, places
from tests.papers.made_up import agree, always, made_up


def test_what_is_seen_of_rows_that_are_not_trusted():
    common = {"data": "sine", "clean": 60, "noise": 0.3}
    names = ("core", "core-logistic", "adaboost", "adaboost-clean", "self-training")
    draws = {m: draw_trusted(Cell("e-1", 1, {**common, "model": m}, 0)) for m in names}
    core, semi = draws["core"], draws["self-training"]
    assert_array_equal(core.y, draws["adaboost"].y)
    assert_array_equal(core.y, draws["core-logistic"].y)
    assert_array_equal(core.fit["clean"], np.arange(1000) < 60)
    assert_array_equal(semi.y[:60], core.y[:60])
    assert np.all(semi.y[60:] == -1)
    assert_array_equal(draws["adaboost-clean"].y, core.y[:60])
    for rows in draws.values():
        assert_array_equal(rows.X_test, core.X_test)
        assert_array_equal(rows.y_test, core.y_test)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["beyond-core-logistic", "beyond-semi-supervised"])
def test_quick_runs(quick, datasets, name):
    results, outcome = quick(name)
    assert [row["core"] for row in outcome.table] == [
        results.mean("error", model="core", **place) for place in places(results)
    ]
    clean = results.choices("noise")[0]
    assert all(row["core"] < 0.5 for row in outcome.table if row["noise"] == clean)


def test_claims():
    def found(**errors):
        places = [{"data": "sine", "noise": 0.2, "clean": clean} for clean in (30, 60)]
        return made_up(
            *(({**place, "model": name.replace("_", "-")}, always(error=error))
              for place in places for name, error in errors.items())
        )  # fmt: skip

    common = {"core": 0.3, "adaboost": 0.3, "adaboost_clean": 0.3}
    assert agree(LOGISTIC, found(core_logistic=0.2, **common)) == [True] * 3
    assert agree(LOGISTIC, found(core_logistic=0.3, **common)) == [False] * 3  # no win
    mixed = {**common, "adaboost": 0.2}
    assert agree(LOGISTIC, found(core_logistic=0.25, **mixed)) == [True, False, True]
    learners = {"self_training": 0.2, "label spreading": 0.4}
    assert agree(SEMI_SUPERVISED, found(core=0.3, **learners)) == [False, True]
