"""What Chan asks for next: decision volume as a detector where the wrong labels are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.metrics import roc_auc_score

from nacre.experiments import experiment as ex
from nacre.experiments.measure import Draw, Trial
from nacre.experiments.plot import PALETTE, panels
from nacre.experiments.statistics import compare, tally
from nacre.filters import (
    Fraction,
    MarginFilter,
    NeighborFilter,
    VolumeFilter,
    VoteFilter,
    WeightFilter,
)
from nacre.filters.base import LabelFilter
from nacre.noise import flip_labels
from nacre.papers.chan.adaboost_course import MAKERS
from nacre.papers.chan.flagged_rows import DATA, FILES, rows_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROWS = 500
NOISE = [0.05, 0.1, 0.2, 0.3]
DETECTORS = {
    "volume": VolumeFilter(signed=False),
    "signed volume": VolumeFilter(),
    "votes": VoteFilter(),
    "margin": MarginFilter(),
    "area under margin": MarginFilter(out_of_fold=False),
    "weight": WeightFilter(),
    "neighbours": NeighborFilter(5),
}


def draw_flipped(cell: ex.Cell) -> Draw:
    """Rows of which some have the wrong label, and which."""
    if cell["data"] in MAKERS:
        X, y = MAKERS[cell["data"]](ROWS, random_state=cell.seed("data"))
    else:
        X, y = rows_of(cell["data"])
    seed = cell.seed("data", "noise", use="noise")
    labels, flipped = flip_labels(y, cell["noise"], random_state=seed)
    return Draw(X, labels, X, y, truth={"flipped": flipped})


def detector(cell: ex.Cell) -> LabelFilter:
    """A filter that flags as many rows as are wrong."""
    chosen = DETECTORS[cell["model"]]
    return type(chosen)(**{**chosen.get_params(), "cut": Fraction(cell["noise"])})


def record_found(model: LabelFilter, rows: Draw) -> ex.Record:
    """How well wrong labels are told from right ones.

    The area under the ROC curve is the chance that a wrong label has the higher score.
    """
    flipped = rows.truth["flipped"]
    return {
        "auc": roc_auc_score(flipped, model.scores_),
        "found": np.mean(model.mislabeled_[flipped]),
    }


def detector_table(results: ex.Results) -> list[ex.Row]:
    """Mean areas under the ROC curve, a row for each data set and rate."""
    return [
        {
            "data": data,
            "noise": noise,
            **{
                model: float(results.mean("auc", data=data, noise=noise, model=model))
                for model in DETECTORS
            },
        }
        for data in results.choices("data")
        for noise in results.choices("noise")
    ]


def _against(results: ex.Results, ours: str, theirs: str) -> ex.Finding:
    """Whether one detector wins more often than it loses."""
    verdicts = []
    for row in detector_table(results):
        where = {"data": row["data"], "noise": row["noise"]}
        one, other = (-results.get("auc", model=name, **where) for name in (ours, theirs))
        verdicts.append(compare(one, other).verdict)
    return ex.Finding(
        f"{tally(verdicts)} of {len(verdicts)}", verdicts.count("win") >= verdicts.count("loss")
    )


def _above_chance(results: ex.Results) -> ex.Finding:
    areas = [row["volume"] for row in detector_table(results)]
    words = f"{np.mean(areas):.2f} on average, {min(areas):.2f} to {max(areas):.2f}"
    return ex.Finding(words, min(areas) > 0.5)


def draw_detectors(results: ex.Results, figure: Figure) -> None:
    """How well each score tells wrong labels from right ones, as noise grows."""
    names = results.choices("data")
    axes = panels(figure, len(names), 3, sharey=True)
    for ax, data in zip(axes, names, strict=True):
        for model, colour in zip(DETECTORS, PALETTE, strict=True):
            noise = results.choices("noise")
            areas = [results.mean("auc", data=data, noise=n, model=model) for n in noise]
            style = "--" if "volume" in model else "-"
            ax.plot(noise, areas, f"o{style}", ms=3, c=colour, label=model)
        ax.axhline(0.5, c="0.7", lw=0.8, zorder=0)
        ax.set(title=data, xlabel="share of wrong labels", ylabel="area under the ROC curve")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)


DETECTION = ex.Experiment(
    name="beyond-volume",
    title="Decision volume as a detector of labels known to be wrong, beside six other scores",
    version=1,
    settings={
        size: ex.grid(trials, data=[*MAKERS, *DATA], noise=noise, model=list(DETECTORS))
        for size, trials, noise in (("quick", 3, [0.1, 0.3]), ("paper", 50, NOISE))
    },
    measure=Trial(draw_flipped, dict.fromkeys(DETECTORS, detector), record_found),
    claims=(
        ex.Claim(
            "decision volume beats chance everywhere (area above .5)", "viable", _above_chance
        ),
        ex.Claim(
            "decision volume wins as often as it loses against the vote filter (t-test at .05)",
            "a viable alternative",
            lambda results: _against(results, "volume", "votes"),
            "Rows that are right by a little have small volumes, too, and wrong labels that the "
            "ensemble has not fitted have large ones.",
        ),
        ex.Claim(
            "the signed form wins as often as it loses against the vote filter",
            "not tried",
            lambda results: _against(results, "signed volume", "votes"),
        ),
        ex.Claim(
            "the signed form wins as often as it loses against out-of-fold margins",
            "not tried",
            lambda results: _against(results, "signed volume", "margin"),
        ),
    ),
    figures={"": draw_detectors},
    table=detector_table,
    files=FILES,
    notes=(
        "Scores of all rows, as the filters compute them by default; the table has areas under the "
        "ROC curve. The real sets may hold wrong labels of their own, which count as right.",
    ),
    conclusion=(
        "A small decision volume does find wrong labels, with an area of {area:.2f} on average, "
        "but it is no alternative to the vote filter (wins, ties and losses {votes}): rows that "
        "are right by a little have small volumes, too. Given the sign of the margin, which the "
        "thesis did not try, it is better than the vote filter ({signed}) and level with "
        "out-of-fold margins ({margins})."
    ),
    numbers=lambda found: {
        "area": np.mean([row["volume"] for row in found.table]),
        "votes": found.verdicts[1].ours,
        "signed": found.verdicts[2].ours,
        "margins": found.verdicts[3].ours,
    },
)

EXPERIMENTS = (DETECTION,)
