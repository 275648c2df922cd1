"""Chan's figure 4-4: margins of flagged rows and of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nacre.diagnostics import hits, margins
from nacre.experiments import experiment as ex
from nacre.experiments.measure import Draw
from nacre.experiments.plot import PALETTE, panels
from nacre.models.base import BoostClassifier
from nacre.papers.chan.flagged_rows import DATA, GROUPS, both, group_experiment

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SNAPSHOTS = (1, 4, 10, 50)
QUANTILES = np.linspace(0, 1, 41)


def record_margins(model: BoostClassifier, rows: Draw) -> ex.Record:
    """Margins of flagged and other rows after some rounds."""
    flagged = rows.truth["score"] > 0.5
    found = margins(hits(model, rows.X, rows.y), model.estimator_weights_, list(SNAPSHOTS))
    groups = dict(zip(GROUPS, (found[:, flagged], found[:, ~flagged]), strict=True))
    record: ex.Record = {"share": flagged.mean()}
    for group, values in groups.items():
        for t, after in zip(SNAPSHOTS, values, strict=True):
            record[f"{group}_wrong_{t}"] = np.mean(after <= 0)
            record[f"{group}_mean_{t}"] = after.mean()
            record[f"{group}_quantiles_{t}"] = np.quantile(after, QUANTILES).tolist()
    return record


def _margins_rise(results: ex.Results) -> ex.Finding:
    words, right = [], []
    for data in both(results):
        first, last = (
            float(results.mean(f"flagged_wrong_{t}", data=data))
            for t in (SNAPSHOTS[0], SNAPSHOTS[-1])
        )
        ours, theirs = (float(results.mean(f"{g}_mean_{SNAPSHOTS[-1]}", data=data)) for g in GROUPS)
        words.append(f"{data} {first:.2f} to {last:.2f}, mean margin {ours:.2f} under {theirs:.2f}")
        right.append(last < first and ours < theirs)
    return ex.Finding("; ".join(words), all(right))


def margins_table(results: ex.Results) -> list[ex.Row]:
    """Margins of both groups after some rounds."""
    return [
        {
            "data": data,
            "rows": group,
            "rounds": t,
            "mean margin": float(results.mean(f"{group}_mean_{t}", data=data)),
            "0 or less": float(results.mean(f"{group}_wrong_{t}", data=data)),
        }
        for data in results.choices("data")
        for group in GROUPS
        for t in SNAPSHOTS
    ]


def draw_margins(results: ex.Results, figure: Figure) -> None:
    """Figure 4-4."""
    names = results.choices("data")
    axes = panels(figure, 2 * len(names), 2, 4.2, 3.0, sharex=True)
    panel = iter(axes)
    for data in names:
        for group in GROUPS:
            ax = next(panel)
            for t, colour in zip(SNAPSHOTS, PALETTE, strict=False):
                values = results.mean(f"{group}_quantiles_{t}", data=data)
                ax.plot(values, QUANTILES, c=colour, label=f"rounds: {t}")
            ax.axvline(0, c="0.7", lw=0.8, zorder=0)
            ax.set_xticks([-1, -0.5, 0, 0.5, 1])
            ax.set(title=f"{data}: {group}", xlabel="margin", ylabel="share of rows up to it")
    axes[0].legend()


MARGINS = group_experiment(
    4,
    "Margins of flagged and of other rows as boosting goes on",
    50,
    record=record_margins,
    claims=(
        ex.Claim(
            "flagged rows with a margin of 0 or less get fewer, and stay below the others",
            "as margin theory says",
            _margins_rise,
        ),
    ),
    figures={"": draw_margins},
    table=margins_table,
    conclusion=(
        "Of flagged rows {before[0]:.0f} % have a margin of 0 or less after the first round on "
        "wdbc and {before[1]:.0f} % on the original set; after {last} rounds {after[0]:.0f} % and "
        "{after[1]:.0f} %. Their mean margins are then {mean[0]:.2f} and {mean[1]:.2f}, of other "
        "rows {others[0]:.2f} and {others[1]:.2f}."
    ),
    numbers=lambda found: {
        "last": SNAPSHOTS[-1],
        **{
            name: [factor * found.value(column, data=data, rows=group, rounds=t) for data in DATA]
            for name, factor, column, group, t in (
                ("before", 100, "0 or less", "flagged", SNAPSHOTS[0]),
                ("after", 100, "0 or less", "flagged", SNAPSHOTS[-1]),
                ("mean", 1, "mean margin", "flagged", SNAPSHOTS[-1]),
                ("others", 1, "mean margin", "others", SNAPSHOTS[-1]),
            )
        },
    },
)

EXPERIMENTS = (MARGINS,)
