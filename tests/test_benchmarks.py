"""The robustness benchmark: its noise, its arithmetic, and a small run of the whole."""

import gzip
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import nacre
from nacre.experiments.run import measure_cell
from nacre.noise import NoiseRate

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not BENCHMARKS.exists(), reason="the benchmarks are not beside the tests"),
]


@pytest.fixture
def robustness(monkeypatch):
    """Import a module of the benchmark."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    return lambda name: importlib.import_module(f"robustness.{name}")


def test_no_set_is_in_two_groups(robustness):
    data = robustness("data")
    assert len(data.SETS) == len(set(data.SETS)) == 51 + 37
    assert len(data.GROUPS["R packages"]) == 37
    assert (len(data.GROUPS["tuning"]), len(data.REPORTING)) == (20, 30)
    assert not set(data.REPORTING) & set(data.GROUPS["tuning"])
    assert set(data.QUICK) < set(data.REPORTING)
    assert set(data.REAL) < set(data.SETS)


def test_a_vote_of_columns_settles_the_data_of_long_and_servedio(robustness):
    X, y = robustness("tables").make_long_servedio(500, random_state=0)
    assert np.all(np.sign(X.sum(axis=1)) == y)
    assert set(np.unique((X * y[:, None]).sum(axis=1))) == {1.0, 21.0}


def test_rows_to_test_on_are_others_than_those_to_train_on(robustness):
    split = robustness("data").draw("ring", seed=3)
    assert (len(split.y), len(split.y_test)) == (700, 2000)
    both = np.vstack([split.X, split.X_test])
    assert len(np.unique(both, axis=0)) == 2700


@pytest.mark.parametrize("name", ["ring", "wine"])
def test_the_share_of_wrong_labels_is_that_of_the_noise(robustness, name):
    split = robustness("data").draw(name, seed=0)
    noise = robustness("noise")
    for kind, level in noise.NOISES:
        if not noise.suits(name, kind):
            continue
        given, flipped, clean = noise.spoil(split, kind, level, seed=1)
        np.testing.assert_array_equal(flipped, given != split.y)
        shares = [flipped[split.y == k].mean() for k in range(split.n_classes)]
        if kind == "symmetric":
            assert flipped.mean() == pytest.approx(level, abs=0.01)
        elif kind == "imbalanced":
            assert shares == pytest.approx([level] * 2, abs=0.01)
        elif kind == "one class":
            assert sorted(shares)[-2] == 0.0
            assert max(shares) == pytest.approx(level, abs=0.02)
        elif kind == "trusted":
            assert clean.mean() == pytest.approx(noise.TRUSTED, abs=0.01)
            assert not flipped[clean].any()
            assert flipped[~clean].mean() == pytest.approx(level, abs=0.01)
        elif split.n_classes == 2 and kind == "by class":
            assert sorted(shares) == pytest.approx([0.05, 0.3], abs=0.01)
    with pytest.raises(ValueError, match="no noise 'other'"):
        noise.spoil(split, "other", 0.1, seed=1)


def test_flips_near_the_boundary_are_near_the_boundary(robustness):
    noise = robustness("noise")
    split = robustness("data").draw("ring", seed=0)
    off = np.abs(np.hypot(*(split.X - 0.5).T) - np.sqrt(0.125))
    near = off < np.median(off)
    many = [noise.spoil(split, "boundary", 0.2, seed)[1] for seed in range(20)]
    chance = np.mean(many, axis=0)
    assert chance.mean() == pytest.approx(0.2, abs=0.02)
    assert chance[near].mean() > 2 * chance[~near].mean()


def test_flips_along_the_columns_grow_to_a_half_with_a_direction(robustness):
    data, noise = robustness("data"), robustness("noise")
    X = np.random.default_rng(0).normal(size=(3000, 1))
    split = data.Split(X, np.arange(3000) % 2, X, np.arange(3000) % 2, [])
    _, flipped, _ = noise.spoil(split, "along the columns", 0.25, seed=0)
    low, middle, high = (flipped[part].mean() for part in np.array_split(X[:, 0].argsort(), 3))
    assert sorted([low, high]) == pytest.approx([1 / 12, 5 / 12], abs=0.04)
    assert middle == pytest.approx(0.25, abs=0.04)


def test_uneven_classes_are_so_in_training_and_test_rows(robustness):
    data, tables = robustness("data"), robustness("tables")
    split = data.draw("ring", 0, uneven=True)
    assert (len(split.y), len(split.y_test)) == (700, 2000)
    assert [np.bincount(y).min() for y in (split.y, split.y_test)] == [70, 200]
    small = tables.Table(np.zeros((106, 1)), np.arange(106) % 2, [])
    with pytest.raises(ValueError, match="Only 6 rows of the rarer class"):
        data.thinned(small, 0)


def test_labels_really_given_come_from_the_file(robustness, monkeypatch, tmp_path):
    tables, data, noise = (robustness(name) for name in ("tables", "data", "noise"))
    monkeypatch.setenv("NACRE_DATA", str(tmp_path))
    lines = ["age,shape,margin,density,birads,noisy_label,label"]
    for row in range(90):
        noisy = ("", "sick", "well")[row % 3]
        lines.append(f"{row},round,{row % 2 or ''},2,5,{noisy},{'sick' if row % 2 else 'well'}")
    with gzip.open(tmp_path / "mammographic.csv.gz", "wt") as file:
        file.write("\n".join(lines))
    tables.whole.cache_clear()
    data.draw.cache_clear()
    split = data.draw("mammographic", 0)
    assert split.X.shape == (40, 4)  # two thirds of the labelled, without birads
    assert split.categorical == [1]
    assert np.isnan(split.X[:, 2]).sum() == (split.y == 1).sum()  # well, on even rows
    given, flipped, _ = noise.spoil(split, "real", 0.0, 0)
    np.testing.assert_array_equal(given, (split.X[:, 0] % 3 == 2).astype(int))
    np.testing.assert_array_equal(flipped, given != split.y)
    (line,) = tables.missing(["mammographic", "ring", "htru2"]).values()
    assert "put htru2.csv.gz" in line
    tables.whole.cache_clear()
    data.draw.cache_clear()


def test_texts_become_the_same_features_for_everyone(robustness):
    rng = np.random.default_rng(0)
    words = np.array([f"word{k}" for k in range(120)])
    text = np.array([" ".join(rng.choice(words, 20)) for _ in range(90)], object)
    X, X_test = robustness("data").topics(text[:60], text[60:])
    assert (X.shape, X_test.shape) == ((60, 50), (30, 50))
    again, _ = robustness("data").topics(text[:60], text[:3])
    np.testing.assert_allclose(X, again, atol=1e-8)  # test rows play no part


def test_what_is_recorded_of_predictions(robustness):
    y = np.array([0, 0, 0, 1])
    chances = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.3, 0.7]])
    found = robustness("metrics").of_predictions(
        np.array([0, 0, 1, 1]), chances, np.arange(2), y, K=2
    )
    assert found["error"] == 0.25
    assert found["balanced_error"] == pytest.approx(1 / 6)
    assert found["auc"] == pytest.approx(2 / 3)
    # A model that has seen one class only
    found = robustness("metrics").of_predictions(
        np.zeros(4, int), np.ones((4, 1)), np.zeros(1), y, K=3
    )
    assert (found["auc"], found["balanced_error"]) == (0.5, 0.5)


def test_what_is_recorded_of_the_queue(robustness):
    class Model:
        label_quality_ = np.array([0.9, 0.1, 0.2, 0.3, 0.4, 0.9])
        suspects_ = np.array([1, 2, 3, 4])
        noise_rate_ = 0.5
        noise_ = NoiseRate(0.5, (0.4, 0.6), np.eye(2), np.arange(2))

    flipped = np.array([True, True, False, True, False, False])
    found = robustness("metrics").findings(Model(), flipped, np.ones(6, bool))
    assert (found["rate_error"], found["low"], found["high"]) == (0.0, 0.4, 0.6)
    assert (found["rows"], found["suspects"]) == (6, 4)
    firsts = [found[f"queue_{part}"] for part in (10, 50, 100)]
    assert firsts == [1, 2, 4]
    assert [found[f"queue_{part}_wrong"] for part in (10, 50, 100)] == [1, 1, 2]
    expected = [found[f"queue_{part}_expected"] for part in (10, 50, 100)]
    assert expected == pytest.approx([0.9, 1.7, 3.0])
    none = robustness("metrics").findings(object(), flipped, np.ones(6, bool))
    assert none == {"true_rate": 0.5}


def test_the_limit_knows_the_truth(robustness):
    pytest.importorskip("lightgbm")
    module = robustness("experiment")
    whole = module.experiment(["iris"], ["limit"], 1)
    found = {
        (setting.values["noise"], setting.values["level"]): measure_cell(
            whole.measure, whole.cells(setting)[0]
        )[1]
        for setting in whole.settings["paper"]
    }
    assert {one["error"] for one in found.values()} == {found["symmetric", 0.4]["error"]}
    assert found["symmetric", 0.4]["detection_area"] > 0.95
    assert "rate" not in found["symmetric", 0.4]
    assert "limit" not in robustness("roster").PEERS


def test_a_filter_drops_rows_that_differ_from_their_neighbours(robustness):
    pytest.importorskip("imblearn")
    split = robustness("data").draw("ring", 0)
    given, _, _ = robustness("noise").spoil(split, "symmetric", 0.2, 0)
    errors = []
    for name in ("ENN forest", "forest"):
        model = robustness("roster").PEERS[name].make(0, []).fit(split.X, given)
        errors.append(np.mean(model.predict(split.X_test) != split.y_test))
    assert errors[0] < 0.8 * errors[1]


def test_dear_contenders_are_spared_some_tables(robustness):
    peers = robustness("roster").PEERS
    asked = ("adult", "by class"), ("digits", "by class"), ("mushroom", "by class")
    assert [peers["CatBoost"].takes(*one) for one in asked] == [True, False, False]
    assert peers["CatBoost"].takes("music-genre", "real")
    assert peers["forest"].takes("digits", "by class")


def test_every_classifier_of_nacre_is_a_contender(robustness):
    ours = robustness("roster").OURS.values()
    made = {type(one.make(0, [1])).__name__ for one in ours}
    boosters = {name for name in nacre.__all__ if name.endswith("Classifier")}
    assert made == boosters - {"BoostedClassifier"}  # AdaBoost, unless it is told otherwise
    assert all(one.make(0, [1]).categorical_features == [1] for one in ours)


def test_a_cell_gives_the_same_again_and_a_new_version_another_cell(robustness):
    module = robustness("experiment")
    whole = module.experiment(["ring"], ["MarginBoost"], 1, [("symmetric", 0.1)])
    (setting,) = whole.settings["paper"]
    (cell,) = whole.cells(setting)
    first, again = (measure_cell(whole.measure, cell)[1] for _ in range(2))
    assert first["error"] < 0.3
    assert {**first, "fit_seconds": 0, "predict_seconds": 0} == {
        **again,
        "fit_seconds": 0,
        "predict_seconds": 0,
    }
    newer = type(cell)("robustness", 2, {**cell.setting, "version": 2}, 0)
    assert newer.key != cell.key
    names = ("data", "noise", "level")
    assert newer.seed(*names) == cell.seed(*names)


def test_a_contender_that_gives_up_is_reported(robustness, monkeypatch):
    roster, module = robustness("roster"), robustness("experiment")

    class Hopeless:
        def fit(self, X, y):
            raise RuntimeError("cannot")

    hopeless = roster.Contender(lambda seed, categorical: Hopeless(), roster.matrix, "sklearn")
    monkeypatch.setitem(roster.ROSTER, "hopeless", hopeless)
    whole = module.experiment(["ring"], ["hopeless"], 1)
    setting = whole.settings["paper"][0]
    record = measure_cell(whole.measure, whole.cells(setting)[0])[1]
    assert record == {"failed": "RuntimeError: cannot"}
    report = robustness("report")
    (line,) = report.failures(report.as_frame([(setting.values, [(0, record)])]))
    assert line == "hopeless failed on 1 cells (ring): RuntimeError: cannot"


def test_trusted_rows_are_told_to_those_who_ask(robustness, monkeypatch):
    roster, module = robustness("roster"), robustness("experiment")
    told = []

    class Asks:
        classes_ = np.arange(2)

        def fit(self, X, y, clean=None):
            told.append(clean)
            self.label_quality_, self.noise_rate_ = np.linspace(0, 1, len(y)), 0.3

        def predict(self, X):
            return np.zeros(len(X), int)

        def predict_proba(self, X):
            return np.full((len(X), 2), 0.5)

    asks = roster.Contender(lambda seed, categorical: Asks(), roster.matrix, "sklearn")
    monkeypatch.setitem(roster.ROSTER, "asks", asks)
    whole = module.experiment(["ring"], ["asks"], 1)
    for setting in whole.settings["paper"]:
        record = measure_cell(whole.measure, whole.cells(setting)[0])[1]
        assert record["log_loss"] == pytest.approx(np.log(2))
        assert record["brier"] == pytest.approx(0.5)
        if setting.values["noise"] == "trusted":
            assert told[-1].sum() == 140
            assert record["rate_error"] == pytest.approx(0.0, abs=0.01)
        else:
            assert told[-1] is None
        assert ("detection_area" in record) == (setting.values["level"] > 0)
        assert "suspects" not in record


def cells_of(report, errors, noise="symmetric", level=0.2, **others):
    """Cells from errors by data set, contender and seed; more quantities by contender."""
    return [
        (
            {"data": data, "noise": noise, "level": level, "contender": name, "version": 1},
            [
                (trial, dict.fromkeys(report.LOSSES, error) | seconds | others.get(name, {}))
                for trial, error in enumerate(pair)
            ],
        )
        for data, some in errors.items()
        for (name, pair), seconds in zip(some.items(), SECONDS, strict=False)
    ]


SECONDS = [{"fit_seconds": one, "predict_seconds": 1.0} for one in (1.0, 2.0, 4.0, 8.0)]
ERRORS = {
    "ring": {"AdaBoost": (0.1, 0.3), "forest": (0.2, 0.2), "HistGB": (0.4, 0.4)},
    "moons": {"AdaBoost": (0.1, 0.1), "forest": (0.3, 0.3), "HistGB": (0.2, 0.2)},
}


def test_the_tables(robustness):
    report = robustness("report")
    cells = report.as_frame(cells_of(report, ERRORS, level=0.1))
    found = {table[0].split(",")[0]: table for table in report.tables(cells)}
    assert found["Error in percent"][1:] == (
        ["contender", "10%"],
        [
            ["AdaBoost", "15.0 +-10.0"],
            ["forest", "25.0     *"],
            ["HistGB", "30.0 +-15.0"],
            ["sets", "2      "],
        ],
    )
    ratios = found["Error by the best peer's"][2]
    assert ratios == [["AdaBoost", "0.60"], ["forest", "1.00"], ["HistGB", "1.20"]]
    assert not list(report.tables(report.as_frame([])))
    summary = report.summary_table("", cells, report.wide(cells, "error"))[2]
    assert [row[:4] for row in summary] == [
        ["AdaBoost", "15.00", "1.2", "+1=1-0"],
        ["forest", "25.00", "2.2", "+0=2-0"],
        ["HistGB", "30.00", "2.5", "+1=0-1"],
    ]
    assert [row[6:8] for row in summary] == [["0.5", "-"], ["1", "-"], ["2", "-"]]


def test_a_contender_that_lacks_sets_is_compared_on_its_own(robustness):
    report = robustness("report")
    cells = report.as_frame(cells_of(report, ERRORS, level=0.1))
    late = cells[(cells["data"] == "ring") | (cells["contender"] != "HistGB")]
    found = {table[0].split(",")[0]: table for table in report.tables(late)}
    assert found["Error in percent"][2][2] == ["HistGB", "-"]
    ((title, _, rows),) = report.part_table("", late)
    assert rows == [["HistGB", "40.0 / 20.0 (1)"]]
    assert "AdaBoost on theirs" in title
    half = cells[(cells["trial"] == 0) | (cells["contender"] != "HistGB")]
    assert report.wide(half, "error")["HistGB"].isna().all()  # one of two seeds
    ((_, _, rows),) = report.part_table("", half)
    assert rows == [["HistGB", "30.0 / 10.0 (2)"]]  # on this seed


OURS = {
    "ring": {"nacre": (0.1, 0.1), "forest": (0.2, 0.2), "LightGBM": (0.3, 0.3), "limit": (0, 0)},
    "moons": {"nacre": (0.26, 0.28), "forest": (0.2, 0.3), "LightGBM": (0.2, 0.2), "limit": (0, 0)},
}


def test_a_kind_of_noise_beside_the_best_peer(robustness):
    report = robustness("report")
    kind = report.kinds(report.as_frame(cells_of(report, OURS)))["20%"]
    assert kind.best == "forest"  # by mean; the limit is no peer
    assert kind.ratio == pytest.approx(0.185 / 0.225)
    assert kind.gaps.to_dict() == pytest.approx({"ring": -0.1, "moons": 0.02})
    assert kind.gaps_to_any.to_dict() == pytest.approx({"ring": -0.1, "moons": 0.07})
    part = report.Kind(kind.errors.assign(CatBoost=[np.nan, 0.2]))
    assert part.best == "forest"
    assert part.ratios_on_parts == {"CatBoost": (1, pytest.approx(0.1 / 0.2))}
    ((_, head, (row,)),) = report.kind_tables("", {"20%": kind}, "nacre")
    assert dict(zip(head, row, strict=True)) == {
        "noise": "20%",
        "sets": "2",
        "nacre": "0.185",
        "best peer": "0.225 forest",
        "ratio": "0.82",
        "within 0.005": "50%",
        "within 0.002": "50%",
        "of any 0.005": "50%",
        "of any 0.002": "50%",
        "worst set": "+0.020 moons",
        "worst to any peer": "+0.070 moons",
        "limit": "0.000",
    }


def test_goals_beside_what_was_measured(robustness):
    report, module = robustness("report"), robustness("goals")
    said = {"true_rate": 0.0, "rate": 0.02, "rate_error": 0.02, "low": 0.004, "high": 0.1}
    said |= {"rows": 100, "suspects": 4, "queue_10": 1, "queue_10_expected": 0.9}
    said |= {"queue_10_wrong": 0, "queue_50": 2, "queue_50_expected": 1.4, "queue_50_wrong": 0}
    said |= {"queue_100": 4, "queue_100_expected": 2.4, "queue_100_wrong": 0}
    off = {"true_rate": 0.2, "rate": 0.1, "rate_error": -0.1, "low": 0.0, "high": 0.15}
    found = {"detection_precision": 0.6}
    results = cells_of(report, OURS, level=0.0, nacre=said)
    results += cells_of(report, OURS, level=0.2, nacre=off)
    theirs = {"detection_precision": 0.5, "rate_error": 0.05}
    mine = {
        data: {"nacre": some["nacre"], "cleanlab forest": (0.3, 0.3)} for data, some in OURS.items()
    }
    results += cells_of(
        report, mine, "boundary", 0.2, **{"nacre": off | found, "cleanlab forest": theirs}
    )
    goals = {(one.noise, one.what): one for one in module.goals(report.as_frame(results))}
    assert goals["0%", "noise rate said"].row()[2:] == ["<= 0.015", "0.020", "no"]
    assert goals["0%", "share of suspects"].got == pytest.approx(0.04)
    assert goals["0%", "intervals that reach 0 (begin at 0.005 or below)"].met
    assert not goals["20%", "error by that of the best peer"].met
    assert goals["boundary", "worst set, to cleanlab forest"].remark == "moons"
    lead = goals["boundary", "average precision less that of cleanlab forest"]
    assert (lead.got, lead.met) == (pytest.approx(0.1), True)
    rate = goals["boundary", "noise rate off by (cleanlab forest asked)"]
    assert (rate.asked, rate.got, rate.met) == (0.05, pytest.approx(0.1), False)
    # Clean tables are covered (the interval reaches 0), the eight others are not.
    covered = goals["all", "intervals that hold the true rate"]
    assert covered.got == pytest.approx(4 / 12)
    queue = goals["all", "first 50% of suspects: expected precision off by"]
    assert (queue.got, queue.met) == (pytest.approx(0.7), False)
    ((_, head, rows),) = module.free_table(report.as_frame(results))
    assert head[2:] == ["nacre, 0%", "best peer, 0%", "nacre, 20%", "best peer, 20%"]
    assert rows[0] == ["all", "2", "18.5", "22.5", "18.5", "22.5"]


def test_every_table_is_listed_the_lost_ones_first(robustness):
    report, module = robustness("report"), robustness("listing")
    cells = report.as_frame(cells_of(report, OURS))
    first, second = module.listing(cells)
    assert (first["data"], first["which"]) == ("moons", "LightGBM")
    assert first["gap"] == pytest.approx(0.07)
    assert first["gap to it"] == pytest.approx(0.02)
    assert (second["data"], second["best peer"]) == ("ring", 0.2)
    better = {data: {"nacre": (0.1, 0.2)} for data in OURS}
    changed = module.changes(cells, report.as_frame(cells_of(report, better)))
    assert [one["data"] for one in changed] == ["ring", "moons"]
    ((_, _, (row,)),) = module.change_tables(cells, report.as_frame(cells_of(report, better)))
    assert row == ["20%", "2", "18.50", "15.00", "1", "1", "+5.0 ring"]


def test_the_page_has_every_table_and_marks_the_lost_ones(robustness, tmp_path):
    report = robustness("report")
    results = cells_of(report, OURS, level=0.0) + cells_of(report, OURS, level=0.2)
    results += cells_of(report, OURS, "boundary")
    robustness("page").write_page(report.as_frame(results), tmp_path)
    page = (tmp_path / "robustness.md").read_text("utf-8")
    assert "| ring | 10.0 / 20.0 | 10.0 / 20.0 | 10.0 / 20.0 |" in page
    assert "| moons | **27.0 / 20.0** |" in page
    assert "### Goals and what was reached" in page
    assert (tmp_path / "robustness.png").stat().st_size > 0


def test_rows_are_checked_at_random_or_the_most_suspect_first(robustness):
    module = robustness("checking")
    found = {}
    for setting in module.settings(["ring"], "fast", 1):
        if setting.values["noise"] == "symmetric" and setting.values["checked"] == 50:
            cell = module.experiment(["ring"], "fast", 1).cells(setting)[0]
            found[setting.values["level"], setting.values["how"]] = module.measure(cell)
    assert found[0.0, "random"]["wrong"] == found[0.0, "most suspect"]["wrong"] == 0
    assert 2 <= found[0.2, "random"]["wrong"] <= 20  # ten expected
    assert found[0.2, "most suspect"]["wrong"] > 40
    assert all(one["error"] < 0.15 for one in found.values())


def test_checked_rows_compare_where_all_numbers_of_them_were_measured(robustness, tmp_path):
    module = robustness("checking")
    rows = [
        {**setting.values, "column": "20%", "trial": 0, "wrong": 1.0}
        | dict.fromkeys(module.MEASURES, setting.values["checked"] / 1000)
        for setting in module.settings(["ring", "moons"], "fast", 1)
        if (setting.values["noise"], setting.values["level"]) == ("symmetric", 0.2)
    ]
    cells = pd.DataFrame(rows[:-1])  # moons lacks one
    found = module.means(cells)
    assert len(found) == 2 * len(module.CHECKED)
    assert found.loc["20%", "most suspect", 0]["error"] == 0.0
    _, head, table = module.check_table(found)
    assert dict(zip(head, table[2], strict=True))["error %"] == "5.0"
    module.save(module.curves, found, tmp_path / "checking.png")
    assert (tmp_path / "checking.png").stat().st_size > 0


def test_the_forms_of_a_run(robustness):
    main, module = robustness("__main__"), robustness("experiment")
    usual, quick, full = (main.options(words) for words in ([], ["--quick"], ["--full"]))
    assert quick.contenders[:2] == usual.contenders[:2] == ["nacre", "nacre fast"]
    assert (quick.seeds, usual.seeds, len(usual.sets)) == (1, 2, 30)
    assert "MarginBoost Tree" in full.contenders
    assert "MarginBoost Tree" not in usual.contenders
    assert quick.out != usual.out
    cells, usual_cells, full_cells = (
        {cell.key for one in made.settings["paper"] for cell in made.cells(one)}
        for made in (
            module.experiment(args.sets, args.contenders, args.seeds, args.noises)
            for args in (quick, usual, full)
        )
    )
    assert cells < usual_cells < full_cells  # the same draws, so that they compare
    assert not any('"imbalanced"' in key and '"iris"' in key for key in full_cells)
    assert sum('"real"' in key and '"forest"' in key for key in usual_cells) == 4 * 2
    one = main.options(["--quick", "--contenders", "peers", "--sets", "ring", "--seeds", "3"])
    assert (one.sets, one.seeds) == (["ring"], 3)
    assert "forest" in one.contenders
    with pytest.raises(SystemExit):
        main.options(["--quick", "--page", "docs"])


def test_a_small_run_resumes_and_reports(tmp_path):
    few = ["--sets", "ring", "moons", "--contenders", "AdaBoost", "sklearn AdaBoost"]
    few += ["--seeds", "1", "--out", tmp_path]

    def run(*options):
        paths = [str(BENCHMARKS), *sys.path]
        return subprocess.run(
            [sys.executable, "-m", "robustness", *few, *options],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            capture_output=True,
            text=True,
            check=True,
        )

    first = run()
    assert "Error in percent, reporting, two classes (2 sets, 1 seeds)" in first.stdout
    assert len(pd.read_csv(tmp_path / "robustness.csv")) == 2 * 8 * 2
    assert pd.read_csv(tmp_path / "robustness.csv")["auc"].notna().all()
    for figure in ("error", "rank"):
        assert (tmp_path / f"robustness-{figure}.png").stat().st_size > 0
    assert first.stderr.splitlines()[0] == "cell 1 of 32"
    report = run("--report-only")
    assert report.stdout == first.stdout
    assert report.stderr == ""


def test_what_is_waited_for(monkeypatch, tmp_path, capsys):
    """The benchmark of waiting, on tables as small as can be."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    waiting = importlib.import_module("waiting")
    X, y = waiting.table(300, 6, 3)
    assert X.shape == (300, 6)
    assert np.unique(y).tolist() == [0, 1, 2]
    few = {name: waiting.contenders()[name] for name in ("nacre, fast", "random forest")}
    monkeypatch.setattr(waiting, "contenders", lambda: few)
    monkeypatch.setattr(waiting, "NEW_ROWS", 100)
    waiting.compare_models([(200, 5)], 1)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert [line.split()[1] for line in lines[-2:]] == ["nacre,", "random"]
    assert lines[-1].split()[5] == "1.00"  # a forest to itself


def test_groups_are_worth_it(monkeypatch, capsys):
    """The benchmark of near-copies, on a small table."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    groups = importlib.import_module("groups")
    X, labels, wrong, patient = groups.table(60, 0)
    assert (X.shape, wrong.sum(), len(np.unique(patient))) == ((300, 6), 30, 60)
    assert np.ptp(labels.reshape(60, 5), axis=1).max() == 0
    words = ["groups.py", "--seeds", "2", "--patients", "60", "--effort", "fast"]
    monkeypatch.setattr(sys, "argv", words)
    groups.main()
    found = [line for line in capsys.readouterr().out.splitlines() if "groups  " in line]
    together, apart = (float(re.findall(r"[\d.]+ \+-", line)[-2][:-3]) for line in found)
    assert together > apart + 0.2
