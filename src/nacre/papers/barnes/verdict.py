"""The verdict on Barnes' thesis as a whole; its numbers are those of the experiments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nacre.experiments.summary import Summary

TEXT = (
    "The analysis is right to the digits it gives ([barnes-4-5](#barnes-4-5)), and strict "
    "p-boosting below p = 1 is {strict}. Sloppy p-boosting beats AdaBoost on the three noisy rings "
    "if p and the round are chosen by the test rows, as the thesis chose them. At which p depends "
    "on a routine of appendix B that is not printed: where margins are those of the normalised "
    "votes ({{py:class}}`~nacre.boost.SloppyHull`), at {ps}; where only votes are normalised "
    "({{py:class}}`~nacre.boost.RawHull`), at {raw_ps}, within the 0.8 to 1.2 of the thesis, and "
    "by more. Of its largest gain, from 25 to 18 %, we find {best}, or {raw_best} (votes alone). "
    "With p chosen on held-out training rows, after the last round, nothing is left of it. What "
    "holds up is a fixed p of 2, which keeps AdaBoost from overfitting without noise: "
    "{fixed:.1f} % against {theirs:.1f} % after the last round on ring0 "
    "([barnes-4](#barnes-4)). The naive form makes little difference ({naive} by a paired test, "
    "{unpaired} by an unpaired one). [barnes-6](#barnes-6) has the numbers of each reading. Votes "
    "are as sparse as the thesis says, and paid for with rounds "
    "([barnes-courses](#barnes-courses))."
)


def numbers(found: Mapping[str, Summary]) -> dict[str, Any]:
    """What the text has places for."""
    hulls, variants = found["barnes-6"], found["barnes-4"]
    raw, unpaired = hulls.readings["raw"], hulls.readings["unpaired"]
    return {
        "strict": hulls.verdicts[4].ours,
        "ps": hulls.verdicts[5].ours,
        "raw_ps": raw.verdicts[5].ours,
        "best": hulls.verdicts[2].ours,
        "raw_best": raw.verdicts[2].ours,
        "fixed": variants.percent("last", data="ring0", model="sloppy", p=2),
        "theirs": variants.percent("last", data="ring0", model="adaboost"),
        "naive": hulls.verdicts[3].ours,
        "unpaired": unpaired.verdicts[3].ours,
    }
