"""What each part of NacreClassifier is worth: its error without the part, on the tuning sets.

Run: NACRE_DATA=folder PYTHONPATH=benchmarks python -m robustness.ablation [--seeds 2] [--sets ...]
"""

import argparse
import sys
from collections import defaultdict
from dataclasses import replace

import numpy as np
from contenders import print_table

from nacre.consensus.classifier import COOL, EFFORTS, RIDGES, column_worth
from nacre.consensus.members import Bagged, Bayes, Boosted
from nacre.consensus.ridge import Ridge
from nacre.consensus.task import set_task
from nacre.data import TrainingRows
from nacre.noise.noise_model import RATES, fit_noise_model, spread
from robustness.data import GROUPS, draw
from robustness.noise import spoil

NOISES = [("symmetric", level) for level in (0.0, 0.1, 0.2, 0.3, 0.4)] + [("by class", 0.2)]
TREES, RIDGED = EFFORTS["full"], RIDGES["full"]
MEMBERS = TREES + RIDGED
BAGGED = [member for member in MEMBERS if isinstance(member, Bagged)]
KINDS = {
    "out-of-bag MarginBoost": Bagged,
    "gradient boosting": Boosted,
    "naive Bayes": Bayes,
    "ridge regression": Ridge,
}
EVEN = {member: replace(member, slope=0.0) for member in BAGGED}
NAMES = {
    member: f"out of bag, {member.least} rows, {'random' if member.random_cuts else 'best'} cuts"
    for member in BAGGED
}
NAMES |= {one: f"gradient boosting, {one.leaves} leaves" for one in MEMBERS if type(one) is Boosted}
NAMES |= {one: "naive Bayes" for one in MEMBERS if type(one) is Bayes}
NAMES |= {
    one: f"ridge regression, {'scaled' if one.telling else 'plain'} columns" for one in RIDGED
}


def fitted(split, labels, seed):
    """For each member: held-out scores, test scores and loss, scores brought to one spread."""
    n = len(labels)
    training = TrainingRows(
        split.X,
        labels,
        split.n_classes,
        np.full(n, 1 / n),
        categorical=split.categorical,
        n_given=n,
    )
    clean = np.zeros(n, bool)
    task = set_task(training, clean, seed)
    found = {one: one.fit(task, seed) for one in [*TREES, *EVEN.values()]}
    worth = column_worth([found[one][0] for one in TREES], training.X.shape[1])
    found |= {one: one.fit(task, worth, seed) for one in RIDGED}
    out = {}
    for member, (model, held) in found.items():
        scale = spread(held)
        out[member] = held / scale, model.scores(split.X_test) / scale, task.loss(held)
    return out


def blended(found, members, cool):
    """Held-out and test scores of a blend; ``cool`` infinite for equal weights, 0 for the best."""
    losses = np.array([found[member][2] for member in members])
    weights = (losses == losses.min()) if cool == 0 else np.exp((losses.min() - losses) / cool)
    weights = weights / weights.sum()
    return [np.tensordot(weights, [found[m][k] for m in members], axes=1) for k in (0, 1)]


def only(model, part):
    """A model that has only some of its parts."""
    weight = np.zeros_like(model.weight)
    weight[part] = model.weight[part] + 1e-12
    return replace(model, weight=weight / weight.sum())


def variants(found, labels):
    """Class codes predicted for the test rows, by what is left out."""
    none, cool = np.zeros(len(labels), bool), COOL[0]
    whole, test = blended(found, MEMBERS, cool)
    model = fit_noise_model(whole, labels, none)
    yield "all", model.true_classes(test)
    yield "one noise rate for all classes", only(model, slice(0, len(RATES))).true_classes(test)
    yield (
        "a noise rate for each class always",
        only(model, slice(len(RATES), None)).true_classes(test),
    )
    sets = {
        "members of equal weight": (MEMBERS, np.inf),
        "only the best member": (MEMBERS, 0),
        **{
            f"no {name}": ([m for m in MEMBERS if type(m) is not kind], cool)
            for name, kind in KINDS.items()
        },
        "rows of equal weight": ([EVEN.get(m, m) for m in MEMBERS], cool),
        **{f"only {name}": ([member], cool) for member, name in NAMES.items()},
    }
    for name, (members, own) in sets.items():
        held, test = blended(found, members, own)
        yield name, fit_noise_model(held, labels, none).true_classes(test)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=GROUPS["tuning"])
    parser.add_argument("--seeds", type=int, default=2)
    args = parser.parse_args()
    errors = defaultdict(lambda: defaultdict(list))
    for name in args.sets:
        print(f"measuring {name}", file=sys.stderr, flush=True)
        for seed in range(args.seeds):
            split = draw(name, seed)
            for kind, level in NOISES:
                labels, _, _ = spoil(split, kind, level, seed)
                for what, chances in variants(fitted(split, labels, seed), labels):
                    wrong = np.mean(chances.argmax(axis=1) != split.y_test)
                    errors[what][kind, level].append(wrong)
    head = ["what", *(f"{kind} {level:.0%}" for kind, level in NOISES), "mean"]
    rows = []
    for what, by_noise in errors.items():
        means = [100 * np.mean(by_noise[noise]) for noise in NOISES]
        rows.append([what, *(f"{mean:.1f}" for mean in [*means, np.mean(means)])])
    print_table(f"Test error in percent, means over {len(args.sets)} sets", head, rows, left=1)


if __name__ == "__main__":
    main()
