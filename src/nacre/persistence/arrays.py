"""Arrays in model files: ``.npy`` of the smallest type, and nothing that a type cannot hold."""

from __future__ import annotations

import io
import math
import re
from typing import Any

import numpy as np

TYPE = r"[<|][biufSUmM][1-9]\d*(?:\[\w+\])?"
NPY = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '(%b)', 'fortran_order': False, 'shape': \(([\d, ]*)\), \} *\n"
    % TYPE.encode(),
    re.DOTALL,
)
NARROWER = {"<i8": ("|u1", "|i1", "<u2", "<i2", "<u4", "<i4"), "<f8": ("<f4",)}
"""Types of which arrays of a type are stored where they hold all of its values."""

LAST_CHARACTER = 0x10FFFF


def stored_type(thing: Any) -> str:
    """The type of an array or a NumPy number, as it is stored."""
    text: str = thing.dtype.newbyteorder("<").str
    return text


def to_npy(array: np.ndarray) -> bytes:
    """The bytes of an ``.npy`` file, the same on any machine."""
    buffer = io.BytesIO()
    little = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(array.shape)
    np.lib.format.write_array(buffer, little, version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


def narrow(array: np.ndarray) -> np.ndarray:
    """The array as the smallest type from which its own gets the same bits back."""
    if array.dtype == np.int64 and array.size:
        low, high = int(array.min()), int(array.max())
        for kind in NARROWER["<i8"]:
            if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
                return array.astype(kind)
    if array.dtype == np.float64:
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            less = array.astype(np.float32)
        if less.astype(np.float64).tobytes() == array.tobytes():
            return less
    return array


def widened(array: np.ndarray, of: str) -> np.ndarray:
    """What :func:`narrow` was given: an array of its own type, or of the one that it is made of."""
    if stored_type(array) not in (of, *NARROWER.get(of, ())):
        raise ValueError("an array is not of its type.")
    return array.astype(np.dtype(of).newbyteorder("="), copy=False)


def from_npy(data: bytes) -> np.ndarray:
    """An array from an ``.npy`` file, whose header must be as NumPy writes it."""
    header = NPY.match(data)
    if header is None:
        raise ValueError("an array has no header.")
    dtype = np.dtype(header[1].decode())
    shape = tuple(int(size) for size in header[2].split(b",") if size.strip())
    return values_of(data[header.end() :], dtype, shape)


def values_of(data: bytes, dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray:
    """An array of its own from bytes, without values that its type cannot have."""
    if len(data) != math.prod(shape) * dtype.itemsize:
        raise ValueError("an array is not as large as it says.")
    array = np.ndarray(shape, dtype, data).astype(dtype.newbyteorder("="))
    strange = (
        (dtype.kind == "b" and array.view(np.uint8).max(initial=0) > 1) or
        (dtype.kind == "U" and np.frombuffer(data, "<u4").max(initial=0) > LAST_CHARACTER)
    )  # fmt: skip
    if strange:
        raise ValueError(f"an array does not hold {dtype}.")
    return array
