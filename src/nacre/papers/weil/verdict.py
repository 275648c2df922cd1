"""The verdict on Weil's report as a whole; its numbers are those of the experiments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nacre.experiments.summary import Summary

TEXT = (
    "The correction is right, and the algorithm built on it is fragile, as the report found: its "
    "vote is undefined in {sine:.0f} and {sphere:.0f} % of the runs of [weil-4-1](#weil-4-1), "
    "after {rounds} rounds on average, and steps of 1/n with a bootstrap mend that. The large "
    "advantage on Adult hangs on the depth of the trees, which the report does not give. With "
    "depth 3 AdaBoost hardly fits random flips: Core errs in {core3:.1f} %, AdaBoost on all rows "
    "in {all3:.1f} %, AdaBoost on the clean rows in {clean3:.1f} %. With depth 12 AdaBoost does "
    "fit them, and it is {core12:.1f}, {all12:.1f} and {clean12:.1f} % ([weil-4b](#weil-4b)). The "
    "first experiment can show nothing, as its labels are coin tosses. The noise-rate estimate is "
    "the lasting part: halved and freed of its bias it finds a rate of 0.2 on banana as {rate} "
    "([weil-5b](#weil-5b))."
)


def numbers(found: Mapping[str, Summary]) -> dict[str, Any]:
    """What the text has places for."""
    steps, adult = found["weil-4-1"], found["weil-4b"]
    undefined = {"sine": 0.0, "sphere": 0.0}
    for data in undefined:
        undefined[data] = steps.percent("undefined", data=data, model="deterministic")
    rounds = [steps.value("rounds_run", data=data, model="deterministic") for data in undefined]
    errors = {
        f"{name}{depth}": one.percent("error", model=model)
        for depth, one in (("3", adult), ("12", adult.readings["depth-12"]))
        for name, model in (("core", "core"), ("all", "adaboost"), ("clean", "adaboost-clean"))
    }
    return {
        **undefined,
        **errors,
        "rounds": " and ".join(f"{one:.1f}" for one in rounds),
        "rate": found["weil-5b"].verdicts[0].ours,
    }
