"""Chan's figure 4-1: how many rows a vote filter flags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nacre.experiments import experiment as ex
from nacre.experiments.measure import Draw, Trial
from nacre.experiments.plot import PALETTE, panels
from nacre.filters import VoteFilter
from nacre.papers.chan.flagged_rows import DATA, FILES, FOLDS, THRESHOLDS, WHICH, both, draw_all

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from nacre.experiments.summary import Summary

SHOWN = (1, 2, 3, 4, 5, 7, 9, 15, 30, 50)
PRINTED = 0.045
"""The share that the thesis sees with many voters."""
MOST = 0.001
"""Flagging fewer rows than this, on average, is flagging none."""


def record_shares(model: VoteFilter, rows: Draw) -> ex.Record:
    """The share of rows flagged, for each threshold."""
    return {f"flagged_{p:g}": np.mean(model.scores_ > p) for p in THRESHOLDS}


def shares(results: ex.Results, data: str, p: float) -> dict[int, float]:
    """The mean share flagged, for each number of voters."""
    return {
        m: float(results.mean(f"flagged_{p:g}", data=data, voters=m))
        for m in results.choices("voters", data=data)
    }


def shares_table(results: ex.Results) -> list[ex.Row]:
    """Mean shares flagged by some numbers of voters; the file of everything has them all."""
    return [
        {
            "data": data,
            "voters": m,
            **{f"p = {p:g}": shares(results, data, p)[m] for p in THRESHOLDS},
        }
        for data in results.choices("data")
        for m in results.choices("voters", data=data)
        if m in SHOWN
    ]


def _level(results: ex.Results) -> ex.Finding:
    found = {data: list(shares(results, data, 0.5).values())[-1] for data in both(results)}
    return ex.Finding(
        ", ".join(f"{data} {share:.3f}" for data, share in found.items()),
        any(abs(share - PRINTED) <= 0.01 for share in found.values()),
    )


def _none_left(results: ex.Results) -> ex.Finding:
    most = {
        data: max(share for m, share in shares(results, data, 0.9).items() if m >= 7)
        for data in both(results)
    }
    return ex.Finding(
        ", ".join(f"{data} at most {share:.4f}" for data, share in most.items()),
        all(share <= MOST for share in most.values()),
    )


def draw_shares(results: ex.Results, figure: Figure) -> None:
    """Figure 4-1."""
    names = results.choices("data")
    for ax, data in zip(panels(figure, len(names), 2, 4.2, 3.2), names, strict=True):
        for p, colour in zip(THRESHOLDS, PALETTE, strict=False):
            found = shares(results, data, p)
            ax.plot(list(found), list(found.values()), ".-", c=colour, label=f"p = {p:g}")
        ax.set(title=data, xlabel="voters $m$", ylabel="share of rows flagged")
    figure.axes[0].legend()


SHARES = ex.Experiment(
    name="chan-4-1",
    title="How many rows the vote filter flags, by the number of voters and the threshold",
    version=1,
    settings={
        "quick": ex.grid(5, data=DATA, model="filter", voters=list(SHOWN)),
        "paper": ex.grid(50, data=DATA, model="filter", voters=list(range(1, 51))),
    },
    measure=Trial(
        draw_all,
        {"filter": lambda cell: VoteFilter(n_voters=cell["voters"], n_folds=FOLDS)},
        record_shares,
    ),
    claims=(
        ex.Claim(
            "share flagged at p = .5 by 50 voters, on either set within .01", str(PRINTED), _level
        ),
        ex.Claim(
            f"p = .9 flags no row (fewer than {MOST:.1%}) from 7 voters on",
            "none from 7 on",
            _none_left,
        ),
    ),
    figures={"": draw_shares},
    table=shares_table,
    files=FILES,
    notes=(WHICH, "Figures are means over random folds; the thesis prints 0.45, a misprint."),
    conclusion=(
        "With {most} voters and p = .5 the filter flags {original:.1f} % of the original Wisconsin "
        "set and {wdbc:.1f} % of the diagnostic one; the thesis has {printed:.1f} %, {nearer}. An "
        "odd number of voters flags more rows than the even numbers beside it, because half of an "
        "even number is no majority: {three:.1f} % of wdbc with three, {two:.1f} and {four:.1f} % "
        "with two and four."
    ),
    numbers=lambda found: _numbers(found),
)


def _numbers(found: Summary) -> dict[str, Any]:
    share = {data: found.percent("p = 0.5", data=data, voters=SHOWN[-1]) for data in DATA}
    near, far = sorted(DATA, key=lambda data: abs(share[data] - 100 * PRINTED))
    named = {"wdbc": "the set that it names", "original": "the set that it describes"}
    few = {
        word: found.percent("p = 0.5", data="wdbc", voters=m)
        for word, m in (("two", 2), ("three", 3), ("four", 4))
    }
    return {
        **share,
        **few,
        "most": SHOWN[-1],
        "printed": 100 * PRINTED,
        "nearer": f"nearer to {named[near]} than to {named[far]}",
    }


EXPERIMENTS = (SHARES,)
