"""Barnes' section 4.3.3, figure 4-5: the cost of a strict step along the p-convex hull."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from nacre.experiments import experiment as ex
from nacre.experiments.plot import BLACK, BLUE, RED, panels
from nacre.kernels.formulas import strict_cost

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Ten rows, of which the first hypothesis has nine right, the second eight

MARGINS = np.repeat([1.0, 1.0, -1.0], [7, 2, 1])
HITS = np.repeat([1.0, -1.0, 1.0], [7, 2, 1])
SAME = np.full(10, 0.1)
HISTORIES = {
    "wrong, then wrong": (-1, -1),
    "wrong, then right": (-1, 1),
    "right, then wrong": (1, -1),
    "right, then right": (1, 1),
}
VOTES = np.linspace(0.0, 2.0, 201)
REACH = 1e-4, 1.0
"""Between which votes the cost's first dip lies; a later fall leads to the second hypothesis."""


def hull_cost(vote: float, p: float) -> tuple[float, float]:
    """The mean cost of moving along the p-hull by a vote, and a number of the sign of its slope."""
    log_cost, slope = strict_cost(vote, MARGINS, HITS, SAME, p)
    return np.exp(log_cost), slope


def steepest(p: float) -> tuple[float, float]:
    """The vote at which the cost falls most, or rises least, and a number of the slope's sign."""
    found = minimize_scalar(
        lambda log_vote: hull_cost(np.exp(log_vote), p)[1],
        bounds=np.log(REACH),
        method="bounded",
        options={"xatol": 1e-9},
    )
    return float(np.exp(found.x)), found.fun


def dip(p: float) -> float:
    """The cost at the first minimum, less that of standing still."""
    vote = brentq(lambda vote: hull_cost(vote, p)[1], steepest(p)[0], REACH[1])
    return hull_cost(vote, p)[0] - hull_cost(0.0, p)[0]


def measure_hull(cell: ex.Cell) -> ex.Record:
    """The cost along the hull for one p; for "threshold", the p from which it has a minimum."""
    if cell["p"] == "threshold":
        exists = brentq(lambda p: steepest(p)[1], 0.6, 0.75)
        return {"exists_from": exists, "pays_from": brentq(dip, exists + 1e-6, 0.9)}
    p = cell["p"]
    curve = [hull_cost(vote, p)[0] for vote in VOTES]
    norm = np.append(1.0, (1.0 + VOTES[1:] ** p) ** (1.0 / p))
    single = {
        history: np.exp(-(before + VOTES * now) / norm).tolist()
        for history, (before, now) in HISTORIES.items()
    }
    return {"cost": curve, "least_at": VOTES[int(np.argmin(curve))], **single}


def _threshold(results: ex.Results) -> ex.Finding:
    found = float(results.get("exists_from", p="threshold")[0])
    return ex.Finding(f"{found:.5f}", 0.6695 < found < 0.6698)


def _uphill(results: ex.Results) -> ex.Finding:
    at = float(results.get("least_at", p=0.5)[0])
    return ex.Finding(f"least cost at a vote of {at:.2f}", at == 0.0)


def hull_table(results: ex.Results) -> list[ex.Row]:
    """Where the cost along the hull is least."""
    rows: list[ex.Row] = [
        {"p": p, "least cost at vote": float(results.get("least_at", p=p)[0])} for p in HULL_PS
    ]
    for quantity, words in (
        ("exists_from", "a minimum exists from p ="),
        ("pays_from", "it lies below the start from p ="),
    ):
        value = float(results.get(quantity, p="threshold")[0])
        rows.append({"p": f"{words} {value:.5f}", "least cost at vote": ""})
    return rows


def draw_hull(results: ex.Results, figure: Figure) -> None:
    """Figure 4-5."""
    names = [*HISTORIES, "cost"]
    axes = panels(figure, 5, 3)
    for ax, name in zip(axes, names, strict=True):
        for p, style, colour in zip(HULL_PS, ("--", "-", ":"), (BLUE, BLACK, RED), strict=True):
            ax.plot(VOTES, results.get(name, p=p)[0], style, c=colour, label=f"p = {p:g}")
        title = "all ten rows" if name == "cost" else f"a row {name}"
        ax.set(title=title, xlabel="vote of the second hypothesis", ylabel="cost")
    axes[1].legend()


HULL_PS = [0.5, 1.0, 2.0]

HULL = ex.Experiment(
    name="barnes-4-5",
    title="The strict step's cost along the p-hull, and from which p on it has a minimum",
    version=1,
    settings=dict.fromkeys(("quick", "paper"), ex.grid(p=[*HULL_PS, "threshold"])),
    measure=measure_hull,
    claims=(
        ex.Claim("the least p with an interior minimum", "between 0.6695 and 0.6698", _threshold),
        ex.Claim("at p = 0.5 no vote beats standing still", "cost only rises", _uphill),
    ),
    figures={"": draw_hull},
    table=hull_table,
    notes=(
        "From that p on there is a minimum, but up to the second threshold it lies above the cost "
        "of standing still: a step into it goes uphill.",
    ),
    conclusion=(
        "Agrees to the last digit: a minimum exists from p = {exists} on. It is worth a step only "
        "from p = {pays} on."
    ),
    numbers=lambda found: {
        name: str(found.table[row]["p"]).split()[-1] for name, row in (("exists", -2), ("pays", -1))
    },
)

EXPERIMENTS = (HULL,)
