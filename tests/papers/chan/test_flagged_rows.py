"""Chan's rows that a filter flags."""

import numpy as np
import pytest

from nacre import AdaBoostClassifier
from nacre.diagnostics import decision_volumes
from nacre.experiments.experiment import Cell, NotRun
from nacre.experiments.measure import few_rounds
from nacre.experiments.run import run
from nacre.experiments.store import Store
from nacre.papers.chan.flagged_margins import MARGINS
from nacre.papers.chan.flagged_overlap import OVERLAPS
from nacre.papers.chan.flagged_rows import DATA, THRESHOLDS, draw_flagged, rows_of, with_number
from nacre.papers.chan.flagged_shares import SHARES
from nacre.papers.chan.flagged_volumes import CELLS, DECISIONS
from tests.papers.made_up import agree, always, made_up


@pytest.mark.slow
def test_how_many_rows_are_flagged(quick, datasets):
    results, _ = quick("chan-4-1")
    for data in ("wdbc", "original"):
        one = [results.get(f"flagged_{p:g}", data=data, voters=1) for p in THRESHOLDS]
        assert np.ptp(one, axis=0).max() == 0  # one voter is right or wrong
        for voters in (4, 50):
            means = [results.mean(f"flagged_{p:g}", data=data, voters=voters) for p in THRESHOLDS]
            assert np.all(np.diff(means) <= 0)
        assert 0.02 < results.mean("flagged_0.5", data=data, voters=50) < 0.07


@pytest.mark.slow
@pytest.mark.parametrize("number", [2, 3, 4, 5])
def test_flagged_rows_and_others(quick, datasets, number):
    _, outcome = quick(f"chan-4-{number}")
    if number == 3:
        assert outcome.verdicts[1].word == "agree"  # flagged rows have the smaller volumes


def on_both(one, other=None, rounds=50):
    """The same numbers on both data sets, or others on the second."""
    return made_up(*(({"data": data, "rounds": rounds}, numbers) for data, numbers in
                     zip(DATA, (one, other or one), strict=True)))  # fmt: skip


def curves(flagged, others, rounds):
    """Mean curves of both groups, as functions of the round."""
    kept = few_rounds(rounds)
    return always(flagged=flagged(kept).tolist(), others=others(kept).tolist())


def test_claims_on_cell_volumes():
    small, large = always(share=0.03, gap=0.5, spread=1.0), always(share=0.05, gap=-1.5, spread=1.0)
    falling = curves(lambda t: -1.0 * t, lambda t: -1.0 * t, 50)
    for numbers in (small, large):
        numbers |= falling
    assert agree(CELLS, on_both(small))[:2] == [True, True]
    assert agree(CELLS, on_both(large))[:2] == [False, False]
    assert agree(CELLS, on_both(small, large))[:2] == [True, False]  # either set, both sets


@pytest.mark.parametrize(
    ("flagged", "claims"),
    [  # others fall steadily by 300
        (lambda t: -0.5 * t - 2.0 * np.maximum(t - 240, 0), [True, True]),
        (lambda t: -1.5 * t, [True, False]),
        (lambda t: 1.0 * np.abs(t - 150), [False, False]),
    ],
)
def test_claims_on_how_cells_shrink(flagged, claims):
    found = curves(flagged, lambda t: -1.0 * t, 300) | always(share=0.03, gap=0.5, spread=1.0)
    both = agree(CELLS, on_both(found, rounds=300))[2:]
    assert both[1] == claims[1]
    if claims[0] is False:
        assert both[0] is False


@pytest.mark.parametrize(("turn", "claim"), [(4, True), (20, False)])
def test_claim_on_the_turn(turn, claim):
    """Flagged rows have the larger volumes up to a round."""
    found = curves(lambda t: np.where(t < turn, 1.0, -1.0), lambda t: np.zeros(len(t)), 50)
    found |= always(share=0.02, ratio=2.5)
    assert agree(DECISIONS, on_both(found))[3:] == [claim]


def test_ten_columns(datasets):
    X, _ = rows_of("original")
    ten = with_number(X)
    assert ten.shape == (699, 10)
    assert len(np.unique(ten[:, 0])) == 645  # some women were seen twice


def test_claims_on_decision_volumes():
    def found(share, *ratios):
        return {"share": [share] * 3, "ratio": ratios}

    def judged(*numbers):
        flat = [[0.0] * len(few_rounds(50))] * 3
        more = {"flagged": flat, "others": flat}
        return agree(DECISIONS, on_both(found(*numbers) | more))[:3]

    assert judged(0.02, 1.5, 2.5, 9.0) == [True, True, True]
    assert judged(0.05, 0.5, 0.9, 2.5) == [False, False, False]
    assert judged(0.05, 2.5, 4.0, 9.0) == [False, True, False]


@pytest.mark.parametrize(
    ("first", "last", "ours", "theirs", "claim"),
    [
        (0.9, 0.5, 0.1, 0.3, True),
        (0.5, 0.9, 0.1, 0.3, False),
        (0.9, 0.5, 0.3, 0.1, False),
    ],
)
def test_claims_on_margins(first, last, ours, theirs, claim):
    found = always(
        flagged_wrong_1=first, flagged_wrong_50=last, flagged_mean_50=ours, others_mean_50=theirs
    )
    assert agree(MARGINS, on_both(found)) == [claim]


@pytest.mark.parametrize(("overlap", "claim"), [(0.45, True), (0.39, False), (0.62, False)])
def test_claims_on_overlaps(overlap, claim):
    found = always(**{"settled_0.5": overlap})
    assert agree(OVERLAPS, on_both(found)) == [claim]
    assert agree(OVERLAPS, on_both(always(**{"settled_0.5": 0.5}), found)) == [True]
    assert agree(OVERLAPS, made_up(({"data": DATA[0]}, found))) == [None]


@pytest.mark.slow
def test_overlaps_by_hand(tmp_path):
    """The smallest volumes, as many as are flagged: how many of them are?"""
    with Store(tmp_path) as store:
        cell = Cell("chan-4-5", 1, {"data": "wdbc", "model": "adaboost", "rounds": 50}, 0)
        wdbc = [one for one in OVERLAPS.settings["quick"] if one.values["data"] == "wdbc"]
        results = run(OVERLAPS, wdbc, store)
        with pytest.raises(NotRun):
            OVERLAPS.claims[0].check(results)
    rows = draw_flagged(cell)
    flagged = set(np.flatnonzero(rows.truth["score"] > 0.5))
    model = AdaBoostClassifier(n_estimators=50).fit(rows.X, rows.y)
    volumes = decision_volumes(model, rows.X, rounds=-1, rescale=False)
    smallest = set(np.argsort(volumes)[: len(flagged)])
    found = results.get("overlap_0.5", data="wdbc")[0][-1]
    assert found == pytest.approx(len(flagged & smallest) / len(flagged))


def test_one_set_alone_gives_no_verdict(tmp_path):
    few = [one for one in SHARES.settings["quick"]
           if one.values["data"] == "wdbc" and one.values["voters"] < 3]  # fmt: skip
    with Store(tmp_path) as store:
        results = run(SHARES, few, store)
    for claim in SHARES.claims:
        with pytest.raises(NotRun):
            claim.check(results)


def test_gaps_are_filled_with_the_mean(datasets):
    X, y = rows_of("original")
    assert X.shape == (699, 9)
    assert not np.isnan(X).any()
    assert np.sum(X[:, 5] == X[:, 5].mean()) == 16
    assert len(y) == 699
