"""A network of one hidden layer: outputs, loss and gradient; training by L-BFGS, or row by row.

``inner`` holds for each hidden unit the weights of the numbers, of the places of categories, and a
bias; ``outer`` for each class but the first the weights of the units, and a bias. The output of the
first class is 0.

Rows stand by column. They are taken in tiles, few enough to stay in the cache, and every loop over
rows is a plain one that compiles to vector instructions. In training, rows are sorted by class and
a tile has rows of one class only.
"""

from typing import NamedTuple

import numpy as np

from nacre.kernels.compile import compiled, inlined, vectorised
from nacre.kernels.outputs import say, tally
from nacre.kernels.random import next_bits
from nacre.kernels.smooth import exp, log, tanh
from nacre.kernels.vectors import add_placed, add_scaled, add_up, copy, dot, scatter

TILE = 512
MEMORY = 11
"""Room for ten steps that L-BFGS remembers and one that it may not."""

DESCENT = 1e-4
"""Share of the foreseen descent that a step must make."""

SHORT = 1e-6
"""Share of a step below which no shorter one is tried."""

FLAT = 1e-10
"""Curvature, by that of the gradient's turn, below which a step is not remembered."""

SLOW = 1e-14
"""Foreseen descent at which training is done."""


class Rows(NamedTuple):
    """Training rows, sorted by class."""

    numbers: np.ndarray  # (columns, n), in standard units; missing ones 0
    places: np.ndarray  # (columns, n), the place of the category; missing ones -1
    starts: np.ndarray  # where the classes begin
    order: np.ndarray  # the row each one is


class Weights(NamedTuple):
    """The weights of a network, or its gradient, seen in two ways."""

    flat: np.ndarray
    inner: np.ndarray  # (units, inputs + 1)
    outer: np.ndarray  # (classes - 1, units + 1)


class Work(NamedTuple):
    """Room for training."""

    hidden: np.ndarray  # (units, TILE)
    outputs: np.ndarray  # (classes, TILE)
    top: np.ndarray  # (TILE,)
    total: np.ndarray  # (TILE,)
    direction: np.ndarray  # (weights,)
    moves: np.ndarray  # (MEMORY, weights)
    turns: np.ndarray  # (MEMORY, weights)
    curvature: np.ndarray  # (MEMORY,)
    share: np.ndarray  # (MEMORY,) or, row by row, (units,)


# Loops over rows


@vectorised
def squash(out):
    """Take the tanh."""
    for i in range(len(out)):
        out[i] = tanh(out[i])


@vectorised
def raise_to(out, x):
    """Keep the larger of both."""
    for i in range(len(out)):
        out[i] = max(out[i], x[i])


@vectorised
def exponentiate(out, top, total):
    """Take exp(out - top), and add it to the total."""
    for i in range(len(out)):
        out[i] = exp(out[i] - top[i])
        total[i] += out[i]


@vectorised
def add_surprise(own, top, w):
    """Sum of weights times the largest output above that of the rows' own class."""
    loss = 0.0
    for i in range(len(own)):
        loss += w[i] * (top[i] - own[i])
    return loss


@vectorised
def add_logs(total, w):
    """Sum of weights times logs."""
    loss = 0.0
    for i in range(len(total)):
        loss += w[i] * log(total[i])
    return loss


@vectorised
def weigh_shares(out, total, w, own):
    """Weight times the probability, less 1 for the rows' own class."""
    for i in range(len(out)):
        out[i] = w[i] * (out[i] / total[i] - own)


@vectorised
def unsquash(out, unit):
    """Multiply by the derivative of tanh, given the tanh."""
    for i in range(len(out)):
        out[i] *= 1.0 - unit[i] * unit[i]


# The network


@compiled
def forward(numbers, places, start, stop, inner, outer, hidden, outputs):
    """Hidden units and outputs of the rows from ``start`` to ``stop``."""
    m = stop - start
    for h in range(len(inner)):
        unit = hidden[h, :m]
        unit[:] = inner[h, -1]
        for j in range(len(numbers)):
            add_scaled(unit, inner[h, j], numbers[j, start:stop])
        for c in range(len(places)):
            add_placed(unit, inner[h, len(numbers) :], places[c, start:stop])
        squash(unit)
    outputs[0, :m] = 0.0
    for k in range(len(outer)):
        outputs[k + 1, :m] = outer[k, -1]
        for h in range(len(inner)):
            add_scaled(outputs[k + 1, :m], outer[k, h], hidden[h, :m])


