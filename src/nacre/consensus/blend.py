"""The members that are fitted to a table, and the blend of their held-out scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from nacre.bins import Bins
from nacre.consensus.linear import linear_members
from nacre.consensus.members import Bagged, BaggedTrees, Bayes, Boosted
from nacre.consensus.ridge import Landmarks, Ridge
from nacre.consensus.task import Fitted, Member, Task, set_task
from nacre.consensus.weighing import softmax_weights, stacked_weights
from nacre.consensus.words import members_on_words
from nacre.data import TrainingRows
from nacre.models.base import workers
from nacre.noise.noise_model import spread
from nacre.progress import Progress, Tally

EFFORTS: dict[str, tuple[Member, ...]] = {
    "fast": (Bagged(5, False, 50), Bagged(15, True, 50), Bayes()),
    "full": (Bagged(5, False, 130), Bagged(15, True, 130), Bayes(), Boosted(8), Boosted(2)),
}
"""The members for each effort."""

RIDGES: dict[str, tuple[Ridge, ...]] = {
    effort: (
        Ridge(root=True, telling=False, landmarks=landmarks),
        Ridge(root=False, telling=True, landmarks=landmarks),
    )
    for effort, landmarks in {"fast": 250, "full": 500}.items()
}
"""Those that come after them, and may know what columns are worth."""

MANY = 2_000
"""Of so many rows and more, full effort also boosts larger trees; of fewer, ridges are taught."""

NEGLIGIBLE = 0.01
"""Members of a smaller weight are dropped."""

LEAST_TREES = 0.5
"""Forests keep this share of their trees at least."""


@dataclass(frozen=True, eq=False)
class Blend:
    """Fitted members, and what they say together about their training rows.

    Attributes
    ----------
    members : list of fitted members
        Without those of negligible weight.
    weights : array of shape (M,)
        What the scores of each are multiplied by: its weight by their root mean square.
    scales : array of shape (M,)
        The root mean square of the held-out scores of each.
    held : array of shape (n, K)
        The weighted sum of the held-out scores of the training rows.
    """

    members: list[Fitted]
    weights: np.ndarray
    scales: np.ndarray
    held: np.ndarray

    def taught(self, task: Task, posterior: np.ndarray, n_jobs: int | None) -> list[Fitted]:
        """The members for new rows: ridge regressions learn from posteriors of all labels, too.

        What all members make of a label is nearer to the truth than the label, which helps where
        rows are few; with members on words it has not been tried. Training rows keep their held-out
        scores, for these posteriors know their labels.
        """
        if len(task.training.y) >= MANY or task.training.words is not None:
            return self.members

        def teach(one: Fitted, scale: float) -> Fitted:
            return one.taught(task, posterior, scale) if isinstance(one, Landmarks) else one

        with (
            blas().limit(limits=1, user_api="blas"),
            ThreadPoolExecutor(workers(n_jobs)) as pool,
        ):
            return list(pool.map(teach, self.members, self.scales.tolist()))


def members_for(effort: str, training: TrainingRows) -> tuple[Member, ...]:
    """The members for a table of this shape, but for the kernel ridge regressions."""
    large = (Boosted(32),) if effort == "full" and len(training.y) >= MANY else ()
    on_words = members_on_words(training)
    return (*EFFORTS[effort], *large, *linear_members(training), *on_words)


def ridges_for(effort: str, training: TrainingRows) -> tuple[Ridge, ...]:
    """The kernel ridge regressions: of text and other columns, also on the other columns alone.

    In distances the many components of a text outweigh a few columns. Members on words and members
    on the other columns add up their evidence, as where these are independent given the class.
    """
    ridges = RIDGES[effort]
    if 0 < len(training.components) < training.X.shape[1]:
        ridges += tuple(replace(one, beside_text=True) for one in ridges)
    return ridges


def fit_blend(
    training: TrainingRows,
    clean: np.ndarray,
    effort: str,
    seed: int,
    *,
    bins: Bins | None,
    n_jobs: int | None,
    progress: Progress,
) -> tuple[Task, Blend]:
    """Fit the members for a table and weigh them; return also what they were given."""
    members, ridges = members_for(effort, training), ridges_for(effort, training)
    seeds = np.random.SeedSequence(seed).generate_state(1 + len(members) + len(ridges)).tolist()
    task = set_task(training, clean, seeds.pop(), bins, workers(n_jobs))
    tally = Tally("member", len(members) + len(ridges), progress)

    def counted(result: tuple[Any, np.ndarray]) -> tuple[Any, np.ndarray]:
        tally.step()
        return result

    with (
        blas().limit(limits=1, user_api="blas"),
        ThreadPoolExecutor(workers(n_jobs)) as pool,
    ):
        own = [seeds.pop() for _ in members]
        found: list[tuple[Any, np.ndarray]]
        found = list(pool.map(lambda one, seed: counted(one.fit(task, seed)), members, own))
        worth = column_worth([fitted for fitted, _ in found], training.X.shape[1])
        own = [seeds.pop() for _ in ridges]
        found += pool.map(lambda one, seed: counted(one.fit(task, worth, seed)), ridges, own)
    return task, weighed(task, found)


def weighed(task: Task, found: Sequence[tuple[Any, np.ndarray]]) -> Blend:
    """The blend of fitted members by their held-out scores; those of negligible weight dropped."""
    held = [scores for _, scores in found]
    weights = softmax_weights(task, np.array([task.loss(scores) for scores in held]))
    if task.training.words is not None:
        weights = stacked_weights(task, held, weights)
    kept = np.flatnonzero(weights >= NEGLIGIBLE).tolist()
    weights = weights[kept] / weights[kept].sum()
    members = [thinned(found[m][0], share) for m, share in zip(kept, weights.tolist(), strict=True)]
    scales = np.array([spread(held[m]) for m in kept])
    weights = weights / scales
    return Blend(members, weights, scales, np.tensordot(weights, [held[m] for m in kept], axes=1))


def thinned(member: Fitted, share: float) -> Fitted:
    """A member of a share in the blend: bagged trees in proportion to it, at least half.

    The variance of a mean of T trees falls as 1 / T, and counts by the square of the share. Half of
    the trees are still more than have judged any training row, which is what weights and noise
    model were fitted to.
    """
    if not isinstance(member, BaggedTrees):
        return member
    return BaggedTrees(member.trees.first(math.ceil(max(share, LEAST_TREES) * len(member.trees))))


@cache
def blas() -> ThreadpoolController:
    """Who sets how many threads BLAS uses; to look for all libraries takes a while."""
    return ThreadpoolController()


def importances(members: Sequence[Fitted], d: int, weights: np.ndarray | None = None) -> np.ndarray:
    """How much members use each of ``d`` columns, as shares; 0 where there are no splits."""
    out = np.zeros(d)
    for weight, member in zip(
        np.ones(len(members)) if weights is None else weights, members, strict=True
    ):
        own = member.importances(d)
        out += weight * own / max(own.sum(), np.finfo(float).tiny)
    return out / out.sum() if out.any() else out


def column_worth(members: Sequence[Fitted], d: int) -> np.ndarray:
    """How much distances on each of ``d`` columns count: importances of mean 1, or all alike."""
    used = importances(members, d)
    return used * d if used.any() else np.ones(d)
