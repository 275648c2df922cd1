"""Files found, read, checked, or missed in one clear line."""

import csv
import gzip
from urllib.error import URLError

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.utils import Bunch

from nacre import AdaBoostClassifier
from nacre.datasets import load
from nacre.datasets.files import KNOWN, MADE, from_openml

ORIGINAL = "wisconsin-breast-cancer-original"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder of data sets, an empty cache, and no network."""

    def no_network(**_):
        raise URLError("no network in tests")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", no_network)
    monkeypatch.setenv("NACRE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "data").mkdir()
    (tmp_path / "cache" / "nacre").mkdir(parents=True)
    return tmp_path


def write(path, header, rows):
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def original_rows():
    """As many rows as the real set has, with its identifier and its gaps."""
    labels = ["benign"] * 458 + ["malignant"] * 241
    rows = [[1000 + i, *((i + j) % 10 + 1 for j in range(9)), y] for i, y in enumerate(labels)]
    for row in rows[:16]:
        row[6] = ""
    return ["id", *(f"f{j}" for j in range(9)), "label"], rows


def test_a_file_is_read_with_its_gaps_and_without_its_identifier(folder):
    write(folder / "data" / f"{ORIGINAL}.csv.gz", *original_rows())
    data = load(ORIGINAL)
    assert data.name == ORIGINAL
    assert data.X.shape == (699, 9)
    assert data.features == tuple(f"f{j}" for j in range(9))
    assert data.categorical == ()
    assert np.isnan(data.X).sum() == 16 == np.isnan(data.X[:16, 5]).sum()
    assert data.X[20].tolist() == [(20 + j) % 10 + 1 for j in range(9)]
    assert data.y[[0, -1]].tolist() == ["benign", "malignant"]


def test_the_cache_folder_is_looked_into_too(folder, monkeypatch):
    write(folder / "cache" / "nacre" / f"{ORIGINAL}.csv.gz", *original_rows())
    assert len(load(ORIGINAL).y) == 699
    monkeypatch.delenv("NACRE_DATA")
    assert len(load(ORIGINAL).y) == 699


def test_categories_and_labels_that_are_numbers(folder):
    labels = ["-1"] * 2924 + ["1"] * 2376
    rows = [[["red", "blue", ""][i % 3], i, label] for i, label in enumerate(labels)]
    write(folder / "data" / "banana.csv.gz", ["colour", "size", "label"], rows)
    data = load("banana")
    assert data.categorical == (0,)
    assert data.levels == {0: ("blue", "red")}
    assert_array_equal(data.X[:3, 0], [1.0, 0.0, np.nan])
    assert data.y.dtype.kind == "i"
    assert (data.y == 1).sum() == 2376


def test_the_parts_of_adult_share_their_categories(folder):
    counts = {"train": (24720, 7841), "test": (12435, 3846)}
    for part, (poor, rich) in counts.items():
        labels = ["<=50K"] * poor + [">50K"] * rich
        country = "Holland" if part == "train" else "Peru"
        rows = [[*([1] * 13), country, label] for label in labels]
        header = [*(f"f{j}" for j in range(14)), "label"]
        write(folder / "data" / f"adult-{part}.csv.gz", header, rows)
    data = load("adult")
    assert data.levels == {13: ("Holland", "Peru")}
    assert data.X[:, 13].tolist() == [0.0] * 32561 + [1.0] * 16281


def test_a_missing_file_gets_a_line_on_where_to_put_it(folder):
    with pytest.raises(FileNotFoundError) as caught:
        load("sonar")
    message = str(caught.value)
    assert "\n" not in message
    assert "put sonar.csv.gz" in message
    assert str(folder / "cache" / "nacre") in message
    assert "NACRE_DATA" in message
    assert "no network in tests" in message
    with pytest.raises(FileNotFoundError, match=r"no copy of it on OpenML is known"):
        load("wisconsin-breast-cancer-prognostic")
    with pytest.raises(FileNotFoundError, match=r"adult-train.csv.gz and adult-test.csv.gz"):
        load("adult")


def test_unknown_names_get_near_ones():
    with pytest.raises(ValueError, match=r"no data set 'sonor': did you mean sonar\?$"):
        load("sonor")
    with pytest.raises(ValueError, match=r"no data set 'xyzzy': did you mean adult or"):
        load("xyzzy")


def test_other_data_under_a_known_name_are_refused(folder):
    header, rows = original_rows()
    write(folder / "data" / f"{ORIGINAL}.csv.gz", header, rows[:-1])
    with pytest.raises(ValueError, match=r"is not the data set wisconsin.*\(458, 240\)"):
        load(ORIGINAL)
    write(folder / "data" / f"{ORIGINAL}.csv.gz", [*header[:-1], "class"], rows)
    with pytest.raises(ValueError, match="must be 'label', not 'class'"):
        load(ORIGINAL)


def test_what_openml_sends(folder, monkeypatch):
    """In the form that scikit-learn gives it: codes of nominal columns, and their names."""
    labels = np.array(["+"] * 53 + ["-"] * 53)
    names = ["instance", *(f"p{j}" for j in range(57))]
    sent = Bunch(
        data=np.column_stack([np.arange(106), np.tile(np.arange(106)[:, None] % 4, 57)]),
        target=labels,
        feature_names=names,
        categories={name: list("acgt") for name in names[1:]},
    )
    data = from_openml("promoters", sent)
    assert data.X.shape == (106, 57)
    assert data.features == tuple(names[1:])
    assert data.categorical == tuple(range(57))
    assert data.levels[3] == ("a", "c", "g", "t")
    assert data.X[5, 0] == 1.0
    asked = {}

    def send(**wanted):
        asked.update(wanted)
        return sent

    monkeypatch.setattr("sklearn.datasets.fetch_openml", send)
    assert_array_equal(load("promoters").y, labels)
    assert asked["data_id"] == KNOWN["promoters"].openml


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted([*MADE, *KNOWN]))
def test_every_set(name, datasets):
    data = load(name)
    assert len(data.X) == len(data.y)
    assert data.X.shape[1] == len(data.features)
    assert not {"id", "name"} & set(data.features)
    assert tuple(data.levels) == data.categorical
    for j, levels in data.levels.items():
        codes = data.X[:, j][~np.isnan(data.X[:, j])]
        assert set(codes.tolist()) == set(range(len(levels)))


def test_a_booster_takes_it_as_it_is(datasets):
    data = load("german-credit")
    model = AdaBoostClassifier(n_estimators=20, categorical_features=data.categorical)
    assert model.fit(data.X, data.y).score(data.X, data.y) > 0.74
