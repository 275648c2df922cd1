"""What the package shows to the world."""

import inspect
import re
import subprocess
import sys
import warnings
from importlib import import_module

import pytest

import nacre

CLASSES = (
    "AdaBoostClassifier",
    "AveBoostClassifier",
    "CoreBoostClassifier",
    "GentleBoostClassifier",
    "GradientBoostClassifier",
    "L2BoostClassifier",
    "LogitBoostClassifier",
    "MarginBoostClassifier",
    "NacreClassifier",
    "NaiveBayes",
    "Network",
    "PBoostClassifier",
    "SNRBoostClassifier",
    "Stump",
    "Tree",
)
FUNCTIONS = ("audit", "find_mislabeled", "load_model", "save_model")
MODULES = {
    "nacre.noise": None,
    "nacre.filters": None,
    "nacre.diagnostics": None,
    "nacre.datasets": None,
    "nacre.io": None,
    "nacre.data": ("Schema",),
}
"""Modules with public names of their own: these, or all that ``__all__`` has."""

NAMED = [
    (module, name)
    for module, names in MODULES.items()
    for name in names or import_module(module).__all__
]


def test_the_public_names():
    assert sorted(nacre.__all__) == sorted([*CLASSES, *FUNCTIONS, "__version__"])
    assert sorted(dir(nacre)) == sorted(nacre.__all__)


@pytest.mark.parametrize("name", CLASSES)
def test_public_names_can_be_imported(name):
    found = getattr(nacre, name)
    assert inspect.isclass(found)
    assert found.__name__ == name


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match="module 'nacre' has no attribute 'Nothing'"):
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
