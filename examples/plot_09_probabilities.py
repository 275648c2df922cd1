"""
Probabilities of the true class
===============================

Of labels of which 30 % are wrong, an ordinary model learns to say "70 %" where it could be certain.
"""

import matplotlib.pyplot as plt
from sklearn.calibration import calibration_curve
from sklearn.datasets import make_moons
from sklearn.metrics import log_loss

from nacre import GradientBoostClassifier, NacreClassifier
from nacre.noise import flip_labels

BLUE, VERMILLION = "#0072B2", "#D55E00"

X, y = make_moons(800, noise=0.25, random_state=0)
X_test, y_test = make_moons(6000, noise=0.25, random_state=1)
labels, _ = flip_labels(y, rate=0.3, random_state=0)
models = {
    "gradient boosting": GradientBoostClassifier(),
    "NacreClassifier": NacreClassifier(random_state=0),
}
said, losses = {}, {}
for name, model in models.items():
    said[name] = model.fit(X, labels).predict_proba(X_test)[:, 1]
    losses[name] = log_loss(y_test, said[name])
    print(f"{name}: log loss on true labels {losses[name]:.2f}")

# %%
figure, (ax, below) = plt.subplots(
    2, 1, figsize=(6, 5.6), sharex=True, height_ratios=[3, 1], layout="constrained"
)
ax.axline((0, 0), slope=1, color="0.6", lw=1)
for (name, chances), color, marker in zip(said.items(), (VERMILLION, BLUE), "so", strict=True):
    true, mean = calibration_curve(y_test, chances, n_bins=10)
    label = f"{name} (log loss {losses[name]:.2f})"
    ax.plot(mean, true, color=color, marker=marker, lw=1.8, label=label)
    below.hist(chances, bins=40, range=(0, 1), histtype="step", color=color, lw=1.8)
ax.set_ylabel("share that is of the class")
ax.legend(frameon=False)
below.set(xlabel="probability said of the class", ylabel="rows", yticks=[])
for one in (ax, below):
    one.grid(color="0.92")
    one.spines[["top", "right"]].set_visible(False)
figure.suptitle("NacreClassifier is sure where it may be, gradient boosting nowhere")
plt.show()

# %%
# The closer a curve to the diagonal, the more a probability can be taken at its word; the histogram
# says how many rows get each. Gradient boosting spreads its probabilities over the middle: it is
# right about the noisy labels and far too timid about the true classes. NacreClassifier takes the
# noise out of the probabilities (it has estimated the rate), is sure of most rows, and rightly so.
# What it says of the few rows in the middle is off by up to 15 points: better than the other, not
# perfect.
