"""What each member of NacreClassifier is worth: the blend's error without it, on the tuning sets.

Members are fitted once for each cell, and their weights computed anew for each line.

Run: NACRE_DATA=folder PYTHONPATH=benchmarks python -m robustness.ablation [--seeds 2] [--sets ...]
"""

import argparse
import sys
from collections import defaultdict

import numpy as np
from contenders import print_table

from nacre.consensus.blend import EFFORTS, RIDGES, column_worth
from nacre.consensus.linear import Logistic
from nacre.consensus.members import Bagged, Bayes, Boosted
from nacre.consensus.ridge import Ridge
from nacre.consensus.task import set_task
from nacre.consensus.weighing import COOL
from nacre.data import TrainingRows
from nacre.noise.noise_model import spread
from robustness.data import GROUPS, draw
from robustness.noise import NOISES, spoil, suits

LEFT_OUT = ("symmetric", 0.3), ("trusted", 0.3)
KINDS = [noise for noise in NOISES if noise not in LEFT_OUT and noise[0] != "imbalanced"]
FIRST, LAST = (*EFFORTS["full"], Logistic()), RIDGES["full"]
MEMBERS = FIRST + LAST
TYPES = {
    "forests": Bagged,
    "gradient boosting": Boosted,
    "naive Bayes": Bayes,
    "logistic regression": Logistic,
    "ridge regression": Ridge,
}


def named(member):
    """What a member is called in the table."""
    if isinstance(member, Bagged):
        cuts = "random" if member.random_cuts else "best"
        return f"forest, {member.least} rows a leaf, {cuts} cuts"
    if isinstance(member, Ridge):
        return f"{'Laplacian' if member.root else 'Gaussian'} ridge regression"
    if isinstance(member, Boosted):
        return f"boosting, {member.leaves} leaves"
    return "naive Bayes" if isinstance(member, Bayes) else "logistic regression"


def fitted(split, labels, seed):
    """For each member: its scores of the test rows, brought to one spread, and its loss."""
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
    found = {one: one.fit(task, seed) for one in FIRST}
    worth = column_worth([found[one][0] for one in FIRST], training.X.shape[1])
    found |= {one: one.fit(task, worth, seed) for one in LAST}
    out = {}
    for member, (model, held) in found.items():
        out[member] = model.scores(split.X_test) / spread(held), task.loss(held)
    return out


def blended(found, members, cool):
    """Test scores of a blend; ``cool`` infinite for equal weights, 0 for the best member."""
    losses = np.array([found[member][1] for member in members])
    weights = (losses == losses.min()) if cool == 0 else np.exp((losses.min() - losses) / cool)
    return np.tensordot(weights / weights.sum(), [found[m][0] for m in members], axes=1)


def variants(n):
    """The members of each line, and the temperature of their weights, for so many rows."""
    cool = max(COOL[0], n / COOL[1])
    yield "all", MEMBERS, cool
    yield "equal weights", MEMBERS, np.inf
    yield "only the best member", MEMBERS, 0
    for name, kind in TYPES.items():
        yield f"no {name}", [one for one in MEMBERS if not isinstance(one, kind)], cool
    for member in MEMBERS:
        yield f"no {named(member)}", [one for one in MEMBERS if one is not member], cool
    for member in MEMBERS:
        yield f"only {named(member)}", [member], cool


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
            for noise in (one for one in KINDS if suits(name, one[0])):
                labels, _, _ = spoil(split, *noise, seed)
                found = fitted(split, labels, seed)
                for what, members, cool in variants(len(labels)):
                    said = blended(found, members, cool).argmax(axis=1)
                    errors[what][noise].append(np.mean(said != split.y_test))
    seen = [noise for noise in KINDS if noise in errors["all"]]
    rows = []
    for what, by_noise in errors.items():
        means = [np.mean(by_noise[noise]) for noise in seen]
        every = np.mean([one for noise in seen for one in by_noise[noise]])
        rows.append([what, *(f"{100 * mean:.1f}" for mean in means), f"{100 * every:.2f}"])
    title = f"Test error of the blend's argmax in percent, means over {len(args.sets)} sets"
    print_table(title, ["", *(f"{kind} {level:.0%}" for kind, level in seen), "all"], rows, left=1)


if __name__ == "__main__":
    main()
