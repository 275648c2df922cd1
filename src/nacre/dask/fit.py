"""Fit a booster to Dask collections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np

from nacre.boost import AllRows, Subsample
from nacre.boost.gradient import Label
from nacre.boost.loop import Boosting
from nacre.boost.step import StrictHull
from nacre.boost.stopping import advance, boost_watched
from nacre.dask.blocks import Table, along, read_block, read_table
from nacre.dask.calls import collect
from nacre.dask.gradient import PartitionedGradient
from nacre.dask.partition import Block, HoldOut, Whole, make_partition, part_block
from nacre.dask.sketch import Cuts, Summary, cut_columns, merge
from nacre.dask.stumps import PartitionedStumps
from nacre.dask.voting import PartitionedTrees
from nacre.dask.waves import ClusterWaves, LocalWaves, Waves, insist
from nacre.data import TrainingRows
from nacre.data.folds import hashed_rows
from nacre.data.seeds import seed_of
from nacre.data.target import encode_known
from nacre.kernels.binning import WIDTH
from nacre.learners.stump import Stump, StumpFitter
from nacre.learners.tree import Tree, TreeFitter
from nacre.models.base import BoostClassifier
from nacre.models.coreboost import CoreBoostClassifier
from nacre.models.gradient_base import GradientBooster
from nacre.models.voting_base import VotingBooster
from nacre.progress import Event, Progress, silent

Model = TypeVar("Model", bound=BoostClassifier)


def fit(
    model: Model,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    clean: Any = None,
    groups: Any = None,
    client: Any = None,
    progress: Progress = silent,
) -> Model:
    """Fit a booster to a Dask array or data frame.

    The algorithm is the one that ``model.fit`` runs: rows only meet through sums, and sums are
    added up over the partitions, in their order. So the result is the same, to the bit, for any
    number of workers; and it is that of ``model.fit``, up to rounding, on the same bins. Bins come
    from a quantile sketch (ranks off by a share of at most (L + 1) / 4096 over 2^L partitions;
    columns of up to 4096 distinct values are exact).

    Parameters
    ----------
    model : estimator
        A voting or gradient booster of nacre with native stumps or trees.
    X : Dask array or data frame of shape (n, d)
        Numbers, and columns of a categorical type whose categories are known.
    y : Dask array or series of n labels
        Parted as ``X`` is.
    sample_weight : Dask array or series, optional
    clean : Dask array or series of booleans, optional
        Rows whose labels are trusted, for :class:`~nacre.CoreBoostClassifier`.
    groups : Dask array or series, optional
        Rows of a group are drawn together, as copies of a row are.
    client : distributed.Client, optional
        Default the one in use. Without any, partitions are worked on one after the other in this
        process: bins take an eighth of the table's memory.
    progress : callback, optional
        Is told how many rounds are done: see :mod:`nacre.progress`.

    Returns
    -------
    model
        Fitted: a plain estimator, which needs no Dask.

    Notes
    -----
    A worker keeps the margins of its partitions. Where one is lost, Dask makes its partitions again
    elsewhere, and they replay the rounds so far: the result is the same. A worker may join or
    retire at any time. Partitions without rows add nothing.

    *When not to.* Below about a million rows, where the table fits into memory: ``model.fit`` does
    without the latency of a cluster, which is some milliseconds a question: one a round for stumps,
    one for each level of a tree.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import AdaBoostClassifier
    >>> from nacre.dask import fit
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = fit(AdaBoostClassifier(), da.from_array(X, (200, 30)), da.from_array(y, 200))
    >>> bool(model.score(X, y) > 0.97)
    True
    """
    learner = check_model(model, clean)
    table = read_table(X, model._categorical(learner))
    blocks = read_blocks(table, X, y, sample_weight, clean, groups)
    client = usable(client or current_client())
    with leaving_thread():
        compute = compute_here if client is None else compute_on(client)
        progress(Event("Reading the columns"))
        hold = None
        if model.n_iter_no_change is not None:
            hold = HoldOut(seed_of(model.random_state), model.validation_fraction)
        found = summarise(blocks, table.layout.categorical, hold, groups is not None, compute)
        summary = check_summary(found, hold)
        note_table(model, table, summary)
        cuts = cut_columns(summary, table.layout.categorical, learner.max_bins)
        progress(Event("Binning the rows"))
        mass = float(summary.mass.sum())
        whole = Whole(summary.classes, mass, summary.held_mass, sample_weight is None, hold)
        waves = make_waves(blocks, cuts, whole, client)
        training = sample_rows(summary, table)
        try:
            run = begin(model, learner, waves, cuts, training, summary)
            keep_rounds(model, run, training, progress)
        finally:
            waves.close()
        model._prior = np.log(summary.mass / mass) / 2.0
        model._taught = type(learner)
    return model


def keep_rounds(model: Any, started: Boosting, training: TrainingRows, progress: Progress) -> None:
    """Boost, and set the fitted attributes."""
    model.__dict__.pop("validation_scores_", None)
    if model.n_iter_no_change is None:
        advance(started, model.n_estimators, progress)
        run = started.run()
    else:
        watch = started.watch(training, model.stop_on)
        run, model.validation_scores_ = boost_watched(
            started, model.n_estimators, watch, model.n_iter_no_change, progress
        )
    with np.errstate(divide="ignore"):  # the prior of a class that the sample lacks: of all rows
        model._keep(run, training)


def check_model(model: Any, clean: Any) -> Any:
    """The learner of a model; one line says why it cannot be fitted over partitions."""
    if not isinstance(model, BoostClassifier):
        raise TypeError(
            f"model must be a booster of nacre, got {type(model).__name__}: NacreClassifier and "
            "others are fitted to a sample of the rows by their own fit."
        )
    model._check_parameters()
    learner = model._learner()
    if not isinstance(learner, (Stump, Tree)):
        raise TypeError(
            f"Over partitions the weak learner must be a Stump or a Tree, got {learner!r}."
        )
    if learner.max_bins is None:
        raise ValueError("max_bins=None looks at every value: over partitions, bins are needed.")
    if isinstance(learner, Tree) and (learner.max_features is not None or learner.random_cuts):
        raise ValueError("Over partitions, max_features and random_cuts of trees are not possible.")
    if model.warm_start:
        raise ValueError("warm_start is not possible over partitions: set it to False.")
    if clean is not None and not isinstance(model, CoreBoostClassifier):
        raise TypeError(f"{type(model).__name__} takes no clean rows: CoreBoostClassifier does.")
    if isinstance(model, GradientBooster):
        if isinstance(model._aim(), Label):
            raise ValueError(
                f"{type(model).__name__} weighs rows by the least margin of all: over partitions "
                "use LogitBoostClassifier or GradientBoostClassifier."
            )
        return learner
    pairs = getattr(model, "variant", None) == "m2"
    if pairs or not isinstance(model, VotingBooster) or not model._algorithm().compiled:
        raise ValueError(
            f"{model!r} looks at rows in ways that are no sums: fit it to a sample of them."
        )
    if isinstance(model._algorithm().step, StrictHull):
        raise ValueError(
            "Strict p-boosting searches its votes over all rows: use variant='sloppy'."
        )
    return learner


def read_blocks(
    table: Table, X: Any, y: Any, sample_weight: Any, clean: Any, groups: Any
) -> list[Any]:
    """A delayed block of rows for each partition."""
    from dask.delayed import delayed

    if y is None:
        raise ValueError("This classifier requires y to be passed, but the target y is None.")
    rows = {"y": y, "sample_weight": sample_weight, "clean": clean, "groups": groups}
    beside = {name: along(values, X, name) for name, values in rows.items()}
    none = [None] * len(table.parts)
    fixed = delayed(replace(table, parts=[]), pure=True)
    read = delayed(read_block, pure=True)
    lists = [beside[name] or none for name in rows]
    return [
        read(*each, fixed, dask_key_name=f"nacre-read-{token(each)}")
        for each in zip(table.parts, *lists, strict=True)
    ]


def token(each: Any) -> str:
    """A name for what is made of delayed parts."""
    from dask.base import tokenize

    return str(tokenize(*(getattr(one, "key", one) for one in each)))


def current_client() -> Any:
    """The client in use, or None."""
    try:
        from distributed import get_client

        return get_client()
    except (ImportError, ValueError):
        return None


def usable(client: Any) -> Any:
    """A client that can be waited for; one line says why another cannot."""
    if client is None:
        return None
    from distributed import Client

    if not isinstance(client, Client):
        raise TypeError(f"client must be a distributed.Client, got {type(client).__name__}.")
    if client.asynchronous:
        raise ValueError(
            "The client is asynchronous, and fit waits for answers: call it in a thread with a "
            "client of its own, Client(address)."
        )
    if client.status == "closed":
        raise ValueError("The client is closed: open another.")
    return client


@contextmanager
def leaving_thread() -> Iterator[None]:
    """Where this is a task of a worker, leave its thread to the tasks that it waits for."""
    left = False
    with suppress(ImportError, ValueError, KeyError):  # no task, or one that has left already
        from distributed import get_worker, rejoin, secede

        get_worker()
        secede()
        left = True
    try:
        yield
    finally:
        if left:
            rejoin()


def compute_here(delayed: Any) -> Any:
    """Compute with Dask's threads."""
    return delayed.compute(scheduler="threads")


