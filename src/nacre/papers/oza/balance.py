"""Oza's one anomaly: trees on Balance, where AdaBoost does better with noise."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nacre.experiments import experiment as ex
from nacre.experiments.measure import Trial
from nacre.experiments.plot import BLACK, RED, panels
from nacre.papers.oza.error_bounds import NAMES
from nacre.papers.oza.uci_comparison import (
    AT,
    FOLDS,
    NINE,
    NOISE,
    booster,
    draw_fold,
    record_errors,
    sizes_run,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def shifts(results: ex.Results, model: str, quantity: str = "error") -> list[float]:
    """The mean error with noise less that without, for each number of base models."""
    found = []
    for t in sizes_run(results):
        before, after = (
            results.mean(f"{quantity}_{t}", noise=noise, model=model) for noise in NOISE
        )
        found.append(float(after - before))
    return found


def _shift(results: ex.Results, model: str) -> ex.Finding:
    found = shifts(results, model)
    words = ", ".join(f"{one:+.3f}" for one in found)
    return ex.Finding(words, min(found) < 0.0 if model == "adaboost" else min(found) > 0.0)


def draw_balance(results: ex.Results, figure: Figure) -> None:
    """Errors with and without noise, by the number of base models."""
    (ax,) = panels(figure, 1, 1, 4.6, 3.4)
    sizes = sizes_run(results)
    for model, colour in (("adaboost", BLACK), ("aveboost2", RED)):
        for noise, style in zip(NOISE, ("-", "--"), strict=True):
            errors = [results.mean(f"error_{t}", noise=noise, model=model) for t in sizes]
            ax.plot(sizes, errors, f"o{style}", ms=4, c=colour,
                    label=f"{NAMES[model]}, {noise:.0%} noise")  # fmt: skip
    ax.set(title="trees on Balance", xlabel="base models", ylabel="test error")
    ax.legend()


def _settings(**more: object) -> dict[str, list[ex.Setting]]:
    return {
        size: ex.grid(
            FOLDS * runs, data="balance", noise=NOISE, base="trees", model=list(NAMES),
            rounds=max(AT), **{"rows": None, **more},
        )
        for size, runs in (("quick", 1), ("paper", 10))
    }  # fmt: skip


BALANCE = ex.Experiment(
    name="oza-balance",
    title="Trees on Balance: does AdaBoost have a lower error with noise than without?",
    version=1,
    settings=_settings(),
    measure=Trial(draw_fold, dict.fromkeys(NAMES, booster), record_errors),
    claims=(
        ex.Claim(
            "AdaBoost has a lower error with noise, for some number of base models",
            "by up to 10 %",
            partial(_shift, model="adaboost"),
            "With noise a tenth of the test labels are wrong as well: an error that is lower would "
            "take trees that fit right labels badly.",
        ),
        ex.Claim(
            "AveBoost2 has a higher error with noise, for every number of base models",
            "higher",
            partial(_shift, model="aveboost2"),
        ),
    ),
    figures={"": draw_balance},
    files={"balance": NINE["balance"]},
    readings=(
        ex.Reading(
            "deep",
            "Trees grow until a leaf weighs two rows, as those of C4.5 do.",
            _settings(rows=1000, bases="other"),
        ),
    ),
    notes=("Cross-validation as in table 2, on fresh draws. Balance follows an exact rule.",),
    conclusion=(
        "AdaBoost's error with 10 % noise is {ada:+.3f} from that without, with 100 trees, "
        "AveBoost2's {ave:+.3f}: the anomaly that the paper found strange is not seen."
    ),
    numbers=lambda found: {
        short: found.value("error_100", noise=0.1, model=model)
        - found.value("error_100", noise=0.0, model=model)
        for short, model in (("ada", "adaboost"), ("ave", "aveboost2"))
    },
)

EXPERIMENTS = (BALANCE,)
