"""Files written to do harm: every one gives a ValueError or a model that predicts."""

import io
import warnings
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from nacre import (
    AdaBoostClassifier,
    GradientBoostClassifier,
    NaiveBayes,
    Network,
    Tree,
)
from nacre.data.storable import is_storable
from nacre.learners.branches import Trees
from nacre.persistence.arrays import to_npy
from nacre.persistence.container import pack, seal, unpack
from tests.persistence.model_files import (
    LEARNERS,
    boosted,
    changed,
    sign,
    small_nacre,
    table,
    take_apart,
)
from tests.training import examples

pytestmark = pytest.mark.slow

VICTIMS = {
    "stumps": lambda: boosted(AdaBoostClassifier()),
    "stumps of three": lambda: boosted(AdaBoostClassifier(), 3),
    "trees": lambda: boosted(AdaBoostClassifier(Tree(max_depth=3))),
    "trees of three": lambda: boosted(AdaBoostClassifier(Tree(max_depth=3)), 3),
    "gradient": lambda: boosted(GradientBoostClassifier()),
    "gradient of three": lambda: boosted(GradientBoostClassifier(), 3),
    "bayes": lambda: boosted(AdaBoostClassifier(NaiveBayes()), 3),
    "network": lambda: boosted(AdaBoostClassifier(Network(epochs=5)), 3),
    "nacre": small_nacre,
    "nacre of three": lambda: small_nacre(3),
    "a stump": lambda: clone(LEARNERS["stump"]).fit(*table(3)),
    "a tree": lambda: clone(LEARNERS["tree"]).fit(*table(3)),
    "a network": lambda: clone(LEARNERS["network"]).fit(*table(3)),
}


@pytest.fixture(scope="module", params=VICTIMS)
def victim(request):
    return pack(VICTIMS[request.param](), None)


def use(data):
    """Load and predict; whether there was a model. Anything but a ValueError is a failure."""
    X = table(seed=2)[0]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model, _ = unpack(data)
            model.predict(X)
            for method in ("predict_proba", "decision_function"):
                if hasattr(model, method):
                    getattr(model, method)(X)
            if hasattr(model, "staged_predict"):
                list(model.staged_predict(X))
        except ValueError:
            return False
    return True


def test_a_sound_file_can_be_used(victim):
    assert use(victim)
    assert sign(victim) == victim
    assert use(seal(take_apart(victim)))


SEEDS = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@given(rng=SEEDS)
def test_no_byte_can_change(victim, rng):
    other = bytearray(victim)
    other[rng.integers(len(victim))] ^= int(rng.integers(1, 256))
    with pytest.raises(ValueError, match=r"altered|cut short|not a model file"):
        unpack(bytes(other))


@given(rng=SEEDS)
def test_no_end_can_be_missing(victim, rng):
    with pytest.raises(ValueError, match=r"cut short|not a model file"):
        unpack(victim[: rng.integers(len(victim))])


@given(rng=SEEDS)
def test_changed_bytes_do_no_harm(victim, rng):
    other = bytearray(victim)
    for place in rng.integers(0, len(victim) - 64, rng.integers(1, 4)):
        other[place] = int(rng.integers(256))
    use(sign(bytes(other)))


@pytest.mark.parametrize("count", [10**9, 10**12, 2**63, 10**30])
def test_columns_beyond_all_measure_are_refused(victim, count):
    """Arrays are made of so many: importances, say."""

    def change(content):
        for one in content["objects"]:
            if "n_features_in_" in one["state"]:
                one["state"]["n_features_in_"] = count

    with pytest.raises(ValueError, match="damaged"):
        unpack(changed(victim, change))


ODD = [
    None, True, -1, 0, 1, 2, 3, 7, 255, 2**31, 2**63, 10**30, 0.5, 1e300, "", "x", "feature", [],
    [1], {}, {"float": "nan"}, {"float": "-inf"}, {"tuple": []}, {"dict": []}, {"objects": []},
    {"class": "Tree"}, {"class": "nacre.boost.gradient.Additive"},
    {"dict": [[{"dict": []}, 1]]}, {"tuple": [9]},
    {"scalar": ["<i8", "ff" * 8]}, {"scalar": ["<f8", "00" * 8]}, {"object": 0}, {"array": 0},
]  # fmt: skip


def places(node):
    """All places in plain data, as what holds them and the key."""
    keys = list(node) if isinstance(node, dict) else range(len(node))
    for key in keys:
        yield node, key
        if isinstance(node[key], (dict, list)):
            yield from places(node[key])


