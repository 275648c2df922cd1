"""Chan's section 2.3: filter, then train; what filters get wrong, promised and measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from nacre.datasets import make_ring, make_sphere
from nacre.experiments import experiment as ex
from nacre.experiments.measure import Draw
from nacre.experiments.plot import draw_lines, panels
from nacre.filters import (
    Consensus,
    MarginFilter,
    SaturationFilter,
    SurpriseFilter,
    VoteFilter,
    consensus_discards_good,
    consensus_keeps_bad,
    majority_discards_good,
    majority_keeps_bad,
)
from nacre.filters.base import LabelFilter
from nacre.models.adaboost import AdaBoostClassifier
from nacre.noise import flip_labels
from nacre.papers.chan.flagged_rows import FILES, VOTERS, rows_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAKERS = {"ring": make_ring, "sphere": make_sphere}
ROWS, TEST = 300, 1000
NOISE = [0.0, 0.1, 0.2, 0.3, 0.4]
FOLDS = 4
MOST = 10
"""Passes of filters that are repeated."""


def voters(seed: int) -> list[Any]:
    """Three algorithms, as Brodley and Friedl had: a tree, nearest neighbours, a linear one."""
    return [
        DecisionTreeClassifier(min_samples_leaf=5, random_state=seed),
        make_pipeline(StandardScaler(), KNeighborsClassifier(3)),
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    ]


LEARNERS: dict[str, Callable[[int], Any]] = {
    "nearest neighbour": lambda seed: make_pipeline(StandardScaler(), KNeighborsClassifier(1)),
    "tree": lambda seed: DecisionTreeClassifier(random_state=seed),
    "naive Bayes": lambda seed: GaussianNB(),
    "AdaBoost": lambda seed: AdaBoostClassifier(n_estimators=100),
}
FRAGILE = ("nearest neighbour", "tree")
"""Those that fit every row."""


Flag = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From rows and labels to those that are flagged."""


def by(found: LabelFilter) -> Flag:
    """The rows that a filter flags."""
    return lambda X, y: found.fit(X, y).mislabeled_


def once(estimator: Any, seed: int, **more: Any) -> Flag:
    """Those that a filter of held-out votes flags."""
    return by(VoteFilter(estimator, n_voters=VOTERS, n_folds=FOLDS, random_state=seed, **more))


