"""
A model that can be read
========================

An ensemble of stumps is a sum of functions of one column each: it can be drawn, and what a row
scores can be taken apart.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from nacre import AdaBoostClassifier
from nacre.diagnostics import contributions, plot_shapes
from nacre.noise import flip_labels

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
labels, flipped = flip_labels(y.map({0: "malignant", 1: "benign"}), rate=0.1, random_state=0)
model = AdaBoostClassifier(n_estimators=60).fit(X, labels)

# %%
# Above, the three columns that matter most: up speaks for malignant, and the grey histogram says
# how many rows have such values. Below, a row whose label was flipped.
found = contributions(model, X, background=X)
margin = model.margins(X, labels)
row = int(np.flatnonzero(flipped)[margin[flipped].argmin()])
strongest = np.argsort(-np.abs(found.values[row]))[:8]
own = found.values[row, strongest]

figure, axes = plt.subplot_mosaic(
    "abc;ddd", figsize=(9.0, 6.4), height_ratios=[1, 1.1], layout="constrained"
)
plot_shapes(model, X, axes=[axes[name] for name in "abc"])
axes["d"].barh(range(8), own, color=np.where(own > 0, "#D55E00", "#0072B2"))
axes["d"].set_yticks(range(8), [f"{X.columns[j]} = {X.iloc[row, j]:.4g}" for j in strongest])
axes["d"].invert_yaxis()
axes["d"].axvline(0, color="0.3", lw=0.8)
axes["d"].set_xlabel("contribution: left speaks for benign, right for malignant")
axes["d"].set_title(f"Row {row} is labelled {labels[row]}, and its values say otherwise")
axes["d"].spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Where there are few rows the functions are led by single ones, wrong labels among them: look for
# steps over a flat part of the histogram. There is nothing else in the model, so contributions and
# intercept are the score:
rest = found.scores - model.decision_function(X)
print(f"contributions and intercept less the score: at most {np.abs(rest).max():.0e}")
