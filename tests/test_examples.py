"""Every example of the gallery runs, and what it says is so."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nacre.kernels import formulas as fm

pytestmark = pytest.mark.slow

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
    *others, nacre = (np.array(some) for some in run["errors"].values())
    assert all(np.all(nacre < other) for other in others)
    assert nacre.argmin() == 0
    assert nacre.argmax() == 2
    assert 1.7 * nacre[0] < nacre[2] < 2.1 * nacre[0]
    means = run["means"]
    assert means["AdaBoost, depth 3"] > means["AdaBoost of stumps"]
    assert means["AdaBoost, depth 3"] > means["AdaBoost, depth 2"]


def check_error_by_rate(run):
    clean, *_, much, most = np.transpose(list(run["errors"].values()))
    ada, gradient, *others = much
    assert min(ada, gradient) > 0.15 > 0.1 > max(others)
    *others, nacre = most
    assert min(others) > 0.2
    assert 1.8 * much[-1] < nacre < 0.6 * min(others)
    assert clean.argmax() == list(run["errors"]).index("PBoost, p = 1")
    assert abs(much[-2] - much[-1]) < 0.03  # MarginBoost, NacreClassifier


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
    low, high = np.transpose([one.interval for one in found])
    assert not found[0].settled
    assert found[0].rate < 0.005 < high[0] < 0.05
    assert np.all((low <= rates)[1:] & (rates <= high)[1:])
    assert (high - low).argmax() == len(rates) - 1
    assert np.abs(run["matrix"] - run["truth"]).max() < 0.06


def check_trusted_rows(run):
    for table in run["errors"].values():
        none, unmarked, _, marked = table.T
        assert none.min() > 0.3
        assert marked.max() < 0.16
        assert marked.mean() + 0.1 < unmarked.mean() < none.mean()
    moons, cancer = (table.mean(axis=0) for table in run["errors"].values())
    assert abs(moons[3] - moons[2]) < 0.03
    assert abs(cancer[3] - cancer[2]) < 0.03


def check_filters(run):
    precision = run["precision"]
    ranking = sorted(precision, key=precision.get, reverse=True)
    assert ranking[:3] == ["find_mislabeled", "margin, MarginBoost of trees", "weight"]
    assert precision[ranking[0]] - precision[ranking[1]] < 0.06
    assert ranking[-3:] == ["vote of 50 stumps", "vote of 4 stumps", "volume, as in the paper"]
    assert precision["volume, signed"] > precision["volume, as in the paper"] + 0.3


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
    assert 2.0 < np.median(run["ratios"]) < 3.0
    assert min(run["ratios"]) > 1.0
    flagged, (decision, cell) = run["flagged"], (run["decision"][-1], run["cell"][-1])
    for volumes, low, high in ((decision, 0.5, 5.0), (cell, -0.5, 0.5)):
        gap = (volumes[~flagged].mean() - volumes[flagged].mean()) / volumes[~flagged].std()
        assert low < gap < high


def check_hull(run):
    norms, errors, ada = np.array(run["norms"]), run["errors"], run["ada"]
    for name in ("breast cancer", "ring"):
        assert errors[name, 0.0].argmin() == len(norms) - 1
        assert ada[name, 0.0] < errors[name, 0.0].min()
        assert run["voices"][name][0] < 5
    assert ada["breast cancer", 0.2] > errors["breast cancer", 0.2].max()
    assert 0.8 <= norms[errors["breast cancer", 0.2].argmin()] <= 1.2
    ring = errors["ring", 0.2]
    assert 0.0 < ada["ring", 0.2] - ring.min() < 0.04
    assert ring[norms < 1].min() > ada["ring", 0.2] + 0.1


def check_long_servedio(run):
    errors, first = run["errors"], run["first"]
    assert errors["AdaBoost"][0] == 0.0
    assert errors["AdaBoost"][1] > 0.25
    assert first["AdaBoost"][1] > 0.7
    assert max(errors["LogitBoost"][:3]) < 0.03 < 0.2 < errors["LogitBoost"][3]
    assert errors["MarginBoost"][0] > 0.15
    assert first["MarginBoost"][0] > 0.6
    nacre = errors["NacreClassifier (fast)"]
    assert max(nacre[:2]) < 0.002 < nacre[2] < nacre[3]
    assert all(one[2] > 0.01 for one in list(errors.values())[:4])
    assert 0.05 < nacre[3] < 0.1
    assert max(errors["equal vote of the columns"]) == 0.0


def check_new_booster(run):
    ada, calm, ave = run["curves"].values()
    assert ada[-1] > ada[10] + 0.04
    assert max(calm[-1], ave[-1]) < 0.09
    assert 0.0 < ave[-1] - calm[-1] < 0.01
    kinds = fm.EXPONENTIAL, fm.LOGISTIC, fm.TANH, fm.GAUSSIAN
    none = np.empty(0)
    for kind, pulls in zip(kinds, run["pulls"].values(), strict=True):
        logs = [fm.log_pull(kind, z, 1.0, 0.0, none, none) for z in (0.0, *run["z"])]
        assert_allclose(pulls, np.exp(np.subtract(logs[1:], logs[0])))


def check_shapes(run):
    assert run["labels"][run["row"]] == "benign"
    assert run["own"][0] > 1.0 > abs(run["own"][1])
    assert np.abs(run["rest"]).max() < 1e-12
    assert all(ax.get_xlabel() for ax in run["axes"].values())


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
    "plot_15_shapes": check_shapes,
}
"""What each example claims, in terms of the names it leaves."""


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
