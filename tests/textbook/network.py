"""A network of one hidden layer, as the formula has it."""

import numpy as np


def outputs(inputs: np.ndarray, inner: np.ndarray, outer: np.ndarray) -> np.ndarray:
    """One column a class; the last column of inner and outer are biases, the first output is 0."""
    units = np.tanh(inputs @ inner[:, :-1].T + inner[:, -1])
    others = units @ outer[:, :-1].T + outer[:, -1]
    return np.column_stack([np.zeros(len(inputs)), others])


def loss(
    inputs: np.ndarray,
    y: np.ndarray,
    w: np.ndarray,
    decay: float,
    inner: np.ndarray,
    outer: np.ndarray,
) -> float:
    """Weighted cross-entropy, and half of decay times the squares of all weights but biases."""
    out = outputs(inputs, inner, outer)
    surprise = np.log(np.exp(out).sum(axis=1)) - out[np.arange(len(y)), y]
    squares = (inner[:, :-1] ** 2).sum() + (outer[:, :-1] ** 2).sum()
    return float(w @ surprise + decay / 2 * squares)


def online(
    inputs: np.ndarray,
    y: np.ndarray,
    rows: list[int],
    decay: float,
    rate: float,
    inner: np.ndarray,
    outer: np.ndarray,
) -> None:
    """Back-propagation: for one row after the other, down the gradient of its loss."""
    for i in rows:
        x = np.append(inputs[i], 1.0)
        units = np.append(np.tanh(inner @ x), 1.0)
        out = np.append(0.0, outer @ units)
        wrong = np.exp(out) / np.exp(out).sum() - (np.arange(len(out)) == y[i])
        back = (outer[:, :-1].T @ wrong[1:]) * (1 - units[:-1] ** 2)
        steps = [(outer, np.outer(wrong[1:], units)), (inner, np.outer(back, x))]
        for layer, gradient in steps:
            gradient[:, :-1] += decay * layer[:, :-1]
            layer -= rate * gradient
