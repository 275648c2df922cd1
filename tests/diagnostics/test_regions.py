"""Connected regions of one label, against a flood fill by hand."""

import numpy as np
import pytest

from nacre import AdaBoostClassifier, NaiveBayes, Tree
from nacre.datasets import make_ring, make_sphere
from nacre.diagnostics import decision_volumes, region_volumes


def flooded(model, X, start, steps=201):
    """The share of a fine grid, over the padded box, that a walk from a row reaches."""
    low, high = X.min(axis=0), X.max(axis=0)
    unit = high - low
    axes = [np.linspace(a - 0.01 * u, b + 0.01 * u, steps)
            for a, b, u in zip(low, high, unit, strict=True)]  # fmt: skip
    table = np.array(np.meshgrid(*axes, indexing="ij")).reshape(2, -1).T
    said = model.predict(table).reshape(steps, steps)
    place = tuple(int(np.abs(axis - x).argmin()) for axis, x in zip(axes, start, strict=True))
    seen, todo = {place}, [place]
    while todo:
        i, j = todo.pop()
        for near in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
            inside = min(near) >= 0 and max(near) < steps
            if inside and near not in seen and said[near] == said[place]:
                seen.add(near)
                todo.append(near)
    return len(seen) / steps**2 * 1.02**2


@pytest.mark.parametrize("learner", [None, Tree(2)])
def test_two_columns_by_a_flood(learner):
    X, y = make_ring(60, random_state=0)
    model = AdaBoostClassifier(learner, 8).fit(X, y)
    volumes = np.exp(region_volumes(model, X))
    for row in range(0, 60, 12):
        assert volumes[row] == pytest.approx(flooded(model, X, X[row]), abs=0.05)


def test_regions_hold_what_is_seen_along_the_axes_of_a_box():
    """In one column a region is what the walk along the axis finds."""
    rng = np.random.default_rng(0)
    X, y = rng.random((50, 1)), rng.integers(0, 2, 50)
    model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    np.testing.assert_allclose(region_volumes(model, X), decision_volumes(model, X, rounds=-1))


def test_three_columns_fill_the_box():
    X, y = make_sphere(80, random_state=0)
    X = X[:, :3]
    model = AdaBoostClassifier(n_estimators=10).fit(X, y)
    volumes = np.exp(region_volumes(model, X))
    distinct = np.unique(np.round(volumes, 9))
    assert distinct.sum() <= 1.02**3 + 1e-6
    assert (volumes > 0).all()


@pytest.mark.parametrize(
    ("model", "X", "message"),
    [
        (AdaBoostClassifier(NaiveBayes(), 2), None, "native stumps or trees"),
        (AdaBoostClassifier(n_estimators=2), np.array([[np.nan, 1.0]]), "missing"),
    ],
)
def test_bad_input(model, X, message):
    rows, y = make_ring(40, random_state=0)
    model.fit(rows, y)
    with pytest.raises((TypeError, ValueError), match=message):
        region_volumes(model, rows if X is None else X)


def test_too_many_cells():
    X, y = make_sphere(300, random_state=0)
    model = AdaBoostClassifier(n_estimators=400).fit(np.hstack([X, X**2]), y)
    with pytest.raises(ValueError, match="decision_volumes"):
        region_volumes(model, np.hstack([X, X**2]))
