"""Model files: models come back as they were; files that are not as they should be."""

import io
import json
import math
import os
import sys
import zipfile
from types import ModuleType

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
    Stump,
    Tree,
    filters,
    load_model,
    save_model,
)
from nacre.boost import Forward
from nacre.data.storable import is_storable, storable
from nacre.filters import (
    Fraction,
    MarginFilter,
    NeighborFilter,
    Relabel,
    SaturationFilter,
    SurpriseFilter,
    VolumeFilter,
    VoteFilter,
    WeightFilter,
)
from nacre.noise import estimate_noise_rate
from nacre.persistence.arrays import narrow, widened
from nacre.persistence.container import HEADER, MODEL, pack, seal, unpack
from tests.models.boosters import BOOSTERS
from tests.persistence.model_files import (
    LEARNERS,
    boosted,
    changed,
    fitted,
    same,
    sign,
    small_nacre,
    table,
    take_apart,
)


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


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    [
        MarginFilter(),
        NeighborFilter(),
        SaturationFilter(),
        SurpriseFilter(NaiveBayes()),
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
    assert again(GradientBoostClassifier(loss=Forward(0.2))).loss == Forward(0.2)
    other = again(AdaBoostClassifier(Tree(max_depth=2), learning_rate=0.5))
    assert repr(other) == "AdaBoostClassifier(estimator=Tree(max_depth=2), learning_rate=0.5)"
    with pytest.raises(NotFittedError):
        other.predict(table()[0])


def test_every_public_estimator_may_be_stored():
    for module in (nacre, filters):
        for name in module.__all__:
            found = getattr(module, name)
            if isinstance(found, type) and issubclass(found, BaseEstimator):
                assert is_storable(found), name


@storable
class Holder(BaseEstimator):
    """Stands for an estimator that has no checks of its own."""

    def __init__(self, effort="full"):
        self.effort = effort


def test_estimators_of_plain_parts_need_no_code_of_their_own(monkeypatch):
    home = ModuleType("nacre.holder")
    home.Holder = Holder
    monkeypatch.setitem(sys.modules, "nacre.holder", home)
    monkeypatch.setattr(Holder, "__module__", "nacre.holder")
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
            "version": 3,
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
        (Holder(), "model is a Holder"),
        ("model", "model must be a model of nacre, got 'model'"),
    ],
    ids=range(8),
)
def test_what_cannot_be_saved(model, message):
    with pytest.raises(TypeError, match=message):
        pack(model, None)


@pytest.mark.parametrize("columns", [[1], {"a": {1, 2}}, {"a": b"bytes"}, {"a": np.array([[{}]])}])
def test_what_cannot_be_kept(columns):
    with pytest.raises(TypeError, match="columns"):
        pack(Stump(), columns)


# Files that are not as they should be


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
        (lambda data: data.replace(b"nacre model", b"nacre motel"), "altered: its checksum"),
        (lambda data: sign(data.replace(b"PK\x01\x02", b"PK\x01\x03")), "damaged"),
        (with_header(version=4, nacre="9.9"), "format 4 of .* 9.9 writes: install a later version"),
        (with_header(version="2"), "damaged: it has no version"),
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


def test_a_member_that_unfolds_further_than_it_says_is_cut_off(stump):
    """Sizes are promises of the file's: what goes beyond them is not unfolded."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = b"sha256:" + bytes(64)
        for name, data in take_apart(stump).items():
            archive.writestr(name, data + bytes(10_000_000) * (name == MODEL))
        archive.getinfo(MODEL).file_size = 400_000
    with pytest.raises(ValueError, match="damaged: Bad CRC"):
        unpack(sign(buffer.getvalue()))


def test_other_compressions_are_refused(stump):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_LZMA) as archive:
        archive.comment = b"sha256:" + bytes(64)
        for name, data in take_apart(stump).items():
            archive.writestr(name, data)
    with pytest.raises(ValueError, match="damaged: it is compressed in another way"):
        unpack(sign(buffer.getvalue()))


def test_members_that_would_unfold_too_far_are_stored():
    packed = seal({HEADER: b"{}", MODEL: bytes(10**6), "arrays/0.npy": bytes(range(100)) * 5})
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        kinds = [one.compress_type for one in archive.infolist()]
        assert kinds == [zipfile.ZIP_STORED, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]
        assert all(one.file_size <= 50 * one.compress_size for one in archive.infolist())


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([0, 255], "u1"), ([-1, 127], "i1"), ([0, 256], "u2"), ([-1, 2**40], "i8"), ([], "i8"),
        ([0.5, -0.0, np.inf, np.nan], "f4"), ([0.1], "f8"), ([1e300], "f8"), ([5e-324], "f8"),
    ],
)  # fmt: skip
def test_arrays_are_of_the_smallest_type(values, kind):
    array = np.array(values, np.int64 if kind[0] in "iu" else np.float64)
    less = narrow(array)
    assert less.dtype == kind
    again = widened(less, array.dtype.str)
    assert again.dtype == array.dtype
    assert again.tobytes() == array.tobytes()


@pytest.mark.parametrize("of", ["<f4", "|O", "<U9", "|b1", "f8", "<i8, <i8"])
def test_arrays_of_another_type_are_refused(of):
    with pytest.raises(ValueError, match="an array is not of its type"):
        widened(np.array([0.1]), of)


@pytest.mark.parametrize(
    ("stored", "of"),
    [("|u1", "<U9"), ("|u1", "|S9"), ("<U1", "<U9"), ("|u1", "<f8"), ("|b1", "<i8")],
)
def test_arrays_do_not_grow_beyond_what_they_were_made_of(stored, of):
    with pytest.raises(ValueError, match="an array is not of its type"):
        widened(np.zeros(3, stored), of)


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
