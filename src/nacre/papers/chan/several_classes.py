"""Chan's sections 2.1.3 and 2.2.1: several classes, and margins by two norms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.datasets import load_iris, load_wine

from nacre.datasets import load
from nacre.diagnostics import hits
from nacre.experiments import experiment as ex
from nacre.experiments.measure import Draw, Trial, split
from nacre.experiments.plot import PALETTE, panels
from nacre.models.adaboost import AdaBoostClassifier
from nacre.models.base import BoostClassifier

if TYPE_CHECKING:
    from matplotlib.figure import Figure

VARIANTS = {"m1": "AdaBoost.M1", "m2": "AdaBoost.M2", "samme": "SAMME"}
DATA = ["iris", "wine", "balance", "car"]
MOST = 1000


def draw_rows(cell: ex.Cell) -> Draw:
    """Two thirds of a set of three or four classes to train on."""
    if cell["data"] in ("iris", "wine"):
        maker = load_iris if cell["data"] == "iris" else load_wine
        X, y = maker(return_X_y=True)
    else:
        found = load("balance-scale" if cell["data"] == "balance" else "car")
        X, y = found.X, found.y
    order = np.random.default_rng(cell.seed("data", use="rows")).permutation(len(y))[:MOST]
    return split(X[order], y[order], len(order) * 2 // 3, cell.seed("data"))


def record_classes(model: BoostClassifier, rows: Draw) -> ex.Record:
    """The test error, how many rounds there were, and the least margins by both norms."""
    right, votes = hits(model, rows.X, rows.y), model.estimator_weights_
    agreed = votes @ right if len(votes) else np.zeros(len(rows.y))
    by_one, by_two = (
        agreed.min() / max(np.linalg.norm(votes, order) * largest, 1e-300)
        for order, largest in ((1, 1.0), (2, np.sqrt(max(len(votes), 1))))
    )
    return {
        "error": np.mean(model.predict(rows.X_test) != rows.y_test),
        "rounds_run": len(model.estimators_),
        "least_margin": by_one,
        "least_margin_by_two": by_two,
    }


def _means(results: ex.Results, quantity: str, model: str) -> np.ndarray:
    return np.array(
        [results.mean(quantity, data=data, model=model) for data in results.choices("data")]
    )


def _ends_early(results: ex.Results) -> ex.Finding:
    rounds = {model: _means(results, "rounds_run", model).mean() for model in VARIANTS}
    words = ", ".join(f"{VARIANTS[model]} {count:.0f}" for model, count in rounds.items())
    return ex.Finding(
        f"{words} rounds in the mean", rounds["m1"] < min(rounds["m2"], rounds["samme"])
    )


def _better(results: ex.Results) -> ex.Finding:
    errors = {model: _means(results, "error", model) for model in VARIANTS}
    words = ", ".join(f"{VARIANTS[model]} {one.mean():.3f}" for model, one in errors.items())
    return ex.Finding(words, errors["m1"].mean() > max(errors[m].mean() for m in ("m2", "samme")))


def draw_classes(results: ex.Results, figure: Figure) -> None:
    """Errors and rounds."""
    names = results.choices("data")
    for ax, quantity in zip(panels(figure, 2, 2, 4.2, 3.0), ("error", "rounds_run"), strict=True):
        for k, (model, colour) in enumerate(zip(VARIANTS, PALETTE, strict=False)):
            places = np.arange(len(names)) + 0.25 * (k - 1)
            ax.bar(places, _means(results, quantity, model), 0.25, color=colour,
                   label=VARIANTS[model])  # fmt: skip
        ax.set_xticks(range(len(names)), names)
        name = quantity.replace("_", " ")
        ax.set(title=name, xlabel="data set", ylabel=name)
    figure.axes[0].legend()


CLASSES = ex.Experiment(
    name="chan-2-1",
    title="Several classes: AdaBoost.M1, M2 and SAMME on stumps; least margins by two norms",
    version=1,
    settings={
        size: ex.grid(trials, data=DATA, model=list(VARIANTS), rounds=100)
        for size, trials in (("quick", 2), ("paper", 30))
    },
    measure=Trial(
        draw_rows,
        dict.fromkeys(
            VARIANTS,
            lambda cell: AdaBoostClassifier(n_estimators=cell["rounds"], variant=cell["model"]),
        ),
        record_classes,
    ),
    claims=(
        ex.Claim(
            "M1, which needs errors below 1/2, ends first: fewest rounds in the mean",
            "harder to satisfy",
            _ends_early,
        ),
        ex.Claim("M2 and SAMME have lower mean errors than M1", "drawbacks of M1", _better),
    ),
    figures={"": draw_classes},
    notes=(
        "The thesis compares neither: it says what the algorithms need. Margins are votes for the "
        "label less votes against it, over the 1-norm of the votes, or over their 2-norm and that "
        "of the hypotheses' outputs, which by the Cauchy-Schwarz inequality is never less.",
    ),
    conclusion=(
        "Mean errors over {sets} sets are {m1:.3f} (M1), {m2:.3f} (M2) and {samme:.3f} (SAMME); M1 "
        "ends after {rounds:.0f} rounds in the mean, as stumps of several classes soon err more "
        "than half of the time."
    ),
    numbers=lambda found: {
        "sets": len(DATA),
        **{
            model: np.mean([row["error"] for row in found.table if row["model"] == model])
            for model in VARIANTS
        },
        "rounds": np.mean([row["rounds_run"] for row in found.table if row["model"] == "m1"]),
    },
)

EXPERIMENTS = (CLASSES,)
