"""
What one wrong label does to AdaBoost
=====================================

Two groups of points, far apart, and a single wrong label in the middle of one of them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from nacre import AdaBoostClassifier, MarginBoostClassifier
from nacre.boost import Algorithm, Tanh
from nacre.diagnostics import hits, plot_boundary, weight_paths

X, y = make_blobs(100, centers=[[-2, 0], [2, 0]], cluster_std=0.9, random_state=0)
wrong = np.linalg.norm(X - [-2.5, 0.3], axis=1).argmin()
labels = y.copy()
labels[wrong] = 1 - labels[wrong]

# %%
# Without the wrong label one stump separates the groups, and AdaBoost stops. With it, AdaBoost runs
# for as long as it may.

sound = AdaBoostClassifier().fit(X, y)
ada = AdaBoostClassifier().fit(X, labels)
margin = MarginBoostClassifier(random_state=0).fit(X, labels)
print(f"AdaBoost, right labels: {len(sound.estimators_)} round, {sound.stop_reason_}")
print(f"AdaBoost, one wrong:    {len(ada.estimators_)} rounds, {ada.stop_reason_}")

# %%
# The weights that the rows had in each round follow from the hypotheses and their votes.

ada_weights = weight_paths(hits(ada, X, labels), ada.estimator_weights_)
shrinks, votes = margin.estimator_steps_.T
margin_weights = weight_paths(
    hits(margin, X, labels), votes, shrinks=shrinks, algorithm=Algorithm(Tanh(margin.slope))
)
shares = {
    "AdaBoost": ada_weights[1:, wrong].mean(),
    "MarginBoost": margin_weights[1:, wrong].mean(),
}
for name, share in shares.items():
    print(f"{name} has {share:.1%} of its weight on the wrong label, on average after round 1")

# %%
figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.5), sharey=True, layout="constrained")
for ax, model, weights, rounds, name in (
    (axes[0], ada, ada_weights, 2, "AdaBoost, round 2"),
    (axes[1], ada, ada_weights, 100, "AdaBoost, round 100"),
    (axes[2], margin, margin_weights, 100, "MarginBoost, round 100"),
):
    plot_boundary(model, X, labels, weights=weights[rounds - 1], rounds=rounds, ax=ax)
    ax.scatter(*X[wrong], s=900, facecolor="none", edgecolor="black")
    ax.get_legend().remove()
    ax.set(title=name, xlabel="", ylabel="")
figure.suptitle("AdaBoost works for the one wrong label (circled), a bounded cost gives it up")
plt.show()

# %%
# The area of a point is its weight, the colour its label. In its second round AdaBoost has half of
# all weight on the row that the first stump got wrong: it always has half on those. From then on it
# works for that row. It keeps a third of its weight on it, where a fair share is 1 %, and ends with
# a thin strip of the wrong class across the left group. MarginBoost's cost is bounded: a row far on
# the wrong side stops to matter, as do rows far on the right side, and the weight goes to the rows
# next to the boundary.
