"""Where rows of delimited text end, by the quotation marks that enclose line feeds."""

from nacre.kernels.compile import compiled

LINE_FEED, RETURN, MARK = 10, 13, 34

# Where a byte stands: at the start of a field, in one without quotes, within quotes, or behind a
# mark that ends them unless another follows
START, PLAIN, QUOTED, ENDED = range(4)


@compiled
def next_row(text, at, after, delimiter, state):
    """Go on through text, to behind the first row that ends at the byte ``after`` or later.

    Marks are taken as Arrow and Python's csv take them: they open a field at its start alone,
    and a doubled one within stands for itself.

    Parameters
    ----------
    text : uint8 array
    at, after : int
        Places in the text.
    delimiter : int
        A byte.
    state : int
        Where the byte ``at`` stands: START, PLAIN, QUOTED or ENDED.

    Returns
    -------
    at, state : where to go on
    found : whether the row ends there; else the text does
    """
    for i in range(at, len(text)):
        byte = text[i]
        if state == QUOTED:
            if byte == MARK:
                state = ENDED
        elif byte in (delimiter, LINE_FEED, RETURN):
            state = START
            if byte == LINE_FEED and i >= after:
                return i + 1, state, True
        elif byte == MARK and state != PLAIN:
            state = QUOTED
        else:
            state = PLAIN
    return len(text), state, False
