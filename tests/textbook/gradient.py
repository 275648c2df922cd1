"""The gradient boosters, each in about ten naive lines.

Letters: F scores (n, columns), y* = 1 for a row's own class and 0 else, one column for two classes
(class 1) and one a class for more; s sample weights, nu the learning rate; p = softmax(2F).
`learn(r, w)` fits numbers r by least squares with weights w and returns the leaf of each row and
the leaves' means on the same rows; leaf None is a regressor without leaves.
With `draws`, a (rounds, n) array of row multiplicities, it is fitted with w * draws[t] or, where
that moves all rows alike, with w.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

Array = np.ndarray
Learn = Callable[[Array, Array], tuple[Array | None, Array]]


# Small parts ------------------------------------------------------------------------------------


def own_class(y: Array, n_classes: int) -> Array:
    return (y[:, None] == (np.array([1]) if n_classes == 2 else np.arange(n_classes))) * 1.0


def chances(F: Array) -> Array:
    if F.shape[1] == 1:
        return 1 / (1 + np.exp(-2 * F))
    odds = np.exp(2 * (F - F.max(axis=1, keepdims=True)))
    return odds / odds.sum(axis=1, keepdims=True)


def take_rounds(
    F: Array, rounds: int, s: Array, draws: Array | None, move: Callable
) -> list[Array]:
    """F <- F + move(F, w), where w are weights of the rows drawn or, should these do nothing, s."""
    stages = []
    for t in range(rounds):
        h = move(F, s if draws is None else s * draws[t])
        if np.all(np.ptp(h, axis=0) == 0):
            h = move(F, s)
        F = F + h
        stages.append(F)
    return stages


def shorter(n_classes: int) -> float:
    """The step of one column where all columns step."""
    return 1.0 if n_classes == 2 else (n_classes - 1) / n_classes


# The boosters: scores after each round ----------------------------------------------------------


def l2boost(learn: Learn, y, n_classes, rounds, s, nu=1.0, draws=None) -> list[Array]:
    """h fits y - F (Buehlmann and Yu 2003)."""
    signs = 2 * own_class(y, n_classes) - 1

    def move(F, w):
        return nu * np.column_stack([learn(r, w)[1] for r in (signs - F).T])

    return take_rounds(np.zeros(signs.shape), rounds, s, draws, move)


def logitboost(learn: Learn, y, n_classes, rounds, s, nu=1.0, draws=None) -> list[Array]:
    """h fits (y* - p) / (p (1 - p)) with weights p (1 - p), F <- F + nu h / 2 (Friedman 2000)."""
    star = own_class(y, n_classes)

    def move(F, w):
        p = chances(F)
        response = np.clip((star - p) / (p * (1 - p)), -4, 4)
        weights = w[:, None] * p * (1 - p)
        h = np.column_stack([learn(r, w)[1] for r, w in zip(response.T, weights.T, strict=True)])
        return nu * shorter(n_classes) * h / 2

    return take_rounds(np.zeros(star.shape), rounds, s, draws, move)


def gentleboost(learn: Learn, y, n_classes, rounds, s, nu=1.0, draws=None) -> list[Array]:
    """h fits y with weights exp(-y F); K classes: one against the others (Friedman 2000)."""
    signs = 2 * own_class(y, n_classes) - 1

    def move(F, w):
        weights = w[:, None] * np.exp(-signs * F)
        h = np.column_stack([learn(r, w)[1] for r, w in zip(signs.T, weights.T, strict=True)])
        return nu * h

    return take_rounds(np.zeros(signs.shape), rounds, s, draws, move)


def by_leaf(leaf: Array, of: Callable[[Array], float]) -> Array:
    """For each row, a number found from the rows of its leaf."""
    return np.array([of(leaf == k) for k in leaf])


def confidence_rated(learn: Learn, y, n_classes, rounds, s, nu, draws, say) -> list[Array]:
    """AdaBoost's weights; `say(w, positive, here)` is what a leaf of the rows `here` says."""
    signs = 2 * own_class(y, n_classes) - 1

    def move(F, drawn):
        moves = []
        for sign, f in zip(signs.T, F.T, strict=True):
            w = drawn * np.exp(-sign * f)
            leaf, _ = learn(sign, w)
            say_here = partial(say, w / w.sum(), sign > 0)
            moves.append(by_leaf(leaf, say_here))
        return nu * np.column_stack(moves)

    return take_rounds(np.zeros(signs.shape), rounds, s, draws, move)


