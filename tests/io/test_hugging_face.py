"""Data sets of Hugging Face."""

import numpy as np
import pandas as pd
import pytest

from nacre import audit
from nacre.io import read_table

datasets = pytest.importorskip("datasets", reason="Hugging Face datasets is not here")


@pytest.fixture(scope="module")
def dataset():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    labels = y.copy()
    labels[::5] = 1 - labels[::5]
    columns = {"a": (8 * y + rng.normal(size=200)).round(3), "text": ["x"] * 200, "y": labels}
    kinds = datasets.Features(
        {
            "a": datasets.Value("float32"),
            "text": datasets.Value("string"),
            "y": datasets.ClassLabel(names=["ham", "spam"]),
        }
    )
    return datasets.Dataset.from_dict(columns, features=kinds)


def test_class_labels_come_by_name(dataset):
    frame = read_table(dataset)
    assert frame.columns == ["a", "text", "y"]
    assert frame["y"].to_list() == [["ham", "spam"][code] for code in dataset["y"]]


def test_a_selection_of_rows_is_heeded(dataset):
    some = dataset.shuffle(seed=0).select(range(10))
    assert read_table(some)["a"].to_list() == some["a"][:]


def test_no_label_is_none(dataset):
    kinds = dataset.features
    part = datasets.Dataset.from_dict({"a": [1.0, 2.0], "text": ["", ""], "y": [-1, 1]}, kinds)
    assert read_table(part)["y"].to_list() == [None, "spam"]


@pytest.mark.slow
def test_an_audit_gives_data_sets_back(dataset, tmp_path):
    found = audit(dataset, label="y", effort="fast")
    assert isinstance(found.cleaned, datasets.Dataset)
    assert found.cleaned.features["y"].names == ["ham", "spam"]
    assert found.cleaned["y"][:] == dataset["y"][:]
    rows = found.suspects["row"][:]
    assert len(rows) > 20
    assert np.mean(np.array(rows) % 5 == 0) > 0.9
    same = audit(dataset.to_pandas().assign(y=pd.Series(read_table(dataset)["y"].to_list())),
                 label="y", effort="fast")  # fmt: skip
    assert same.summary["noise"] == found.summary["noise"]
    found.save(tmp_path / "out")
    found.to_label_studio(tmp_path / "tasks.json")
    assert (tmp_path / "out" / "cleaned.csv").read_text().count("\n") == 201


def test_what_is_no_table_is_refused(dataset):
    with pytest.raises(ValueError, match="take one of them: 'train', 'test'"):
        read_table(datasets.DatasetDict({"train": dataset, "test": dataset}))
    with pytest.raises(ValueError, match="without streaming"):
        read_table(dataset.to_iterable_dataset())
    with pytest.raises(TypeError, match="cannot be made of a ClassLabel"):
        read_table(datasets.ClassLabel(names=["a"]))
