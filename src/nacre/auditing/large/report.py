"""What an audit in parts found, as an ordinary audit has it: the same page, tables and data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from nacre.auditing.compare import compare
from nacre.auditing.explain import explain_suspects
from nacre.auditing.findings import find_all
from nacre.auditing.influence import held_out_importances
from nacre.auditing.large.learn import Learned, judge_unseen
from nacre.auditing.large.rank import Ranked
from nacre.auditing.large.survey import Asked, Surveyed
from nacre.auditing.load import Loaded, trusted_rows
from nacre.auditing.picture import picture_suspects
from nacre.auditing.result import Audit
from nacre.auditing.summary import noise_summary, ranked_table, summarize
from nacre.bins import bin_training
from nacre.io.arrow import pa
from nacre.io.read import read_table
from nacre.noise.quality import LabelQuality, NoiseRate
from nacre.progress import Event, Progress, within


class Listed(LabelQuality):
    """The quality of the labels of a sample and of the first suspects of a large table.

    Attributes
    ----------
    queue : the suspects to list, by their places here, most suspect first
    flags : which rows are suspects of the large table
    """

    queue: np.ndarray
    flags: np.ndarray

    @cached_property
    def suspects(self) -> np.ndarray:
        """The rows to look at, most suspect first."""
        return self.queue

    @property
    def suspected(self) -> np.ndarray:
        """Which rows are suspects of the large table: a mask."""
        return self.flags


def make_report(
    found: Surveyed,
    sample: Loaded,
    learned: Learned,
    ranked: Ranked,
    listed: Sequence[Path],
    asked: Asked,
    said: list[str],
    progress: Progress,
) -> Audit:
    """Compare, explain and sum up; the cleaned table is not among it.

    Parameters
    ----------
    found : the first pass
    sample : the rows that were learned from
    learned : the model
    ranked : the suspects
    listed : files of the rows of the first suspects, a part each
    asked : Asked
    said : first notes
    progress : is told how far it is
    """
    (model, schema), seed = learned.read(), asked.seed
    noise = overall(model.noise_, ranked)
    own = replace(model.found_, noise=noise)
    model.note_found(own)
    comparing = within(Event("Comparing models on held-out rows"), progress)
    compared = compare(
        own, sample.training, bin_training(sample.training), sample.trusted, seed, comparing
    )
    used = held_out_importances(
        compared.without, compared.training, noise.matrix, schema.sources, seed
    )
    progress(Event("Explaining"))
    shown, quality = show(found, sample, model, ranked, listed, asked, own)
    reasons = explain_suspects(shown, quality, quality.suspects, seed)
    pictures = picture_suspects(shown, quality, compared.without, seed)
    findings = find_all(sample, own, seed)
    notes = [*said, *sampled_notes(found, len(sample.codes)), *learned.notes]
    settings = {"effort": learned.effort, "seed": seed, "sample": len(sample.codes),
                "learning_curve": [list(one) for one in learned.curve]}  # fmt: skip
    summary = summarize(
        shown, quality, reasons, pictures, used, np.empty(0, np.int64), compared.card,
        findings, None, settings, notes,
    )  # fmt: skip
    return Audit(
        summary=of_all_rows(summary, schema.classes, noise, found, ranked),
        suspects=ranked_table(shown, quality, quality.suspects, reasons).to_native(),
        cleaned=None,
        model=model,
        schema=schema,
    )


def overall(noise: NoiseRate, ranked: Ranked) -> NoiseRate:
    """Rate and noise matrix of all rows; the interval is that of the noise model of held-out ones.

    That holds what is not known of the noise itself, which more rows do not tell: how many labels
    are wrong among so many rows hardly varies by chance.
    """
    joint = ranked.joint
    whole = joint.sum(axis=1, keepdims=True)
    matrix = np.where(whole > 0.0, joint / np.maximum(whole, 1e-300), np.eye(len(joint)))
    mass = float(joint.sum())
    rate = min(1.0 - float(joint.trace()) / mass, 0.5) if mass else 0.0
    low, high = noise.interval
    interval = min(low, rate), max(high, rate)
    return replace(noise, rate=rate, matrix=matrix, interval=interval, labels=None)


def show(
    found: Surveyed,
    sample: Loaded,
    model: Any,
    ranked: Ranked,
    listed: Sequence[Path],
    asked: Asked,
    own: LabelQuality,
) -> tuple[Loaded, Listed]:
    """The sample and the first suspects as one table, and what was found about them."""
    parts, rows = ranked.listed
    numbers = found.starts[parts] + rows
    tables = [_read(path) for path in listed]
    table = pa.concat_tables(tables) if tables else found.table[:0]
    order = np.argsort(np.lexsort((rows, parts)))  # tables have them by part and row
    assert sample.numbers is not None
    places = {number: place for place, number in enumerate(sample.numbers.tolist())}
    at = np.array([places.get(number, -1) for number in numbers.tolist()], np.int64)
    new = np.flatnonzero(at < 0)
    at[new] = len(sample.codes) + np.arange(len(new))
    fresh = read_table(table.take(pa.array(order[new])))
    schema = sample.schema
    trusted = None if asked.clean is None else trusted_rows(fresh, asked.clean)
    others = replace(
        sample, frame=fresh, matrix=schema.matrix(fresh), codes=schema.codes(fresh),
        trusted=trusted, numbers=numbers[new],
    )  # fmt: skip
    judged = judge_unseen(model, others)
    both = replace(
        sample,
        frame=read_table(pa.concat_tables([sample.frame.to_native(), fresh.to_native()])),
        matrix=np.concatenate([sample.matrix, others.matrix]),
        codes=np.concatenate([sample.codes, others.codes]),
        trusted=None if trusted is None else np.concatenate([sample.trusted, trusted]),
        numbers=np.concatenate([sample.numbers, others.numbers]),
    )
    quality = Listed(
        np.concatenate([own.posterior, judged.posterior]),
        np.concatenate([own.probabilities, judged.probabilities]),
        both.codes,
        own.classes,
        own.noise,
    )
    flags = np.ones(len(both.codes), bool)
    flags[: len(sample.codes)] = own.quality <= max(cut.below for cut in ranked.cuts)
    flags[at] = True
    quality.__dict__.update(queue=at, flags=flags)
    return both, quality


def _read(path: Path) -> pa.Table:
    with pa.ipc.open_file(pa.OSFile(str(path))) as file:
        return file.read_all()


def sampled_notes(found: Surveyed, count: int) -> list[str]:
    """Lines on what was learned from how many rows."""
    return [
        f"The model, how columns are read, comparisons and findings are of a sample of {count} of "
        f"{int(found.rows.sum())} rows; the noise rate, suspects and counts of all rows."
    ]


def of_all_rows(
    summary: dict[str, Any],
    classes: Sequence[Any],
    noise: NoiseRate,
    found: Surveyed,
    ranked: Ranked,
) -> dict[str, Any]:
    """A summary of the rows that are shown, with what was counted over all rows in its place."""
    labelled, rows = int(ranked.given.sum()), int(found.rows.sum())
    by_class = {
        "given": ranked.given, "suspect": ranked.suspect, "suggested": ranked.suggested,
        "predicted": ranked.predicted,
    }  # fmt: skip
    queue = ranked.queue if noise.told else []
    counted = {"count": ranked.count, "changed": ranked.changed, "queue": queue}
    return summary | {
        "rows": rows,
        "labelled": labelled,
        "trusted": ranked.trusted,
        "noise": noise_summary(noise, labelled - ranked.trusted),
        "classes": [
            {"name": label, **{name: int(one[k]) for name, one in by_class.items()}}
            for k, label in enumerate(classes)
        ],
        "suspects": summary["suspects"] | counted,
        "quality": summary["quality"]
        | {"flagged": ranked.flagged.tolist(), "other": ranked.others.tolist()},
        "unlabelled": {"count": rows - labelled},
        "hashes": summary["hashes"] | {"rows": ""},
    }
