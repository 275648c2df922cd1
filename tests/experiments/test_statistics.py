"""Statistics against SciPy and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from nacre.experiments.statistics import (
    by_runs,
    chosen_blind,
    compare,
    corrected,
    lowest,
    paired,
    tally,
    unpaired,
)

ERRORS = st.floats(0, 1).map(lambda x: round(x, 3))


@given(st.integers(2, 20).flatmap(lambda n: arrays(float, (2, n), elements=ERRORS)))
def test_the_paired_t_test(pair):
    ours, theirs = pair
    found = compare(ours, theirs)
    assert found.difference == pytest.approx(ours.mean() - theirs.mean(), abs=1e-12)
    if np.std(ours - theirs) > 1e-9:
        expected = stats.ttest_rel(ours, theirs).pvalue
        assert found.p_value == pytest.approx(expected, rel=1e-9, abs=1e-300)
        if expected >= 0.05:
            assert found.verdict == "tie"
        else:
            assert found.verdict == ("win" if ours.mean() < theirs.mean() else "loss")
    opposite = {"win": "loss", "loss": "win", "tie": "tie"}
    assert compare(theirs, ours).verdict == opposite[found.verdict]


def test_only_common_trials_are_compared():
    ours, theirs = np.array([0.1, 0.2, 0.4]), np.array([0.2, 0.5, 0.5, 9.0, 9.0])
    assert compare(ours, theirs) == compare(ours, theirs[:3])


def test_without_spread():
    same = np.full(5, 0.25)
    assert compare(same, same) == (0.0, 1.0, "tie")
    assert compare(same, same + 0.25) == (-0.25, 0.0, "win")
    assert compare(same + 0.25, same) == (0.25, 0.0, "loss")
    assert compare(same[:1], same[:1] + 0.25).verdict == "tie"


def test_tally():
    verdicts = ["win"] * 4 + ["loss"] + ["tie"] * 4
    assert tally(verdicts) == "+4=4-1"
    assert tally([]) == "+0=0-0"


def test_lowest():
    errors = {0.5: np.array([0.3, 0.1]), 1.0: np.array([0.1, 0.2]), 2.0: np.array([0.2, 0.15])}
    assert lowest(errors) == 1.0
    del errors[1.0]
    assert lowest(errors) == 2.0


@given(arrays(float, (2, 4, 6), elements=ERRORS))
def test_a_blind_choice_looks_at_validation_rows_only(tables):
    validation, test = (dict(zip("abcd", table, strict=True)) for table in tables)
    errors, chosen = chosen_blind(validation, test)
    for trial in range(6):
        least = min(validation[choice][trial] for choice in "abcd")
        best = [choice for choice in "abcd" if validation[choice][trial] == least]
        assert chosen[trial] == best
        assert errors[trial] == pytest.approx(np.mean([test[one][trial] for one in best]))


def test_tests_of_cross_validation():
    rng = np.random.default_rng(0)
    ours, theirs = rng.random(50), rng.random(50) + 0.1
    gap = ours - theirs
    assert paired(ours, theirs) == pytest.approx(stats.ttest_rel(ours, theirs).pvalue)
    assert unpaired(ours, theirs) == pytest.approx(stats.ttest_ind(ours, theirs).pvalue)
    means = gap.reshape(10, 5).mean(axis=1)
    assert by_runs(5)(ours, theirs) == pytest.approx(stats.ttest_1samp(means, 0).pvalue)
    t = gap.mean() / np.sqrt((1 / 50 + 1 / 4) * gap.var(ddof=1))
    assert corrected(5)(ours, theirs) == pytest.approx(2 * stats.t.cdf(-abs(t), 49))
    assert corrected(5)(ours, theirs) > paired(ours, theirs)
    for test in (paired, unpaired, by_runs(5), corrected(5)):
        assert test(np.zeros(10), np.zeros(10)) == 1.0
        assert test(np.ones(10), np.zeros(10)) == 0.0
        assert compare(ours, theirs, test=test).p_value == test(ours, theirs)
