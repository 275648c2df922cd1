"""Model files: models come back as they were, and no file does harm."""

import hashlib
import io
import json
import math
import os
import warnings
import zipfile
from copy import deepcopy
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import nacre
from nacre import (
    AdaBoostClassifier,
    GradientBoostClassifier,
    NacreClassifier,
    NaiveBayes,
    Network,
    Stump,
    Tree,
    load_model,
    save_model,
)
from nacre.filters import (
    Fraction,
    MarginFilter,
    NeighborFilter,
    Relabel,
    VolumeFilter,
    VoteFilter,
    WeightFilter,
)
from nacre.learners.tree import Trees
from nacre.models import file, members
from nacre.models.file import CLASSES, HEADER, MODEL, pack, seal, unpack
from nacre.models.nacre import EFFORTS
from nacre.noise import estimate_noise_rate
from tests.models.boosters import BOOSTERS
from tests.problems import examples

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
    if is_dataclass(one):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    if type(one).__module__.startswith("nacre."):
        return same(dict(vars(one)), dict(vars(other)))
    return one == other


def again(model, columns=None):
    return unpack(pack(model, columns))[0]


def assert_same_model(model):
    """It comes back as it was, and so does what it says."""
    other = again(model)
    X = table(seed=1)[0]
    assert same(model, other)
    assert repr(other.get_params()) == repr(model.get_params())
    assert pack(other, None) == pack(model, None)
    assert same(model.predict(X), other.predict(X))
    for method in (
        "predict_proba",
        "decision_function",
        "staged_predict",
        "staged_decision_function",
        "staged_predict_proba",
    ):
        if hasattr(model, method):
            one, two = (np.array(list(getattr(m, method)(X))) for m in (model, other))
            assert same(one, two)
    if hasattr(model, "feature_importances_"):
        assert same(model.feature_importances_, other.feature_importances_)


# Models come back


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", BOOSTERS)
def test_boosters_come_back(name, n_classes):
    assert_same_model(boosted(clone(BOOSTERS[name]), n_classes))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", LEARNERS)
def test_learners_come_back(name, n_classes):
    model = clone(LEARNERS[name])
    assert_same_model(fitted(AdaBoostClassifier(model), n_classes))
    assert_same_model(model.fit(*table(n_classes)))
    assert repr(again(model).rule_) == repr(model.rule_)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_default_classifier_comes_back(n_classes):
    X, y = table(n_classes)
    for model in (
        small_nacre(n_classes),
        NacreClassifier("fast", random_state=0).fit(X, y, clean=y == "no"),
    ):
        assert_same_model(model)
        other = again(model)
        assert other.found_.noise is other.noise_
        assert repr(other.found_) == repr(model.found_)
        assert same(other.suspects_, model.suspects_)


def test_models_of_no_rounds_come_back():
    X = np.ones((6, 1))
    with pytest.warns(UserWarning, match="first round"):
        model = AdaBoostClassifier().fit(X, [0, 0, 0, 0, 1, 1])
    assert again(model).predict(X).tolist() == [0] * 6
    assert again(Stump().fit(X, [0, 0, 1, 1, 1, 1])).predict(X).tolist() == [1] * 6


@pytest.mark.parametrize("labels", [[0, 1], [False, True], ["a", "bc"], [-1.0, 1.0]])
def test_any_labels(labels):
    X, y = table()
    model = AdaBoostClassifier(n_estimators=3).fit(X, np.array(labels)[(y == "no").astype(int)])
    assert same(again(model).classes_, model.classes_)


def test_data_frames():
    X, y = table()
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    frame["d"] = pd.Categorical(np.where(X[:, 3] > 2, "much", "little"))
    model = GradientBoostClassifier(n_estimators=3).fit(frame, y)
    other = again(model)
    assert same(model, other)
    assert same(model.predict_proba(frame), other.predict_proba(frame))
    with pytest.raises(ValueError, match="feature names"):
        other.predict(frame[["b", "a", "c", "d"]])


