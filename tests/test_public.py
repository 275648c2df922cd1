"""What the package shows to the world."""

import inspect
import pickle
import pkgutil
import re
import subprocess
import sys
import tomllib
import warnings
from importlib import import_module
from pathlib import Path

import pytest
from sklearn.base import clone

import nacre
import nacre.filters
from nacre.filters.base import LabelFilter
from nacre.learners.base import Learner
from nacre.models.base import BoostClassifier
from nacre.models.docs import complete

CLASSES = [name for name in nacre.__all__ if inspect.isclass(getattr(nacre, name))]
FUNCTIONS = [name for name in nacre.__all__ if inspect.isfunction(getattr(nacre, name))]
MODULES = {
    "nacre.noise": None,
    "nacre.filters": None,
    "nacre.diagnostics": None,
    "nacre.export": None,
    "nacre.datasets": None,
    "nacre.dask": None,
    "nacre.io": None,
    "nacre.data": ("Schema",),
}
"""Modules with public names of their own: these, or all that ``__all__`` has."""

NAMED = [
    (module, name)
    for module, names in MODULES.items()
    for name in names or import_module(module).__all__
]


def concrete(base):
    """The classes of nacre that make a kind of estimator."""
    for kind in base.__subclasses__():
        yield from concrete(kind)
        if not inspect.isabstract(kind) and kind.__module__.startswith("nacre."):
            yield kind


def test_the_public_names():
    assert sorted([*CLASSES, *FUNCTIONS]) == sorted(nacre.__all__) == sorted(dir(nacre))
    assert {"NacreClassifier", "audit", "find_mislabeled", "load_model"} <= set(nacre.__all__)


@pytest.mark.parametrize(
    ("folder", "base"),
    [("models", BoostClassifier), ("learners", Learner), ("filters", LabelFilter)],
)
def test_no_estimator_is_forgotten(folder, base):
    """Every booster, learner and filter that there is can be imported by its name."""
    for module in pkgutil.iter_modules(import_module(f"nacre.{folder}").__path__):
        import_module(f"nacre.{folder}.{module.name}")
    public = nacre.filters if folder == "filters" else nacre
    kinds = [kind for kind in concrete(base) if kind.__module__.startswith(f"nacre.{folder}.")]
    found = {kind.__name__ for kind in kinds}  # papers may have some of their own
    assert len(found) >= 4
    assert found <= set(public.__all__)


@pytest.mark.parametrize("name", CLASSES)
def test_public_names_can_be_imported(name):
    found = getattr(nacre, name)
    assert inspect.isclass(found)
    assert found.__name__ == name


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match=r"nacre.*Nothing"):
        _ = nacre.Nothing


def test_the_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+|(a|b|rc)\d+)?", nacre.__version__)


@pytest.mark.parametrize("statement", ["import nacre", "import nacre.cli"])
def test_importing_is_quick(statement):
    """Heavy packages are loaded when they are first needed."""
    heavy = "numba", "sklearn", "scipy", "numpy", "pandas", "polars", "joblib", "matplotlib"
    code = f"{statement}; import sys; print(*set(sys.modules) & {set(heavy)})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


@pytest.mark.slow
def test_names_are_loaded_on_first_use():
    code = "import nacre, sys; nacre.Stump; print('sklearn' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "True"


@pytest.mark.parametrize("name", CLASSES)
def test_classes_are_documented(name):
    documented = getattr(nacre, name)
    text = inspect.getdoc(documented)
    for section in ("Parameters", "Attributes", "Examples"):
        assert f"{section}\n{'-' * len(section)}\n" in text
    assert re.search(rf">>> from nacre import (\w+, )*{name}\b", text)
    for parameter in inspect.signature(documented).parameters:
        assert re.search(rf"^(\w+, )*{parameter}(, \w+)*( : |$)", text, re.MULTILINE), parameter


BOOSTERS = [name for name in CLASSES if issubclass(getattr(nacre, name), BoostClassifier)]


@pytest.mark.parametrize("name", BOOSTERS)
def test_signatures(name):
    """``estimator`` and ``n_estimators`` may be given by place, all else by name."""
    kind = getattr(nacre, name)
    first, second, *others = inspect.signature(kind).parameters.values()
    assert (first.name, first.default) == ("estimator", None)
    assert (second.name, second.default) == ("n_estimators", 100)
    assert {one.kind for one in (first, second)} == {first.POSITIONAL_OR_KEYWORD}
    assert {one.kind for one in others} == {first.KEYWORD_ONLY}
    made = kind(nacre.Stump(), 3, random_state=1)
    assert set(made.get_params(deep=False)) == set(inspect.signature(kind).parameters)
    again = pickle.loads(pickle.dumps(clone(made)))
    assert repr(again) == f"{name}(estimator=Stump(), n_estimators=3, random_state=1)"
    assert name in again._repr_html_()
    assert again != made
    assert len({again, made}) == 2


