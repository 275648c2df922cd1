"""
A new booster in one line
=========================

A booster is a cost (how much a row matters), a step (how far to go) and a draw (which rows are
seen). Here are the costs that nacre has, and a booster that joins two parts no paper has joined:
AveBoost2's step and the logistic cost.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from nacre import AdaBoostClassifier, AveBoostClassifier, BoostedClassifier
from nacre.boost import Algorithm, AverageBoth, Logistic
from nacre.diagnostics import plot_errors
from nacre.noise import flip_labels

COLOURS = ["#0072B2", "#D55E00", "#E69F00", "#CC79A7"]


calm = Algorithm(Logistic(), AverageBoth())

# %%
# It is a scikit-learn classifier like the others, runs in the same compiled loop, and has staged
# scores, margins and diagnostics. Half of the breast-cancer data trains it, with 20 % of the labels
# wrong.

X, y = load_breast_cancer(return_X_y=True)
rounds, splits = 300, 10
models = {
    "AdaBoost": AdaBoostClassifier(n_estimators=rounds),
    "CalmBoost": BoostedClassifier(algorithm=calm, n_estimators=rounds),
    "AveBoost2": AveBoostClassifier(n_estimators=rounds),
}
curves = {name: np.zeros(rounds) for name in models}
for seed in range(splits):
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.5, stratify=y, random_state=seed
    )
    labels, _ = flip_labels(y_train, rate=0.2, random_state=seed)
    for name, model in models.items():
        staged = model.fit(X_train, labels).staged_score(X_test, y_test)
        curves[name] += (1 - np.array(list(staged))) / splits
for name, one in curves.items():
    print(f"{name}: test error {one[-1]:.1%} after {rounds} rounds")

# %%
# A cost is known by its pull, the weight of a row of margin z, here relative to that of a row on
# the boundary.

z = np.linspace(-3, 3, 201)
pulls = {
    "exponential (AdaBoost)": np.exp(-z),
    "logistic (CalmBoost)": 2 / (1 + np.exp(z)),
    "tanh (MarginBoost)": 1 / np.cosh(z) ** 2,
    "zero-one, by noise (SNRBoost)": np.exp(-(z**2) / 2),
}
figure, axes = plt.subplots(1, 2, figsize=(9.4, 4), layout="constrained")
for (name, one), color in zip(pulls.items(), COLOURS, strict=True):
    axes[0].plot(z, one, color=color, lw=1.8, label=name)
axes[0].axvline(0, color="0.6", lw=0.8)
axes[0].set(xlabel="margin z (below 0: the label is voted down)", ylabel="pull", ylim=(0, 5))
axes[0].spines[["top", "right"]].set_visible(False)
axes[0].grid(color="0.92")
axes[0].legend(frameon=False, fontsize="small")
plot_errors(curves, ax=axes[1])
axes[1].set_ylabel("test error, 20 % of the labels wrong")
axes[1].set_yticks([0, 0.05, 0.1, 0.15])
axes[1].yaxis.set_major_formatter("{x:.0%}")
figure.suptitle("A pull that stays bounded, a step that averages: two parts make a calm booster")
plt.show()

# %%
# The exponential pull of a wrong label grows without end, the logistic one stays below a bound, and
# the last two give up rows that are far on the wrong side. CalmBoost keeps its error while
# AdaBoost's rises round by round. Most of that is due to AveBoost2's step: the logistic cost adds
# less than one point, and we would not bet on that point on another table.
