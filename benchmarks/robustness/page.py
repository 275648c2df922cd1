"""The results as a page of the documentation: means in Markdown, and one picture."""

import numpy as np

from nacre.experiments.plot import save
from nacre.papers.page import markdown
from robustness.data import GROUPS
from robustness.figures import headline
from robustness.noise import TRUSTED
from robustness.report import by_column, wide

HELD_OUT = [group for group in GROUPS if group.startswith("held-out")]
HEAD = f"""\
Means over data sets that played no part in the design of the defaults: at most 700 training rows
whose labels are made wrong, up to 2000 test rows with right labels, two seeds, everyone at their
defaults and on one thread. Percent columns are symmetric noise: so many labels flipped to any
other class. *By class*: 30 % of one class and 5 % of the other; of more classes 5 to 35 %, each to
one other class. *Boundary*: 20 %, the more the nearer to the boundary of a support vector machine.
*One class*: 40 % of one class. *Trusted*: 30 %, and {100 * TRUSTED:.0f} % of the rows known to be
right, which only nacre can be told. `make bench-robust` measures all this;
`PYTHONPATH=benchmarks python -m robustness --report-only --page docs/explain` writes this page.
"""
QUANTITIES = {
    "error": ("Test error in percent", 100.0, 1, min),
    "log_loss": ("Log loss on the test rows", 1.0, 3, min),
    "detection_precision": ("Wrong labels found: average precision", 1.0, 2, max),
    "off": ("Noise rate: mean absolute error", 1.0, 3, min),
}


def write_page(cells, folder):
    """Write robustness.md and robustness.png."""
    save(headline, cells, folder / "robustness.png", 110)
    cells = cells.assign(off=cells["rate_error"].abs())
    parts = [HEAD]
    for group in HELD_OUT:
        some = cells[cells["group"] == group]
        if some.empty:
            continue
        sets = ", ".join(some["data"].unique())
        parts.append(f"### {group[0].upper()}{group[1:]}\n\n{sets}.")
        for quantity, (title, unit, digits, best) in QUANTITIES.items():
            table = wide(some, quantity)
            every = table.groupby("column", sort=False).size() == some["data"].nunique()
            means = unit * by_column(table)[every.index[every]]  # kinds measured on all sets
            if means.size:
                parts.append(f"{title}:")
                parts.append(markdown(rows_of(means, digits, best)))
    (folder / "robustness.md").write_text("\n\n".join(map(str.strip, parts)) + "\n", "utf-8")


def rows_of(means, digits, best):
    """Contenders, the best on average first; in each column the best is bold."""
    order = means.mean(axis=1).sort_values(ascending=best is min).index
    tops = means.round(digits).agg(best)
    return [
        {
            "": name,
            **{
                column: f"**{value:.{digits}f}**"
                if np.isclose(round(value, digits), tops[column])
                else f"{value:.{digits}f}"
                for column, value in means.loc[name].items()
            },
        }
        for name in order
    ]
