"""Chan's section 2.1: the number of rounds, by held-out rows, by AIC and by BIC."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nacre.datasets import make_ring, make_sine, make_sphere
from nacre.experiments import experiment as ex
from nacre.experiments.measure import error_curve
from nacre.experiments.plot import PALETTE, panels
from nacre.experiments.statistics import compare, tally
from nacre.models.l2boost import L2BoostClassifier
from nacre.noise import flip_labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAKERS = {"ring": make_ring, "sine": make_sine, "sphere": make_sphere}
ROWS, TEST, ROUNDS, RATE = 200, 2000, 1000, 0.1
NOISE = [0.0, 0.2]
NOISY = NOISE[-1]
CHOICES = {
    "all": "all rounds",
    "held_out": "early stopping",
    "aic": "AIC",
    "bic": "BIC",
    "best": "best on test rows",
}


def degrees_of_freedom(scores: np.ndarray, rate: float) -> np.ndarray:
    """The trace of L2Boost's hat matrix after each round, from its scores (rounds, rows).

    A stump of least squares averages residuals over two groups of rows: with that projection S,
    what is left of the labels is (I - rate S) ... (I - rate S) y. How stumps were chosen does not
    count.
    """
    n = scores.shape[1]
    left, traces = np.eye(n), []
    for step in np.diff(scores, axis=0, prepend=0.0):
        upper = step > (step.min() + step.max()) / 2
        for group in (upper, ~upper):
            if group.any():
                left[group] -= rate * left[group].mean(axis=0)
        traces.append(n - np.trace(left))
    return np.array(traces)


def criteria(y: np.ndarray, scores: np.ndarray, rate: float) -> dict[str, np.ndarray]:
    """AIC, corrected for few rows, and BIC of a Gaussian model after each round."""
    n = len(y)
    used = np.minimum(degrees_of_freedom(scores, rate), n - 3.0)
    variance = np.log(np.maximum(np.mean((y - scores) ** 2, axis=1), 1e-300))
    return {
        "aic": variance + (1 + used / n) / (1 - (used + 2) / n),
        "bic": variance + np.log(n) * used / n,
    }


def measure(cell: ex.Cell) -> ex.Record:
    """Test errors after the rounds that each way chooses."""
    X, y = MAKERS[cell["data"]](ROWS + TEST, random_state=cell.seed("data"))
    seed = cell.seed("data", "noise", use="noise")
    labels, _ = flip_labels(y[:ROWS], cell["noise"], random_state=seed)
    model = L2BoostClassifier(n_estimators=cell["rounds"], learning_rate=RATE)
    model.fit(X[:ROWS], labels)
    scores = np.array(list(model.staged_decision_function(X[:ROWS])))
    signs = np.where(labels == model.classes_[1], 1.0, -1.0)
    test = error_curve(model, X[ROWS:], y[ROWS:])
    found = {name: int(curve.argmin()) for name, curve in criteria(signs, scores, RATE).items()}
    found |= {"all": len(test) - 1, "best": int(test.argmin())}
    errors = {name: test[t] for name, t in found.items()}

    fewer = ROWS * 2 // 3
    part = L2BoostClassifier(n_estimators=cell["rounds"], learning_rate=RATE)
    part.fit(X[:fewer], labels[:fewer])
    found["held_out"] = int(error_curve(part, X[fewer:ROWS], labels[fewer:]).argmin())
    chosen = test if "refit" in cell.setting else error_curve(part, X[ROWS:], y[ROWS:])
    errors["held_out"] = chosen[found["held_out"]]
    return {
        **{f"error_{name}": errors[name] for name in CHOICES},
        **{f"rounds_{name}": found[name] + 1 for name in CHOICES},
    }


def contest(results: ex.Results, ours: str, theirs: str, **wanted: float) -> list[str]:
    """Wins, ties and losses of one choice against another, by data set."""
    return [
        compare(
            results.get(f"error_{ours}", **setting), results.get(f"error_{theirs}", **setting)
        ).verdict
        for setting in results.where(**wanted)
    ]


REASONS = {
    ("held_out", "all"): "The rows that are held out are missed more than late rounds do harm.",
    ("aic", "all"): "The search for the stumps does not count as freedom, so that AIC stops late.",
}


def _claim(ours: str, theirs: str, strictly: bool) -> ex.Claim:
    def check(results: ex.Results) -> ex.Finding:
        found = contest(results, ours, theirs, noise=NOISY)
        more = found.count("win") - found.count("loss")
        return ex.Finding(tally(found), more > 0 if strictly else more >= 0)

    often = "wins more often than it loses" if strictly else "loses no more often than it wins"
    return ex.Claim(
        f"{NOISY:.0%} noise: the number of rounds by {CHOICES[ours]} {often} against "
        f"{CHOICES[theirs]}",
        "can be tuned" if theirs == "all" else "an alternative",
        check,
        REASONS.get((ours, theirs), ""),
    )


def rounds_table(results: ex.Results) -> list[ex.Row]:
    """Errors and rounds of each choice."""
    return [
        {
            "data": setting["data"],
            "noise": setting["noise"],
            "rounds by": words,
            "rounds": float(results.mean(f"rounds_{name}", **setting)),
            "error": float(results.mean(f"error_{name}", **setting)),
        }
        for setting in results.where()
        for name, words in CHOICES.items()
    ]


def draw_rounds(results: ex.Results, figure: Figure) -> None:
    """Test errors by choice and data set, a panel for each rate of noise."""
    noise = results.choices("noise")
    for ax, rate in zip(panels(figure, len(noise), 2, 4.4, 3.0), noise, strict=True):
        settings = results.where(noise=rate)
        for k, (name, words) in enumerate(CHOICES.items()):
            errors = [results.mean(f"error_{name}", **setting) for setting in settings]
            places = np.arange(len(settings)) + 0.16 * (k - 2)
            ax.bar(places, errors, 0.16, color=PALETTE[k], label=words)
        ax.set_xticks(range(len(settings)), [setting["data"] for setting in settings])
        ax.set(title=f"{rate:.0%} noise", xlabel="data", ylabel="test error")
    figure.axes[0].legend()


def _settings(**more: str) -> dict[str, list[ex.Setting]]:
    return {
        size: ex.grid(trials, data=list(MAKERS), noise=NOISE, rounds=rounds, **more)
        for size, trials, rounds in (("quick", 3, 200), ("paper", 50, ROUNDS))
    }


REFIT = ex.Reading(
    "refit",
    "Held-out rows tune the number of rounds, and a model of so many is then fitted to all rows.",
    _settings(refit="all rows"),
)

CHOOSING = ex.Experiment(
    name="chan-rounds",
    title="How many rounds: all, by held-out rows, by AIC and by BIC",
    version=1,
    settings=_settings(),
    measure=measure,
    claims=(
        *(_claim(ours, "all", True) for ours in ("held_out", "aic", "bic")),
        *(_claim(ours, "held_out", False) for ours in ("aic", "bic")),
    ),
    figures={"": draw_rounds},
    table=rounds_table,
    readings=(REFIT,),
    notes=(
        f"L2Boost on stumps, learning rate {RATE:g}, {ROWS} rows to train on. AIC is corrected for "
        "few rows; both criteria count the trace of the hat matrix, which does not count the "
        "search for the stumps. Early stopping trains on two thirds of the rows and takes the "
        "round of least error on the rest.",
    ),
    conclusion=(
        "Mean errors over the sets at 20 % noise are {all:.3f} after all {rounds} rounds, "
        "{held_out:.3f} by early stopping, {aic:.3f} by AIC and {bic:.3f} by BIC; the best round "
        "on test rows would have {best:.3f}."
    ),
    numbers=lambda found: {
        "rounds": ROUNDS,
        **{
            name: np.mean(
                [
                    row["error"]
                    for row in found.table
                    if row["rounds by"] == words and row["noise"] == NOISY
                ]
            )
            for name, words in CHOICES.items()
        },
    },
)

EXPERIMENTS = (CHOOSING,)