def compute_on(client: Any) -> Callable[[Any], Any]:
    """Compute on a cluster."""
    return lambda delayed: insist(client, lambda: collect(client, [client.compute(delayed)])[0])


def summarise_block(
    block: Block, categorical: tuple[int, ...], hold: HoldOut | None, grouped: bool
) -> Summary | None:
    """What is known of a partition's rows; None where there are none."""
    if not len(block.X):
        return None
    block, aside = part_block(block, hold)
    key = hashed_rows(block.X) if grouped and len(block.X) else block.key  # a sample of rows
    found = Summary.of(block.X, block.labels, block.weight, key, categorical)
    return found if aside is None else replace(found, held=mass_by_label(aside))


def mass_by_label(block: Block) -> dict[Any, float]:
    """The weight of the rows of each label."""
    labels, codes = np.unique(block.labels, return_inverse=True)
    mass = np.bincount(codes, block.weight, len(labels))
    return dict(zip(labels.tolist(), mass.tolist(), strict=True))


def summarise(
    blocks: list[Any],
    categorical: tuple[int, ...],
    hold: HoldOut | None,
    grouped: bool,
    compute: Callable[[Any], Any],
) -> Summary | None:
    """A summary of all rows, merged by a binary tree over the partitions."""
    from dask.delayed import delayed

    sketch, join = delayed(summarise_block, pure=True), delayed(merge, pure=True)
    level = [
        sketch(
            block, categorical, hold, grouped,
            dask_key_name=f"nacre-sketch-{token([block, categorical, hold])}",
        )
        for block in blocks
    ]  # fmt: skip
    while len(level) > 1:
        pairs = [level[k : k + 2] for k in range(0, len(level), 2)]
        level = [
            pair[0]
            if len(pair) == 1
            else join(*pair, categorical, dask_key_name=f"nacre-merge-{token(pair)}")
            for pair in pairs
        ]
    found: Summary | None = compute(level[0])
    return found