def pick(rng, items):
    return items[rng.integers(len(items))]


@examples(3)
@given(rng=SEEDS)
def test_changed_structures_do_no_harm(victim, rng):
    def change(content):
        for _ in range(rng.integers(1, 3)):
            everywhere = list(places(content))
            holder, key = pick(rng, everywhere)
            source, other = pick(rng, everywhere)
            reference = {pick(rng, ["array", "object"]): int(rng.integers(16))}
            holder[key] = deepcopy(pick(rng, [pick(rng, ODD), source[other], reference]))
            if rng.random() < 0.2:
                del holder[key]

    use(changed(victim, change))


@examples(3)
@given(rng=SEEDS)
def test_changed_arrays_do_no_harm(victim, rng):
    members = take_apart(victim)
    names = [name for name in members if name.endswith(".npy")]
    for name in rng.choice(names, rng.integers(1, 3)):
        array = np.load(io.BytesIO(members[name]))
        members[name] = to_npy(pick(rng, CHANGES)(array, rng))
    use(seal(members))


def change_type(array, rng):
    kind = pick(rng, ["f4", "i4", "i8", "f8", "u1", "U3", "M8[s]"])
    return np.resize(np.frombuffer(array.tobytes() + bytes(16), kind, 1), array.shape)


def change_shape(array, rng):
    shorter = array[: rng.integers(len(array) + 1)]
    return pick(rng, [shorter, array[None], array.ravel(), array.T, array[..., :1]])


def change_values(array, rng):
    odd = [-(2**31), -2, -1, 0, 1, 2, 3, 4, 5, 200, 255, 256, 2**31 - 1]
    if array.dtype.kind == "f":
        odd += [np.nan, np.inf, -np.inf, 0.5, 1e300]
    array = array.copy()
    for place in rng.integers(0, array.size, rng.integers(1, 5) if array.size else 0):
        with np.errstate(all="ignore"):
            array.flat[place] = np.array(pick(rng, odd)).astype(array.dtype)
    return array


CHANGES = [change_type, change_shape, change_values, change_values, change_values, change_values]


@pytest.mark.parametrize(
    "name",
    [
        "builtins.eval",
        "os.system",
        "subprocess.Popen",
        "sklearn.linear_model.LogisticRegression",
        "tests.persistence.test_harm.Victim",
        "nacre",
        "nacre.__main__.main",
        "nacre.__main__.Main",
        "nacre..models.adaboost.AdaBoostClassifier",
        "nacre.nothing.Tree",
        "nacre.learners.tree.Nothing",
        "nacre.learners.tree.count_features",
        "nacre.learners.tree.Learner",  # no mark
        "nacre.models.voting_base.VotingBooster",  # no mark of its own
        "nacre.models.coreboost.AdaBoostClassifier",  # not its home
        "nacre.persistence.plain.Reader",
        "nacre.persistence.Path",
        "nacre.persistence.Path.cwd",
        "Path",
    ],
)
def test_no_other_class_can_be_named(name, monkeypatch):
    data = pack(Tree(), None)
    monkeypatch.setattr("nacre.__main__.main", lambda: pytest.fail("code was run"))
    for change in (
        lambda content: content["objects"][-1].update({"class": name}),
        lambda content: content["objects"][-1]["state"].update(max_depth={"class": name}),
    ):
        with pytest.raises(ValueError, match="does not know"):
            unpack(changed(data, change))


def test_marks_are_not_inherited():
    class Own(AdaBoostClassifier):
        pass

    assert is_storable(AdaBoostClassifier)
    assert not is_storable(Own)


def trees(*links, categories=None, sides=0, n_classes=2, sizes=None):
    """The state of trees, from rows of links (feature, left, right, table)."""
    rows = [(f, 0, left, right, 0, t) for f, left, right, t in links]
    return {
        "sizes": np.array([[len(rows), sides]] if sizes is None else sizes, np.int64),
        "links": np.array(rows, np.int32),
        "numbers": np.zeros((len(rows), 4)),
        "sides": np.zeros((sides, 256), np.uint8),
        "categories": categories or {},
        "n_classes": n_classes,
    }


