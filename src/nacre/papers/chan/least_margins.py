"""Chan's section 2.2.1: least margins by the norms of boosting and of support vector machines."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linprog, nnls

from nacre.diagnostics import hits
from nacre.experiments import experiment as ex
from nacre.experiments.plot import BLUE, ORANGE, RED, panels
from nacre.models.adaboost import AdaBoostClassifier

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROWS = 100
COLUMNS = [2, 10, 50]
TWICE = 2.0


def agreements(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Whether each stump (columns) agrees with each label (rows), as +1 or -1."""
    cuts = [(np.sort(column)[:-1] + np.sort(column)[1:]) / 2 for column in X.T]
    said = np.hstack([np.sign(X[:, [j]] - cut) for j, cut in enumerate(cuts)])
    return np.asarray(y[:, None] * said)


def largest_margin(z: np.ndarray) -> float:
    """The largest least margin of votes of 1-norm 1, of stumps and their opposites."""
    n, count = z.shape
    cost = np.r_[np.zeros(2 * count), -1.0]
    above = np.hstack([-z, z, np.ones((n, 1))])
    whole = np.r_[np.ones(2 * count), 0.0][None]
    bounds = [(0, None)] * (2 * count) + [(None, None)]
    return float(-linprog(cost, above, np.zeros(n), whole, [1.0], bounds).fun)


def vector_machine(z: np.ndarray) -> np.ndarray:
    """Votes of the hard-margin support vector machine, without an intercept.

    They are the point of the convex hull of the rows nearest to 0, found by least squares.
    """
    scale = np.sqrt(z.shape[1])
    root = np.linalg.qr(z.T / scale, mode="r")
    heavy = 1e3
    shares, _ = nnls(np.vstack([root, np.full(len(z), heavy)]), np.r_[np.zeros(len(root)), heavy])
    return np.asarray(shares @ z)


def least(z: np.ndarray, votes: np.ndarray, norm: int) -> float:
    """The least margin: by the 1-norm of votes and the maximum norm of stumps, or by 2-norms."""
    stumps = 1.0 if norm == 1 else np.sqrt(z.shape[1])
    return float((z @ votes).min() / (np.linalg.norm(votes, norm) * stumps))


def measure(cell: ex.Cell) -> ex.Record:
    """Least margins of AdaBoost, of the machine on the same stumps, and the largest there is."""
    rng = np.random.default_rng(cell.seed("columns"))
    X = rng.normal(size=(ROWS, cell["columns"]))
    y = np.where(X[:, 0] + X[:, 1] > 0, 1, -1)
    z = agreements(X, y)
    model = AdaBoostClassifier(n_estimators=cell["rounds"]).fit(X, y)
    agreed = model.estimator_weights_ @ hits(model, X, y)
    total: Counter[bytes] = Counter()
    for said, vote in zip(hits(model, X, y), model.estimator_weights_, strict=True):
        sign = said[0]  # a stump and its opposite have votes of opposite signs
        total[(said * sign).tobytes()] += sign * vote
    votes = np.array(list(total.values()))
    one, two = (np.linalg.norm(votes, order) for order in (1, 2))
    machine = vector_machine(z)
    return {
        "boosted_1": agreed.min() / one,
        "boosted_2": agreed.min() / (two * np.sqrt(z.shape[1])),
        "norms": two * np.sqrt(z.shape[1]) / one,
        "largest_1": largest_margin(z),
        "machine_1": least(z, machine, 1),
        "machine_2": least(z, machine, 2),
        "stumps": len(votes),
        "all_stumps": z.shape[1],
    }


def _curve(results: ex.Results, quantity: str) -> list[float]:
    return [float(results.mean(quantity, columns=d)) for d in results.choices("columns")]


def _grows(results: ex.Results) -> ex.Finding:
    found = _curve(results, "norms")
    return ex.Finding(", ".join(f"{one:.1f}" for one in found), bool(np.all(np.diff(found) > 0)))


def _larger(results: ex.Results) -> ex.Finding:
    found = np.divide(_curve(results, "boosted_1"), _curve(results, "machine_2"))
    words = ", ".join(f"{one:.1f}" for one in found)
    return ex.Finding(words, bool(found[-1] > TWICE and found[-1] > found[0]))


def _approximates(results: ex.Results) -> ex.Finding:
    shares = [
        results.get("boosted_1", columns=d) / results.get("largest_1", columns=d)
        for d in results.choices("columns")
    ]
    words = ", ".join(f"{one.mean():.2f}" for one in shares)
    return ex.Finding(words, all(one.mean() >= 0.5 for one in shares))


def draw_margins(results: ex.Results, figure: Figure) -> None:
    """Least margins by the number of columns."""
    columns = results.choices("columns")
    axes = panels(figure, 2, 2, 4.2, 3.2)
    for ax, norm, words in zip(axes, (1, 2), ("1-norm of votes", "2-norms"), strict=True):
        curves = {"AdaBoost": (f"boosted_{norm}", BLUE), "vector machine": (f"machine_{norm}", RED)}
        if norm == 1:
            curves["largest"] = ("largest_1", ORANGE)
        for name, (quantity, colour) in curves.items():
            ax.semilogx(columns, _curve(results, quantity), "o-", c=colour, label=name)
        ax.set_xticks(columns, [str(d) for d in columns])
        ax.set(title=f"least margin by {words}", xlabel="columns", ylabel="least margin")
        ax.legend()


LEAST = ex.Experiment(
    name="chan-2-2",
    title="Least margins by 1-norm and 2-norm: AdaBoost and support vector machines on stumps",
    version=1,
    settings={
        size: ex.grid(trials, columns=columns, rounds=rounds)
        for size, trials, columns, rounds in (
            ("quick", 2, COLUMNS[:2], 200),
            ("paper", 20, COLUMNS, 1000),
        )
    },
    measure=measure,
    claims=(
        ex.Claim(
            "the norms part as columns get more: the ratio of AdaBoost's least margins grows with "
            "every step",
            "slightly different in few dimensions, drastically in many",
            _grows,
        ),
        ex.Claim(
            "AdaBoost's least margin (1-norm) over the machine's (2-norm) is larger with most "
            f"columns than with fewest, and above {TWICE:g}",
            "much larger than that of support vector machines",
            _larger,
        ),
        ex.Claim(
            "AdaBoost's least margin is at least half of the largest there is, in the mean, for "
            "each number of columns",
            "approximates the largest",
            _approximates,
        ),
    ),
    figures={"": draw_margins},
    notes=(
        f"{ROWS} rows of Gaussian columns, of which two decide the label; the space is that of all "
        "stumps of the rows. The largest margin is that of a linear program; the machine is linear "
        "in the stumps, with a hard margin and no intercept.",
    ),
    conclusion=(
        "With {few} columns AdaBoost's least margin is {one[0]:.3f} by the 1-norm and {two[0]:.3f} "
        "by 2-norms, with {many} columns {one[1]:.3f} and {two[1]:.3f}; the machine's, by 2-norms, "
        "is {machine[0]:.3f} and {machine[1]:.3f}. The largest there is by the 1-norm is "
        "{largest[0]:.3f} and {largest[1]:.3f}."
    ),
    numbers=lambda found: {
        "few": COLUMNS[0],
        "many": COLUMNS[-1],
        **{
            name: [found.value(quantity, columns=d) for d in (COLUMNS[0], COLUMNS[-1])]
            for name, quantity in (
                ("one", "boosted_1"),
                ("two", "boosted_2"),
                ("machine", "machine_2"),
                ("largest", "largest_1"),
            )
        },
    },
)

EXPERIMENTS = (LEAST,)
