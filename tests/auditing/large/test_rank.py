"""Suspects of all parts are those of the whole."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.auditing.large import rank as rank_module
from nacre.auditing.large.judging import Verdict
from nacre.auditing.large.rank import kth_smallest, rank
from nacre.noise.quality import LabelQuality, NoiseRate, noise_matrix

SHARES = st.floats(0.0, 1.0) | st.sampled_from([0.0, 0.25, 1.0, 5e-324])


@given(st.lists(SHARES, min_size=1, max_size=60), st.integers(1, 5), st.data())
def test_radix_selection_is_exact(values, parts, data):
    k = data.draw(st.integers(1, len(values)))
    pieces = np.array_split(np.array(values), parts)
    assert kth_smallest(lambda: pieces, k) == sorted(values)[k - 1]


def verdict_of(found, rows, known):
    """The verdict on some rows, as the second pass writes it."""
    n, K = len(rows), len(found.classes)
    out = {"quality": np.ones(n), "given": np.full(n, -1), "other": np.full(n, -1)}
    out["label"] = np.zeros(n, int)
    own = rows[known[rows]]
    place = np.cumsum(known)[own] - 1
    inside = known[rows]
    out["quality"][inside] = found.quality[place]
    out["given"][inside], out["other"][inside] = found.given[place], found.other_codes[place]
    out["label"][inside] = found.corrected_codes[place]
    joint = np.zeros((K, K))
    for k in range(K):
        joint[k] = np.bincount(found.given[place], found.posterior[place, k], K)
    codes = {name: out[name].astype(np.int16) for name in ("given", "other", "label")}
    return Verdict(out["quality"], **codes, joint=joint, trusted=np.array(0))


@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("ties", [False, True])
def test_ranks_are_those_of_the_table_in_one_piece(tmp_path, K, ties, monkeypatch):
    monkeypatch.setattr(rank_module, "LISTED", 20)
    draw = np.random.default_rng(K)
    n = 400
    known = draw.random(n) < 0.9
    posterior = draw.dirichlet(np.full(K, 0.2), known.sum())
    posterior = np.round(posterior, 1 if ties else 15)
    posterior /= posterior.sum(axis=1, keepdims=True)
    given = np.where(
        draw.random(known.sum()) < 0.8, posterior.argmax(axis=1), draw.integers(0, K, known.sum())
    )
    matrix, rate = noise_matrix(posterior, given)
    found = LabelQuality(
        posterior, posterior, given, np.arange(K), NoiseRate(rate, (0.0, 0.5), matrix, np.arange(K))
    )
    paths = []
    for number, rows in enumerate(np.array_split(np.arange(n), 7)):
        paths.append(tmp_path / f"{number}.npz")
        verdict_of(found, rows, known).write(paths[-1])
    ranked = rank(paths, K)
    where = np.flatnonzero(known)
    starts = np.cumsum([0, *(len(one) for one in np.array_split(np.arange(n), 7))])
    parts, rows = ranked.listed
    assert (starts[parts] + rows).tolist() == where[found.suspects[:20]].tolist()
    flags = [
        cut.suspected(Verdict.read(path)) for cut, path in zip(ranked.cuts, paths, strict=True)
    ]
    if not ties:
        assert ranked.count == len(found.suspects)
        np.testing.assert_array_equal(np.concatenate(flags)[known], found.suspected)
    assert np.concatenate(flags).sum() == ranked.count >= len(found.suspects)
    assert ranked.changed == found.mislabeled.sum()
    assert ranked.queue[-1]["wrong"] == pytest.approx(
        found.scores[found.order[: ranked.count]].sum()
    )
    assert 1.0 - ranked.joint.trace() / ranked.joint.sum() == pytest.approx(rate)
    assert ranked.predicted.sum() == (~known).sum()


def test_no_suspects(tmp_path):
    path = tmp_path / "one.npz"
    none = np.zeros(5, np.int16)
    Verdict(np.ones(5), none, none + 1, none, np.diag([5.0, 0.0]), np.array(0)).write(path)
    ranked = rank([path], 2)
    assert ranked.count == ranked.changed == 0
    assert ranked.queue == []
    assert not ranked.cuts[0].suspected(Verdict.read(path)).any()
