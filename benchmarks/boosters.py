"""Rounds a second of every booster over native stumps, and of trees of three levels beside peers.

Run: python benchmarks/boosters.py [--quick] [--rounds 100]
"""

import argparse
import sys
import warnings

from contenders import breast_cancer, installed, print_table, show_size, synthetic
from speed import interleaved, seconds

DEPTH = 3
LARGE = 100_000


def boosters(rounds, rows):
    """Every booster; LPBoost, which solves a linear program a round, on small tables only."""
    import nacre

    common = {"n_estimators": rounds, "random_state": 0}
    small = {"LPBoost": nacre.LPBoostClassifier(**common)} if rows < 2_000 else {}
    return {
        **small,
        "AdaBoost": nacre.AdaBoostClassifier(**common),
        "AdaBoost.M1": nacre.AdaBoostClassifier(variant="m1", **common),
        "AveBoost": nacre.AveBoostClassifier(version=1, **common),
        "AveBoost2": nacre.AveBoostClassifier(**common),
        "MarginBoost, tanh": nacre.MarginBoostClassifier(**common),
        "MarginBoost, logistic": nacre.MarginBoostClassifier(cost="logistic", **common),
        "SNRBoost": nacre.SNRBoostClassifier(**common),
        "SNRBoost, 100 draws": nacre.SNRBoostClassifier(sigma2=1.0, draws=100, **common),
        "PBoost, sloppy": nacre.PBoostClassifier(**common),
        "PBoost, strict": nacre.PBoostClassifier(variant="strict", **common),
        "PBoost, naive": nacre.PBoostClassifier(variant="naive", **common),
        "PBoost, gravity": nacre.PBoostClassifier(variant="gravity", **common),
        "Core, stochastic": nacre.CoreBoostClassifier(noise_rate=0.07, **common),
        "L2Boost": nacre.L2BoostClassifier(**common),
        "LogitBoost": nacre.LogitBoostClassifier(**common),
        "GentleBoost": nacre.GentleBoostClassifier(**common),
        "Real AdaBoost": nacre.RealAdaBoostClassifier(**common),
        "Modest AdaBoost": nacre.ModestAdaBoostClassifier(**common),
        "AdaBoost_Reg": nacre.AdaBoostRegClassifier(**common),
        "BrownBoost": nacre.BrownBoostClassifier(**common),
        "GradientBoost, stumps": nacre.GradientBoostClassifier(nacre.Stump(), **common),
    }


def trees(rounds, rows):
    """Boosters of trees; a peer that would take minutes gets fewer rounds."""
    import lightgbm
    import xgboost
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    import nacre

    few = rounds if rows < 2_000 else max(1, rounds // 10)
    models = {
        "nacre AdaBoost": (nacre.AdaBoostClassifier(nacre.Tree(DEPTH), rounds), rounds),
        "nacre GradientBoost": (nacre.GradientBoostClassifier(nacre.Tree(DEPTH), rounds), rounds),
        "LightGBM": (
            lightgbm.LGBMClassifier(
                n_estimators=rounds,
                max_depth=DEPTH,
                num_leaves=2**DEPTH,
                n_jobs=1,
                verbosity=-1,
                force_col_wise=True,
            ),
            rounds,
        ),
        "XGBoost": (
            xgboost.XGBClassifier(
                n_estimators=rounds, max_depth=DEPTH, tree_method="hist", n_jobs=1
            ),
            rounds,
        ),
    }
    if rows < 20_000:
        tree = DecisionTreeClassifier(max_depth=DEPTH)
        models["scikit-learn AdaBoost"] = (AdaBoostClassifier(tree, n_estimators=few), few)
    return models


def best_times(models, X, y, repeats, warm=True):
    """The least seconds of a fit of each model, timed round-robin, after a first call if asked."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        calls = {name: lambda m=model: m.fit(X, y) for name, model in models.items()}
        slow = "scikit-learn AdaBoost"
        for name, call in calls.items():
            if warm and name != slow:
                call()
        counts = {name: 1 if name == slow and len(X) > 2_000 else repeats for name in calls}
        times = interleaved(calls, counts, dict.fromkeys(calls, 1))
    return {name: min(wall for wall, _ in times[name]) for name in calls}


def booster_rows(size, X, y, rounds, repeats):
    models = boosters(rounds, len(X))
    best = best_times(models, X, y, repeats, warm=len(X) < LARGE)  # then all is compiled
    rate = {name: len(model.estimators_) / best[name] for name, model in models.items()}
    return [
        [
            show_size(*size),
            name,
            str(len(models[name].estimators_)),
            seconds(best[name]),
            f"{rate[name]:,.0f}",
            f"{rate[name] / rate['AdaBoost']:.2f}",
        ]
        for name in models
    ]


def tree_rows(size, X, y, rounds, repeats):
    models = trees(rounds, len(X))
    best = best_times({name: model for name, (model, _) in models.items()}, X, y, repeats)
    each = {name: best[name] / count for name, (_, count) in models.items()}
    return [
        [
            show_size(*size),
            name,
            str(models[name][1]),
            seconds(best[name]),
            f"{each[name] / each['nacre AdaBoost']:.2f}",
            f"{each[name] / each['nacre GradientBoost']:.2f}",
        ]
        for name in models
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    parser.add_argument("--rounds", type=int, default=100)
    args = parser.parse_args()
    sizes = [(569, 30), (10_000, 50)] + ([] if args.quick else [(LARGE, 50)])
    stump_rows, with_trees = [], []
    for size in sizes:
        print(f"measuring {show_size(*size)}", file=sys.stderr, flush=True)
        X, y = breast_cancer() if size[0] == 569 else synthetic(*size, seed=0)
        repeats = 7 if size[0] < 2_000 else 3 if size[0] < LARGE else 2
        stump_rows += booster_rows(size, X, y, args.rounds, repeats)
        if len(installed(["lightgbm", "xgboost"])) == 2:
            with_trees += tree_rows(size, X, y, args.rounds, repeats)
    print_table(
        "Boosters over native stumps, one thread, binning and probabilities included",
        ["size", "booster", "rounds taken", "best fit", "rounds/s", "x AdaBoost"],
        stump_rows,
    )
    print_table(
        f"Trees of {DEPTH} levels, one thread; time of a round beside nacre's",
        ["size", "contender", "rounds", "best fit", "x AdaBoost", "x GradientBoost"],
        with_trees,
    )


if __name__ == "__main__":
    main()
