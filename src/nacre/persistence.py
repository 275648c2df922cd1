"""Model files: fitted models on disk, read again without running anything that the file brings.

A model file is a zip of ``nacre.json`` (what it is), ``model.json`` (the model) and an ``.npy``
file for each array, of the smallest type that holds its numbers; its last bytes are the SHA-256 of
all before. Members are compressed (deflate), none to less than a fiftieth: what says that it
unfolds further is refused before anything is unfolded, so that no small file becomes a large one.

Beside plain data a file may hold objects of classes of nacre that are marked ``@storable``. It
names them by their homes; ``MOVED`` says where classes of earlier versions are now, ``CONVERSIONS``
what became of their attributes.
"""

from __future__ import annotations

import hashlib
import inspect
import io
import json
import math
import os
import re
import zipfile
import zlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from nacre import __version__
from nacre.data.storable import is_storable
from nacre.data.training import MOST_FEATURES
from nacre.io.whole import whole_file

FORMAT = "nacre model"
VERSION = 3
HEADER, MODEL, ARRAY = "nacre.json", "model.json", "arrays/{}.npy"
SIGN = b"sha256:"
DIGEST = 64
LEVEL = 6
UNFOLDS = 50
"""A member of the archive is at most so many times as large as what is stored of it."""

CLASS = re.compile(r"(nacre(?:\.[a-z][a-z0-9_]*)+)\.([A-Z][A-Za-z0-9]*)")
"""A class in a file: the module of nacre that is its home, and its name."""

TYPE = r"[<|][biufSUmM][1-9]\d*(?:\[\w+\])?"
NPY = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '(%b)', 'fortran_order': False, 'shape': \(([\d, ]*)\), \} *\n"
    % TYPE.encode(),
    re.DOTALL,
)
LAST_CHARACTER = 0x10FFFF


def save_model(
    model: Any, path: str | os.PathLike[str], columns: dict[Any, Any] | None = None
) -> None:
    """Save a model to a file that is safe to share.

    The model comes back as it is: the same predictions to the last bit, parameters and fitted
    attributes. The same model gives the same bytes. A file that is there already is replaced once
    the new one is complete.

    Parameters
    ----------
    model : booster, learner or filter of nacre
    path : where to
        By custom, the name ends in ``.nacre``.
    columns : dict, optional
        Plain data to keep with the model, such as how its table was read.

    See Also
    --------
    load_model : Read it again.

    Notes
    -----
    Boosters over scikit-learn estimators cannot be saved: their classes are not nacre's, and only
    pickle could bring them back, which runs whatever a file says.

    Every version of nacre reads the files of all versions before it. Parameters that have been
    added since have their default values. A file of a later format, or one that holds a class or a
    parameter that this version does not know, is refused.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import AdaBoostClassifier, load_model, save_model
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, Path(folder) / "model.nacre", {"label": "diagnosis"})
    ...     again, columns = load_model(Path(folder) / "model.nacre")
    >>> bool((again.predict_proba(X) == model.predict_proba(X)).all()), columns
    (True, {'label': 'diagnosis'})
    """
    data = pack(model, columns)
    with whole_file(path) as half:
        half.write_bytes(data)


def load_model(path: str | os.PathLike[str]) -> tuple[Any, dict[Any, Any] | None]:
    """Read a model that :func:`save_model` has saved.

    No code of the file's is run, and what it says is checked: a file from anywhere gives a model or
    a ``ValueError``. (A checksum finds accidents. It does not tell who wrote the file.)

    Parameters
    ----------
    path : the file

    Returns
    -------
    model, columns
        As they were given to :func:`save_model`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from nacre import Stump, load_model, save_model
    >>> stump = Stump().fit([[1.0], [2.0], [3.0]], ["no", "yes", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(stump, Path(folder) / "model.nacre")
    ...     again, _ = load_model(Path(folder) / "model.nacre")
    >>> again.predict([[1.2], [2.2]]).tolist()
    ['no', 'yes']
    """
    try:
        if Path(path).exists() and not Path(path).is_file():
            raise ValueError("not a file.")
        return unpack(Path(path).read_bytes())
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from error


