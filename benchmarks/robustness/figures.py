"""Figures: error against the noise level, and mean ranks."""

from nacre.papers.plot import BLUE, ORANGE, PALETTE, panels
from robustness.data import GROUPS
from robustness.noise import NOISES
from robustness.report import by_column, column, wide
from robustness.roster import PEERS

LEVELS = [level for kind, level in NOISES if kind == "symmetric"]
FEW = 3  # of nacre's own, the lines shown


def error_curves(cells, figure):
    """Symmetric noise: peers, and the few of nacre's that do best on the sets for tuning."""
    shown = by_group(cells[cells["noise"] == "symmetric"])
    names = few(shown)
    for axes, (group, errors) in zip(panels(figure, len(shown), 2, 5.0, 4.0), shown, strict=True):
        means = by_column(errors).reindex(columns=[column("symmetric", one) for one in LEVELS])
        for place, name in enumerate(names):
            if name not in means.index:  # has run on other sets only
                continue
            look = {"lw": 2.2, "marker": "o"} if name not in PEERS else {"lw": 1.0}
            axes.plot(
                [100 * level for level in LEVELS],
                100 * means.loc[name],
                ("-", "--")[place // len(PALETTE) % 2],
                label=name,
                color=PALETTE[place % len(PALETTE)],
                **look,
            )
        axes.set(title=group, xlabel="labels flipped, %", ylabel="error on right labels, %")
        axes.legend()


def few(shown):
    """Who is drawn, chosen where held-out sets have no say if there is such a place."""
    errors = dict(shown).get("tuning", shown[0][1])
    order = errors.mean().sort_values().index
    ours = [name for name in order if name not in PEERS]
    ours.sort(key=lambda name: not name.startswith("nacre"))  # the default classifier in any case
    return ours[:FEW] + [name for name in errors if name in PEERS]


def mean_ranks(cells, figure):
    """Contenders by mean rank over sets and kinds of noise."""
    shown = by_group(cells)
    height = 1.0 + 0.18 * max(len(errors.columns) for _, errors in shown)
    for axes, (group, errors) in zip(
        panels(figure, len(shown), 2, 4.5, height), shown, strict=True
    ):
        ranks = errors.rank(axis=1).mean().sort_values(ascending=False)
        colors = [ORANGE if name in PEERS else BLUE for name in ranks.index]
        axes.barh(list(ranks.index), ranks, color=colors)
        axes.set(title=group, xlabel="mean rank (1 is best)")
        axes.tick_params(axis="y", labelsize="small")


def by_group(cells):
    """The groups of data sets that have results, with their errors."""
    errors = [(group, wide(cells[cells["group"] == group], "error")) for group in GROUPS]
    return [(group, table) for group, table in errors if not table.empty]
