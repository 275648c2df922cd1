"""The example of CONTRIBUTING is a real algorithm, and its walk names real files."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import nacre

TEXT = Path(__file__).parents[1] / "CONTRIBUTING.md"
SOURCE = Path(nacre.__file__).parent


def test_a_new_algorithm_in_ten_lines():
    if not TEXT.exists():
        pytest.skip("CONTRIBUTING.md is not beside the tests")
    (code,) = re.findall(r"```python\n(.*?)```", TEXT.read_text(), re.DOTALL)
    found = {}
    exec(code, found)
    X, y = load_breast_cancer(return_X_y=True)
    own = found["AveBoost2"](n_estimators=20).fit(X, y)
    ours = nacre.AveBoostClassifier(n_estimators=20).fit(X, y)
    np.testing.assert_array_equal(own.decision_function(X), ours.decision_function(X))


def test_the_walk_names_each_file_once_and_all_of_them_are_there():
    if not TEXT.exists():
        pytest.skip("CONTRIBUTING.md is not beside the tests")
    walk = TEXT.read_text(encoding="utf-8").split("## A walk")[1].split("\n## ")[0]
    files = re.findall(r"`([\w/]+\.py)`", walk)
    assert len(files) == len(set(files)) > 25
    assert [name for name in files if not (SOURCE / name).exists()] == []
    audit = {f"auditing/{path.name}" for path in (SOURCE / "auditing").glob("*.py")}
    aside = {"auditing/__init__.py", "auditing/demo.py", "auditing/predictions.py"}
    assert audit - aside <= set(files)
