"""From what a hypothesis puts out for each class to what it says and votes."""

from nacre.kernels.compile import compiled


@compiled
def largest(outputs, i):
    """The class of the largest output of row i, the first among equals."""
    best, top = 0, outputs[0, i]
    for k in range(1, len(outputs)):
        better = outputs[k, i] > top
        best = k if better else best
        top = outputs[k, i] if better else top
    return best


@compiled
def say(outputs, rows, said):
    """Write what is said for each of ``rows``."""
    for i in range(len(rows)):
        said[rows[i]] = largest(outputs, i)


@compiled
def tally(outputs, vote, totals):
    """Add a vote to the totals of each row: signed where there is one column for two classes."""
    if totals.shape[1] == 1:
        for i in range(len(totals)):
            totals[i, 0] += vote if outputs[1, i] > outputs[0, i] else -vote
    else:
        for i in range(len(totals)):
            totals[i, largest(outputs, i)] += vote
