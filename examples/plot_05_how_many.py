"""
How many labels are wrong, and who is taken for whom?
=====================================================

The share of wrong labels with its 95 % interval, and the noise matrix, both from noisy labels
alone.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits

from nacre import NacreClassifier
from nacre.noise import flip_labels

BLUE = "#0072B2"

X, y = load_breast_cancer(return_X_y=True)
rates = [0.0, 0.1, 0.2, 0.3, 0.4]
found = []
for rate in rates:
    labels, _ = flip_labels(y, rate, random_state=1)
    found.append(NacreClassifier("fast", random_state=0).fit(X, labels).noise_)
    print(f"{rate:.0%} flipped: {found[-1]}")

# %%
# Noise need not be alike in all classes. Of the digits 1, 4, 7 and 9, let some 7s be labelled 1 and
# some 4s be labelled 9, as careless people might.

X, y = load_digits(return_X_y=True)
some = np.isin(y, [1, 4, 7, 9])
X, y = X[some], y[some]
labels, flipped = flip_labels(y, {(7, 1): 0.3, (4, 9): 0.2}, random_state=0)
model = NacreClassifier("fast", random_state=0).fit(X, labels)
classes, matrix = model.classes_, model.noise_matrix_
truth = np.array([[np.mean(labels[y == a] == b) for b in classes] for a in classes])

# %%
figure, axes = plt.subplots(1, 2, figsize=(9.2, 4.2), layout="constrained")
ax = axes[0]
ax.axline((0, 0), slope=1, color="0.6", lw=1, label="truth")
middle = np.array([one.rate for one in found])
low, high = np.transpose([one.interval for one in found])
ax.errorbar(
    rates, middle, yerr=[middle - low, high - middle], color=BLUE, marker="o", ls="none",
    capsize=3, lw=1.8, label="estimate, 95 % interval",
)  # fmt: skip
ax.set(xlabel="share of labels flipped", ylabel="estimated share", title="breast cancer")
ax.set(xlim=(-0.02, 0.44), ylim=(-0.01, 0.5))
ax.xaxis.set_major_formatter("{x:.0%}")
ax.yaxis.set_major_formatter("{x:.0%}")
ax.grid(color="0.92")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc="upper left")

ax = axes[1]
ax.imshow(matrix, cmap="Blues", vmin=0, vmax=1)
for (i, j), value in np.ndenumerate(matrix):
    ink = "white" if value > 0.6 else "black"
    ax.text(j, i, f"{value:.2f}\n({truth[i, j]:.2f})", ha="center", va="center", color=ink)
ax.set_xticks(range(4), classes)
ax.set_yticks(range(4), classes)
ax.tick_params(length=0)
ax.spines[:].set_visible(False)
ax.set(xlabel="label given", ylabel="true class", title="digits: estimate (truth)")
figure.suptitle("Noisy labels tell how noisy they are")
plt.show()

# %%
# Labels are compared with the judgement of models that have not seen them. With no label flipped
# the estimate is next to 0, and the interval begins there: the classes overlap a little, wrong
# labels near the boundary would look the same, and ``noise_`` says how many random rows to check to
# settle it. Towards one half the interval gets wide, as it should. A rate for each class asks more
# of the data than a single one, so it is believed where the labels speak for it. Digits are well
# apart; where classes overlap, rare right labels and wrong ones look alike.
