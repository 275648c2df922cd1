"""
A model that can be read
========================

An ensemble of stumps is a sum of functions of one column each, and can be drawn as such.
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
# The six columns that matter most. Up speaks for the second class, malignant; the grey histogram
# says how many rows have such values.
plot_shapes(model, X)
plt.show()

# %%
# Where there are few rows the functions are led by single ones, wrong labels among them: look for
# steps over a flat part of the histogram. All else that the model knows is in such functions, so
# that what a row scores can be taken apart without a rest:
found = contributions(model, X, background=X)
margin = model.margins(X, labels)
row = int(np.flatnonzero(flipped)[margin[flipped].argmin()])
strongest = np.argsort(-np.abs(found.values[row]))[:8]
figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
heights = found.values[row, strongest]
ax.barh(range(8), heights, color=np.where(heights > 0, "#D55E00", "#0072B2"))
ax.set_yticks(range(8), [f"{X.columns[j]} = {X.iloc[row, j]:.4g}" for j in strongest])
ax.invert_yaxis()
ax.axvline(0, color="0.3", lw=0.8)
ax.set_xlabel("contribution: left for benign, right for malignant")
figure.suptitle(f"Row {row} is labelled {labels[row]}, and its values say otherwise", fontsize=10)
ax.spines[["top", "right"]].set_visible(False)
plt.show()

rest = found.intercept + found.values[row].sum() - model.decision_function(X)[row]
print(f"contributions and intercept less the score: {abs(rest):.0e}")
