"""Chan's section 3.3: decision volume by its definition, beside that along the axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import spearmanr

from nacre.datasets import make_ring, make_sine, make_sphere
from nacre.diagnostics import decision_volumes, region_volumes
from nacre.experiments import experiment as ex
from nacre.experiments.measure import Draw, Trial
from nacre.experiments.plot import BLUE, RED, panels
from nacre.models.adaboost import AdaBoostClassifier
from nacre.models.base import BoostClassifier
from nacre.noise import flip_labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = {"ring": 2, "sine": 2, "ball": 3}
ROWS, NOISE = 200, 0.1


def draw_rows(cell: ex.Cell) -> Draw:
    """Rows in two or three columns, a tenth of them with wrong labels."""
    seed = cell.seed("data")
    if cell["data"] == "ball":
        X = make_sphere(ROWS, random_state=seed)[0][:, :3]
        distance = np.linalg.norm(X, axis=1)
        y = (distance > np.median(distance)).astype(int)
    else:
        X, y = {"ring": make_ring, "sine": make_sine}[cell["data"]](ROWS, random_state=seed)
    labels, flipped = flip_labels(y, NOISE, random_state=cell.seed("data", use="noise"))
    return Draw(X, labels, X, y, truth={"flipped": flipped})


def record_regions(model: BoostClassifier, rows: Draw) -> ex.Record:
    """Both volumes of all rows: how they rank them, and of wrong labels and others."""
    flipped = rows.truth["flipped"]
    whole, along = region_volumes(model, rows.X), decision_volumes(model, rows.X, rounds=-1)
    ratios = {
        name: np.exp(volumes[~flipped]).mean() / np.exp(volumes[flipped]).mean()
        for name, volumes in (("region", whole), ("axis", along))
    }
    return {
        "correlation": spearmanr(whole, along).statistic if np.ptp(whole) > 0 else np.nan,
        "regions": len(np.unique(whole.round(9))),
        "larger": np.mean(whole >= along - 1e-9),
        **{f"ratio_{name}": one for name, one in ratios.items()},
        "raw_region": whole.tolist(),
        "raw_axis": along.tolist(),
        "raw_flipped": flipped.tolist(),
    }


def _ranks_alike(results: ex.Results) -> ex.Finding:
    found = {
        data: float(results.mean("correlation", data=data)) for data in results.choices("data")
    }
    words = ", ".join(f"{data} {one:.2f}" for data, one in found.items())
    return ex.Finding(words, min(found.values()) > 0.5)


def _smaller(quantity: str) -> ex.Claim:
    def check(results: ex.Results) -> ex.Finding:
        found = {data: results.get(quantity, data=data) for data in results.choices("data")}
        words = ", ".join(
            f"{data} {np.median(one):.2f} (in {np.mean(one > 1):.0%})"
            for data, one in found.items()
        )
        return ex.Finding(words, all(np.mean(one > 1) > 0.5 for one in found.values()))

    kind = "connected regions" if quantity == "ratio_region" else "volumes along the axes"
    return ex.Claim(
        f"wrong labels have the smaller {kind}: others' mean over theirs is above 1 in most trials",
        "noisy rows have the smaller volumes",
        check,
    )


def draw_regions(results: ex.Results, figure: Figure) -> None:
    """Both volumes of the rows of the first trial."""
    names = results.choices("data")
    for ax, data in zip(panels(figure, len(names), 3, 3.4, 3.2), names, strict=True):
        whole, along, wrong = (
            results.get(f"raw_{name}", data=data)[0] for name in ("region", "axis", "flipped")
        )
        for mask, colour, words in ((wrong == 0, BLUE, "right"), (wrong == 1, RED, "wrong label")):
            ax.plot(along[mask], whole[mask], ".", c=colour, ms=4, label=words)
        ax.set(title=data, xlabel="log volume along the axes", ylabel="log volume of the region")
    figure.axes[0].legend()


REGIONS = ex.Experiment(
    name="chan-3-3",
    title="Decision volume by its definition, the connected region, and along the axes",
    version=1,
    settings={
        size: ex.grid(trials, data=list(COLUMNS), model="adaboost", rounds=50)
        for size, trials in (("quick", 3), ("paper", 50))
    },
    measure=Trial(
        draw_rows,
        {"adaboost": lambda cell: AdaBoostClassifier(n_estimators=cell["rounds"])},
        record_regions,
    ),
    claims=(
        ex.Claim(
            "both rank rows alike: mean rank correlation above .5 on each kind of data",
            "an approximation",
            _ranks_alike,
            "A region is connected around corners: most rows of a label share one, which walks "
            "along the axes do not see.",
        ),
        _smaller("ratio_axis"),
        _smaller("ratio_region"),
    ),
    figures={"": draw_regions},
    notes=(
        f"{ROWS} rows, of which a tenth have wrong labels, known here; two columns, three for the "
        "ball. Columns are measured in units of their range.",
    ),
    conclusion=(
        "The rank correlation of both volumes is {ring:.2f} on the ring, {sine:.2f} on the sine "
        "and {ball:.2f} on the ball: they are different things. A label has few connected regions, "
        "{regions:.0f} of both labels in the mean, so that most rows share one, whether they lie "
        "deep in it or in a corner; walks along the axes tell these apart. What finds wrong labels "
        "is the approximation."
    ),
    numbers=lambda found: {
        **{data: found.value("correlation", data=data) for data in COLUMNS},
        "regions": np.mean([row["regions"] for row in found.table]),
    },
)

EXPERIMENTS = (REGIONS,)
