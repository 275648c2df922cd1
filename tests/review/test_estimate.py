"""Intervals that hold: against brute force, and over simulated reviews."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from nacre.review.estimate import (
    OPEN,
    RIGHT,
    UNSURE,
    WRONG,
    Estimate,
    advise,
    at_most,
    count_interval,
    measure,
    wrong_left,
)
from nacre.review.queue import draw_rows, interleave


@given(st.integers(1, 300), st.data())
def test_the_distribution_is_scipys(size, data):
    marked, sampled = data.draw(st.integers(0, size)), data.draw(st.integers(0, size))
    hits = data.draw(st.integers(-1, sampled))
    found = at_most(*(np.array([one]) for one in (hits, size, marked, sampled)))
    assert found[0] == pytest.approx(hypergeom.cdf(hits, size, marked, sampled), abs=1e-9)


def brute_force(size, sampled, low, high):
    """All numbers of marked rows that neither test rejects."""
    able = [
        marked
        for marked in range(size + 1)
        if hypergeom.sf(low - 1, size, marked, sampled) > 0.025
        and hypergeom.cdf(high, size, marked, sampled) > 0.025
    ]
    return able[0], able[-1]


@pytest.mark.parametrize(
    "case",
    [(30, 10, 3, 3), (30, 10, 0, 0), (30, 10, 10, 10), (30, 30, 4, 4), (30, 12, 2, 5),
     (200, 20, 1, 1), (7, 0, 0, 0), (1, 1, 0, 0), (1, 1, 1, 1)],
)  # fmt: skip
def test_intervals_are_those_of_brute_force(case):
    low, high = count_interval(*(np.array([one]) for one in case))
    assert (low[0], high[0]) == brute_force(*case)


def test_of_nothing_nothing_is_wrong():
    low, high = count_interval(*np.array([[0], [0], [0], [0]]))
    assert (low[0], high[0]) == (0, 0)


def make(n, rate, skill, rng):
    """Wrong labels, and what models think of them: the more skill, the better."""
    wrong = rng.random(n) < rate
    scores = rng.normal(size=n) + skill * wrong
    return wrong.astype(int), 1.0 / (1.0 + np.exp(2.0 - scores))


def look(wrong, chances, count, seed, share=0.2, learn=False):
    """A review of so many rows; learning moves rows like the wrong ones that were reached."""
    n = len(wrong)
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 8, n)  # rows of a kind are alike
    ranking, draws = np.argsort(-chances, kind="stable"), draw_rows(np.arange(n), seed)
    place = np.argsort(draws)
    state, reached, sampled = np.full(n, OPEN), np.zeros(n, bool), 0
    for start in range(0, count, 40):
        queue, rank = interleave(ranking, draws, share), np.argsort(ranking)
        ahead = [(r, d) for r, d in zip(queue.rows, queue.random, strict=True) if state[r] == OPEN]
        frontier = reached.sum()
        for row, drawn in ahead[: min(40, count - start)]:
            state[row] = wrong[row]
            if drawn:
                sampled = max(sampled, place[row] + 1)
            else:
                frontier = max(frontier, rank[row] + 1)
        reached[ranking[:frontier]] = True
        if learn:
            known = reached & (state != OPEN)
            gain = np.array([wrong[known & (kind == k)].mean() if np.any(known & (kind == k))
                             else 0.0 for k in range(8)])  # fmt: skip
            rest = np.flatnonzero(~reached)
            order = np.argsort(-(chances + gain[kind])[rest], kind="stable")
            ranking = np.concatenate([ranking[reached[ranking]], rest[order]])
    drawn = np.zeros(n, bool)
    drawn[draws[:sampled]] = True
    return state, reached, drawn, ranking


@pytest.mark.slow
@pytest.mark.parametrize("learn", [False, True])
@pytest.mark.parametrize(("rate", "skill"), [(0.1, 2.0), (0.03, 3.0), (0.3, 0.0), (0.0, 1.0)])
def test_intervals_hold(rate, skill, learn):
    """In 95 of 100 reviews or more, less what chance may do: of the rate, of the rest, of later."""
    reviews, hits, off = 120, np.zeros(3), []
    for seed in range(reviews):
        wrong, chances = make(400, rate, skill, np.random.default_rng(1000 + seed))
        state, reached, drawn, ranking = look(wrong, chances, 120, seed, learn=learn)
        now = measure(state, reached, drawn)
        left = wrong[state == OPEN].sum()
        curve = wrong_left(state, ranking, drawn, chances, int(reached.sum()))
        k = int(np.searchsorted(curve.reached, 200))
        later = wrong.copy()
        later[ranking[: curve.reached[k]]] = 0
        later[state != OPEN] = 0
        hits += [
            now.wrong.low <= wrong.sum() <= now.wrong.high,
            now.left.low <= left <= now.left.high,
            curve.low[k] <= later.sum() <= curve.high[k],
        ]
        off.append(now.wrong.count - wrong.sum())
    assert np.all(hits / reviews >= 0.92)
    error = np.std(off) / np.sqrt(reviews)
    assert abs(np.mean(off)) <= 3 * error + 0.5


def test_an_order_that_knows_the_random_rows_would_not_do():
    """The reason for keeping them aside: wrong rows that were drawn must not leave the sample."""
    n, seen = 400, []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        wrong = (rng.random(n) < 0.2).astype(int)
        draws = draw_rows(np.arange(n), seed)
        state, drawn = np.full(n, OPEN), np.zeros(n, bool)
        drawn[draws[:40]] = True
        state[drawn] = wrong[drawn]
        cheat = drawn & (wrong == 1)  # "reached", because they were found to be wrong
        now = measure(state, cheat, drawn)
        seen.append(now.wrong.low <= wrong.sum() <= now.wrong.high)
    assert np.mean(seen) < 0.5


def test_rows_that_are_reached_are_counted():
    state = np.array([WRONG, WRONG, RIGHT, OPEN, OPEN, RIGHT, WRONG, OPEN])
    reached = np.arange(8) < 3
    drawn = np.isin(np.arange(8), [1, 5, 6])
    now = measure(state, reached, drawn)
    assert (now.rows, now.checked, now.drawn, now.found) == (8, 5, 3, 3)
    assert now.wrong.count == 2 + 5 / 2  # two counted, half of the other five
    assert now.left.count == 5 / 2 - 1
    assert (now.wrong.low, now.left.low) == (3, 0)
    assert (now.wrong.high, now.left.high) == (2 + 4, 3)


def test_rows_chosen_by_hand_bound_but_do_not_bias():
    rng = np.random.default_rng(0)
    wrong = (rng.random(300) < 0.2).astype(int)
    state, reached, drawn, _ = look(wrong, rng.random(300), 100, 0)
    before = measure(state, reached, drawn)
    some = np.flatnonzero((state == OPEN) & (wrong == 1))[:20]
    state[some] = WRONG
    after = measure(state, reached, drawn)
    assert after.found == before.found + len(some)
    assert after.wrong.count == max(before.wrong.count, after.found)
    assert after.left.high == before.left.high - len(some)


def test_unsure_rows_widen_the_interval_on_both_sides():
    state = np.full(100, OPEN)
    drawn = np.arange(100) < 40
    state[:40] = [WRONG] * 8 + [RIGHT] * 32
    sure = measure(state, np.zeros(100, bool), drawn).wrong
    state[6:10] = UNSURE
    doubt = measure(state, np.zeros(100, bool), drawn).wrong
    assert doubt.low < sure.low
    assert doubt.high > sure.high
    assert doubt.count == sure.count


def test_before_anything_is_drawn_all_is_possible():
    now = measure(np.full(10, OPEN), np.zeros(10, bool), np.zeros(10, bool))
    assert np.isnan(now.wrong.count)
    assert (now.wrong.low, now.wrong.high) == (0, 10)


def test_once_all_rows_are_known_so_is_the_rest():
    state = np.array([WRONG, RIGHT] * 5)
    for reached in (np.ones(10, bool), np.zeros(10, bool)):
        now = measure(state, reached, ~reached)
        assert now.wrong == Estimate(5.0, 5, 5)
        assert now.left == Estimate(0.0, 0, 0)


def test_the_curve_falls_to_nothing():
    rng = np.random.default_rng(1)
    wrong, chances = make(500, 0.1, 2.0, rng)
    state, reached, drawn, ranking = look(wrong, chances, 100, 1)
    frontier = int(reached.sum())
    curve = wrong_left(state, ranking, drawn, chances, frontier)
    now = measure(state, reached, drawn)
    here = curve.reached.tolist().index(frontier)
    assert (curve.count[here], curve.low[here], curve.high[here]) == (
        now.left.count, now.left.low, now.left.high
    )  # fmt: skip
    first = ranking[:frontier]
    assert curve.count[0] == now.left.count + np.sum(state[first] == WRONG)
    assert np.all(curve.high[here:] <= curve.high[here])
    assert curve.reached[0] == 0
    assert curve.reached[-1] == 500
    assert curve.high[-1] == curve.count[-1] == curve.expected[-1] == 0
    assert np.all(curve.low <= curve.count)
    assert np.all(curve.count <= curve.high)
    assert np.all(np.diff(curve.expected) <= 1e-9)


def advice(state, reached, drawn, goal, chance=0.001):
    now = measure(state, reached, drawn)
    chances = np.full(len(state), chance)
    curve = wrong_left(
        state,
        np.argsort(~reached, kind="stable"),
        drawn,
        chances,
        int(reached.sum()),
    )
    return advise(now, curve, int(reached.sum()), goal)


def test_advice():
    n = 1000
    nothing = np.zeros(n, bool)
    state = np.full(n, OPEN)
    assert advice(state, nothing, nothing, 0.02)["say"] == "begin"
    drawn = np.arange(n) >= 900
    state[drawn] = RIGHT
    assert advice(state, nothing, drawn, 0.02)["say"] == "random"
    assert 50 <= advice(state, nothing, drawn, 0.02)["rows"] <= 150
    assert advice(state, nothing, drawn, 0.02, 0.1)["say"] == "go on"
    assert advice(state, nothing, drawn, 0.05)["say"] == "stop"
    state[990:] = WRONG
    assert advice(state, nothing, drawn, 0.02)["say"] == "go on"