@inlined
def settle(outputs, own, w, top, total):
    """Cross-entropy of a tile of class ``own``; outputs become its derivatives by them."""
    m = len(w)
    top[:] = 0.0
    for k in range(1, len(outputs)):
        raise_to(top, outputs[k, :m])
    loss = add_surprise(outputs[own, :m], top, w)
    total[:] = 0.0
    for k in range(len(outputs)):
        exponentiate(outputs[k, :m], top, total)
    for k in range(1, len(outputs)):
        weigh_shares(outputs[k, :m], total, w, 1.0 if k == own else 0.0)
    return loss + add_logs(total, w)


@inlined
def backward(numbers, places, start, stop, outer, hidden, outputs, back, gradient):
    """Add a tile's part of the gradient."""
    m = stop - start
    for k in range(len(outer)):
        for h in range(len(hidden)):
            gradient.outer[k, h] += dot(outputs[k + 1, :m], hidden[h, :m])
        gradient.outer[k, -1] += add_up(outputs[k + 1, :m])
    for h in range(len(hidden)):
        back[:] = 0.0
        for k in range(len(outer)):
            add_scaled(back, outer[k, h], outputs[k + 1, :m])
        unsquash(back, hidden[h, :m])
        for j in range(len(numbers)):
            gradient.inner[h, j] += dot(back, numbers[j, start:stop])
        for c in range(len(places)):
            scatter(gradient.inner[h, len(numbers) :], back, places[c, start:stop])
        gradient.inner[h, -1] += add_up(back)


@inlined
def shrink(layer, decay, gradient):
    """Half of ``decay`` times the sum of squares, biases apart; its gradient is added."""
    total = 0.0
    for row in range(len(layer)):
        own = layer[row, :-1]
        total += dot(own, own)
        add_scaled(gradient[row, :-1], decay, own)
    return 0.5 * decay * total


@compiled
def find_gradient(rows, w, decay, weights, gradient, work):
    """Fill in the gradient of the weighted cross-entropy with decay; return the latter."""
    gradient.flat[:] = 0.0
    loss = shrink(weights.inner, decay, gradient.inner)
    loss += shrink(weights.outer, decay, gradient.outer)
    for own in range(len(rows.starts) - 1):
        for start in range(rows.starts[own], rows.starts[own + 1], TILE):
            stop = min(start + TILE, rows.starts[own + 1])
            top, total = work.top[: stop - start], work.total[: stop - start]
            forward(
                rows.numbers, rows.places, start, stop, weights.inner, weights.outer, work.hidden,
                work.outputs,
            )  # fmt: skip
            loss += settle(work.outputs, own, w[start:stop], top, total)
            backward(
                rows.numbers, rows.places, start, stop, weights.outer, work.hidden, work.outputs,
                top, gradient,
            )  # fmt: skip
    return loss


# Training


@compiled
def start_at_random(state, weights):
    """Weights from -1 to 1; those of the inputs less, the more of them there are."""
    for p in range(len(weights.flat)):
        weights.flat[p] = (next_bits(state) >> np.uint64(11)) * 2.0**-52 - 1.0
    inputs = weights.inner.shape[1] - 1
    for h in range(len(weights.inner)):
        for p in range(inputs):
            weights.inner[h, p] /= np.sqrt(inputs)


@inlined
def point_down(gradient, steps, gain, work):
    """Fill in the direction by the two loops of L-BFGS; return the slope along it."""
    direction = work.direction
    for p in range(len(gradient)):
        direction[p] = -gradient[p]
    first = max(0, steps - MEMORY + 1)
    for step in range(steps - 1, first - 1, -1):
        c = step % MEMORY
        work.share[c] = dot(work.moves[c], direction) / work.curvature[c]
        add_scaled(direction, -work.share[c], work.turns[c])
    for p in range(len(gradient)):
        direction[p] *= gain
    for step in range(first, steps):
        c = step % MEMORY
        back = dot(work.turns[c], direction) / work.curvature[c]
        add_scaled(direction, work.share[c] - back, work.moves[c])
    return dot(direction, gradient)


@inlined
def remember(step, weights, gradient, trial, trial_gradient, work):
    """Note a step and the turn of the gradient; return the curvature and the turn squared."""
    c = step % MEMORY
    for p in range(len(weights)):
        work.moves[c, p] = trial[p] - weights[p]
        work.turns[c, p] = trial_gradient[p] - gradient[p]
    work.curvature[c] = dot(work.moves[c], work.turns[c])
    return work.curvature[c], dot(work.turns[c], work.turns[c])