LEAF = (-1, -1, -1, -1)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (trees((0, 0, 1, -1), LEAF), "branches of trees lead nowhere"),  # a loop
        (trees((0, 1, 2, -1), LEAF), "branches of trees lead nowhere"),  # beyond the end
        (trees((0, -1, 1, -1), LEAF), "branches of trees lead nowhere"),
        (trees((0, 1, 2, -1), LEAF, LEAF, sizes=[[2, 0], [1, 0]]), "branches of trees lead now"),
        (trees((0, 1, 2, 0), LEAF, LEAF), "categories of trees do not fit"),  # no such table
        (trees((0, 1, 2, 0), LEAF, LEAF, sides=1), "categories of trees do not fit"),  # a number
        (trees((-2, 1, 2, -1), LEAF, LEAF), "links must be from -1"),
        (trees(LEAF, sizes=[[2, 0]]), "sizes"),
        (trees(LEAF, sizes=[[1, 0], [0, 0]]), "sizes of trees do not add up"),
        (trees(LEAF, sizes=[[2**62, 0]] * 4 + [[1, 0]]), "sizes"),
        (trees(LEAF, categories={0: np.array([2.0, 1.0])}), "categories must ascend"),
        (trees(LEAF, categories={0: np.array([np.nan])}), "categories must ascend"),
        (trees(LEAF, categories={0: np.arange(256.0)}), "at most 255"),
        (trees(LEAF, n_classes=1), "n_classes must be at least 2"),
    ],
)
def test_trees_that_would_lead_astray(state, message):
    with pytest.raises(ValueError, match=message):
        Trees.__new__(Trees).__setstate__(state)


def set_part(thing, name, value):
    object.__setattr__(thing, name, value)


def trees_with(**parts):
    """Change arrays of the trees of the first member."""

    def change(model):
        for name, value in parts.items():
            setattr(model._members[0].trees, name, value)

    return change


def other_matrix(model):
    model._noise_model = replace(model._noise_model, matrix=np.eye(3))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m._members.clear(), "a model has members"),
        (lambda m: setattr(m, "_members", tuple(m._members)), "a model has members"),
        (lambda m: m._members.append(m._noise_model), "members"),
        (lambda m: setattr(m, "_weights", m._weights[1:]), "members' weights"),
        (lambda m: setattr(m, "_weights", m._weights.tolist()), "members' weights"),
        (lambda m: setattr(m, "_noise_model", m.noise_), "the noise model must be of 2 classes"),
        (other_matrix, "damaged"),
        (lambda m: setattr(m, "_members", small_nacre(3)._members), "members must be of 2 classes"),
        (lambda m: setattr(m, "n_features_in_", 3), "of the 3 columns"),
        (trees_with(values=np.ones((2, 2))), "values"),
        (trees_with(kind=np.ones(3, np.uint8)), "a tree is not whole"),
        (trees_with(kind=np.zeros(0, np.uint8)), "feature"),
        (trees_with(cuts=None), "trees have cut points"),
        (lambda m: set_part(m._members[0], "trees", m._noise_model), "a forest has trees"),
        (lambda m: set_part(m._members[-1], "start", np.ones(2)), "start"),
        (lambda m: set_part(m._members[-1], "trees", m._noise_model), "added up by trees"),
    ],
    ids=range(16),
)
def test_default_classifiers_that_do_not_fit_together(change, message):
    model = small_nacre()
    kinds = {"BaggedTrees": 0, "CrossFitted": 2}
    model._members.sort(key=lambda one: kinds.get(type(one).__name__, 1))
    change(model)
    with pytest.raises(ValueError, match=message):
        unpack(pack(model, None))


def test_kernels_are_not_called_beyond_bounds():
    X, y = table(3)
    for model in (
        AdaBoostClassifier(),
        AdaBoostClassifier(Tree()),
        AdaBoostClassifier(NaiveBayes()),
    ):
        said = model.set_params(n_estimators=3).fit(X, y).estimators_
        with pytest.raises(ValueError, match="need one vote each"):
            said.scores(X, np.ones(2))
        with pytest.raises(ValueError, match="X has 0 columns"):
            said.scores(X[:, :0], np.ones(3))
    votes, column = np.ones(3), np.array([0, 1, 2])
    said = AdaBoostClassifier(Tree(), n_estimators=3).fit(X, y).estimators_
    with pytest.raises(ValueError, match="among the 2 of scores"):
        said.add_values(X, votes, column, np.zeros((len(X), 2)))
    with pytest.raises(ValueError, match="need one vote each"):
        said.add_values(X, votes, column[:2], np.zeros((len(X), 3)))
    numbers = GradientBoostClassifier(n_estimators=1).fit(X, y).estimators_.regressors
    with pytest.raises(ValueError, match="leaves must say one of 3 classes"):
        numbers.scores(X, np.ones(3))
