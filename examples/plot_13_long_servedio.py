"""
The data on which convex boosters must fail
===========================================

Long and Servedio (2010) made a table on which a plain vote of the columns is always right, and on
which any booster with a convex cost and no early stop fails under noise, in theory.
"""

import matplotlib.pyplot as plt
import numpy as np

from nacre import (
    AdaBoostClassifier,
    LogitBoostClassifier,
    MarginBoostClassifier,
    NacreClassifier,
)
from nacre.noise import flip_labels

COLOURS = ["#0072B2", "#E69F00", "#CC79A7", "#000000", "#8A8A8A"]
MARKERS = ["o", "D", "v", "X", ""]


def make_long_servedio(n, seed):
    """21 columns of -1 and 1: a quarter of the rows has all of them right, a quarter the first 11,
    half (the penalisers) 5 of the first 11 and 6 of the others."""
    rng = np.random.default_rng(seed)
    right = np.ones((n, 21), bool)
    kind = rng.choice(3, n, p=[0.25, 0.25, 0.5])
    right[kind == 1, 11:] = False
    for row in np.flatnonzero(kind == 2):
        right[row, rng.choice(11, 6, replace=False)] = False
        right[row, 11 + rng.choice(10, 4, replace=False)] = False
    y = rng.choice([-1, 1], n)
    return np.where(right, y[:, None], -y[:, None]).astype(float), y


models = {
    "AdaBoost": AdaBoostClassifier(n_estimators=200),
    "LogitBoost": LogitBoostClassifier(n_estimators=200),
    "MarginBoost": MarginBoostClassifier(n_estimators=200, random_state=0),
    "NacreClassifier (fast)": NacreClassifier("fast", random_state=0),
}

# %%
# Means over three draws of the table: errors, and how much of the votes the first 11 columns have
# (the equal vote: 11 of 21, or 52 %).

rates, draws = [0.0, 0.1, 0.2, 0.3], 3
errors = {name: np.zeros(len(rates)) for name in [*models, "equal vote of the columns"]}
first = {name: np.zeros(len(rates)) for name in list(models)[:3]}
for seed in range(draws):
    X, y = make_long_servedio(1000, seed)
    X_test, y_test = make_long_servedio(2000, seed + 100)
    errors["equal vote of the columns"] += np.mean(np.sign(X_test.sum(axis=1)) != y_test) / draws
    for k, rate in enumerate(rates):
        labels, _ = flip_labels(y, rate, random_state=seed)
        for name, model in models.items():
            errors[name][k] += (1 - model.fit(X, labels).score(X_test, y_test)) / draws
            if name in first:
                first[name][k] += model.feature_importances_[:11].sum() / draws
for name, one in errors.items():
    print(f"{name:26} error          ", *(f"{value:6.1%}" for value in one))
for name, one in first.items():
    print(f"{name:26} first 11 columns", *(f"{value:5.0%}" for value in one))

# %%
figure, ax = plt.subplots(figsize=(6.8, 4.2), layout="constrained")
for (name, one), color, marker in zip(errors.items(), COLOURS, MARKERS, strict=True):
    ax.plot(rates, one, color=color, marker=marker, lw=1.8, label=name, ls="-" if marker else "--")
ax.set(xlabel="share of training labels flipped", ylabel="test error", ylim=(-0.01, 0.42))
ax.set_xticks(rates)
ax.xaxis.set_major_formatter("{x:.0%}")
ax.yaxis.set_major_formatter("{x:.0%}")
ax.grid(color="0.92")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, ncols=2, loc="upper left")
ax.set_title("A tenth of wrong labels ruins AdaBoost, three tenths LogitBoost")
plt.show()

# %%
# With right labels AdaBoost finds a perfect vote. With a tenth of them wrong it gives most of its
# votes to the first 11 columns, and errs on more than a quarter of the rows. LogitBoost's cost is
# convex as well. The theorem promises every such booster a table to fail on, and this one is
# LogitBoost's only from somewhere above 20 % of wrong labels. A bounded cost is no cure by itself:
# MarginBoost of stumps leans on the first columns even with right labels. NacreClassifier, a blend
# of trees, naive Bayes and ridge regression, hardly errs with a tenth of wrong labels, then ever
# more, but less than the others at three tenths. An equal vote is perfect throughout; from two
# tenths on nobody comes to that.
