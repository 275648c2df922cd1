"""Contests of p-boosting with AdaBoost: what was recorded by p, and the table of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from nacre.experiments import experiment as ex
from nacre.experiments.statistics import chosen_blind, compare, lowest


def by_p(results: ex.Results, quantity: str, **wanted: Any) -> dict[float, np.ndarray]:
    """What was recorded, for every p."""
    return {p: results.get(quantity, p=p, **wanted) for p in results.choices("p", **wanted)}


def contests(results: ex.Results) -> list[dict[str, Any]]:
    """The pairs of data set and p-boosting algorithm, with the rounds it was given."""
    found = [
        {name: setting[name] for name in ("data", "model", "rounds")}
        for setting in results.where()
        if "p" in setting
    ]
    return [one for k, one in enumerate(found) if one not in found[:k]]


def hulls_table(results: ex.Results) -> list[ex.Row]:
    """Figures 6-1 and 6-2 in numbers, and what is left where no test row has a say."""
    rows = []
    for contest in contests(results):
        data = contest["data"]
        p = lowest(by_p(results, "best", **contest))
        ours, theirs = results.get("best", p=p, **contest), of_adaboost(results, "best", data)
        seen = compare(ours, theirs)
        blind, chosen = chosen_blind(
            by_p(results, "held_out", **contest), by_p(results, "last", **contest)
        )
        last = of_adaboost(results, "last", data)
        rows.append(
            {
                **contest,
                "AdaBoost": float(theirs.mean()),
                "p*": p,
                "error": float(ours.mean()),
                "sd": float(ours.std(ddof=1)),
                "verdict": seen.verdict,
                "AdaBoost at": float(of_adaboost(results, "best_round", data).mean()),
                "p* at": float(results.get("best_round", p=p, **contest).mean()),
                "AdaBoost end": float(last.mean()),
                "blind p": float(np.median([np.median(ps) for ps in chosen])),
                "blind error": float(blind.mean()),
                "blind verdict": compare(blind, last).verdict,
            }
        )
    return rows


def of_adaboost(results: ex.Results, quantity: str, data: str) -> np.ndarray:
    """What was recorded of AdaBoost on a set."""
    return results.get(quantity, data=data, model="adaboost")


def rows_of(results: ex.Results, model: str, names: list[str]) -> list[ex.Row]:
    """The table's rows of a model on some data sets, at the fewest rounds it was given."""
    found = [row for row in hulls_table(results) if row["model"] == model]
    if not found:
        raise ex.NotRun(f"{model} p-boosting was not run.")
    picked = []
    for data in names:
        rows = [row for row in found if row["data"] == data]
        if not rows:
            raise ex.NotRun(f"{data} was not run.")
        picked.append(min(rows, key=lambda row: row["rounds"]))
    return picked