def test_early_stopping_and_warm_starts_go_on():
    X, y = table(3)
    early = AdaBoostClassifier(n_iter_no_change=2, random_state=0).fit(X, y)
    assert same(early.validation_scores_, again(early).validation_scores_)
    for booster in (AdaBoostClassifier(), GradientBoostClassifier(subsample=0.5)):
        model = booster.set_params(warm_start=True, n_estimators=3, random_state=0).fit(X, y)
        other = again(model)
        assert other._run.hypotheses is other.estimators_
        more, others = (one.set_params(n_estimators=6).fit(X, y) for one in (model, other))
        assert same(more.predict_proba(X), others.predict_proba(X))


@pytest.mark.parametrize(
    "model",
    [
        MarginFilter(),
        NeighborFilter(),
        VolumeFilter(),
        VoteFilter([NaiveBayes(), AdaBoostClassifier(Tree(2), n_estimators=3)]),
        WeightFilter(treatment=Relabel()),
        WeightFilter(cut=Fraction(0.2)),
    ],
    ids=lambda model: type(model).__name__,
)
def test_filters_come_back(model):
    X, y = table()
    model.set_params(random_state=0, categorical_features=[3]).fit(np.nan_to_num(X), y)
    assert same(again(model), model)
    assert same(again(model).treat(X, y), model.treat(X, y))


def test_unfitted_models_come_back():
    other = again(AdaBoostClassifier(Tree(max_depth=2), learning_rate=0.5))
    assert repr(other) == "AdaBoostClassifier(estimator=Tree(max_depth=2), learning_rate=0.5)"
    with pytest.raises(NotFittedError):
        other.predict(table()[0])


def test_every_class_of_the_list_is_there():
    for name in CLASSES:
        assert file._class(name).__name__ == name


def test_every_public_estimator_is_in_the_list():
    for name in nacre.__all__:
        found = getattr(nacre, name)
        if isinstance(found, type) and issubclass(found, BaseEstimator):
            assert CLASSES.get(name) == found.__module__


class Holder(BaseEstimator):
    """Stands for an estimator that has no checks of its own."""

    def __init__(self, effort="full"):
        self.effort = effort


def test_estimators_of_plain_parts_need_no_code_of_their_own(monkeypatch):
    monkeypatch.setitem(CLASSES, "Holder", __name__)
    X, y = table(3)
    model = Holder("fast")
    model.noise_ = estimate_noise_rate(np.nan_to_num(X), y, random_state=0)
    model.parts_ = [boosted(AdaBoostClassifier(Tree()), 3).estimators_, model.noise_]
    model.found_ = {"rows": np.arange(3), "names": np.array(["a", None], object)}
    other = again(model)
    assert same(vars(other), vars(model))
    assert other.parts_[1] is other.noise_


ARRAYS = hnp.arrays(
    st.one_of(
        hnp.boolean_dtypes(),
        hnp.integer_dtypes(endianness="="),
        hnp.floating_dtypes(endianness="=", sizes=(16, 32, 64)),
        hnp.unicode_string_dtypes(endianness="=", min_len=1),
        hnp.datetime64_dtypes(endianness="="),
    ),
    hnp.array_shapes(min_dims=0, min_side=0),
)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | ARRAYS,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(st.text() | st.integers() | st.tuples(st.integers()), inner)
    ),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), PLAIN))
def test_plain_data_come_back(columns):
    assert same(unpack(pack(Stump(), columns))[1], columns)


def test_numbers_of_numpy_and_odd_floats_come_back():
    columns = {
        "numbers": [np.float64(0.1), np.int32(-3), np.str_("ab"), np.bool_(True), np.float32(1e-3)],
        "odd": [math.inf, -math.inf, -0.0, np.nan, 5e-324],
        "times": np.array(["2020-01-01", "NaT"], "M8[D]"),
        "rate": estimate_noise_rate(np.nan_to_num(table()[0]), table()[1], random_state=0),
    }
    assert same(unpack(pack(Stump(), columns))[1], columns)
    swapped = np.arange(3.0).astype(">f8")
    assert np.array_equal(unpack(pack(Stump(), {"a": swapped}))[1]["a"], swapped)


# Files


