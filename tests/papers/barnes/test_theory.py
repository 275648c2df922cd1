"""Barnes' theorems."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.diagnostics import adaboost_bound, hull_bound
from nacre.papers.barnes.theory import ERRORS, THEORY, VOTE_PS
from tests.papers.made_up import agree, always, made_up


@pytest.mark.slow
def test_theory(quick):
    _, outcome = quick("barnes-4-2")
    assert [one.word for one in outcome.verdicts] == ["agree"] * 4


@given(st.lists(st.floats(0.0, 0.5), min_size=1, max_size=30))
def test_the_second_inequality_of_theorem_7(errors):
    edges = 0.5 - np.array(errors)
    exponential = np.exp(-2 * np.cumsum(edges**2))
    assert np.all(adaboost_bound(errors) <= exponential * (1 + 1e-9))


@given(st.floats(0.05, 0.49), st.floats(0.1, 1.8), st.floats(0.01, 0.1))
def test_theorem_4_grows_with_p(threshold, p, step):
    """The confidence interval of theorem 12, which rests on it."""
    margins = np.linspace(-1, 1, 50)
    small, large = (hull_bound(margins, threshold, 3.0, p=one).confidence for one in (p, p + step))
    assert small < large


@pytest.mark.parametrize(
    ("broken", "above", "stretch", "risks", "claims"),
    [
        (0.0, -0.1, 1.0, ([0.9, 0.3], [0.1, 0.2]), [True, True, True, True]),
        (1.0, 0.1, -1.0, ([0.3, 0.9], [0.2, 0.1]), [False, False, False, False]),
    ],
)
def test_claims_on_theory(broken, above, stretch, risks, claims):
    entries = [({"part": "finite"}, always(broken=broken))]
    entries.append(
        ({"part": "rounds"}, always(most_above_product=above, most_above_exponential=0.0))
    )
    for p in VOTE_PS:
        entries.append(({"part": "votes", "p": p}, {"vote": [(1.1 - ERRORS) ** (stretch / p)] * 2}))
    for p, risk, interval in zip((0.5, 1.0), *risks, strict=True):
        entries.append(({"part": "hull", "p": p}, always(risk=risk, interval=interval)))
    assert agree(THEORY, made_up(*entries)) == claims