@pytest.mark.parametrize("name", BOOSTERS)
def test_no_two_entries_describe_the_same(name):
    text = inspect.getdoc(getattr(nacre, name))
    for section in ("Parameters", "Attributes"):
        body = text.split(f"{section}\n{'-' * len(section)}\n")[1].split("\n\n")[0]
        heads = [line.split(" : ")[0] for line in body.splitlines() if not line.startswith(" ")]
        names = [one for head in heads for one in head.split(", ")]
        assert sorted(names) == sorted(set(names))


def test_docstrings_are_completed():
    base = """A base.

    Parameters
    ----------
    a : int
        First.
    b, c : ints

    Returns
    -------
    self
    """
    own = """An own thing.

    Parameters
    ----------
    d : str
        New.
    b : float
        Other.

    Notes
    -----
    A note.
    """
    assert complete(own, base, ["a"]) == (
        "An own thing.\n\nParameters\n----------\na : int\n    First.\nd : str\n    New.\n"
        "b : float\n    Other.\n\nReturns\n-------\nself\n\nNotes\n-----\nA note."
    )


def test_docstrings_may_be_left_out():
    code = "from nacre import CoreBoostClassifier as Core; print(Core(n_jobs=2), Core.fit.__doc__)"
    words = [sys.executable, "-OO", "-c", code]
    run = subprocess.run(words, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["CoreBoostClassifier(n_jobs=2)", "None"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_documented(name):
    documented = getattr(nacre, name)
    text = inspect.getdoc(documented)
    assert re.search(rf">>> from nacre import (\w+, )*{name}\b", text)
    for parameter in inspect.signature(documented).parameters:
        assert re.search(rf"^{parameter} : ", text, re.MULTILINE), parameter


@pytest.mark.parametrize("name", CLASSES)
def test_public_methods_are_documented(name):
    for owner in getattr(nacre, name).__mro__:
        if owner.__module__.startswith("nacre."):
            for method, found in vars(owner).items():
                assert method.startswith("_") or not callable(found) or inspect.getdoc(found)


@pytest.mark.parametrize(("module", "name"), NAMED)
def test_names_of_modules_are_documented(module, name):
    """Every parameter, what is returned, and an example of every function."""
    documented = getattr(import_module(module), name)
    text = inspect.getdoc(documented)
    for parameter in inspect.signature(documented).parameters:
        assert re.search(rf"^(\w+, )*{parameter}(, \w+)*( : |$)", text, re.MULTILINE), parameter
    if inspect.isfunction(documented):
        assert "Examples\n--------\n" in text
        assert re.search(rf">>> from {module} import (\w+, )*{name}\b", text)
        returns = inspect.signature(documented).return_annotation
        assert ("Returns\n-------\n" in text) == (returns not in ("None", None))


@pytest.mark.parametrize("name", [name for name in CLASSES if name.endswith("Classifier")])
def test_fitted_attributes_are_documented(name):
    X = [[0.1 * i, float(i % 3)] for i in range(40)]
    y = [int(i > 18) for i in range(40)]
    model = getattr(nacre, name)(random_state=0)
    if "n_iter_no_change" in model.get_params():
        model.set_params(n_estimators=5, n_iter_no_change=2)
    else:
        model.set_params(effort="fast")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model.fit(X, y)
    found = {one for one in vars(model) if one.endswith("_") and not one.startswith("_")}
    text = inspect.getdoc(model).split("Attributes\n----------\n")[1]
    documented = set(re.findall(r"\b\w+_\b", text.split("\nNotes\n")[0]))
    assert found | {"feature_importances_"} <= documented


@pytest.mark.parametrize(
    "function", [nacre.find_mislabeled, nacre.NacreClassifier.fit, nacre.CoreBoostClassifier.fit]
)
def test_trusted_rows_are_always_given_by_name(function):
    """The third place is that of ``sample_weight`` in scikit-learn."""
    clean = inspect.signature(function).parameters["clean"]
    assert clean.kind is inspect.Parameter.KEYWORD_ONLY


def test_messages_name_the_distribution():
    """It is not called as the package, whose name another distribution has."""
    root = Path(nacre.__file__).parents[2]
    if not (root / "pyproject.toml").exists():
        pytest.skip("the sources are not here")
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    named = set()
    for path in (root / "src").rglob("*.py"):
        named |= set(re.findall(r"pip install '([\w-]+)\\*\[(\w+)\]", path.read_text()))
    for needs in extras.values():
        for distribution, some in re.findall(r"\b(nacre[\w-]*)\[([\w,]+)\]", " ".join(needs)):
            named |= {(distribution, one) for one in some.split(",")}
    assert named
    assert {distribution for distribution, _ in named} == {project["name"]}
    assert {extra for _, extra in named} <= set(extras)
    assert "plot" in extras["cli"][0]
