"""An experiment that does nothing much, slowly enough to be killed in the middle."""

import time

import numpy as np

from nacre.experiments.experiment import Cell, Claim, Experiment, Finding, Results, grid

PAUSE = 0.02


def measure(cell: Cell):
    time.sleep(PAUSE)
    shared = np.random.default_rng(cell.seed("data"))
    own = np.random.default_rng(cell.seed(*cell.setting))
    return {
        "shared": shared.normal(),
        "error": own.uniform(),
        "curve": own.normal(size=3).tolist(),
        "raw_points": own.normal(size=2).tolist(),
    }


def check(results: Results):
    error = results.mean("error", data="a", model="x")
    return Finding(f"{error:.3f}", error < 2)


def check_missing(results: Results):
    return Finding(str(results.get("error", data="nowhere")), True)


def draw(results, figure):
    ax = figure.subplots()
    ax.plot(results.mean("curve", data="a", model="x"))
    ax.set(xlabel="place", ylabel="value")


TOY = Experiment(
    name="toy-1",
    title="A toy",
    version=1,
    settings={
        "quick": grid(15, data=["a", "b"], model=["x", "y"]),
        "paper": grid(20, data=["a", "b"], model=["x", "y"]),
    },
    measure=measure,
    claims=(
        Claim("the error is below 2", "yes", check),
        Claim("something elsewhere", "no", check_missing),
    ),
    figures={"": draw},
)
