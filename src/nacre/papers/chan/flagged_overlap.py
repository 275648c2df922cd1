"""Chan's figure 4-5: flagged rows that have the smallest decision volumes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nacre.diagnostics import decision_volumes
from nacre.experiments import experiment as ex
from nacre.experiments.measure import Draw
from nacre.experiments.plot import PALETTE, panels
from nacre.filters.cut import most_suspect
from nacre.models.base import BoostClassifier
from nacre.papers.chan.flagged_rows import AS_PRINTED, DATA, THRESHOLDS, both, group_experiment

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SETTLED = slice(25, None)


def record_overlaps(model: BoostClassifier, rows: Draw) -> ex.Record:
    """For each threshold, the part of flagged rows that have the smallest decision volumes."""
    volumes = decision_volumes(model, rows.X, **AS_PRINTED)
    record: ex.Record = {}
    for p in THRESHOLDS:
        flagged = rows.truth["score"] > p
        count = int(flagged.sum())
        shared = [np.sum(flagged & most_suspect(-one, count)) for one in volumes]
        overlap = np.array(shared) / count if count else np.full(len(volumes), np.nan)
        record[f"flagged_{p:g}"] = count / len(flagged)
        record[f"overlap_{p:g}"] = overlap.tolist()
        record[f"settled_{p:g}"] = float(overlap[SETTLED].mean())
    return record


def _settles(results: ex.Results) -> ex.Finding:
    found = {data: float(results.mean("settled_0.5", data=data)) for data in both(results)}
    return ex.Finding(
        ", ".join(f"{data} {overlap:.2f}" for data, overlap in found.items()),
        any(abs(overlap - 0.5) <= 0.1 for overlap in found.values()),
    )


def overlap_table(results: ex.Results) -> list[ex.Row]:
    """Settled overlaps by data set and threshold."""
    return [
        {
            "data": data,
            "p": p,
            "flagged": float(results.mean(f"flagged_{p:g}", data=data)),
            "overlap, rounds 26 to 50": float(results.mean(f"settled_{p:g}", data=data)),
        }
        for data in results.choices("data")
        for p in THRESHOLDS
    ]


def draw_overlaps(results: ex.Results, figure: Figure) -> None:
    """Figure 4-5."""
    names = results.choices("data")
    for ax, data in zip(panels(figure, len(names), 2, 4.2, 3.2), names, strict=True):
        for p, colour in zip(THRESHOLDS, PALETTE, strict=False):
            curve = results.mean(f"overlap_{p:g}", data=data)
            ax.plot(np.arange(1, len(curve) + 1), curve, c=colour, label=f"p = {p:g}")
        ax.set(title=data, xlabel="rounds", ylabel="share of flagged rows", ylim=(0, 1))
    figure.axes[0].legend()


def _overlap_reading(name: str, why: str, **more: str) -> ex.Reading:
    settings = {
        size: ex.grid(trials, data=DATA, model="adaboost", rounds=50, **more)
        for size, trials in (("quick", 5), ("paper", 50))
    }
    return ex.Reading(name, why, settings)


OVERLAP_READINGS = (
    _overlap_reading(
        "gini",
        "Stumps are trees of one level, chosen by Gini's index, as the library of the time (and "
        "of the language of the thesis' algorithms) has them under AdaBoost.",
        stump="gini",
    ),
    _overlap_reading(
        "ten",
        "The original set has ten columns, as the thesis counts them: with the number of the "
        "sample.",
        columns="ten",
    ),
    _overlap_reading(
        "gini-ten", "Both: stumps by Gini's index, on ten columns.", stump="gini", columns="ten"
    ),
)

OVERLAPS = group_experiment(
    5,
    "How many rows that the vote filter flags have the smallest decision volumes",
    50,
    record=record_overlaps,
    claims=(
        ex.Claim("overlap at p = .5, rounds 26 to 50, on either set within .1", "0.5", _settles),
    ),
    figures={"": draw_overlaps},
    table=overlap_table,
    readings=OVERLAP_READINGS,
    conclusion=(
        "The overlap settles near {wdbc:.2f} on wdbc and {original:.2f} on the original set, means "
        "over 50 ways to fold the rows; the thesis has the curve of one. That high thresholds flag "
        "too few rows to overlap with anything is as in the thesis."
    ),
    numbers=lambda found: {
        data: found.value("overlap, rounds 26 to 50", data=data, p=0.5) for data in DATA
    },
)

EXPERIMENTS = (OVERLAPS,)
