"""What figures share."""

import numpy as np
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from nacre.experiments.plot import PALETTE, cumulative, panels, save


def test_panels():
    figure = Figure()
    axes = panels(figure, 5, 3, 2.0, 1.0)
    assert len(axes) == 5 == len(figure.axes)
    assert_allclose(figure.get_size_inches(), [6.0, 2.0])
    assert len(panels(Figure(), 1, 3)) == 1


def test_a_cumulative_distribution():
    (ax,) = panels(Figure(), 1, 1)
    cumulative(ax, np.array([[3.0, 1.0], [2.0, 2.0]]))
    x, y = ax.lines[0].get_data()
    assert x.tolist() == [1, 1, 2, 2, 3]
    assert y.tolist() == [0, 0.25, 0.5, 0.75, 1]


def test_figures_are_written_whole(tmp_path):
    path = tmp_path / "f.png"

    def draw(results, figure):
        assert figure.get_layout_engine() is not None
        (line,) = figure.subplots().plot([1, 2])
        assert line.get_color() == PALETTE[0]

    save(draw, None, path)
    first = path.read_bytes()
    save(draw, None, path)
    assert path.read_bytes() == first
    assert [one.name for one in tmp_path.iterdir()] == ["f.png"]
