"""The example of CONTRIBUTING is a real algorithm."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import nacre

TEXT = Path(__file__).parents[1] / "CONTRIBUTING.md"


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
