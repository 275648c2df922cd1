"""The verdict on Sano's paper as a whole; its numbers are those of the experiments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nacre.experiments.summary import Summary

TEXT = (
    "A bounded cost does what the paper says, if two things are read as they may be meant. Noise "
    "is drawn for each row, as equation 4 has it: with one set of draws for all rows and a small "
    "variance no draw reaches a margin of 1, and boosting ends with one network. And networks are "
    "not trained to the end, which the paper leaves open: after 20 passes {short} of {claims} "
    "claims of the three figures on the sphere agree, after 100 passes {long}; on the toy data "
    "{toy50} of {toy_claims} agree after 50 passes, {toy} after 100. Trained for so long, networks "
    "fit heavy rows so well that most of the advantage is gone. In the limit of many draws "
    "SNRBoost is MarginBoost with a Gaussian bell, and does much as the tanh. Of the paper's other "
    "choices ([sano-choices](#sano-choices)) {choices} of {choices_claims} claims agree. "
    "[sano-5](#sano-5) and its neighbours have all readings that were tried."
)
FIGURES = ("sano-5", "sano-6", "sano-7")


def numbers(found: Mapping[str, Summary]) -> dict[str, Any]:
    """What the text has places for."""
    toy, choices = found["sano-4"], found["sano-choices"]
    return {
        "short": sum(found[name].readings["epochs-20"].agreed() for name in FIGURES),
        "long": sum(found[name].agreed() for name in FIGURES),
        "claims": sum(len(found[name].verdicts) for name in FIGURES),
        "toy": toy.agreed(),
        "toy50": toy.readings["epochs-50"].agreed(),
        "toy_claims": len(toy.verdicts),
        "choices": choices.agreed(),
        "choices_claims": len(choices.verdicts),
    }