def check_summary(summary: Summary | None, hold: HoldOut | None) -> Summary:
    """Raise where there is nothing to learn, or nothing to stop on."""
    if summary is None:
        raise ValueError("X has no rows of weight above 0: there is nothing to learn from.")
    if hold is not None and not summary.rows:
        raise ValueError(
            f"validation_fraction={hold.fraction} leaves no rows to learn from: lower it, or set "
            "another random_state."
        )
    if not np.isfinite(summary.mass.sum()):
        raise ValueError("sample_weight adds up to infinity: divide it by its largest value.")
    if len(summary.classes) < 2:
        raise ValueError(
            f"All rows have one class, {summary.classes.tolist()[0]!r}: a classifier needs at "
            "least two classes in y."
        )
    classes = summary.classes
    if classes.dtype.kind == "f" and np.any(classes != np.round(classes)):
        raise ValueError("y holds fractions, but a classifier needs classes: text or numbers.")
    if hold is not None and summary.held_mass == 0.0:
        raise ValueError(
            f"validation_fraction={hold.fraction} leaves no rows to stop on: raise it, or set "
            "another random_state."
        )
    return summary


def note_table(model: Any, table: Table, summary: Summary) -> None:
    """Note what predictions need to read more rows of the kind."""
    model._layout, model.classes_ = table.layout, summary.classes
    model.n_features_in_ = table.width
    model.__dict__.pop("feature_names_in_", None)
    if table.named:
        model.feature_names_in_ = np.array(table.names, dtype=object)


