"""What a round of boosted stumps works on: the rows, the recipe, and what it leaves behind."""

from typing import NamedTuple

import numpy as np

from nacre.kernels import formulas as fm
from nacre.kernels import weights as wt
from nacre.kernels.compile import inlined

# Places in Work.clock: the round (from 1), rounds since the last refill, whether to read all rows,
# the rows left of a split inside a bin (0: none), whether rows per bin have been counted, whether
# rows have been weighed at all, and whether the pieces of the rows are still to be moved
ROUND, SINCE, FULL, CUT, COUNTED, BEGUN, MOVING = 0, 1, 2, 3, 4, 5, 6
# Pieces of a class whose rows are moved by themselves, on the short way
PIECES = 2
# Places in Work.travel: votes since the last refill, the log of the common scale (by class: minus
# the least margin at the last refill), the log of the total weight then
MOVED, LOG_SCALE, LOG_START = 0, 1, 2
# Places in Trace.stump; the fifth is what a missing value says
FEATURE, SPLIT, LEFT, RIGHT = 0, 1, 2, 3
# Places in Trace.numbers
ERROR, LOG_COST, SHRINK, VOTE, DRIVE, STATE, THRESHOLD = 0, 1, 2, 3, 4, 5, 6


class Rows(NamedTuple):
    """The binned training rows, sorted by class; constant over the rounds."""

    words: np.ndarray  # uint64 (blocks, n): eight bins a word
    columns: np.ndarray  # int64 (4, features): LAST, BINS, KIND, GAPS
    share: np.ndarray  # float64 (blocks, SIZE) or (0, SIZE): trust in a category
    starts: np.ndarray  # int64 (classes + 1,): where each class begins
    order: np.ndarray  # int32 (n,): the original row at each place
    s: np.ndarray  # float64 (n,): sample weights, sum 1
    equal: bool  # whether they are all equal


class Recipe(NamedTuple):
    """An algorithm in numbers: see ``formulas``."""

    cost: fm.CostNumbers  # noise rates in the order of Rows
    step: fm.StepNumbers
    draw: int
    share: float
    seed: np.uint64
    incremental: bool
    searched: fm.Margins | None  # of no rows, where the short way searches for its vote


class Sums(NamedTuple):
    """What the rows of a round add up to, once its stump is known."""

    wrong: float  # weight of the rows that it gets wrong
    edge: float  # weighted sum of the margins
    weight: float  # of all rows
    log_scale: float  # log of the unit of these three


class Long(NamedTuple):
    """What the loop needs where every row is weighed in every round."""

    u: np.ndarray  # float64 (n,): +1 hit, -1 miss
    v: np.ndarray  # float64 (n,) or (0,): weights times draws
    keys: np.ndarray  # uint64 (n,) or (0,): of the rows, for draws
    copies: np.ndarray  # int64 (n,) or (0,): how many rows each draws as


class Exact(NamedTuple):
    """What thresholds between any two values need."""

    values: np.ndarray  # float64 (d, n): the columns
    mixed: np.ndarray  # uint8 (d, 256): bins of several values
    by_value: np.ndarray  # int32 (d, n): rows grouped by bin, each bin sorted on demand
    in_order: np.ndarray  # uint8 (d, 257): which bins are sorted; 256: whether rows are grouped
    place: np.ndarray  # int64 (257,): scratch


class Work(NamedTuple):
    """What the next round needs. Arrays that a recipe does not use have no entries."""

    z: np.ndarray  # float64 (n,): margins (by class: at the last refill)
    w: np.ndarray  # float64 (n,): weights, in the scale of the class
    seen: np.ndarray  # float64 (n,): weights that the stump sees: w, or v where rows are drawn
    reread: np.ndarray  # uint32 (n,): rows to re-read
    change: np.ndarray  # float64 (n,): by how much their weight changes
    listed: np.ndarray  # int64 (PIECES * classes, 2): where each piece begins and ends in them
    grown: np.ndarray  # float64 (PIECES * classes,): by how much the weight of each has changed
    factor: np.ndarray  # float64 (classes,): by which weights of re-read rows change; 0: none do
    hist: np.ndarray  # float64 (blocks, classes, SIZE)
    counts: np.ndarray  # int32 (blocks, classes, SIZE): rows per bin
    edges: np.ndarray  # float64 (features,)
    scratch: np.ndarray  # float64 (blocks, 2, SIZE)
    many: np.ndarray | None  # float64 (blocks, 3, SIZE) where there are more than two classes
    said: np.ndarray  # int64 (256,): class said per bin of the chosen column
    picked: np.ndarray  # uint8 (classes, 256): bins whose rows are re-read
    offset: np.ndarray  # float64 (classes,)
    gain: np.ndarray  # float64 (classes,)
    total: np.ndarray  # float64 (classes,): weight per class, in its scale
    begun: np.ndarray  # float64 (classes,): the same at the last refill
    mass: np.ndarray  # float64 (classes,): weight the stump sees, in the common scale
    side: np.ndarray  # float64 (4, classes): scratch
    clock: np.ndarray  # int64 (7,)
    travel: np.ndarray  # float64 (3,)
    state: np.ndarray  # float64 (1,): what the step remembers
    long: Long | None
    exact: Exact | None


class Trace(NamedTuple):
    """One row a round: the stump and the numbers diagnostics need."""

    stump: np.ndarray  # int64 (rounds, 5); bins up to SPLIT go left, -1 for a categorical stump
    said: np.ndarray  # int64 (rounds, 256) or (0, 256): categorical stumps
    numbers: np.ndarray  # float64 (rounds, 7); THRESHOLD only for a split inside a bin, else NaN


@inlined
def read_all(rows, work):
    """Every weight is new: add up the classes, and have all rows read."""
    work.clock[FULL] = 1
    wt.add_classes(rows.starts, work.w, work.total)
    for c in range(len(work.total)):
        work.begun[c] = work.total[c]