def real_adaboost(learn, y, n_classes, rounds, s, nu=1.0, draws=None, *, counts) -> list[Array]:
    """Half the log-odds of a leaf, 1/n added to both weights (Schapire and Singer 1999)."""

    def say(w, positive, here):
        little = 1 / counts.sum()
        own, other = w[here & positive].sum() + little, w[here & ~positive].sum() + little
        return np.log(own / other) / 2

    return confidence_rated(learn, y, n_classes, rounds, s, nu, draws, say)


def modest_adaboost(learn, y, n_classes, rounds, s, nu=1.0, draws=None, *, counts) -> list[Array]:
    """W+ (1 - V+) - W- (1 - V-), V under weights 1 - w (Vezhnevets and Vezhnevets 2005).

    A row that stands for several has as many times 1, less its weight.
    """

    def say(w, positive, here):
        v = (counts - w) / (counts - w).sum()
        own, other = here & positive, here & ~positive
        return w[own].sum() * (1 - v[own].sum()) - w[other].sum() * (1 - v[other].sum())

    return confidence_rated(learn, y, n_classes, rounds, s, nu, draws, say)


def gradientboost(
    learn: Learn, y, n_classes, rounds, s, nu=1.0, draws=None, *, gradient, start
) -> list[Array]:
    """h fits minus the gradient in 2F; each leaf is one Newton step (Friedman 2001).

    A row whose own step were longer than 40 counts with the curvature that makes it 40.
    """
    star = own_class(y, n_classes)

    def move(F, w):
        moves = []
        for pull, bend in zip(*(part.T for part in gradient(chances(F), star)), strict=True):
            leaf, h = learn(pull, w)
            bend = np.where(abs(pull) > 40 * bend, abs(pull) / 40, bend)
            if leaf is not None:
                h = np.array(
                    [(w * pull)[leaf == k].sum() / (w * bend)[leaf == k].sum() for k in leaf]
                )
            moves.append(h)
        return nu * shorter(n_classes) / 2 * np.column_stack(moves)

    return take_rounds(np.tile(start, (len(y), 1)), rounds, s, draws, move)


def log_odds_start(y: Array, n_classes: int, s: Array) -> Array:
    """Half the log-odds (or logs) of the classes' shares."""
    logs = np.log([s[y == k].sum() for k in range(n_classes)]) / 2
    return logs[1:] - logs[:1] if n_classes == 2 else logs


# Gradients: minus the gradient in 2F, and the curvature -----------------------------------------


def both(p: Array, star: Array) -> tuple[Array, Array]:
    """A column for each class, also of two."""
    return (np.hstack([1 - p, p]), np.hstack([1 - star, star])) if p.shape[1] == 1 else (p, star)


def trusting(trust: Callable[[Array, int], Array]) -> Callable:
    """c(p_y) (y* - p) and c(p_y) p (1 - p) + (1 - c(p_y)) / 4."""

    def gradient(p: Array, star: Array) -> tuple[Array, Array]:
        P, Y = both(p, star)
        c = trust((P * Y).sum(axis=1, keepdims=True), P.shape[1])
        return c * (star - p), c * p * (1 - p) + (1 - c) / 4

    return gradient


def backward(e: float) -> Callable:
    """The log loss under the inverse of the noise matrix."""

    def gradient(p: Array, star: Array) -> tuple[Array, Array]:
        P, Y = both(p, star)
        target = Y @ np.linalg.inv(noise_matrix(e, P.shape[1]))
        return (target - P)[:, -p.shape[1] :], (1 - e) * p * (1 - p) + e / 4

    return gradient


def noise_matrix(e: float, n_classes: int) -> Array:
    """Right with chance 1 - e, else any other class alike."""
    return np.eye(n_classes) * (1 - e - e / (n_classes - 1)) + e / (n_classes - 1)


def forward_trust(e: float) -> Callable[[Array, int], Array]:
    def trust(p: Array, n_classes: int) -> Array:
        other = e / (n_classes - 1)
        return (1 - e - other) * p / ((1 - e - other) * p + other)

    return trust
