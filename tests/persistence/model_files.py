"""Models to be saved, whether they came back as they were, and files taken apart."""

import hashlib
import io
import json
import zipfile
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

from nacre import (
    NacreClassifier,
    NaiveBayes,
    Network,
    Stump,
    Tree,
)
from nacre.consensus import blend, members
from nacre.consensus.blend import EFFORTS
from nacre.persistence.container import MODEL, seal

LEARNERS = {
    "stump": Stump(categorical_features=[3]),
    "tree": Tree(max_depth=3, categorical_features=[3]),
    "bayes": NaiveBayes(categorical_features=[3]),
    "network": Network(epochs=10, categorical_features=[3], random_state=0),
}


def table(n_classes=2, n=120, seed=0):
    """Numbers with gaps, a column of categories, and labels in words."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 3] = rng.integers(0, 6, n)
    score = X[:, 0] + (X[:, 3] > 2) + 0.5 * rng.normal(size=n)
    X[rng.random((n, 4)) < 0.1] = np.nan
    cuts = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return X, np.array(["no", "perhaps", "yes"])[np.searchsorted(cuts, score)]


def fitted(model, n_classes=2, rounds=4):
    X, y = table(n_classes)
    return clone(model).set_params(n_estimators=rounds, random_state=0).fit(X, y)


def boosted(model, n_classes=2):
    return fitted(clone(model).set_params(categorical_features=[3]), n_classes)


def small_nacre(n_classes=2):
    """A default classifier with members of each kind, but of few trees."""
    X, y = table(n_classes)
    with pytest.MonkeyPatch.context() as patch:
        kinds = {type(one): one for one in EFFORTS["full"]}
        bagged = replace(kinds.pop(members.Bagged), trees=3)
        patch.setitem(EFFORTS, "full", (bagged, *kinds.values()))
        patch.setattr(members, "ROUNDS", (2, 4))
        patch.setattr(blend, "NEGLIGIBLE", 0.0)  # all members are kept
        return NacreClassifier(categorical_features=[3], random_state=0).fit(X, y)


def same(one, other):
    """Whether two things are alike in type and to the last bit, all the way down."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray) and one.dtype == object:
        return one.shape == other.shape and all(map(same, one.tolist(), other.tolist()))
    if isinstance(one, (np.ndarray, np.generic)):
        return (one.dtype, one.shape) == (other.dtype, other.shape) and (
            one.tobytes() == other.tobytes()
        )
    if isinstance(one, float):
        return one.hex() == other.hex()
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return same(list(one), list(other)) and same(list(one.values()), list(other.values()))
    if is_dataclass(one) and not isinstance(one, BaseEstimator):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    if type(one).__module__.startswith("nacre."):
        return same(dict(vars(one)), dict(vars(other)))
    return one == other


def sign(data):
    body = data[:-64]
    return body + hashlib.sha256(body).hexdigest().encode()


def take_apart(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def changed(data, change, member=MODEL):
    """A file with other content and the checksum for it."""
    members = take_apart(data)
    content = json.loads(members[member])
    change(content)
    return seal(members | {member: json.dumps(content).encode()})