class Unknown(ValueError):
    """A file may be sound, but holds something that this version does not know."""

    def __init__(self, what: str) -> None:
        super().__init__(f"nacre {__version__} does not know {what}: install a later version.")


# The container


def pack(model: Any, columns: dict[Any, Any] | None) -> bytes:
    """The bytes of a model file."""
    if not isinstance(model, BaseEstimator):
        raise TypeError(f"model must be a model of nacre, got {model!r}.")
    if columns is not None and not isinstance(columns, dict):
        raise TypeError(f"columns must be a dict or None, got {columns!r}.")
    writer = Writer()
    content = {
        "model": writer.plain(model, "model"),
        "columns": writer.plain(columns, "columns"),
        "objects": writer.objects,
        "types": [_type(array) for array in writer.arrays],
    }
    header = {"format": FORMAT, "version": VERSION, "nacre": __version__}
    members = {HEADER: _json(header), MODEL: _json(content)}
    members |= {ARRAY.format(i): _npy(narrow(array)) for i, array in enumerate(writer.arrays)}
    return seal(members)


def seal(members: dict[str, bytes]) -> bytes:
    """An archive, and the checksum of all of it at the end."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.comment = SIGN + b"0" * DIGEST
        for name, data in members.items():
            entry = zipfile.ZipInfo(name)
            entry.create_system, entry.external_attr = 3, 0o644 << 16  # the same on any machine
            packed = zlib.compress(data, LEVEL, -zlib.MAX_WBITS)
            worth = name != HEADER and len(packed) < len(data) <= UNFOLDS * len(packed)
            entry.compress_type = zipfile.ZIP_DEFLATED if worth else zipfile.ZIP_STORED
            archive.writestr(entry, data, compresslevel=LEVEL)
    body = buffer.getvalue()[:-DIGEST]
    return body + hashlib.sha256(body).hexdigest().encode()


def unpack(data: bytes) -> tuple[Any, dict[Any, Any] | None]:
    """The model and what was kept with it; ValueError for anything but a sound file."""
    if data[:4] != b"PK\x03\x04" or data[30 : 30 + len(HEADER)] != HEADER.encode():
        raise ValueError("not a model file of nacre.")
    body, digest = data[:-DIGEST], data[-DIGEST:]
    if not body.endswith(SIGN):
        raise ValueError("the model file is cut short: copy it again.")
    if hashlib.sha256(body).hexdigest().encode() != digest:
        raise ValueError("the model file has been altered: its checksum does not fit.")
    try:
        members = _members(data)
        _check_version(json.loads(members[HEADER]))
        return _content(members)
    except (MemoryError, Unknown):
        raise
    except Exception as error:  # a checksum is no promise: parsers and checks may meet anything
        raise ValueError(f"the model file is damaged: {error}") from error


def _members(data: bytes) -> dict[str, bytes]:
    """The files of an archive; none is read before it is known how large all are."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if sum(one.compress_size for one in entries) > len(data) or any(
            one.file_size > UNFOLDS * one.compress_size for one in entries
        ):
            raise ValueError("it claims to be larger than it is.")
        return {one.filename: _member(archive, one) for one in entries}


def _member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """A file of an archive, no more of it than it says; ``ZipFile.read`` would unfold all."""
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError("it is compressed in another way.")
    with archive.open(entry) as file:
        data = file.read(entry.file_size)
    if len(data) != entry.file_size:
        raise ValueError("it is not as large as it says.")
    return data


def _check_version(header: dict[str, Any]) -> None:
    version = header["version"]
    if header["format"] != FORMAT or type(version) is not int or version < 1:
        raise ValueError("it has no version.")
    if version > VERSION:
        raise Unknown(f"format {version} of model files, which nacre {header['nacre']} writes")


