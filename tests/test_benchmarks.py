"""The robustness benchmark: its noise, its arithmetic, and a small run of the whole."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import nacre
from nacre.experiments.run import measure_cell

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
    assert len(data.SETS) == len(set(data.SETS)) == 25
    assert len(data.GROUPS["tuning"]) == 7


def test_a_vote_of_columns_settles_the_data_of_long_and_servedio(robustness):
    X, y = robustness("data").make_long_servedio(500, random_state=0)
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
        given, flipped, clean = noise.spoil(split, kind, level, seed=1)
        np.testing.assert_array_equal(flipped, given != split.y)
        shares = [flipped[split.y == k].mean() for k in range(split.n_classes)]
        if kind == "symmetric":
            assert flipped.mean() == pytest.approx(level, abs=0.01)
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


def test_every_classifier_of_nacre_is_a_contender(robustness):
    ours = robustness("roster").OURS.values()
    made = {type(one.make(0, [1])).__name__ for one in ours}
    boosters = {name for name in nacre.__all__ if name.endswith("Classifier")}
    assert made == boosters - {"BoostedClassifier"}  # AdaBoost, unless it is told otherwise
    assert all(one.make(0, [1]).categorical_features == [1] for one in ours)


def test_a_cell_gives_the_same_again_and_a_new_version_another_cell(robustness):
    module = robustness("experiment")
    whole = module.experiment(["ring"], ["MarginBoost"], 1)
    (setting,) = (one for one in whole.settings["paper"] if one.values["level"] == 0.1)
    (cell,) = whole.cells(setting)
    first, again = (measure_cell(whole.measure, cell)[1] for _ in range(2))
    assert first["error"] < 0.3
    assert {**first, "fit_seconds": 0, "predict_seconds": 0} == {
        **again,
        "fit_seconds": 0,
        "predict_seconds": 0,
    }
    newer = type(cell)("robustness", 1, {**cell.setting, "version": 2}, 0)
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
    (line,) = report.failures(report.as_frame([(setting.values, [record])]))
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


def test_the_tables(robustness):
    report = robustness("report")
    errors = {
        "ring": {"AdaBoost": (0.1, 0.3), "forest": (0.2, 0.2), "HistGB": (0.4, 0.4)},
        "moons": {"AdaBoost": (0.1, 0.1), "forest": (0.3, 0.3), "HistGB": (0.2, 0.2)},
    }
    results = [
        (
            {"data": data, "noise": "symmetric", "level": 0.1, "contender": name, "version": 1},
            [
                {"error": e, "log_loss": e, "brier": e, "fit_seconds": s, "predict_seconds": 1.0}
                for e in pair
            ],
        )
        for data, some in errors.items()
        for (name, pair), s in zip(some.items(), (1.0, 2.0, 4.0), strict=True)
    ]
    cells = report.as_frame(results)
    error, ratio, summary = report.tables(cells)
    assert error[1:] == (
        ["contender", "10%"],
        [["AdaBoost", "15.0 +-10.0"], ["forest", "25.0     *"], ["HistGB", "30.0 +-15.0"]],
    )
    assert ratio[2] == [["AdaBoost", "0.60"], ["forest", "1.00"], ["HistGB", "1.20"]]
    assert [row[:4] for row in summary[2]] == [
        ["AdaBoost", "15.00", "1.2", "+1=1-0"],
        ["forest", "25.00", "2.2", "+0=2-0"],
        ["HistGB", "30.00", "2.5", "+1=0-1"],
    ]
    assert [row[6:8] for row in summary[2]] == [["0.5", "-"], ["1", "-"], ["2", "-"]]
    late = cells[(cells["data"] == "ring") | (cells["contender"] != "HistGB")]
    assert set(report.wide(late, "error").index.unique("data")) == {"ring"}
    assert "1 of 2 pairs" in next(report.tables(late))[0]
    assert not list(report.tables(report.as_frame([])))


def test_the_quick_form_keeps_to_itself(robustness):
    main, module = robustness("__main__"), robustness("experiment")
    whole, quick = main.options([]), main.options(["--quick"])
    assert (quick.contenders, quick.seeds) == (["nacre", "nacre fast"], 1)
    assert quick.noises == [*(("symmetric", level) for level in (0.0, 0.2, 0.4)), ("by class", 0.2)]
    assert len(quick.sets) == 17
    assert not set(quick.sets) & set(robustness("data").GROUPS["tuning"])
    assert quick.out != whole.out
    cells, all_cells = (
        {cell.key for one in made.settings["paper"] for cell in made.cells(one)}
        for made in (
            module.experiment(args.sets, args.contenders, args.seeds, args.noises)
            for args in (quick, whole)
        )
    )
    assert len(cells) == 17 * 4 * 2
    assert cells < all_cells  # the same draws, so that they compare
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
    assert "Error in percent, held-out, two classes (2 sets, 1 seeds)" in first.stdout
    assert len(pd.read_csv(tmp_path / "robustness.csv")) == 2 * 9 * 2
    for figure in ("error", "rank"):
        assert (tmp_path / f"robustness-{figure}.png").stat().st_size > 0
    assert first.stderr.splitlines()[0] == "cell 1 of 36"
    report = run("--report-only")
    assert report.stdout == first.stdout
    assert report.stderr == ""