@compiled
def train(rows, w, decay, epochs, weights, gradient, trial, trial_gradient, work):
    """Lower the loss by L-BFGS, in at most ``epochs`` passes over the rows; return the loss.

    A step that lowers the loss too little is shortened to where a parabola would be least. The
    first pass is a step of no length.
    """
    gradient.flat[:] = 0.0
    work.direction[:] = 0.0
    loss, slope, length = np.inf, 0.0, 0.0
    steps, gain = 0, 1.0
    for _ in range(epochs):
        copy(trial.flat, weights.flat)
        add_scaled(trial.flat, length, work.direction)
        tried = find_gradient(rows, w, decay, trial, trial_gradient, work)
        if tried > loss + DESCENT * length * slope:
            least = -0.5 * slope * length / (tried - loss - slope * length)
            length *= min(max(least, 0.1), 0.5)
            if length < SHORT:
                break
            continue
        curvature, turn = remember(
            steps, weights.flat, gradient.flat, trial.flat, trial_gradient.flat, work
        )
        if curvature > FLAT * turn:
            steps += 1
            gain = curvature / turn
        copy(weights.flat, trial.flat)
        copy(gradient.flat, trial_gradient.flat)
        loss, length = tried, 1.0
        slope = point_down(gradient.flat, steps, gain, work)
        if slope > -SLOW:
            break
    return loss


@compiled
def pick(state, chances):
    """A row drawn by its chance; ``chances`` are running sums up to 1."""
    u = (next_bits(state) >> np.uint64(11)) * 2.0**-53
    low, high = 0, len(chances) - 1
    while low < high:
        middle = (low + high) // 2
        if chances[middle] <= u:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def train_online(rows, y, chances, decay, epochs, rate, state, weights, work):
    """Back-propagation row by row: each step goes down the cross-entropy, with decay, of one row.

    An epoch is as many steps as there are rows, each drawn by its chance.
    """
    inner, outer, numbers, places = weights.inner, weights.outer, rows.numbers, rows.places
    hidden, outputs, back = work.hidden[:, 0], work.outputs[:, 0], work.share
    first = len(numbers)
    for _ in range(epochs * len(chances)):
        i = pick(state, chances)
        for h in range(len(inner)):
            total = inner[h, -1]
            for j in range(len(numbers)):
                total += inner[h, j] * numbers[j, i]
            for c in range(len(places)):
                if places[c, i] >= 0:
                    total += inner[h, first + places[c, i]]
            hidden[h] = tanh(total)
        top = 0.0
        for k in range(len(outer)):
            outputs[k + 1] = outer[k, -1]
            for h in range(len(inner)):
                outputs[k + 1] += outer[k, h] * hidden[h]
            top = max(top, outputs[k + 1])
        total = exp(-top)
        for k in range(len(outer)):
            outputs[k + 1] = exp(outputs[k + 1] - top)
            total += outputs[k + 1]
        back[:] = 0.0
        for k in range(len(outer)):
            slope = outputs[k + 1] / total - (1.0 if y[i] == k + 1 else 0.0)
            for h in range(len(inner)):
                back[h] += slope * outer[k, h]
                outer[k, h] -= rate * (slope * hidden[h] + decay * outer[k, h])
            outer[k, -1] -= rate * slope
        for h in range(len(inner)):
            slope = back[h] * (1.0 - hidden[h] * hidden[h])
            for j in range(len(inner[h]) - 1):
                inner[h, j] -= rate * decay * inner[h, j]
            for j in range(len(numbers)):
                inner[h, j] -= rate * slope * numbers[j, i]
            for c in range(len(places)):
                if places[c, i] >= 0:
                    inner[h, first + places[c, i]] -= rate * slope
            inner[h, -1] -= rate * slope


# What networks say


@compiled
def say_all(rows, inner, outer, work, said):
    """What a network says for the training rows."""
    for start in range(0, len(rows.order), TILE):
        stop = min(start + TILE, len(rows.order))
        forward(rows.numbers, rows.places, start, stop, inner, outer, work.hidden, work.outputs)
        say(work.outputs, rows.order[start:stop], said)


@compiled
def vote_all(numbers, places, inner, outer, votes, hidden, outputs, totals):
    """Votes of many networks, tile by tile."""
    for start in range(0, len(totals), TILE):
        stop = min(start + TILE, len(totals))
        for t in range(len(votes)):
            forward(numbers, places, start, stop, inner[t], outer[t], hidden, outputs)
            tally(outputs, votes[t], totals[start:stop])
