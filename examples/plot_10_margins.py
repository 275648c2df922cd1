"""
How AdaBoost learns wrong labels, in margins
============================================

A row's margin is the share of votes for its label less the share against it. Its distribution,
round after round, shows what an ensemble is working on.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from nacre import AdaBoostClassifier
from nacre.diagnostics import hits, margins, plot_margins
from nacre.noise import flip_labels

X, y = load_breast_cancer(return_X_y=True)
labels, flipped = flip_labels(y, rate=0.1, random_state=0)
model = AdaBoostClassifier(n_estimators=1000).fit(X, labels)

rounds = [10, 100, 1000]
found = margins(hits(model, X, labels), model.estimator_weights_, rounds)
fitted = (found[:, flipped] > 0).mean(axis=1)
median = np.median(found[:, ~flipped], axis=1)
for t, share, middle in zip(rounds, fitted, median, strict=True):
    print(f"round {t:4}: {share:.0%} of the wrong labels are fitted; "
          f"median margin of the right ones {middle:.2f}")  # fmt: skip

# %%
figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
plot_margins(found[:, ~flipped], rounds=rounds, ax=axes[0])
plot_margins(found[:, flipped], rounds=rounds, ax=axes[1])
axes[0].set_xlabel("margin of a right label")
axes[1].set_xlabel("margin of a wrong label")
axes[1].set_ylabel("")
axes[1].get_legend().remove()
figure.suptitle("AdaBoost lifts wrong labels over 0 with margins taken from the right ones")
plt.show()

# %%
# After 10 rounds four in five wrong labels have margins below 0, where a filter finds them at once.
# By round 1000 all are fitted, and the right labels have paid: their margins have shrunk from wide
# to narrow. That the smallest margins rise is the classical explanation why AdaBoost does well on
# new rows; here it is the wrong labels that rise. For finding them this means: look early, or at
# margins of rows that the ensemble has not seen.
