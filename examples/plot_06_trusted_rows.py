"""
A few trusted labels
====================

Seven in ten rows of one class have the label of the other. Where most labels of a class are wrong, the
table alone does not say which class is which; a few rows that somebody has checked (``clean=``) do.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from nacre import NacreClassifier
from nacre.noise import flip_labels

BLUE, ORANGE = "#0072B2", "#E69F00"

X_test, y_test = make_moons(4000, noise=0.2, random_state=99)


def test_error(X, labels, clean=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # ten rows may show no signal
        model = NacreClassifier("fast", random_state=0).fit(X, labels, clean=clean)
    return 1 - model.score(X_test, y_test)


# %%
# Three tables of 400 rows. To see what the noisy labels are worth once some are trusted, the same
# classifier also learns from the trusted rows alone.

counts = [0, 10, 40]
together, alone = np.full((3, 3), np.nan), np.full((3, 3), np.nan)
for seed in range(3):
    X, y = make_moons(400, noise=0.2, random_state=seed)
    order = np.random.RandomState(seed).permutation(400)
    for k, count in enumerate(counts):
        clean = np.isin(np.arange(400), order[:count])
        labels, _ = flip_labels(y, {(0, 1): 0.7}, clean=clean, random_state=seed)
        together[seed, k] = test_error(X, labels, clean)
        if count:
            alone[seed, k] = test_error(X[clean], y[clean])
for k, count in enumerate(counts):
    print(f"{count:2} trusted:", *(f"{value:6.1%}" for value in together[:, k]))

# %%
figure, ax = plt.subplots(figsize=(6.6, 4), layout="constrained")
looks = (
    (together, BLUE, "o", "-", "all rows, trusted ones marked"),
    (alone, ORANGE, "s", "--", "trusted rows alone"),
)
for errors, color, marker, line, name in looks:
    ax.plot(counts, errors.mean(axis=0), color=color, ls=line, marker=marker, lw=1.8, label=name)
    ax.plot(counts, errors.T, color=color, marker=marker, ls="none", ms=4, alpha=0.4)
ax.set(xlabel="trusted rows (of 400)", ylabel="test error", ylim=(0, None))
ax.set_xticks(counts)
ax.yaxis.set_major_formatter("{x:.0%}")
ax.grid(color="0.92")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
ax.set_title("Ten trusted rows make 390 noisy labels useful")
plt.show()

# %%
# Small marks are single tables, lines their means. Without trusted rows the answer is a matter of luck:
# good on two tables, bad on the third. Ten trusted rows are too few to learn from, but they
# settle which label means what, and with the others they give what forty of them alone do not. Trusted
# rows must be drawn as the others are: if only easy rows were checked, they mislead.
