"""
Filters compared
================

Ways to rank rows by how suspect their labels are, on the same flips.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import average_precision_score, precision_recall_curve

from nacre import MarginBoostClassifier, Tree, find_mislabeled
from nacre.filters import (
    Fraction,
    MarginFilter,
    NeighborFilter,
    VolumeFilter,
    VoteFilter,
    WeightFilter,
)
from nacre.noise import flip_labels

COLOURS = ["#000000", "#56B4E9", "#E69F00", "#0072B2", "#009E73", "#CC79A7", "#D55E00"]

X, y = load_breast_cancer(return_X_y=True)
labels, flipped = flip_labels(y, rate=0.2, random_state=0)

# %%
# ``find_mislabeled`` and each filter give every row a score; precision and recall follow from how
# the flipped rows stand in the ranking.

cut = Fraction(0.2)
filters = {
    "margin, MarginBoost of trees": MarginFilter(
        MarginBoostClassifier(Tree(3), 100), random_state=0
    ),
    "weight": WeightFilter(cut=cut),
    "margin, AdaBoost of stumps": MarginFilter(random_state=0),
    "neighbours": NeighborFilter(5),
    "vote of 50 stumps": VoteFilter(n_voters=50, random_state=0),
    "volume, as in the paper": VolumeFilter(signed=False, cut=cut),
    "volume, signed": VolumeFilter(cut=cut),
    "vote of 4 stumps": VoteFilter(random_state=0),
}
scores = {"find_mislabeled": find_mislabeled(X, labels, effort="fast", random_state=0).scores}
scores |= {name: one.fit(X, labels).scores_ for name, one in filters.items()}
precision = {name: average_precision_score(flipped, one) for name, one in scores.items()}
for name, value in precision.items():
    print(f"{name:30} average precision {value:.2f}")

# %%
figure, ax = plt.subplots(figsize=(8.8, 4.2), layout="constrained")
for (name, one), color in zip(scores.items(), COLOURS, strict=False):  # the first seven
    exact, caught, _ = precision_recall_curve(flipped, one)
    ax.plot(caught[:-1], exact[:-1], color=color, lw=1.8, label=f"{name} ({precision[name]:.2f})")
ax.axhline(0.2, color="0.6", lw=1, ls="--")
ax.text(0.45, 0.15, "chance", color="0.4", fontsize="small")
ax.set(xlabel="share of the wrong labels found (recall)", ylim=(0, 1.02), xlim=(0, 1))
ax.set_ylabel("share of the found that are wrong (precision)")
ax.grid(color="0.92")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, title="(average precision)", loc="center left", bbox_to_anchor=(1, 0.5))
ax.set_title("On this table find_mislabeled leads; margins of boosted trees come close")
plt.show()

# %%
# ``find_mislabeled`` leads by little: out-of-fold margins of MarginBoost over trees, one filter
# with one model, are close. The weight filter follows for the price of one run of AdaBoost: on this
# table, whose classes hardly overlap, heavy rows are wrong rows. Votes of stumps are wrong in the
# same places and flag good rows near the boundary. Decision volumes as the paper ranks them ignore
# the label; the signed form, which does not, is far better (it is in the list above, as is the vote
# of 4 stumps, but not drawn). This is one table, one rate and one draw of the flips: do not take
# the order for a law.
