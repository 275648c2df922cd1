"""Barnes' figures 6-1 to 6-5 and appendix E."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nacre.experiments import experiment as ex
from nacre.experiments.measure import few_rounds
from nacre.experiments.plot import BLACK, BLUE, GREEN, ORANGE, PALETTE, RED, panels
from nacre.experiments.statistics import lowest
from nacre.papers.barnes.contests import by_p, contests, of_adaboost
from nacre.papers.barnes.overfitting import RINGS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = (0.5, 1.0, 1.5)
MARKS = dict(zip([*RINGS, "sonar", "wpbc"], "oXsPD^", strict=True))
COLOURS = {"adaboost": BLACK, "naive": GREEN, "strict": BLUE, "sloppy": RED}


def draw_contests(results: ex.Results, figure: Figure) -> None:
    """Figures 6-1 and 6-2: test errors, and the rounds at which they are least."""
    models = results.choices("model", p=1.0)
    axes = panels(figure, 2 * len(models), len(models))
    for column, model in enumerate(models):
        for ax, quantity in ((axes[column], "best"), (axes[column + len(models)], "best_round")):
            for contest in contests(results):
                if contest["model"] != model:
                    continue
                p = lowest(by_p(results, "best", **contest))
                ours = results.get(quantity, p=p, **contest)
                theirs = of_adaboost(results, quantity, contest["data"])
                first = contest["rounds"] == min(
                    one["rounds"] for one in contests(results)
                    if (one["data"], one["model"]) == (contest["data"], model)
                )  # fmt: skip
                ax.errorbar(
                    ours.mean(), theirs.mean(), theirs.std(), ours.std(), MARKS[contest["data"]],
                    c=COLOURS[model], mfc=COLOURS[model] if first else "white", elinewidth=0.4,
                    label=contest["data"] if first else None,
                )  # fmt: skip
            if quantity == "best_round":
                ax.set(xscale="log", yscale="log", xlim=(1, 1e4), ylim=(1, 1e4))
                ax.set(xlabel=f"rounds, {model} at p*", ylabel="rounds, AdaBoost")
                ax.set(title="when the test error is best")
            else:
                ax.set(xlabel=f"best test error, {model} at p*", ylabel="of AdaBoost")
                ax.set(xlim=(0, 0.35), ylim=(0, 0.35), title=f"{model} is better above the line")
            ax.plot([0, 1e4], [0, 1e4], c="0.6", lw=0.8, zorder=0)
        axes[column].legend(loc="lower right", ncols=2)


def draw_by_p(results: ex.Results, figure: Figure) -> None:
    """Figure 6-3: test error against p."""
    names = results.choices("data")
    for ax, data in zip(panels(figure, len(names), 3), names, strict=True):
        level = of_adaboost(results, "best", data).mean()
        ax.axhline(level, c=BLACK, lw=2, label="AdaBoost")
        for contest in contests(results):
            if contest["data"] != data:
                continue
            errors = by_p(results, "best", **contest)
            model, longer = contest["model"], contest["rounds"] > 1000 and data in RINGS
            ax.plot(
                list(errors), [error.mean() for error in errors.values()],
                {"naive": ":", "strict": "-", "sloppy": "-."}[model], c=COLOURS[model],
                alpha=0.5 if longer else 1, marker="." if longer else None,
                label=f"{model}, {contest['rounds']} rounds",
            )  # fmt: skip
            best = lowest(errors)
            ax.plot(best, errors[best].mean(), "o", c=COLOURS[model])
        ax.set(title=data, xlabel="p", ylabel="best test error")
    figure.axes[0].legend()


def draw_curves(results: ex.Results, figure: Figure) -> None:
    """Figure 6-4: training and test curves on the noisiest ring."""
    axes = panels(figure, 2 * len(SHOWN), len(SHOWN), sharey=True)
    chosen = [(model, p) for model in ("strict", "sloppy") for p in SHOWN]
    for ax, (model, p) in zip(axes, chosen, strict=True):
        rounds = min(results.choices("rounds", data="ring30", model=model, p=p))
        wanted = {"data": "ring30", "model": model, "p": p, "rounds": rounds}
        places = few_rounds(rounds)
        ax.semilogx(places, results.mean("train", **wanted), "--", c=ORANGE, label="training rows")
        ax.semilogx(places, results.mean("test", **wanted), c=BLUE, label="test rows")
        ax.set(title=f"{model}, p = {p:g}", xlabel="rounds", ylabel="error on ring30")
    axes[0].legend()


def draw_votes(results: ex.Results, figure: Figure) -> None:
    """Figure 6-5: the votes of single runs, the longest there are."""
    axes = panels(figure, 3, 3)
    for ax, model in zip(axes, ("adaboost", "strict", "sloppy"), strict=True):
        for p, colour in zip(SHOWN if model != "adaboost" else [None], PALETTE, strict=False):
            wanted = {"data": "ring30", "model": model} | ({} if p is None else {"p": p})
            rounds = max(results.choices("rounds", **wanted))
            votes = results.get("log10_vote", rounds=rounds, **wanted)[0]
            name = model if p is None else f"p = {p:g}"
            ax.semilogx(few_rounds(rounds), votes, ".-", ms=3, lw=0.6, c=colour, label=name)
        ax.set(title=model, xlabel="round", ylabel="log10 of the final vote, ring30")
        ax.legend()


def draw_all_curves(results: ex.Results, figure: Figure) -> None:
    """Appendix E: test curves of every algorithm and p."""
    from matplotlib import colormaps

    every = contests(results)
    colours = colormaps["cividis"]
    axes = panels(figure, len(every), 4, 2.8, 2.4)
    for ax, contest in zip(axes, every, strict=True):
        places = few_rounds(contest["rounds"])
        for p in results.choices("p", **contest):
            curve = results.mean("test", p=p, **contest)
            ax.semilogx(places, curve, c=colours((p - 0.5) / 1.5), lw=0.9)
        base = results.where(data=contest["data"], model="adaboost")[0]
        curve = results.mean("test", **base)
        ax.semilogx(few_rounds(base["rounds"]), curve, c=RED, lw=1.2)
        title = f"{contest['data']}, {contest['model']}, {contest['rounds']} rounds"
        ax.set(title=title, xlabel="rounds", ylabel="test error")
    axes[0].plot([], [], c=RED, label="AdaBoost")
    for p in (0.5, 1.0, 2.0):
        axes[0].plot([], [], c=colours((p - 0.5) / 1.5), label=f"p = {p:g}")
    axes[0].legend()
