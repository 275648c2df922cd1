"""
Finding wrong labels among pictures of digits
=============================================

One label in twenty of scikit-learn's 1797 digits is changed to another digit. Which?
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from nacre import find_mislabeled
from nacre.noise import flip_labels

BLUE, VERMILLION = "#0072B2", "#D55E00"

X, y = load_digits(return_X_y=True)
labels, flipped = flip_labels(y, rate=0.05, random_state=0)
found = find_mislabeled(X, labels, effort="fast", random_state=0)
print(found)

# %%
# Here the truth is known.

suspects = found.suspects
caught = flipped[suspects].sum()
precision, recall = caught / len(suspects), caught / flipped.sum()
mended = (found.suggested[flipped] == y[flipped]).mean()
print(f"{precision:.0%} of the suspects are wrong labels, {recall:.0%} of the wrong labels are "
      f"suspects, and {mended:.0%} get their true label back.")  # fmt: skip

# %%
# The last 24 of the suspects, those that are least sure, because the first ones are too easy:

shown = suspects[-24:]
figure, axes = plt.subplots(3, 8, figsize=(9.6, 5.0), layout="constrained")
for ax, row in zip(axes.flat, shown, strict=True):
    ax.imshow(X[row].reshape(8, 8), cmap="gray_r")
    color = BLUE if flipped[row] else VERMILLION
    ax.set_title(f"given {labels[row]}, rather {found.suggested[row]}", fontsize=8, color=color)
    ax.set(xticks=[], yticks=[])
    for side in ax.spines.values():
        side.set(color=color, linewidth=2)
right = flipped[shown].sum()
figure.suptitle(
    f"Of the 24 least sure suspects {right} were flipped (blue), {24 - right} were not (orange)"
)
plt.show()

# %%
# Every row was judged by models that had not seen its label. Suspects are a queue: as many rows as
# labels are expected to be wrong, those first whose label is most probably so. The suspects in
# orange are false alarms: they have the labels they came with. They are where a list of suspects
# should have them, at its end: who checks from the top finds wrong labels almost only, and
# ``found.expected_wrong(k)`` says beforehand how many of the first k.
