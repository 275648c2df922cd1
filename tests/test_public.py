"""What the package shows to the world."""

import inspect
import re
import subprocess
import sys

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
