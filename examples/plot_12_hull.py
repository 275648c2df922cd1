"""
Votes held to a p-norm
======================

Barnes' p-boosting keeps the p-norm of the votes at 1. The smaller p, the fewer hypotheses have a say,
and the smaller the set of ensembles that wrong labels can choose from.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from nacre import PBoostClassifier
from nacre.noise import flip_labels

BLUE, VERMILLION = "#0072B2", "#D55E00"
SHAPES = {0.6: "#E69F00", 1.0: "#009E73", 2.0: "#CC79A7"}

# %%
# Half of the breast-cancer data trains, the other half tests; means over five splits. The number of
# hypotheses that have a say is counted as (sum of votes)² / (sum of squared votes): it is k for k
# equal votes.

X, y = load_breast_cancer(return_X_y=True)
norms, splits = [0.6, 0.8, 1.0, 1.2, 1.5, 2.0], 5
errors = {0.0: np.zeros(len(norms)), 0.2: np.zeros(len(norms))}
voices = np.zeros(len(norms))
for seed in range(splits):
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=seed)
    for rate, means in errors.items():
        labels, _ = flip_labels(y_train, rate, random_state=seed)
        for k, p in enumerate(norms):
            model = PBoostClassifier(p=p).fit(X_train, labels)
            means[k] += (1 - model.score(X_test, y_test)) / splits
            if rate:
                votes = model.estimator_weights_
                voices[k] += votes.sum() ** 2 / (votes**2).sum() / splits
for k, p in enumerate(norms):
    print(f"p = {p}: {voices[k]:3.0f} voices, test error {errors[0.0][k]:.1%} with right labels, "
          f"{errors[0.2][k]:.1%} with 20 % wrong")  # fmt: skip

# %%
figure, axes = plt.subplots(1, 2, figsize=(9.2, 3.9), width_ratios=[0.75, 1], layout="constrained")
first = np.linspace(0, 1, 200)
for p, color in SHAPES.items():
    axes[0].plot(first, (1 - first**p) ** (1 / p), color=color, lw=1.8, label=f"p = {p:g}")
axes[0].set(
    xlabel="first vote", ylabel="second vote", aspect="equal", xlim=(0, 1.05), ylim=(0, 1.05)
)
for (rate, means), color, marker in zip(errors.items(), (BLUE, VERMILLION), "os", strict=True):
    axes[1].plot(norms, means, color=color, marker=marker, lw=1.8, label=f"{rate:.0%} wrong labels")
axes[1].set(xlabel="p", ylabel="test error", ylim=(0, None))
axes[1].yaxis.set_major_formatter("{x:.0%}")
for ax in axes:
    ax.grid(color="0.92")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
figure.suptitle("A small p protects against wrong labels, and costs accuracy where all are right")
plt.show()

# %%
# Left: the votes that two hypotheses may have. For p below 1 the curve bends inwards, so that sharing
# the votes costs, and few hypotheses have most of the say. Right: what that does. With right labels
# more voices are better; with wrong ones they are what fits the noise, and values of p around 1 are
# best. Too small a p helps nobody: three voices are too few for this table. Which p is right depends
# on a noise rate that p-boosting does not know.