def _content(members: dict[str, bytes]) -> tuple[Any, dict[Any, Any] | None]:
    content = json.loads(members[MODEL])
    arrays = [_array(members[ARRAY.format(i)]) for i in range(len(members) - 2)]
    if "types" in content:
        arrays = [widened(array, of) for array, of in zip(arrays, content["types"], strict=True)]
    reader = Reader(arrays)
    for one in content["objects"]:
        reader.add(one["class"], one["state"])
    model, columns = reader.thing(content["model"]), reader.thing(content["columns"])
    if not isinstance(model, BaseEstimator) or not isinstance(columns, dict | None):
        raise ValueError("it has no model.")
    return model, columns


def _json(content: dict[str, Any]) -> bytes:
    return json.dumps(content, allow_nan=False).encode()


# Arrays


def _npy(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    little = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(array.shape)
    np.lib.format.write_array(buffer, little, version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


def narrow(array: np.ndarray) -> np.ndarray:
    """The array as the smallest type from which its own gets the same bits back."""
    if array.dtype == np.int64 and array.size:
        low, high = int(array.min()), int(array.max())
        for kind in (np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32):
            if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
                return array.astype(kind)
    if array.dtype == np.float64:
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            less = array.astype(np.float32)
        if less.astype(np.float64).tobytes() == array.tobytes():
            return less
    return array


def widened(array: np.ndarray, of: str) -> np.ndarray:
    """An array of a type again, as which it was given."""
    if not re.fullmatch(TYPE, of) or not np.can_cast(array.dtype, np.dtype(of), "safe"):
        raise ValueError("an array is not of its type.")
    return array.astype(np.dtype(of).newbyteorder("="), copy=False)


def _array(data: bytes) -> np.ndarray:
    """An array from an ``.npy`` file, whose header must be as NumPy writes it."""
    header = NPY.match(data)
    if header is None:
        raise ValueError("an array has no header.")
    dtype = np.dtype(header[1].decode())
    shape = tuple(int(size) for size in header[2].split(b",") if size.strip())
    return _values(data[header.end() :], dtype, shape)


def _values(data: bytes, dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray:
    """An array of its own from bytes, without values that its type cannot have."""
    if len(data) != math.prod(shape) * dtype.itemsize:
        raise ValueError("an array is not as large as it says.")
    array = np.ndarray(shape, dtype, data).astype(dtype.newbyteorder("="))
    strange = (
        (dtype.kind == "b" and array.view(np.uint8).max(initial=0) > 1) or
        (dtype.kind == "U" and np.frombuffer(data, "<u4").max(initial=0) > LAST_CHARACTER)
    )  # fmt: skip
    if strange:
        raise ValueError(f"an array does not hold {dtype}.")
    return array


# The model as plain data


class Writer:
    """Turns a model into plain data: what JSON knows, arrays, and objects of known classes.

    What JSON does not know is an object of one entry, whose name says what it is. Arrays and
    objects are written once, and referred to by number.
    """

    def __init__(self) -> None:
        self.arrays: list[np.ndarray] = []
        self.objects: list[dict[str, Any]] = []
        self._met: dict[int, tuple[Any, dict[str, int]]] = {}

    def plain(self, thing: Any, where: str) -> Any:
        """A thing as plain data; ``where`` it is, for messages."""
        kind = type(thing)
        if thing is None or kind in (bool, int, str) or (kind is float and math.isfinite(thing)):
            return thing
        if kind is float:
            return {"float": str(thing)}
        if kind is list:
            return [self.plain(one, where) for one in thing]
        if kind is tuple:
            return {"tuple": [self.plain(one, where) for one in thing]}
        if kind is dict:
            return {"dict": [[self.plain(one, where) for one in pair] for pair in thing.items()]}
        if isinstance(thing, np.generic) and re.fullmatch(TYPE, _type(thing)):
            little = thing.astype(_type(thing))
            return {"scalar": [_type(thing), little.tobytes().hex()]}
        if kind is np.ndarray and thing.dtype == object and thing.ndim == 1:
            return {"objects": [self.plain(one, where) for one in thing.tolist()]}
        if isinstance(thing, type) and _is_known(thing):
            return {"class": _home(thing)}
        if id(thing) not in self._met:  # which keeps the thing, so that its id stays its own
            self._met[id(thing)] = thing, self._add(thing, where)
        return self._met[id(thing)][1]

    def _add(self, thing: Any, where: str) -> dict[str, int]:
        kind = type(thing)
        if kind is np.ndarray and re.fullmatch(TYPE, _type(thing)):
            self.arrays.append(thing)
            return {"array": len(self.arrays) - 1}
        if not _is_known(kind):
            raise TypeError(
                f"{where} is a {kind.__name__}, which a model file cannot hold: use a learner of "
                "nacre (Stump, Tree, NaiveBayes, Network) and plain parameters; or joblib or "
                "skops, and then load only files that you trust."
            )
        name = kind.__name__
        parts = thing.__getstate__() or {}
        state = {key: self.plain(part, f"{key} of {name}") for key, part in parts.items()}
        self.objects.append({"class": _home(kind), "state": state})
        return {"object": len(self.objects) - 1}


class Reader:
    """Turns plain data into what a :class:`Writer` was given."""

    def __init__(self, arrays: list[np.ndarray]) -> None:
        self.arrays = arrays
        self.objects: list[Any] = []

    def thing(self, node: Any) -> Any:
        """What a piece of plain data stands for."""
        match node:
            case None | bool() | int() | float() | str():
                return node
            case list():
                return [self.thing(one) for one in node]
            case {"float": "nan" | "inf" | "-inf" as text}:
                return float(text)
            case {"tuple": list(items)}:
                return tuple(self.thing(one) for one in items)
            case {"dict": list(pairs)}:
                return {self.thing(key): self.thing(value) for key, value in pairs}
            case {"scalar": [str(dtype), str(data)]} if re.fullmatch(TYPE, dtype):
                return _values(bytes.fromhex(data), np.dtype(dtype), ())[()]
            case {"objects": list(items)}:
                array = np.empty(len(items), object)
                for i, one in enumerate(items):
                    array[i] = self.thing(one)
                return array
            case {"class": str(name)}:
                return _class(name)
            case {"array": int(i)}:
                return self.arrays[i]
            case {"object": int(i)}:
                return self.objects[i]
        raise ValueError(f"it holds {str(node)[:50]}.")

    def add(self, name: str, state: dict[str, Any]) -> None:
        """Make an object whose parts are there already."""
        kind = _class(name)
        parts = {key: self.thing(part) for key, part in state.items()}
        if name in CONVERSIONS:
            parts = CONVERSIONS[name](parts)
        for key in parts:
            if hasattr(inspect.getattr_static(kind, key, None), "__get__"):
                raise ValueError(f"{key} is no part of a {kind.__name__}.")
        fitted = True
        if issubclass(kind, BaseEstimator):
            made = kind()
            fitted = any(_is_fitted(key) for key in parts)
            unknown = [key for key in parts if key not in vars(made) and not _is_fitted(key)]
            if unknown:
                raise Unknown(f"{unknown[0]} of {kind.__name__}")
        else:
            made = object.__new__(kind)
        getattr(made, "__setstate__", vars(made).update)(parts)
        if fitted and hasattr(kind, "_check_loaded"):
            made._check_loaded()
        self.objects.append(made)


def _type(thing: Any) -> str:
    """The type of an array or a NumPy number, as it is stored."""
    text: str = thing.dtype.newbyteorder("<").str
    return text


def _home(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _is_known(kind: type) -> bool:
    return is_storable(kind) and CLASS.fullmatch(_home(kind)) is not None


def _class(name: str) -> type:
    """A class of nacre that files may hold; nothing else that a file names is even looked at."""
    home = CLASS.fullmatch(MOVED.get(name, name))
    if home is None:
        raise Unknown(name[:50])
    try:
        kind = getattr(import_module(home[1]), home[2], None)
    except ModuleNotFoundError as error:
        raise Unknown(name[:50]) from error
    if not isinstance(kind, type) or not _is_known(kind) or _home(kind) != home[0]:
        raise Unknown(name[:50])
    return kind


def _is_fitted(name: str) -> bool:
    """Whether an attribute is set by ``fit``, going by its name."""
    return name.startswith("_") or name.endswith("_")


# Files of earlier versions

FORMAT_1 = {
    "nacre.boost.gradient": "Additive",
    "nacre.boost.result": "Run",
    "nacre.consensus.classifier": "NacreClassifier",
    "nacre.consensus.crossfit": "CrossFitted",
    "nacre.consensus.members": "BaggedTrees BayesFolds",
    "nacre.consensus.ridge": "Landmarks",
    "nacre.data.features": "Layout",
    "nacre.filters.cut": "Budget Consensus EstimatedRate Fraction Threshold",
    "nacre.filters.named": "MarginFilter NeighborFilter VolumeFilter VoteFilter WeightFilter",
    "nacre.filters.treat": "DownWeight Drop Relabel",
    "nacre.learners.branches": "Trees",
    "nacre.learners.naive_bayes": "BayesHypotheses NaiveBayes",
    "nacre.learners.network": "Network Networks",
    "nacre.learners.stump": "Stump Stumps",
    "nacre.learners.tree": "Tree",
    "nacre.models.adaboost": "AdaBoostClassifier",
    "nacre.models.aveboost": "AveBoostClassifier",
    "nacre.models.coreboost": "CoreBoostClassifier",
    "nacre.models.gentleboost": "GentleBoostClassifier",
    "nacre.models.gradientboost": "GradientBoostClassifier",
    "nacre.models.l2boost": "L2BoostClassifier",
    "nacre.models.logitboost": "LogitBoostClassifier",
    "nacre.models.marginboost": "MarginBoostClassifier",
    "nacre.models.pboost": "PBoostClassifier",
    "nacre.models.snrboost": "SNRBoostClassifier",
    "nacre.noise.quality": "NoiseRate",
}
"""Homes of the classes that format 1 (nacre 0.1) named without them. Not for new ones."""

MOVED = {name: f"{home}.{name}" for home, names in FORMAT_1.items() for name in names.split()} | {
    "Columns": "nacre.data.standardize.Standardizer",
    "Forest": "nacre.learners.binned.BinnedTrees",
    "nacre.consensus.crossfit.CrossFitted": "nacre.consensus.crossfit.CrossFitted",
    "nacre.consensus.forest.Forest": "nacre.learners.binned.BinnedTrees",
    "nacre.consensus.members.BaggedTrees": "nacre.consensus.members.BaggedTrees",
    "Link": "nacre.noise.noise_model.NoiseModel",
    "Mislabeled": "nacre.noise.quality.LabelQuality",
}
"""What classes were called in files of earlier versions, and what they are called now."""

State = dict[str, Any]


def _renamed(**names: str) -> Callable[[State], State]:
    return lambda state: {names.get(key, key): part for key, part in state.items()}


def _loss_of_parts(state: State) -> State:
    """``q`` and ``noise_rate`` were parameters beside ``loss``."""
    from nacre.boost.loss import Backward, CrossEntropy, Forward

    q, rate = state.pop("q", 0.7), state.pop("noise_rate", 0.1)
    match state.get("loss"):
        case "gce" if q != 0.7:
            return state | {"loss": CrossEntropy(q)}
        case "forward":
            return state | {"loss": Forward(rate)}
        case "backward":
            return state | {"loss": Backward(rate)}
    return state


def _run_of_trace(state: State) -> State:
    """A trace had six columns, whose meaning went by the family."""
    from nacre.boost.gradient import Additive
    from nacre.boost.result import Steps

    error, cost, shrink, vote, drive, memory = np.ascontiguousarray(state.pop("trace").T)
    state.pop("state")
    steps = Steps(shrink, vote, drive)
    gradient = isinstance(state["hypotheses"], Additive)
    return state | {
        "votes": steps.votes,
        "errors": error,
        "log_costs": None if gradient else cost,
        "losses": cost if gradient else None,
        "steps": None if gradient else steps,
        "staged_votes": None,
        "states": memory[:, None],
    }


def _noise_model_of_link(state: State) -> State:
    """A link had a temperature and shifts, left all overlap to the classes, kept what is rare."""
    from nacre.noise.noise_model import NEGLIGIBLE, POWERS

    steep, shift, weight = state["steep"], state["shift"], state["weight"]
    return state | {
        "weight": np.where(weight > NEGLIGIBLE, weight, 0.0),  # it had no say
        "slopes": np.ones(shift.shape),
        "shift": steep[:, None] * shift,
        "overlap": np.eye(len(POWERS))[np.zeros(len(steep), int)],
    }


def _binned_forest(state: State) -> State:
    """Trees had thresholds, and every node a row of shares."""
    from nacre.learners.binned import former_trees

    trees, shares = state["trees"], state["shares"]
    if len(shares) != trees.nodes:
        raise ValueError("shares must be of all nodes.")
    gains = trees.importances(np.full(len(trees), 1.0 / len(trees)), _width(trees))
    return former_trees(trees, shares[:, shares.shape[1] == 2 :], gains).__getstate__()


def _merged_runs(state: State) -> State:
    """Every fold had a run of its own, and every column of scores a tree a round."""
    from nacre.learners.binned import former_trees
    from nacre.learners.branches import Trees

    if "runs" not in state:
        return state
    runs, share = state["runs"], 1.0 / len(state["runs"])
    columns = runs[0].hypotheses.columns
    width = max(_width(run.hypotheses) for run in runs)
    trees, values, gains = [], [np.empty((0, columns))], np.zeros(width)
    for run in runs:
        for i, tree in enumerate(run.hypotheses.regressors):
            value = np.zeros((len(tree), columns))
            value[:, i % columns] = share * run.votes[i // columns] * tree.value
            trees.append(tree)
            values.append(value)
        gains += share * run.hypotheses.importances(run.votes, width)
    one = runs[0].hypotheses.regressors
    joint = Trees(trees, one.categories, one.n_classes)
    start = np.mean(state["starts"], axis=0)
    return {"trees": former_trees(joint, np.concatenate(values), gains), "start": start}


def _width(trees: Any) -> int:
    """How many columns trees know of: so many that an array may have a place for each."""
    if trees.width > MOST_FEATURES:
        raise ValueError(f"trees of more than {MOST_FEATURES} columns.")
    return int(trees.width)


CONVERSIONS: dict[str, Callable[[State], State]] = {
    "BaggedTrees": _renamed(forest="trees"),
    "CrossFitted": _merged_runs,
    "Forest": _binned_forest,
    "GradientBoostClassifier": _loss_of_parts,
    "Link": _noise_model_of_link,
    "Mislabeled": _renamed(behind="posterior"),
    "NacreClassifier": _renamed(_link="_noise_model"),
    "Run": _run_of_trace,
    "nacre.consensus.crossfit.CrossFitted": _merged_runs,
    "nacre.consensus.forest.Forest": _binned_forest,
    "nacre.consensus.members.BaggedTrees": _renamed(forest="trees"),
}
"""From the attributes under a former name, a key of ``MOVED``, to those of today."""