def test_saving_and_loading(tmp_path):
    model = boosted(AdaBoostClassifier())
    path = tmp_path / "model.nacre"
    path.write_text("an older one")
    assert save_model(model, path, {"label": "y"}) is None
    for given_path in (path, str(path)):
        other, columns = load_model(given_path)
        assert same(model, other)
        assert columns == {"label": "y"}
    assert os.listdir(tmp_path) == ["model.nacre"]
    assert os.stat(path).st_mode & 0o777 == 0o666 & ~current_umask()


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_other_tools_can_look_inside():
    model = boosted(AdaBoostClassifier())
    data = pack(model, None)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert json.loads(archive.read(HEADER)) == {
            "format": "nacre model",
            "version": 1,
            "nacre": nacre.__version__,
        }
        json.loads(archive.read(MODEL))
    with np.load(io.BytesIO(data)) as arrays:
        assert any(np.array_equal(arrays[name], model.estimator_weights_) for name in arrays.files
                   if name.startswith("arrays/"))  # fmt: skip


def test_the_same_model_has_the_same_bytes():
    assert pack(boosted(BOOSTERS["m1 of trees"]), None) == pack(
        boosted(BOOSTERS["m1 of trees"]), None
    )


def test_a_failure_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "model.nacre"
    save_model(Stump(), path)
    before = path.read_bytes()
    with pytest.raises(TypeError):
        save_model(AdaBoostClassifier(DecisionTreeClassifier()), path)

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        save_model(Tree(), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model.nacre"]


class Own(AdaBoostClassifier):
    pass


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (AdaBoostClassifier(DecisionTreeClassifier()), "estimator of AdaBoostClassifier is a Dec"),
        (GradientBoostClassifier(DecisionTreeRegressor()), "use a learner of nacre .* or joblib"),
        (VoteFilter([Stump(), LogisticRegression()]), "estimator of VoteFilter is a LogisticR"),
        (LogisticRegression(), "model is a LogisticRegression, which a model file cannot hold"),
        (AdaBoostClassifier(random_state=np.random.RandomState(0)), "random_state of AdaBoost"),
        (Own(), "model is a Own"),
        ("model", "model must be a model of nacre, got 'model'"),
    ],
    ids=range(7),
)
def test_what_cannot_be_saved(model, message):
    with pytest.raises(TypeError, match=message):
        pack(model, None)


@pytest.mark.parametrize("columns", [[1], {"a": {1, 2}}, {"a": b"bytes"}, {"a": np.array([[{}]])}])
def test_what_cannot_be_kept(columns):
    with pytest.raises(TypeError, match="columns"):
        pack(Stump(), columns)


# Files that are not as they should be


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


@pytest.fixture(scope="module")
def stump():
    return pack(clone(LEARNERS["stump"]).fit(*table()), None)


def with_header(**entries):
    return lambda data: changed(data, lambda header: header.update(entries), HEADER)


def with_content(change):
    return lambda data: changed(data, change)


def with_state(**parts):
    """A file whose last object, the estimator, has other parts."""
    return with_content(lambda content: content["objects"][-1]["state"].update(parts))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda _: b"", "m.nacre: not a model file of nacre"),
        (lambda _: b"a,b\n1,2\n", "not a model file of nacre"),
        (lambda _: b"\x80\x04\x95" + bytes(100), "not a model file of nacre"),
        (lambda _: seal({"other.json": b"{}"}), "not a model file of nacre"),
        (lambda data: data[:-1], "cut short"),
        (lambda data: data[: len(data) // 2], "cut short"),
        (lambda data: data + b"more", "cut short"),
        (lambda data: data.replace(b'"Stumps"', b'"Stumpy"'), "altered: its checksum"),
        (lambda data: sign(data.replace(b"PK\x01\x02", b"PK\x01\x03")), "damaged"),
        (with_header(version=2, nacre="9.9"), "format 2 of .* 9.9 writes: install a later version"),
        (with_header(version="1"), "damaged: it has no version"),
        (with_header(format="zip"), "damaged: it has no version"),
        (with_content(lambda m: m["objects"][0].update({"class": "Sun"})), "does not know Sun: in"),
        (with_content(lambda m: m.update(model={"object": 0})), "damaged: it has no model"),
        (with_content(lambda m: m.update(model={"object": 99})), "damaged: list index"),
        (with_content(lambda m: m.update(columns={"set": []})), "damaged: it holds {'set': "),
        (with_content(lambda m: m.pop("columns")), "damaged: 'columns'"),
        (with_state(power=1), "does not know power of Stump: install"),
        (with_state(predict=1), "damaged: predict is no part of a Stump"),
        (with_state(n_features_in_=3), "damaged: categories must be of the 3 columns"),
    ],
    ids=range(20),
)
def test_files_that_are_refused(tmp_path, stump, make, message):
    path = tmp_path / "m.nacre"
    path.write_bytes(make(stump))
    with pytest.raises(ValueError, match=message) as error:
        load_model(path)
    assert "\n" not in str(error.value)


