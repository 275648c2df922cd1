"""A cell: one contender on one data set with labels made wrong in one way."""

import time
import warnings
from functools import lru_cache

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from nacre.experiments.experiment import Experiment, Setting
from robustness.data import GROUPS, draw
from robustness.metrics import findings, of_predictions
from robustness.noise import NOISES, spoil, suits
from robustness.roster import LIMIT, ROSTER

WARM = set()


def settings(sets, contenders, seeds, noises=NOISES):
    """What is to be measured, contender after contender: a run that was stopped has some whole."""
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
        for name in contenders
        for group in GROUPS.values()
        for noise, level in noises
        for data in group
        if data in sets and suits(data, noise) and ROSTER[name].takes(data, noise)
    ]


def measure(cell):
    """Errors on rows with right labels, times, and what the model says of the labels."""
    name, data, uneven = cell["contender"], cell["data"], cell["noise"] == "imbalanced"
    split = draw(data, cell.seed("data"), uneven)
    seed = cell.seed("data", "noise", "level")
    given, flipped, clean = spoil(split, cell["noise"], cell["level"], seed)
    contender = ROSTER[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if name == LIMIT:
                model, fit_seconds = knowing(data, cell.seed("data"), uneven)
                model.judge(given)
                told = False
            else:
                if contender.ours:
                    warm_up(name, split)
                seed = cell.seed("data", "noise", "level", use="model")
                model = contender.make(seed, split.categorical)
                told = clean is not None and has_fit_parameter(model, "clean")
                X = contender.table(split.X, split.categorical)
                trusted = {"clean": clean} if told else {}
                _, fit_seconds = timed(lambda: model.fit(X, given, **trusted))
            X_test = contender.table(split.X_test, split.categorical)
            chances, predict_seconds = timed(lambda: model.predict_proba(X_test))
            said = np.ravel(model.predict(X_test))
        except Exception as error:  # a contender that gives up must not end a run of hours
            return {"failed": f"{type(error).__name__}: {error}"}
    unsure = ~clean if told else np.ones(len(given), bool)
    classes = np.asarray(model.classes_)
    return {
        **of_predictions(said, chances, classes, split.y_test, split.n_classes),
        "fit_seconds": fit_seconds,
        "predict_seconds": predict_seconds,
        **findings(model, flipped, unsure),
    }


@lru_cache(maxsize=64)
def knowing(data, seed, uneven):
    """The model that knows the truth, the same for all kinds of noise, and its time."""
    split = draw(data, seed, uneven)
    model = ROSTER[LIMIT].make(seed, split.categorical)
    return timed(lambda: model.fit(split.X, split.y))


def warm_up(name, split):
    """Load compiled code, once per process and kind of table, so that no time includes it."""
    kind = name, bool(split.categorical), split.n_classes > 2
    if kind not in WARM:
        ROSTER[name].make(0, split.categorical).fit(split.X, split.y).predict_proba(split.X_test)
        WARM.add(kind)


def timed(call):
    """What a call gives, and the processor time it takes: others share the machine."""
    begun = time.process_time()
    return call(), time.process_time() - begun


def experiment(sets, contenders, seeds, noises=NOISES):
    return Experiment(
        name="robustness",
        title="Classifiers under wrong labels",
        version=2,
        settings={"paper": settings(sets, contenders, seeds, noises)},
        measure=measure,
        claims=(),
        figures={},
    )
