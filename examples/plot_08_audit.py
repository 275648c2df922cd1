"""
The audit of a data frame
=========================

From a table with partly wrong labels to a rate, a list of suspects with reasons, a model and a
cleaned table, in one call.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from nacre import audit
from nacre.noise import flip_labels

BLUE, VERMILLION = "#0072B2", "#D55E00"

data = load_wine(as_frame=True)
truth = data.target.map(dict(enumerate(["Barolo", "Grignolino", "Barbera"]))).rename("wine")
labels, flipped = flip_labels(truth, rate=0.1, random_state=0)
table = data.data.assign(wine=labels)
found = audit(table, label="wine", effort="fast")
print(found)

# %%
# The suspects come as a data frame too, most suspect first, with the columns of the row behind.

for one in found.suspects.head(5).itertuples():
    print(f"row {one.row}: given {one.given}, rather {one.suggested}. {one.reason}")

# %%
# The cleaned table has the suggested label where it has a probability of 80 % or more, and else the
# given one; here we can count what is left wrong.

wrong_before = int(flipped.sum())
wrong_after = int((found.cleaned["nacre_label"] != truth).sum())
print(f"wrong labels before: {wrong_before}, after: {wrong_after}")

scores = np.array(found.cleaned["nacre_score"], float)
order = np.argsort(-scores)
figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
for rows, color, name in ((~flipped, BLUE, "right label"), (flipped, VERMILLION, "flipped label")):
    places = np.flatnonzero(rows[order])
    ax.scatter(places + 1, scores[order][places], s=18, color=color, label=name)
many = len(found.suspects) + 0.5
ax.axvline(many, color="0.6", lw=1)
ax.text(many + 4, 0.52, "suspects are left of this line", color="0.4", fontsize="small")
ax.set(xlabel="rows, most suspect first", ylabel="chance that the label is wrong")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
ax.set_title(
    f"Wrong labels among {len(truth)}: {wrong_before} before the audit, {wrong_after} after"
)
plt.show()

# %%
# There are as many suspects as labels are expected to be wrong, and most rows are clear cases. Look
# at the few in between, whatever side of the line they are on: the audit may be wrong about a right
# label that is unlike the others of its class, and changes only what it is sure of. The same call
# works on a file: ``nacre audit wine.csv --label wine`` writes a report, the suspects, the cleaned
# table and the model, and ``found.save("folder")`` does so from Python.