def test_missing_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "none.nacre")


def test_a_file_without_a_later_parameter_has_its_default(stump):
    data = changed(stump, lambda m: m["objects"][-1]["state"].pop("max_bins"))
    assert unpack(data)[0].max_bins == 255


def test_files_do_not_unfold(stump):
    """Neither by compression, nor by naming one stretch of bytes often, nor by shapes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = b"sha256:" + bytes(64)
        archive.writestr(HEADER, bytes(10_000_000))
    with pytest.raises(ValueError, match="larger than it is"):
        unpack(sign(buffer.getvalue()))
    members = take_apart(stump)
    name = next(name for name in members if name.endswith(".npy"))
    for shape in (b"(10**9,)", b"(1000000000000,)", b"(0, 1000000000000)"):
        head, shape_of, rest = members[name].partition(b"'shape': (")
        other = head + shape_of + shape[1:] + rest[rest.index(b")") + 1 :]
        with pytest.raises(ValueError, match="damaged: an array"):
            unpack(seal(members | {name: other}))


def test_overlapping_members_are_refused():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.comment = b"sha256:" + bytes(64)
        archive.writestr(HEADER, bytes(1000))
        for i in range(100):
            copy = zipfile.ZipInfo(f"arrays/{i}.npy")
            copy.header_offset, copy.CRC = 0, archive.filelist[0].CRC
            copy.file_size = copy.compress_size = 1000
            archive.filelist.append(copy)
    with pytest.raises(ValueError, match="larger than it is"):
        unpack(sign(buffer.getvalue()))


def test_deep_nesting_is_refused(stump):
    members = take_apart(stump)
    deep = b'{"objects": [], "columns": null, "model": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    with pytest.raises(ValueError, match="damaged"):
        unpack(seal(members | {MODEL: deep}))


# Files written to do harm: every one gives a ValueError or a model that predicts


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


ODD = [
    None, True, -1, 0, 1, 2, 3, 7, 255, 2**31, 2**63, 10**30, 0.5, 1e300, "", "x", "feature", [],
    [1], {}, {"float": "nan"}, {"float": "-inf"}, {"tuple": []}, {"dict": []}, {"objects": []},
    {"class": "Tree"}, {"class": "Additive"}, {"dict": [[{"dict": []}, 1]]}, {"tuple": [9]},
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
        members[name] = file._npy(pick(rng, CHANGES)(array, rng))
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


def other_matrix(model):
    model._link = replace(model._link, matrix=np.eye(3))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m._members.clear(), "a model has members"),
        (lambda m: setattr(m, "_members", tuple(m._members)), "a model has members"),
        (lambda m: m._members.append(m._link), "members"),
        (lambda m: setattr(m, "_weights", m._weights[1:]), "members' weights"),
        (lambda m: setattr(m, "_weights", m._weights.tolist()), "members' weights"),
        (lambda m: setattr(m, "_link", m.noise_), "the link must be of 2 classes"),
        (other_matrix, "damaged"),
        (lambda m: setattr(m, "_members", small_nacre(3)._members), "members must be of 2 classes"),
        (lambda m: setattr(m, "n_features_in_", 3), "of the 3 columns"),
        (lambda m: setattr(m._members[0].forest, "shares", np.ones((2, 2))), "shares"),
        (lambda m: m._members[-1].runs.pop(), "every run has a start"),
        (lambda m: m._members[-1].runs.clear() or m._members[-1].starts.clear(), "every run"),
        (lambda m: m._members[-1].starts.__setitem__(0, np.ones(2)), "start"),
        (lambda m: m._members[-1].runs.__setitem__(0, m._link), "runs must be of trees"),
    ],
    ids=range(14),
)
def test_default_classifiers_that_do_not_fit_together(change, message):
    model = small_nacre()
    model._members.sort(key=lambda one: hasattr(one, "runs") - hasattr(one, "forest"))
    change(model)
    with pytest.raises(ValueError, match=message):
        again(model)


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
