"""What is recorded of a fitted model: predictions, wrong labels found, and what it says of both."""

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

LEAST = 1e-3  # smaller probabilities count as this in the log loss, or one row would decide it
PARTS = {0.1: "queue_10", 0.5: "queue_50", 1.0: "queue_100"}  # of the suspects, from the top


def of_predictions(said, chances, classes, y, K):
    """Of test rows; a class that the model does not know has no chance."""
    whole = np.zeros((len(y), K))
    whole[:, classes.astype(int)] = chances
    right = whole[np.arange(len(y)), y]
    there = np.flatnonzero(np.bincount(y, minlength=K))
    areas = [roc_auc_score(y == k, whole[:, k]) for k in there] if len(there) > 1 else [np.nan]
    return {
        "error": float(np.mean(said != y)),
        "balanced_error": float(np.mean([np.mean(said[y == k] != k) for k in there])),
        "auc": float(np.mean(areas)),
        "log_loss": float(-np.log(np.maximum(right, LEAST)).mean()),
        "brier": float(((whole - np.eye(K)[y]) ** 2).sum(axis=1).mean()),
    }


def findings(model, flipped, unsure):
    """How well the wrong labels were found and counted, by models that look for them."""
    found = {"true_rate": float(flipped[unsure].mean())}
    quality = getattr(model, "label_quality_", None)
    if quality is not None and flipped.any():
        suspect = 1.0 - np.asarray(quality)[unsure]
        found["detection_area"] = float(roc_auc_score(flipped[unsure], suspect))
        found["detection_precision"] = float(average_precision_score(flipped[unsure], suspect))
    rate = getattr(model, "noise_rate_", None)
    if rate is not None and np.ndim(rate) == 0:
        found["rate"] = float(rate)
        found["rate_error"] = found["rate"] - found["true_rate"]
    interval = getattr(getattr(model, "noise_", None), "interval", None)
    if interval is not None:
        found |= {"low": float(interval[0]), "high": float(interval[1])}
    return found | queue(model, flipped)


def queue(model, flipped):
    """Of the suspects, most suspect first: how many are wrong, and how many are said to be.

    Sums and counts, of the first tenth, of the first half and of all, to be added up over tables.
    """
    suspects = getattr(getattr(model, "found_", model), "suspects", None)
    if suspects is None:
        suspects = getattr(model, "suspects_", None)
    if suspects is None or not hasattr(model, "label_quality_"):
        return {}
    suspects = np.asarray(suspects, int)
    doubt = 1.0 - np.asarray(model.label_quality_)[suspects]
    found = {"rows": len(flipped), "suspects": len(suspects)}
    for part, name in PARTS.items():
        first = int(np.ceil(part * len(suspects)))
        found[name] = first
        found[f"{name}_expected"] = float(doubt[:first].sum())
        found[f"{name}_wrong"] = int(flipped[suspects[:first]].sum())
    return found
