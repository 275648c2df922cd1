"""
Two moons, three labels in ten wrong
====================================

The same noisy labels, learned by AdaBoost, by gradient boosting and by NacreClassifier.
"""

import matplotlib.pyplot as plt
from matplotlib.colors import ListedColormap
from sklearn.datasets import make_moons
from sklearn.inspection import DecisionBoundaryDisplay

from nacre import AdaBoostClassifier, GradientBoostClassifier, NacreClassifier, Tree
from nacre.noise import flip_labels

BLUE, VERMILLION = "#0072B2", "#D55E00"

X, y = make_moons(400, noise=0.2, random_state=0)
X_test, y_test = make_moons(4000, noise=0.2, random_state=1)
labels, flipped = flip_labels(y, rate=0.3, random_state=0)

# %%
# Everyone sees the noisy labels only; errors are counted against the true ones.

models = {
    "AdaBoost, trees of depth 3": AdaBoostClassifier(Tree(3)),
    "gradient boosting": GradientBoostClassifier(),
    "NacreClassifier": NacreClassifier(random_state=0),
}
errors = {}
for name, model in models.items():
    errors[name] = 1 - model.fit(X, labels).score(X_test, y_test)
    print(f"{name}: test error {errors[name]:.1%}")

# %%
figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.4), sharey=True, layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    DecisionBoundaryDisplay.from_estimator(
        model, X, ax=ax, eps=0.2, grid_resolution=120, response_method="predict",
        plot_method="pcolormesh", cmap=ListedColormap([BLUE, VERMILLION]), alpha=0.25,
    )  # fmt: skip
    for k, color in enumerate((BLUE, VERMILLION)):
        for rows, marker in ((~flipped, "o"), (flipped, "x")):
            some = rows & (labels == k)
            ax.scatter(*X[some].T, s=12, lw=0.8, color=color, marker=marker)
    ax.set_title(f"{name}\ntest error {errors[name]:.1%}", fontsize="medium")
    ax.set(xlabel="", ylabel="", xticks=[], yticks=[])
figure.suptitle("Others follow the wrong labels (crosses), NacreClassifier keeps to the moons")
plt.show()

# %%
# Dots are right labels, crosses wrong ones, and the colour is the label given. AdaBoost and plain
# gradient boosting cut islands around groups of crosses. NacreClassifier never lets a row be judged
# by trees that have seen its label, and its boundary is close to that of the moons; what remains of
# its error is mostly the overlap of the moons themselves. It also says how noisy the labels are:

model = models["NacreClassifier"]
print(model.noise_)