def make_waves(blocks: list[Any], cuts: Cuts, whole: Whole, client: Any) -> Waves:
    """Bin all partitions, and have them ready to be asked."""
    from dask.delayed import delayed

    from dask import compute

    known = delayed(cuts, pure=True), delayed(whole, pure=True)
    make = delayed(make_partition, pure=True)
    own = uuid4().hex  # partitions remember how far a fit is: no two fits share them
    parts = [
        make(block, *known, dask_key_name=f"nacre-bin-{own}-{number}")
        for number, block in enumerate(blocks)
    ]
    if client is None:
        return LocalWaves(compute(*parts, scheduler="threads"))
    return ClusterWaves(client, lambda: client.compute(parts))


def sample_rows(summary: Summary, table: Table) -> TrainingRows:
    """A sample of the rows, for what needs no more: the scale of votes, the noise rate."""
    some, weight = summary.sample.spread()
    codes = encode_known(summary.sample.labels[some], summary.classes)
    weight = weight / weight.sum()
    count = weight * summary.mass.sum()
    return TrainingRows(
        summary.sample.X[some].astype(float),
        codes,
        len(summary.classes),
        weight,
        count,
        table.layout.categorical,
        len(codes),
    )


def begin(
    model: Any, learner: Any, waves: Waves, cuts: Cuts, training: TrainingRows, summary: Summary
) -> Boosting:
    """The run of a model over partitions."""
    seed, d = seed_of(model.random_state), len(cuts.missing)
    nobody = np.zeros((-(-d // WIDTH), 0), np.uint64)
    bins = cuts.plan.bins_of(nobody, cuts.categories, cuts.missing)
    K = training.n_classes
    none = replace(training, X=training.X[:0], y=training.y[:0], weight=training.weight[:0])
    if isinstance(learner, Stump) and isinstance(model, VotingBooster):
        stumps = StumpFitter.of_bins(bins, none.y, none.weight, K, cuts.share)
        told = ends(model, training, seed)
        return PartitionedStumps(waves, stumps, none, model._algorithm(), *told)
    trees = TreeFitter.of_bins(bins, none.y, K, learner._limits(summary.rows, d), cuts.share)
    if isinstance(model, VotingBooster):
        told = ends(model, training, seed)
        return PartitionedTrees(waves, trees, none, model._algorithm(), *told)
    share = summary.mass / summary.mass.sum()  # of all rows: the sample may lack a class
    model._begin = model._start(replace(training, y=np.arange(K), weight=share))
    draw = AllRows() if model.subsample == 1 else Subsample(float(model.subsample))
    return PartitionedGradient(
        waves, trees, none, model._aim(), model._begin, model.learning_rate, draw, seed
    )


def ends(model: Any, training: TrainingRows, seed: int) -> tuple[int, int, Any]:
    """Rounds, seed, and the noise rates of trusted and other rows where the cost needs them."""
    if not isinstance(model, CoreBoostClassifier):
        return model.n_estimators, seed, None
    if np.ndim(model.noise_rate):
        raise ValueError("Over partitions noise_rate must be one number.")
    model.noise_rate_ = model._rate(training, np.zeros(len(training.y), bool), seed)
    return model.n_estimators, seed, (0.0, float(model.noise_rate_))
