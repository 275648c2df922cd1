"""Learners that know some rows to be clean."""

import numpy as np
from numpy.testing import assert_array_equal

from nacre.experiments.experiment import Cell
from nacre.papers.beyond.trusted_rows import draw_trusted


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
