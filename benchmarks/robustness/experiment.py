"""A cell: one contender on one data set with labels made wrong in one way."""

import time
import warnings
from functools import cache

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.utils.validation import has_fit_parameter

from nacre.experiments.experiment import Experiment, Setting
from robustness.data import FILES, GROUPS, draw
from robustness.noise import NOISES, spoil
from robustness.roster import ROSTER

LEAST = 1e-3  # smaller probabilities count as this in the log loss, or one row would decide it
QUICK_NOISES = [
    (noise, level)
    for noise, level in NOISES
    if noise == "by class" or (noise == "symmetric" and level in (0.0, 0.2, 0.4))
]


def settings(sets, contenders, seeds, noises=NOISES):
    """What is to be measured: symmetric noise first, and the held-out sets of two classes."""
    kinds = [[one for one in noises if one[0] == "symmetric"]]
    kinds += [[one for one in noises if one[0] != "symmetric"]]
    return [
        Setting(
            {
                "data": data,
                "noise": noise,
                "level": level,
                "contender": name,
                "version": ROSTER[name].version,
            },
            seeds,
        )
        for noises in kinds
        for group in GROUPS.values()
        for noise, level in noises
        for data in group
        if data in sets
        for name in contenders
    ]


def measure(cell):
    """Errors on rows with right labels, times, and what the model says of the labels."""
    split = draw(cell["data"], cell.seed("data"))
    noise = cell["noise"], cell["level"]
    given, flipped, clean = spoil(split, *noise, cell.seed("data", "noise", "level"))
    contender = ROSTER[cell["contender"]]
    seed = cell.seed("data", "noise", "level", use="model")
    X, X_test = (contender.table(one, split.categorical) for one in (split.X, split.X_test))
    model = contender.make(seed, split.categorical)
    told = clean is not None and has_fit_parameter(model, "clean")
    trusted = {"clean": clean} if told else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if contender.ours:
                warm_up(cell["contender"], cell["data"])
            _, fit_seconds = timed(lambda: model.fit(X, given, **trusted))
            chances, predict_seconds = timed(lambda: model.predict_proba(X_test))
            said = np.ravel(model.predict(X_test))
        except Exception as error:  # a contender that gives up must not end a run of hours
            return {"failed": f"{type(error).__name__}: {error}"}
    unsure = ~clean if told else np.ones(len(given), bool)
    return {
        "error": float(np.mean(said != split.y_test)),
        **scores(chances, np.asarray(model.classes_), split.y_test, split.n_classes),
        "fit_seconds": fit_seconds,
        "predict_seconds": predict_seconds,
        **findings(model, flipped, unsure),
    }


@cache
def warm_up(name, data):
    """Load compiled code, once per process, so that no time includes it."""
    split = draw(data, 0)
    ROSTER[name].make(0, split.categorical).fit(split.X, split.y).predict_proba(split.X_test)


def timed(call):
    """What a call gives, and the processor time it takes: others share the machine."""
    begun = time.process_time()
    return call(), time.process_time() - begun


def scores(chances, classes, y, K):
    """Log loss and Brier score; a class that the model does not know has no chance."""
    whole = np.zeros((len(y), K))
    whole[:, classes.astype(int)] = chances
    right = whole[np.arange(len(y)), y]
    return {
        "log_loss": float(-np.log(np.maximum(right, LEAST)).mean()),
        "brier": float(((whole - np.eye(K)[y]) ** 2).sum(axis=1).mean()),
    }


def findings(model, flipped, unsure):
    """How well the wrong labels were found and counted, by models that look for them."""
    found = {}
    quality = getattr(model, "label_quality_", None)
    if quality is not None and flipped.any():
        suspect = 1.0 - np.asarray(quality)[unsure]
        found["detection_area"] = float(roc_auc_score(flipped[unsure], suspect))
        found["detection_precision"] = float(average_precision_score(flipped[unsure], suspect))
    rate = getattr(model, "noise_rate_", None)
    if rate is not None:
        found["rate_error"] = float(rate) - float(flipped[unsure].mean())
    return found


def experiment(sets, contenders, seeds, noises=NOISES):
    return Experiment(
        name="robustness",
        title="Classifiers under wrong labels",
        version=1,
        settings={"paper": settings(sets, contenders, seeds, noises)},
        measure=measure,
        claims=(),
        figures={},
        files=FILES,
    )