def repeated(flag: Flag) -> Flag:
    """Filter what is left, until nothing more is flagged."""

    def flag_all(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        left = np.arange(len(y))
        for _ in range(MOST):
            found = flag(X[left], y[left])
            kept = left[~found]
            if not found.any() or len(np.unique(y[kept])) < 2:
                break
            left = kept
        out = np.ones(len(y), bool)
        out[left] = False
        return out

    return flag_all


def pruned(seed: int) -> Flag:
    """John's: the training rows that a pruned tree gets wrong. No rows are held out."""

    def flag(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        tree = DecisionTreeClassifier(ccp_alpha=0.01, random_state=seed).fit(X, y)
        return np.asarray(tree.predict(X) != y)

    return flag


FILTERS: dict[str, Callable[[int], Flag]] = {
    "none": lambda seed: lambda X, y: np.zeros(len(y), bool),
    "single": lambda seed: once(voters(seed)[0], seed),
    "iterated": lambda seed: repeated(once(voters(seed)[0], seed)),
    "pruned": lambda seed: repeated(pruned(seed)),
    "majority": lambda seed: once(voters(seed), seed),
    "consensus": lambda seed: once(voters(seed), seed, cut=Consensus()),
    "boosted": lambda seed: once(None, seed),
    "margins": lambda seed: by(MarginFilter(n_folds=FOLDS, random_state=seed)),
    "surprise": lambda seed: by(SurpriseFilter(random_state=seed)),
    "saturation": lambda seed: by(SaturationFilter()),
}
NAMES = {
    "none": "no filter",
    "single": "single (tree)",
    "iterated": "single, iterated",
    "pruned": "prune and refit (John)",
    "majority": "majority of three",
    "consensus": "consensus of three",
    "boosted": "majority of AdaBoost's stumps",
    "margins": "held-out margins of AdaBoost",
    "surprise": "surprise of AdaBoost (Guyon)",
    "saturation": "saturation (Gamberger)",
}


AGAIN = ("margins", "surprise")
"""Filters that are asked twice, with other folds and in another order."""


def draw_rows(cell: ex.Cell) -> Draw:
    """Rows to train on, some with wrong labels, and right ones to test on."""
    seed = cell.seed("data")
    if cell["data"] in MAKERS:
        X, y = MAKERS[cell["data"]](ROWS + TEST, random_state=seed)
    else:
        X, y = rows_of(cell["data"])
        order = np.random.default_rng(seed).permutation(len(y))
        X, y = X[order], y[order]
    labels, flipped = flip_labels(
        y[:ROWS], cell["noise"], random_state=cell.seed("data", "noise", use="noise")
    )
    return Draw(X[:ROWS], labels, X[ROWS:], y[ROWS:], truth={"flipped": flipped})


def measure(cell: ex.Cell) -> ex.Record:
    """Filter, then train each learner on what is left."""
    rows, seed = draw_rows(cell), cell.seed("data", "noise", use="models")
    flipped = rows.truth["flipped"]
    flagged = FILTERS[cell["model"]](seed)(rows.X, rows.y)
    kept = ~flagged
    if len(np.unique(rows.y[kept])) < 2:
        kept = np.ones(len(kept), bool)
    record: ex.Record = {
        "discards_good": flagged[~flipped].mean(),
        "keeps_bad": (~flagged[flipped]).mean() if flipped.any() else np.nan,
    }
    if cell["model"] in AGAIN:
        record["again"] = alike(flagged, FILTERS[cell["model"]](seed + 1)(rows.X, rows.y))
    for name, make in LEARNERS.items():
        model = make(seed).fit(rows.X[kept], rows.y[kept])
        record[f"error, {name}"] = np.mean(model.predict(rows.X_test) != rows.y_test)
    if cell["model"] in ("majority", "consensus"):
        record |= promised(rows, seed, cell["model"] == "majority")
    return record


def alike(one: np.ndarray, other: np.ndarray) -> float:
    """The Jaccard index of two sets of rows: those in both, of those in either."""
    return float((one & other).sum() / max((one | other).sum(), 1))


def promised(rows: Draw, seed: int, majority: bool) -> ex.Record:
    """What the formulas say, given how often the voters err on rows of right and wrong labels."""
    flipped, count = rows.truth["flipped"], len(voters(seed))
    against = [
        VoteFilter(one, n_folds=FOLDS, random_state=seed).fit(rows.X, rows.y).scores_ > 0.5
        for one in voters(seed)
    ]
    good = float(np.mean([one[~flipped].mean() for one in against]))
    bad = float(np.mean([1 - one[flipped].mean() for one in against])) if flipped.any() else 0.0
    discards = majority_discards_good if majority else consensus_discards_good
    keeps = majority_keeps_bad if majority else consensus_keeps_bad
    return {
        "promised_discards_good": float(discards(count, good)),
        "promised_keeps_bad": float(keeps(count, bad)) if flipped.any() else np.nan,
        "voter_discards_good": good,
        "voter_keeps_bad": bad,
    }


def _mean(results: ex.Results, quantity: str, model: str, **wanted: Any) -> float:
    """Over all data sets."""
    every = [
        results.mean(quantity, **{**one, "model": model})
        for one in results.where(model="none", **wanted)
    ]
    return float(ex.mean_present(np.array(every)))


def filters_table(results: ex.Results) -> list[ex.Row]:
    """Means over the data sets: what filters get wrong, and errors of learners after them."""
    rows = []
    for noise in results.choices("noise"):
        for model in results.choices("model"):
            row: ex.Row = {"noise": noise, "filter": NAMES[model]}
            for quantity in ("discards_good", "keeps_bad"):
                row[quantity] = _mean(results, quantity, model, noise=noise)
                if model in ("majority", "consensus"):
                    row[f"{quantity}, by formula"] = _mean(
                        results, f"promised_{quantity}", model, noise=noise
                    )
            for name in LEARNERS:
                row[f"error, {name}"] = _mean(results, f"error, {name}", model, noise=noise)
            if model in AGAIN:
                row["again"] = _mean(results, "again", model, noise=noise)
            rows.append(row)
    return rows


NOISY = 0.2


def _conservative(results: ex.Results) -> ex.Finding:
    found = {
        model: (
            _mean(results, "discards_good", model, noise=NOISY),
            _mean(results, "keeps_bad", model, noise=NOISY),
        )
        for model in ("majority", "consensus")
    }
    (few, kept), (fewer, more) = found["majority"], found["consensus"]
    words = (
        f"good rows discarded {fewer:.3f} and {few:.3f}, bad ones kept {more:.2f} and {kept:.2f}"
    )
    return ex.Finding(words, fewer < few and more > kept)


def _better_than_one(results: ex.Results) -> ex.Finding:
    words, right = [], []
    for quantity in ("discards_good", "keeps_bad"):
        three = _mean(results, quantity, "majority", noise=NOISY)
        one = np.nanmean(
            [
                results.mean(f"voter_{quantity}", **{**setting, "model": "majority"})
                for setting in results.where(model="none", noise=NOISY)
            ]
        )
        words.append(f"{quantity.replace('_', ' ')} {three:.3f}, one voter {one:.3f}")
        right.append(three < one)
    return ex.Finding("; ".join(words), all(right))


def _consensus_keeps_more(results: ex.Results) -> ex.Finding:
    more = _mean(results, "keeps_bad", "consensus", noise=NOISY)
    one = float(
        np.nanmean(
            [
                results.mean("voter_keeps_bad", **{**setting, "model": "consensus"})
                for setting in results.where(model="none", noise=NOISY)
            ]
        )
    )
    return ex.Finding(f"{more:.3f}, one voter {one:.3f}", more > one)


def _friendlier(filtering: str) -> Callable[[ex.Results], ex.Finding]:
    """Whether learners that fit every row err less after a filter."""

    def check(results: ex.Results) -> ex.Finding:
        words, right = [], []
        for name in FRAGILE:
            before, after = (
                _mean(results, f"error, {name}", model, noise=NOISY)
                for model in ("none", filtering)
            )
            words.append(f"{name} {before:.3f} to {after:.3f}")
            right.append(after < before)
        return ex.Finding(", ".join(words), all(right))

    return check


def _friendlier_at_all_rates(results: ex.Results) -> ex.Finding:
    gains = {
        rate: [
            _mean(results, f"error, {name}", "none", noise=rate)
            - _mean(results, f"error, {name}", "majority", noise=rate)
            for name in FRAGILE
        ]
        for rate in results.choices("noise")
        if rate > 0.0
    }
    words = ", ".join(f"{rate:.0%}: by {min(each):.3f} or more" for rate, each in gains.items())
    return ex.Finding(words, min(min(each) for each in gains.values()) > 0.0)


def _depends_on_order(results: ex.Results) -> ex.Finding:
    folds, orders = (_mean(results, "again", model, noise=NOISY) for model in AGAIN)
    return ex.Finding(f"{orders:.2f} of two orders, {folds:.2f} of two foldings", orders < folds)


def draw_filters(results: ex.Results, figure: Figure) -> None:
    """Errors of each learner against the noise, a line for each filter."""
    noise = results.choices("noise")
    axes = panels(figure, len(LEARNERS), 2, 4.4, 3.2)
    for ax, name in zip(axes, LEARNERS, strict=True):
        curves = {
            NAMES[model]: [_mean(results, f"error, {name}", model, noise=rate) for rate in noise]
            for model in results.choices("model")
        }
        words = "mean test error of the sets"
        draw_lines(ax, noise, curves, title=name, xlabel="noise", ylabel=words)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)


FILTERING = ex.Experiment(
    name="chan-2-3",
    title="Filter, then train another learner; what filters get wrong, by formula and measured",
    version=2,
    settings={
        "quick": ex.grid(1, data=list(MAKERS), noise=[NOISY], model=list(FILTERS)),
        "paper": ex.grid(10, data=[*MAKERS, "wdbc", "original"], noise=NOISE, model=list(FILTERS)),
    },
    measure=measure,
    claims=(
        ex.Claim(
            "20 % noise: consensus discards fewer good rows and keeps more bad ones than majority",
            "more conservative",
            _conservative,
        ),
        ex.Claim(
            "20 % noise: a majority makes fewer errors of both kinds than one voter",
            "expected where voters err less than half of the time",
            _better_than_one,
        ),
        ex.Claim(
            "20 % noise: consensus keeps more bad rows than one voter",
            "a single filter makes fewer mistakes of this kind",
            _consensus_keeps_more,
        ),
        ex.Claim(
            "20 % noise: a nearest neighbour and a full tree have lower errors after a majority "
            "filter",
            "friendlier to algorithms that overfit",
            _friendlier("majority"),
        ),
        ex.Claim(
            "so they have at every rate from 10 % to 40 %",
            "friendlier to algorithms that overfit",
            _friendlier_at_all_rates,
        ),
        *(
            ex.Claim(
                f"20 % noise: so they have after {words}", "identifies noise", _friendlier(one)
            )
            for one, words in (
                ("saturation", "Gamberger's filter"),
                ("surprise", "Guyon's filter"),
            )
        ),
        ex.Claim(
            "20 % noise: what Guyon's filter flags in two orders is less alike (by Jaccard) than "
            "what margins of the same booster flag in two foldings",
            "sensitive to ordering",
            _depends_on_order,
        ),
    ),
    figures={"": draw_filters},
    table=filters_table,
    files=FILES,
    notes=(
        f"{ROWS} rows to train on; test labels are right. Formulas take voters to err "
        "independently, each as often as the three do on average on rows of right and of wrong "
        "labels. John's tree is pruned by cost complexity (.01) and grown again without the rows "
        "that it gets wrong, until there are none. Gamberger's and Guyon's filters are "
        "SaturationFilter and SurpriseFilter at their defaults.",
    ),
    conclusion=(
        "A majority of three discards {discards:.3f} of the good rows at 20 % noise, where the "
        "formula for independent voters says {promised:.3f}, and keeps {keeps:.2f} of the bad ones "
        "({promised_keeps:.2f}): voters err on the same rows, so the formulas promise too much. "
        "After it a nearest neighbour's error is {filtered:.3f} instead of {plain:.3f}; AdaBoost's "
        "is {boosted_filtered:.3f} instead of {boosted:.3f}."
    ),
    numbers=lambda found: _numbers(found.value),
)


def _numbers(value: Callable[..., Any]) -> dict[str, Any]:
    three = {"noise": NOISY, "filter": NAMES["majority"]}
    none = {"noise": NOISY, "filter": NAMES["none"]}
    return {
        "discards": value("discards_good", **three),
        "promised": value("discards_good, by formula", **three),
        "keeps": value("keeps_bad", **three),
        "promised_keeps": value("keeps_bad, by formula", **three),
        "filtered": value("error, nearest neighbour", **three),
        "plain": value("error, nearest neighbour", **none),
        "boosted_filtered": value("error, AdaBoost", **three),
        "boosted": value("error, AdaBoost", **none),
    }


EXPERIMENTS = (FILTERING,)
