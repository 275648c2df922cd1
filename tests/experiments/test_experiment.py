"""Declarations: settings, cells, seeds, results."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from nacre.experiments.experiment import Cell, NotRun, Results, Setting, grid, mean_present
from tests.experiments.toy import TOY

VALUES = st.dictionaries(
    st.sampled_from(["data", "model", "p", "rounds"]),
    st.one_of(st.integers(0, 5), st.floats(0, 2), st.text(max_size=3)),
)


def test_grid():
    assert grid(3, data=["a", "b"], p=0.5) == [
        Setting({"data": "a", "p": 0.5}, 3),
        Setting({"data": "b", "p": 0.5}, 3),
    ]
    assert len(grid(data=["a", "b"], model=["x", "y", "z"])) == 6
    assert grid() == [Setting({}, 1)]


def test_the_cells_of_a_setting():
    cells = TOY.cells(Setting({"data": "a"}, 3))
    assert [cell.trial for cell in cells] == [0, 1, 2]
    assert {cell.experiment for cell in cells} == {"toy-1"}
    assert cells[0]["data"] == "a"
    assert TOY.paper == "toy"


@given(VALUES, VALUES, st.integers(0, 3), st.integers(0, 3))
def test_keys_tell_cells_apart(one, other, trial, another):
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    first, second = Cell("e-1", 1, one, trial), Cell("e-1", 1, other, another)
    assert (first.key == second.key) == (same and trial == another)
    assert first.key != Cell("e-1", 2, one, trial).key
    assert first.key != Cell("e-2", 1, one, trial).key


def test_keys_do_not_depend_on_the_order_of_values():
    one, other = {"data": "a", "p": 1}, {"p": 1, "data": "a"}
    assert Cell("e", 1, one, 0).key == Cell("e", 1, other, 0).key


def test_seeds_depend_on_what_is_named_only():
    x, y = ({"data": "a", "model": model} for model in "xy")
    first, second = Cell("e-1", 1, x, 0), Cell("e-1", 1, y, 0)
    assert first.seed("data") == second.seed("data")
    assert first.seed("data", "model") != second.seed("data", "model")
    assert first.seed("data") != first.seed("data", use="noise")
    assert first.seed("data") != Cell("e-1", 1, x, 1).seed("data")
    assert first.seed("data") != Cell("e-2", 1, x, 0).seed("data")
    assert first.seed("data") == Cell("e-1", 2, x, 0).seed("data")


def test_seeds_are_spread_out():
    seeds = [Cell("e", 1, {}, trial).seed() for trial in range(1000)]
    assert len(set(seeds)) == 1000
    assert 0 <= min(seeds) < max(seeds) < 2**32
    assert abs(np.mean(seeds) / 2**32 - 0.5) < 0.05


@pytest.fixture
def results():
    return Results(
        [
            ({"data": "a", "model": "x"}, [{"error": 0.1}, {"error": 0.3}]),
            ({"data": "a", "model": "y", "p": 1}, [{"error": 0.5, "curve": [1, np.nan]}]),
            ({"data": "b", "model": "x"}, [{"error": 0.0}]),
        ]
    )


def test_results(results):
    assert_array_equal(results.get("error", data="a", model="x"), [0.1, 0.3])
    assert_array_equal(results.get("curve", p=1), [[1, np.nan]])
    assert results.mean("error", data="a", model="x") == pytest.approx(0.2)
    assert results.choices("data") == ["a", "b"]
    assert results.choices("data", model="y") == ["a"]
    assert results.choices("p") == [1]
    assert results.where(model="x") == [{"data": "a", "model": "x"}, {"data": "b", "model": "x"}]
    assert results.quantities() == ["error", "curve"]


def test_what_is_not_there(results):
    with pytest.raises(NotRun, match=r"^0 settings match \{'data': 'c'\}"):
        results.get("error", data="c")
    with pytest.raises(NotRun, match=r"^2 settings match"):
        results.get("error", data="a")


def test_means_of_what_is_there():
    values = np.array([[1.0, np.nan, np.nan], [3.0, 4.0, np.nan]])
    assert_array_equal(mean_present(values), [2.0, 4.0, np.nan])
    assert mean_present(np.array([1.0, 2.0])) == 1.5
