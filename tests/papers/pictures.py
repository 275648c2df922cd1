"""What a figure must have to be read."""

from matplotlib.figure import Figure


def check_figures(experiment, results):
    """Draw all figures; every panel shows something and names itself and its axes."""
    for draw in experiment.figures.values():
        figure = Figure(layout="constrained")
        draw(results, figure)
        assert figure.axes
        for axes in figure.axes:
            assert axes.get_title()
            assert axes.get_xlabel()
            assert axes.get_ylabel()
            assert axes.has_data()
        named = any(axes.get_legend() or has_words(axes) for axes in figure.axes)
        assert named or figure.legends


def has_words(axes):
    """Whether what stands side by side is named below."""
    return any(text.get_text().isascii() and text.get_text()[:1].isalpha()
               for text in axes.get_xticklabels())  # fmt: skip
