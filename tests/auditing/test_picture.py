"""What a suspect's picture shows, in plain data."""

import numpy as np
import pandas as pd
import pytest

from nacre import audit
from nacre.auditing.picture import _evidence
from nacre.noise import flip_labels


def test_the_strongest_columns_and_all_else():
    parts = np.array([0.1, -2.0, 0.0, 0.4, 0.2, 0.3, 1.0])
    found = _evidence(parts, 0.5, list("abcdefg"))
    assert [name for name, _ in found["columns"]] == ["b", "g", "d", "f", "e"]
    assert found["total"] == pytest.approx(parts.sum() + 0.5)
    assert sum(part for _, part in found["columns"]) + found["rest"] == pytest.approx(
        found["total"]
    )


def test_columns_that_say_nothing_have_no_bar():
    assert _evidence(np.array([0.0, 1.0]), 0.0, ["a", "b"])["columns"] == [["b", 1.0]]


@pytest.mark.slow
def test_of_an_audit():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.normal(size=200), "random": rng.normal(size=200)})
    X["when"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 999, 200), unit="D")
    truth = np.where(X["size"] > 0, "large", "small")
    X["label"], flipped = flip_labels(truth, 0.1, random_state=0)
    summary = audit(X, label="label", effort="fast").to_dict()
    rows = summary["suspects"]["rows"]
    suspects = {one["row"] for one in rows}
    assert len(rows) > 10
    for one in rows:
        if one["row"] in np.flatnonzero(flipped):
            assert one["evidence"]["total"] > 0
            assert one["evidence"]["columns"][0][0] == "size"
        near = one["nearest"]
        assert near["row"] not in suspects
        assert X["label"][near["row"]] == one["suggested"] == near["values"][3]
    used = {one["name"]: one["importance"] for one in summary["features"]}
    assert list(used) == sorted(used, key=lambda name: -used[name])
    assert used["size"] > 0.9
    assert used["when"] < 0.05  # by gain, random dates had a fifth
