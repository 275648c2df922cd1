"""Trees on samples: the drawn rows and columns are copied together.

To copy what is drawn takes as long as to read it once from a table of which it is a part; a tree
reads it several times.
"""

import numpy as np

from nacre.kernels.compile import compiled
from nacre.kernels.histogram import WIDTH


@compiled
def copy_rows(words, columns, rows, response, weight, packed, first, second):
    """Copy the bins of some columns, the weighted response and the weight of the listed rows."""
    for k in range(len(rows)):
        i = rows[k]
        first[k] = response[i] * weight[i]
        second[k] = weight[i]
    for block in range(len(packed)):
        for lane in range(min(WIDTH, len(columns) - block * WIDTH)):
            f = columns[block * WIDTH + lane]
            copy_lane(words[f // WIDTH], f % WIDTH, rows, packed[block], lane)


@compiled
def copy_lane(words, lane, rows, packed, place):
    """Copy one column of the listed rows into a lane of theirs; the first lane empties the rest."""
    shift, back = np.uint64(8 * lane), np.uint64(8 * place)
    keep = np.uint64(0) - np.uint64(place > 0)
    for k in range(len(rows)):
        packed[k] = (packed[k] & keep) | (((words[rows[k]] >> shift) & np.uint64(255)) << back)
