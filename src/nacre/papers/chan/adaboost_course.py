"""Chan's chapter 2: the course of AdaBoost, its weighted errors, bound and margins."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from sklearn.datasets import make_classification, make_gaussian_quantiles, make_hastie_10_2

from nacre.datasets import make_ring, make_sine, make_sphere
from nacre.diagnostics import adaboost_bound, hits, margins
from nacre.experiments.experiment import (
    Cell,
    Claim,
    Experiment,
    Finding,
    Reading,
    Record,
    Results,
    grid,
)
from nacre.experiments.measure import Draw, Trial, error_curve, few_rounds, thinned
from nacre.experiments.plot import BLACK, BLUE, ORANGE, RED, cumulative, panels
from nacre.experiments.statistics import compare
from nacre.models.adaboost import AdaBoostClassifier
from nacre.models.base import BoostClassifier

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAKERS = {"ring": make_ring, "sine": make_sine, "sphere": make_sphere}


def _quantiles(rows: int, random_state: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_gaussian_quantiles(
        n_samples=rows, n_features=10, n_classes=2, random_state=random_state
    )
    return X, y


OTHERS: dict[str, Callable[..., tuple[np.ndarray, np.ndarray]]] = {
    "chi-squared": make_hastie_10_2,
    "quantiles": _quantiles,
    "wide": partial(make_classification, n_features=20, n_informative=10, flip_y=0.0),
}
"""Under readings: data of ten and twenty columns that tutorials of AdaBoost used."""
ROWS, TEST_ROWS, ROUNDS = 200, 2000, 1000
FIRST, LATER = 1, 50
TENTH = 10


def draw_artificial(cell: Cell) -> Draw:
    """Clean artificial data. The thesis does not say which: three kinds, to depend on none."""
    maker = {**MAKERS, **OTHERS}[cell["data"]]
    X, y = maker(ROWS + TEST_ROWS, random_state=cell.seed("data"))
    return Draw(X[:ROWS], y[:ROWS], X[ROWS:], y[ROWS:])


def record_course(model: BoostClassifier, rows: Draw) -> Record:
    """Errors, their bound and margins over the rounds."""
    errors = model.estimator_errors_
    train = error_curve(model, rows.X, rows.y)
    test = error_curve(model, rows.X_test, rows.y_test)
    bound = adaboost_bound(errors)
    tenth = max(len(errors) // TENTH, 1)
    perfect = np.flatnonzero(train == 0.0)
    begun = perfect[0] if len(perfect) else len(test) - 1
    reached = [FIRST, min(LATER, len(errors))]
    found = margins(hits(model, rows.X, rows.y), model.estimator_weights_, reached)
    after = dict(zip((FIRST, LATER), found, strict=True))
    rounds = model.n_estimators
    return {
        "weighted_error_first_tenth": errors[:tenth].mean(),
        "weighted_error_last_tenth": errors[-tenth:].mean(),
        "rounds_to_perfect": int(begun) + 1,
        "test_when_perfect": test[begun],
        "test_last": test[-1],
        "most_above_bound": np.max(train - bound),
        "weighted_error": thinned(errors, rounds),
        "train": thinned(train, rounds),
        "test": thinned(test, rounds),
        "bound": thinned(bound, rounds),
        **{f"not_right_{t}": np.mean(after[t] <= 0.0) for t in after},
        **{f"raw_margins_{t}": after[t].tolist() for t in after},
    }


def _rises(results: Results) -> Finding:
    words, rises = [], []
    for data in results.choices("data"):
        first = float(results.mean("weighted_error_first_tenth", data=data))
        last = float(results.mean("weighted_error_last_tenth", data=data))
        words.append(f"{data} {first:.3f} to {last:.3f}")
        rises.append(last > first)
    return Finding(", ".join(words), all(rises))


def _bounded(results: Results) -> Finding:
    most = max(results.get("most_above_bound", data=d).max() for d in results.choices("data"))
    return Finding(f"at most {most:+.1e} above it", most <= 1e-9)


def _keeps_falling(results: Results) -> Finding:
    words, verdicts = [], []
    for data in results.choices("data"):
        before, after = (results.get(q, data=data) for q in ("test_when_perfect", "test_last"))
        verdicts.append(compare(after, before).verdict)
        words.append(f"{data} {before.mean():.3f} to {after.mean():.3f} ({verdicts[-1]})")
    return Finding(", ".join(words), all(verdict == "win" for verdict in verdicts))


def _moves_right(results: Results) -> Finding:
    words, moves = [], []
    for data in results.choices("data"):
        first, later = (float(results.mean(f"not_right_{t}", data=data)) for t in (FIRST, LATER))
        words.append(f"{data} {first:.2f} to {later:.2f}")
        moves.append(later < first)
    return Finding(", ".join(words), all(moves))


def draw_course(results: Results, figure: Figure) -> None:
    """Figures 2-1 to 2-5, a row for each kind of data."""
    names = results.choices("data")
    axes = panels(figure, 4 * len(names), 4).reshape(len(names), 4)
    rounds = few_rounds(ROUNDS)
    for (weighted, bounded, tested, spread), data in zip(axes, names, strict=True):
        train, test = (results.mean(q, data=data) for q in ("train", "test"))
        weighted.semilogx(rounds, results.mean("weighted_error", data=data), c=BLACK)
        weighted.set(title=f"{data}: weighted error", xlabel="round", ylabel="error of the stump")
        bounded.semilogx(rounds, train, c=BLUE, label="training error")
        bounded.semilogx(rounds, results.mean("bound", data=data), "--", c=RED, label="its bound")
        bounded.set(title=f"{data}: bound", xlabel="rounds", ylabel="error")
        tested.semilogx(rounds, train, c=BLUE, label="training rows")
        tested.semilogx(rounds, test, "--", c=ORANGE, label="test rows")
        tested.set(title=f"{data}: errors", xlabel="rounds", ylabel="error")
        for t, colour, style in ((FIRST, ORANGE, "--"), (LATER, BLUE, "-")):
            margins = results.get(f"raw_margins_{t}", data=data)
            cumulative(spread, margins, c=colour, ls=style, label=f"rounds: {t}")
        spread.set(title=f"{data}: margins", xlabel="margin", ylabel="share of rows up to it")
    for ax in axes[0, 1:]:
        ax.legend()


def _reading(name: str, why: str, data: list[str]) -> Reading:
    return Reading(
        name,
        why,
        {
            size: grid(trials, data=data, model="adaboost", rounds=ROUNDS)
            for size, trials in (("quick", 2), ("paper", 20))
        },
    )


READINGS = (
    _reading(
        "ten-columns",
        "The data have ten columns or twenty, not two: three kinds that the documentation of the "
        "library of the time draws AdaBoost on.",
        list(OTHERS),
    ),
    _reading("sphere", "The data are points in and around a sphere of five columns.", ["sphere"]),
)

COURSE = Experiment(
    name="chan-2",
    title="The course of AdaBoost: weighted error, bound, training and test error, margins",
    version=1,
    settings={
        "quick": grid(5, data=list(MAKERS), model="adaboost", rounds=ROUNDS),
        "paper": grid(50, data=list(MAKERS), model="adaboost", rounds=ROUNDS),
    },
    measure=Trial(
        draw_artificial,
        {"adaboost": lambda cell: AdaBoostClassifier(n_estimators=cell["rounds"])},
        record_course,
    ),
    claims=(
        Claim(
            "the weighted error rises (mean of the last tenth of rounds above the first)",
            "rises, not steadily",
            _rises,
        ),
        Claim("the training error stays below its exponential bound", "yes", _bounded),
        Claim(
            "the test error falls on after the training error is 0 (paired t-test at .05)",
            "keeps falling",
            _keeps_falling,
            "It depends on the data: it falls on where there are many columns, each of which says "
            "a little, and rises where two columns say all.",
        ),
        Claim("margins move right: rows at or below 0 get fewer", "yes", _moves_right),
    ),
    figures={"": draw_course},
    readings=READINGS,
    notes=("The thesis shows one artificial data set and does not say which.",),
    conclusion=(
        "Weighted error, bound and margins behave as the thesis shows. From the round in which the "
        "training error is 0 to the last, the test error goes from {ring[0]:.3f} to {ring[1]:.3f} "
        "on the ring, from {sine[0]:.3f} to {sine[1]:.3f} on the sine and from {sphere[0]:.3f} to "
        "{sphere[1]:.3f} on the sphere. The thesis shows one data set that it does not name; which "
        "way it goes depends on the data, and in two dimensions boosted stumps overfit {rows} rows."
    ),
    numbers=lambda found: {
        "rows": ROWS,
        **{
            data: [found.value(name, data=data) for name in ("test_when_perfect", "test_last")]
            for data in MAKERS
        },
    },
)

EXPERIMENTS = (COURSE,)
