"""Every example of the gallery runs, and what it says is so."""

import runpy
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def check_one_wrong_label(run):
    assert len(run["sound"].estimators_) == 1
    assert len(run["ada"].estimators_) == 100
    assert run["ada_weights"][1, run["wrong"]] == pytest.approx(0.5)
    assert run["shares"]["AdaBoost"] > 0.25 > 0.01 > run["shares"]["MarginBoost"]
    at = run["X"][run["wrong"]][None]  # AdaBoost has given in, MarginBoost has not
    assert run["ada"].predict(at) == 1
    assert run["margin"].predict(at) == 0
    heavy = run["margin_weights"][-1].argmax()
    assert abs(run["X"][heavy, 0]) < 0.5


def check_moons(run):
    ada, gradient, nacre = run["errors"].values()
    assert nacre < min(ada, gradient) - 0.05


def check_error_by_rate(run):
    clean, *_, most = np.transpose(list(run["errors"].values()))
    ada, gradient, *others = most
    assert min(ada, gradient) > 0.15 > 0.1 > max(others)
    assert clean.argmax() == list(run["errors"]).index("PBoost, p = 1")
    assert abs(most[-2] - most[-1]) < 0.03  # MarginBoost, NacreClassifier


def check_digits(run):
    assert run["precision"] > 0.85
    assert run["recall"] > 0.9
    assert run["mended"] > 0.85
    top = run["suspects"][: len(run["suspects"]) // 2]
    assert run["flipped"][top].mean() > 0.95
    assert run["flipped"][top].mean() > run["flipped"][run["shown"]].mean()


def check_how_many(run):
    rates, found = run["rates"], run["found"]
    assert all(abs(one.rate - rate) < 0.05 for one, rate in zip(found, rates, strict=True))
    inside = [low <= rate <= high for rate, (low, high) in zip(rates, run_intervals(found))]
    assert inside == [False, True, True, True, True]
    widths = [high - low for low, high in run_intervals(found)]
    assert widths[-1] == max(widths)
    assert np.abs(run["matrix"] - run["truth"]).max() < 0.06


def run_intervals(found):
    return [one.interval for one in found]


def check_trusted_rows(run):
    together, alone = run["together"], run["alone"]
    assert np.sort(together[:, 0])[1] < 0.12 < 0.2 < together[:, 0].max()  # luck
    assert together[:, 1:].max() < 0.12
    assert together[:, 1].mean() < alone[:, 2].mean() < alone[:, 1].mean()


def check_filters(run):
    precision = run["precision"]
    ranking = sorted(precision, key=precision.get, reverse=True)
    assert ranking[:2] == ["find_mislabeled", "weight"]
    assert ranking[-2:] == ["vote of 50 stumps", "volume, as in the paper"]
    assert precision["find_mislabeled"] > precision["weight"] + 0.03


def check_audit(run):
    assert run["wrong_after"] <= run["wrong_before"] // 4
    assert run["flipped"][run["found"].suspects["row"].head(5)].all()
    between = (run["scores"] > 0.2) & (run["scores"] < 0.8)
    assert between.sum() < 10


def check_probabilities(run):
    gradient, nacre = run["losses"].values()
    assert nacre < gradient - 0.1
    timid, sure = (np.mean(np.abs(one - 0.5) > 0.4) for one in run["said"].values())
    assert timid < 0.1 < 0.5 < sure


def check_margins(run):
    assert run["fitted"][0] < 0.25
    assert run["fitted"][-1] == 1.0
    assert run["median"][0] > 3 * run["median"][-1]


def check_volumes(run):
    assert 0.02 < run["share"] < 0.035
    assert 2.0 < run["ratio"] < 3.0
    flagged, (decision, cell) = run["flagged"], (run["decision"][-1], run["cell"][-1])
    for volumes, low, high in ((decision, 0.5, 5.0), (cell, -0.5, 0.5)):
        gap = (volumes[~flagged].mean() - volumes[flagged].mean()) / volumes[~flagged].std()
        assert low < gap < high


def check_hull(run):
    right, wrong = run["errors"].values()
    assert list(run["voices"]) == sorted(run["voices"])
    assert right.argmin() == len(right) - 1
    assert wrong.argmax() == len(wrong) - 1
    assert 0.8 <= run["norms"][wrong.argmin()] <= 1.2


def check_long_servedio(run):
    errors, first = run["errors"], run["first"]
    assert errors["AdaBoost"][0] == 0.0
    assert errors["AdaBoost"][1] > 0.25
    assert first["AdaBoost"][1] > 0.7
    assert max(errors["LogitBoost"][:3]) < 0.03 < 0.2 < errors["LogitBoost"][3]
    assert errors["MarginBoost"][0] > 0.15
    assert first["MarginBoost"][0] > 0.6
    nacre = errors["NacreClassifier (fast)"]
    assert nacre == sorted(nacre)
    assert nacre[3] > 0.1
    assert max(errors["equal vote of the columns"]) == 0.0


def check_new_booster(run):
    ada, calm, ave = run["curves"].values()
    assert ada[-1] > ada[10] + 0.04
    assert max(calm[-1], ave[-1]) < 0.09
    assert 0.0 < ave[-1] - calm[-1] < 0.01


CHECKS = {
    "plot_01_one_wrong_label": check_one_wrong_label,
    "plot_02_moons": check_moons,
    "plot_03_error_by_rate": check_error_by_rate,
    "plot_04_digits": check_digits,
    "plot_05_how_many": check_how_many,
    "plot_06_trusted_rows": check_trusted_rows,
    "plot_07_filters": check_filters,
    "plot_08_audit": check_audit,
    "plot_09_probabilities": check_probabilities,
    "plot_10_margins": check_margins,
    "plot_11_volumes": check_volumes,
    "plot_12_hull": check_hull,
    "plot_13_long_servedio": check_long_servedio,
    "plot_14_new_booster": check_new_booster,
}
"""What each example claims, in terms of the names it leaves."""


@pytest.fixture(autouse=True)
def close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.mark.skipif(not EXAMPLES.exists(), reason="the examples are not beside the tests")
def test_every_example_has_its_check():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(CHECKS)


@pytest.mark.skipif(not EXAMPLES.exists(), reason="the examples are not beside the tests")
@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
@pytest.mark.parametrize("name", CHECKS)
def test_what_an_example_says_is_so(name):
    import matplotlib.pyplot as plt

    run = runpy.run_path(str(EXAMPLES / f"{name}.py"))
    assert len(plt.get_fignums()) == 1
    CHECKS[name](run)
