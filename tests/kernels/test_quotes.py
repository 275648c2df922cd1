import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.kernels.quotes import QUOTED, START, next_row


def row_ends(text):
    """Behind each row that a line feed ends, by Python's csv."""
    lines = text.splitlines(keepends=True)
    reader = csv.reader(lines)
    return [sum(map(len, lines[: reader.line_num])) for _ in reader]


@given(st.text('a",\n', max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_rows_end_where_csv_ends_them(text, cut, after):
    """In one piece or in two, from the first row on or from the one that a byte is in."""
    whole = np.frombuffer(f"{text}\n".encode(), np.uint8)
    found, state, place = [], START, 0
    for piece in np.split(whole, [cut]):
        at = 0
        while at < len(piece):
            at, state, ended = next_row(piece, at, after - place, ord(","), state)
            if ended:
                found.append(place + at)
        place += len(piece)
    ends = [end for end in row_ends(f"{text}\n") if end > after]
    if state == QUOTED:  # never closed: csv ends that row with the text
        ends = ends[:-1]
    assert found == ends


@pytest.mark.parametrize(("delimiter", "count"), [(",", 2), (";", 1)])
def test_marks_open_fields_at_their_start_alone(delimiter, count):
    words = f'5" pipe{delimiter}"two\n""lines"""{delimiter}1\na;"b\n'
    text, ends, at, state = np.frombuffer(words.encode(), np.uint8), 0, 0, START
    while at < len(text):
        at, state, ended = next_row(text, at, 0, ord(delimiter), state)
        ends += ended
    assert (ends, state == QUOTED) == (count, delimiter == ";")
