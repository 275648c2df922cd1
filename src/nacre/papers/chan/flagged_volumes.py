"""Chan's figures 4-2 and 4-3: cell and decision volumes of flagged rows and of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nacre.diagnostics import cell_volumes, decision_volumes, mean_volumes
from nacre.experiments import experiment as ex
from nacre.experiments.measure import Draw, error_curve, few_rounds, thinned
from nacre.experiments.plot import BLACK, BLUE, RED, panels
from nacre.models.base import BoostClassifier
from nacre.papers.chan.flagged_rows import AS_PRINTED, DATA, GROUPS, both, group_experiment

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def record_cells(model: BoostClassifier, rows: Draw) -> ex.Record:
    """Log cell volumes of flagged and other rows over the rounds, and the training error."""
    flagged = rows.truth["score"] > 0.5
    volumes = cell_volumes(model, rows.X, **AS_PRINTED)
    last, rounds = volumes[-1], model.n_estimators
    return {
        "share": flagged.mean(),
        "gap": last[~flagged].mean() - last[flagged].mean(),
        "spread": last[~flagged].std(),
        "flagged": thinned(volumes[:, flagged].mean(axis=1), rounds),
        "others": thinned(volumes[:, ~flagged].mean(axis=1), rounds),
        "train": thinned(error_curve(model, rows.X, rows.y), rounds),
    }


def record_decisions(model: BoostClassifier, rows: Draw) -> ex.Record:
    """Mean decision volumes of flagged and other rows over the rounds, and the training error."""
    flagged = rows.truth["score"] > 0.5
    volumes = decision_volumes(model, rows.X, **AS_PRINTED)
    ours, theirs = (mean_volumes(volumes[:, group]) for group in (flagged, ~flagged))
    rounds, late = model.n_estimators, len(volumes) // 2
    return {
        "share": flagged.mean(),
        "ratio": np.exp(np.mean(theirs[late:] - ours[late:])),
        "flagged": thinned(ours, rounds),
        "others": thinned(theirs, rounds),
        "train": thinned(error_curve(model, rows.X, rows.y), rounds),
    }


def _share(printed: float) -> ex.Claim:
    def check(results: ex.Results) -> ex.Finding:
        found = {data: float(results.mean("share", data=data)) for data in both(results)}
        return ex.Finding(
            ", ".join(f"{data} {share:.2%}" for data, share in found.items()),
            any(abs(share - printed) <= 0.01 for share in found.values()),
        )

    return ex.Claim("share of rows flagged, on either set within .01", f"{printed:.2%}", check)


def _no_lasting_gap(results: ex.Results) -> ex.Finding:
    words, small = [], []
    for data in both(results):
        gap, spread = (float(results.mean(q, data=data)) for q in ("gap", "spread"))
        words.append(f"{data} {gap:+.2f}, deviation {spread:.2f}")
        small.append(abs(gap) <= spread)
    return ex.Finding("; ".join(words), all(small))


def _ratio(results: ex.Results) -> ex.Finding:
    found = {data: results.get("ratio", data=data) for data in both(results)}
    medians = {data: float(np.median(ratio)) for data, ratio in found.items()}
    return ex.Finding(
        ", ".join(f"{data} {ratio:.2g}" for data, ratio in medians.items()),
        any(2 <= ratio <= 3 for ratio in medians.values()),
    )


def _at(results: ex.Results, data: str, group: str, after: list[int]) -> np.ndarray:
    """The mean curve of a group at some rounds, or those nearest of which it was kept."""
    (setting,) = results.where(data=data)
    kept, curve = few_rounds(setting["rounds"]), results.mean(group, data=data)
    return np.array([curve[np.abs(kept - t).argmin()] for t in after])


STABLE = 240
"""The round by which the thesis sees its training error settle."""


def _easy_first(results: ex.Results) -> ex.Finding:
    words, right = [], []
    for data in both(results):
        (setting,) = results.where(data=data)
        flagged, others = (
            -np.diff(_at(results, data, group, [1, STABLE, setting["rounds"]])) for group in GROUPS
        )
        words.append(
            f"{data} {others[0]:.1f} against {flagged[0]:.1f}, then {flagged[1]:.2f} against "
            f"{others[1]:.2f}"
        )
        right.append(others[0] > flagged[0] and flagged[1] > others[1])
    return ex.Finding("; ".join(words), all(right))


def _alike(results: ex.Results) -> ex.Finding:
    found = {
        data: float(np.corrcoef(*(results.mean(group, data=data) for group in GROUPS))[0, 1])
        for data in both(results)
    }
    words = ", ".join(f"{data} correlation {one:.3f}" for data, one in found.items())
    return ex.Finding(words, min(found.values()) > 0.95)


def _turn(results: ex.Results) -> ex.Finding:
    """From which round on flagged rows have the smaller mean."""
    turns = {}
    for data in both(results):
        (setting,) = results.where(data=data)
        flagged, others = (results.mean(group, data=data) for group in GROUPS)
        larger = np.flatnonzero(flagged >= others)
        rounds = few_rounds(setting["rounds"])
        turns[data] = int(rounds[min(larger[-1] + 1, len(rounds) - 1)]) if len(larger) else 1
    words = ", ".join(f"{data} round {turn}" for data, turn in turns.items())
    return ex.Finding(words, any(3 <= turn <= 6 for turn in turns.values()))


def _smaller(results: ex.Results) -> ex.Finding:
    found = {data: np.mean(results.get("ratio", data=data) > 1) for data in both(results)}
    return ex.Finding(
        ", ".join(f"{data} in {share:.0%} of trials" for data, share in found.items()),
        all(share > 0.5 for share in found.values()),
    )


def decisions_table(results: ex.Results) -> list[ex.Row]:
    """How much larger volumes of other rows are, trial by trial."""
    rows = []
    for data in results.choices("data"):
        ratio = results.get("ratio", data=data)
        rows.append(
            {
                "data": data,
                "trials": len(ratio),
                "share": float(results.mean("share", data=data)),
                "median ratio": float(np.median(ratio)),
                "least ratio": float(ratio.min()),
                "largest ratio": float(ratio.max()),
            }
        )
    return rows


def draw_cells(results: ex.Results, figure: Figure) -> None:
    """Figure 4-2."""
    _draw_volumes(results, figure, "mean log cell volume")


def draw_decisions(results: ex.Results, figure: Figure) -> None:
    """Figure 4-3."""
    _draw_volumes(results, figure, "log of the mean decision volume")


def _draw_volumes(results: ex.Results, figure: Figure, words: str) -> None:
    names = results.choices("data")
    axes = panels(figure, 2 * len(names), len(names), 4.2, 2.6)
    for place, data in enumerate(names):
        (setting,) = results.where(data=data)
        rounds = few_rounds(setting["rounds"])
        volumes, errors = axes[place], axes[place + len(names)]
        for group, colour, style in (("flagged", RED, "-"), ("others", BLUE, "--")):
            volumes.plot(rounds, results.mean(group, data=data), style, c=colour, label=group)
        errors.plot(rounds, results.mean("train", data=data), c=BLACK)
        volumes.set(title=data, xlabel="rounds", ylabel=words)
        errors.set(title=f"{data}: training error", xlabel="rounds", ylabel="error")
    axes[0].legend()


def _reading(name: str, data: str, why: str) -> ex.Reading:
    return ex.Reading(
        name,
        why,
        {
            size: ex.grid(trials, data=data, model="adaboost", rounds=300, meant=data)
            for size, trials in (("quick", 5), ("paper", 50))
        },
    )


CELL_READINGS = (
    _reading("described", "original", "The set is the one that the thesis describes, of 699 rows."),
    _reading("named", "wdbc", "The set is the one that the thesis names and cites, of 569 rows."),
)

CELLS = group_experiment(
    2,
    "Log cell volumes of flagged and of other rows over 300 rounds",
    300,
    record=record_cells,
    claims=(
        _share(0.024),
        ex.Claim(
            "after 300 rounds the two means differ by less than the others' deviation",
            "no lasting difference",
            _no_lasting_gap,
        ),
        ex.Claim(
            "cells shrink alike: the two mean curves have a correlation above .95",
            "in a uniform manner",
            _alike,
        ),
        ex.Claim(
            f"others' cells shrink more up to round {STABLE}, flagged rows' more after it",
            "easy rows first",
            _easy_first,
            "Logarithms of volumes fall by about as much in both groups; which falls by more has "
            "opposite signs on the two sets, and the thesis describes one and names the other.",
        ),
    ),
    figures={"": draw_cells},
    readings=CELL_READINGS,
    conclusion=(
        "Of wdbc {share:.1f} % are flagged. After 300 rounds, logarithms of cell volumes of other "
        "rows are {gap[0]:+.1f} from those of flagged ones on wdbc, {gap[1]:+.1f} on the original "
        "set, where those of single rows deviate by {spread[0]:.1f} and {spread[1]:.1f}."
    ),
    numbers=lambda found: {
        "share": found.percent("share", data="wdbc"),
        **{name: [found.value(name, data=data) for data in DATA] for name in ("gap", "spread")},
    },
)
DECISIONS = group_experiment(
    3,
    "Mean decision volumes of flagged and of other rows over 50 rounds",
    50,
    record=record_decisions,
    claims=(
        _share(0.0228),
        ex.Claim("flagged rows have the smaller mean, in most trials", "yes", _smaller),
        ex.Claim(
            "others' mean over flagged rows', geometric mean of rounds 26 to 50, on either set",
            "2 to 3",
            _ratio,
        ),
        ex.Claim(
            "from round 3 to 6 on, on either set, flagged rows have the smaller mean for good",
            "around round 4",
            _turn,
        ),
    ),
    figures={"": draw_decisions},
    table=decisions_table,
    conclusion=(
        "Decision volumes of other rows are larger by a median factor of {wdbc:.1f} on wdbc and "
        "{original:.1f} on the original set; the thesis has 2 to 3. The factor depends on the "
        "folds, from {least:.1f} to {most:.1f} on wdbc, so that a single run such as that of the "
        "thesis settles its order of magnitude only."
    ),
    numbers=lambda found: {
        **{data: found.value("median ratio", data=data) for data in DATA},
        "least": found.value("least ratio", data="wdbc"),
        "most": found.value("largest ratio", data="wdbc"),
    },
)

EXPERIMENTS = (CELLS, DECISIONS)
