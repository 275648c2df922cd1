"""Tables whose labels come from several people: read their answers, and judge them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from nacre.auditing.explain import shortened
from nacre.consensus.classifier import NacreClassifier
from nacre.data.answers import LONG, Answers, code_answers, is_gap
from nacre.data.features import spelled as in_words
from nacre.data.labels import alike, commonest, gap_words, rename, say_gaps
from nacre.data.schema import find_column
from nacre.io.arrow import as_column, plain_values, spelled
from nacre.io.frames import free_name
from nacre.io.kinds import MISSING
from nacre.io.read import read_source
from nacre.noise.answer_quality import AnswerQuality, judge_read
from nacre.noise.noise_model import log_scores
from nacre.noise.quality import LabelQuality

if TYPE_CHECKING:
    from nacre.auditing.load import Loaded

CONSENSUS = "consensus"
"""The column that is added to a table whose labels come from several people."""

NOBODY = "(nobody)"
"""The annotator of labels that have none."""

FEW = 5
"""Answers below which next to nothing is known of an annotator."""

NAMED = 3
"""Classes that one annotator only has said, at most, that are named."""

Fit = Callable[["Loaded"], NacreClassifier]

Triple = tuple[Any, Any, Any]
"""An answer: of which row, by whom, and what."""


def answers_in_columns(
    frame: nw.DataFrame[Any],
    names: Sequence[str],
    join: bool = False,
    written: Mapping[str, Any] | None = None,
) -> tuple[Answers, list[str]]:
    """The answers of several label columns, each of which is an annotator, and notes on them.

    ``join`` joins spellings that look the same; ``written`` has columns as their file spells them.
    """
    found = [find_column(name, frame.columns) for name in names]
    if twice := [name for name in found if found.count(name) > 1]:
        raise ValueError(f"Column {twice[0]!r} is named twice as a label.")
    triples = [
        (row, name, value)
        for name in found
        for row, value in enumerate(plain_values(frame[name]))
        if not _no_answer(value)
    ]
    triples, notes = _spelled(triples, join)
    gaps = [gap_words(as_column(frame[name]), (written or {}).get(name)) for name in found]
    read = _code(triples, len(frame))
    for j, name in enumerate(read.annotators.tolist()):
        own, others = read.said[read.by == j], read.said[read.by != j]
        if not np.isin(own, others).any():
            raise ValueError(
                f"Column {name!r} has no label in common with the others, such as "
                f"{shortened(read.classes[own[0]])!r}: is it one of labels?"
            )
    return read, [*notes, *_gap_notes(gaps)]


def answers_in_file(
    frame: nw.DataFrame[Any], answers: Any, id: str | None, join: bool = False
) -> tuple[Answers, list[str]]:
    """The answers of a table with the columns row, annotator and answer, and notes on them.

    Rows are counted from 0 or, where a column identifies them, named by its values. Lines that are
    copies of others count once.
    """
    source = read_source(answers)
    table = source.frame
    missing = [name for name in LONG if name not in table.columns]
    if missing:
        raise ValueError(
            f"The answers have no column {missing[0]!r}: they need {', '.join(LONG)}; they have "
            f"{', '.join(table.columns[:10])}."
        )
    rows, names, values = (plain_values(table[name]) for name in LONG)
    if id is not None:
        places = _places(frame, id)
        words = spelled(as_column(table[LONG[0]])).to_pylist()
        if strange := [row for row, word in zip(rows, words, strict=True) if word not in places]:
            raise ValueError(f"An answer is of row {strange[0]!r}, which column {id!r} has not.")
        rows = words
    triples = [one for one in zip(rows, names, values, strict=True) if not _no_answer(one[2])]
    triples, notes = _spelled(triples, join)
    once = list(dict.fromkeys(triples))
    if len(once) < len(triples):
        notes.append(f"Answers that are copies of others count once: {len(triples) - len(once)}.")
    if id is not None:
        _refuse_second(once, id)
        once = [(places[row], name, value) for row, name, value in once]
    cells = {} if source.spelling is None else source.spelling.cells
    gaps = gap_words(as_column(table[LONG[2]]), cells.get(LONG[2]))
    return _code(once, len(frame)), [*notes, *_gap_notes([gaps])]


def _places(frame: nw.DataFrame[Any], id: str) -> dict[str, int]:
    """The row that each value of a column names, by the word for it: 1 and 1.0 are one."""
    places: dict[str, int] = {}
    for row, word in enumerate(spelled(as_column(frame[id])).to_pylist()):
        if word is not None and places.setdefault(word, row) != row:
            raise ValueError(
                f"Column {id!r} has {shortened(word)!r} twice: answers need an id that names one "
                "row."
            )
    return places


def _refuse_second(triples: list[Triple], id: str) -> None:
    """Raise where somebody has answered a row twice: by its id, which is what people know."""
    first: dict[tuple[Any, Any], Any] = {}
    for row, name, value in triples:
        if first.setdefault((row, name), value) != value:
            raise ValueError(
                f"{name!r} has answered row {row!r} (column {id!r}) twice, "
                f"{shortened(first[row, name])!r} and {shortened(value)!r}: keep one answer."
            )


def _no_answer(value: Any) -> bool:
    """Whether there is no answer: as labels are, NA in a text is none."""
    return is_gap(value) or (isinstance(value, str) and value.strip() in MISSING)


def _gap_notes(each: Sequence[Mapping[str, int]]) -> list[str]:
    """A note on words that are taken for no answer."""
    words = {word: sum(one.get(word, 0) for one in each) for some in each for word in some}
    if not words:
        return []
    return [
        f"Answers that say {say_gaps(words)} are taken for none, {sum(words.values())}: "
        f"{rename(words)}."
    ]


def _spelled(triples: list[Triple], join: bool) -> tuple[list[Triple], list[str]]:
    """Names and answers without spaces around them; spellings joined, or a note on them.

    Before there is a consensus: spellings of one class would vote against each other.
    """
    if any(isinstance(one[1], str) for one in triples):
        triples = [
            (row, name if is_gap(name) else in_words(name).strip(), value)
            for row, name, value in triples
        ]
    if not any(isinstance(one[2], str) for one in triples):
        return triples, []
    triples = [(row, name, in_words(value).strip()) for row, name, value in triples]
    counts = Counter(one[2] for one in triples)
    if not join:
        return triples, alike(counts, "answer")
    into, notes = commonest(counts)
    return [(row, name, into[value]) for row, name, value in triples], notes


def _code(triples: list[Triple], n: int) -> Answers:
    """Answers as codes: numbers where all are, else text."""
    rows, names, values = ([one[part] for one in triples] for part in range(3))
    return code_answers(rows, names, values, n, None)


def notes_on(answers: Answers) -> list[str]:
    """Lines on annotators of few answers, and on classes that one annotator only has said."""
    notes = []
    few = int(np.sum(answers.by_annotator < FEW))
    if few:
        notes.append(
            f"Annotators of fewer than {FEW} answers: {few}. How good they are, hardly anything "
            "is known of."
        )
    pairs = np.unique(answers.said * len(answers.annotators) + answers.by)
    by = np.bincount(pairs // len(answers.annotators), minlength=len(answers.classes))
    if len(answers.annotators) > 1:
        for code in np.flatnonzero(by == 1)[:NAMED]:
            who = answers.annotators[answers.by[answers.said == code][0]].item()
            notes.append(
                f"Only {shortened(who)!r} has answered {shortened(answers.classes[code])!r}."
            )
    return notes


def answers_by(frame: nw.DataFrame[Any], name: str, codes: np.ndarray, classes: Any) -> Answers:
    """One label a row, each by the annotator that a column names."""
    rows = np.flatnonzero(codes >= 0)
    who = [NOBODY if is_gap(one) else one for one in plain_values(frame[name][rows])]
    said = np.array(classes)[codes[rows]].tolist()
    return code_answers(rows.tolist(), who, said, len(codes), np.array(classes))


def with_consensus(
    frame: nw.DataFrame[Any], answers: Answers
) -> tuple[nw.DataFrame[Any], str, Answers, list[str]]:
    """The table with a column of consensus labels; its name, the answers, and notes on them.

    Answers that are nowhere the consensus, such as "unsure", are no class and are left out.
    """
    label = free_name(CONSENSUS, frame.columns)
    notes = notes_on(answers)
    codes = first_consensus(answers)
    met = np.isin(np.arange(len(answers.classes)), codes)
    while not met.all():
        gone = ", ".join(repr(shortened(one)) for one in answers.classes[~met][:NAMED])
        kept = met[answers.said]
        notes.append(f"Answers that are nowhere the consensus are left out: {gone}.")
        answers = replace(
            answers,
            row=answers.row[kept],
            by=answers.by[kept],
            said=(np.cumsum(met) - 1)[answers.said[kept]],
            classes=answers.classes[met],
        )
        codes = first_consensus(answers)
        met = np.isin(np.arange(len(answers.classes)), codes)
    return _set_column(frame, label, answers, codes), label, answers, notes


def first_consensus(answers: Answers) -> np.ndarray:
    """Labels to begin with: by the answers alone, -1 where there are none."""
    votes = answers.votes
    some = votes.any(axis=1)
    if votes.sum(axis=1).max() == 1:
        return np.where(some, votes.argmax(axis=1), -1)
    found = judge_read(answers, None, np.zeros(answers.n_rows, bool))
    # No model speaks yet: who only ever says one thing would be taken for silent. The majority
    # decides, and of a tie what is likelier.
    best = votes + found.posterior * (votes > 0) / 2.0
    return np.where(some, best.argmax(axis=1), -1)


def _set_column(
    frame: nw.DataFrame[Any], label: str, answers: Answers, codes: np.ndarray
) -> nw.DataFrame[Any]:
    classes = answers.classes.tolist()
    values = [None if code < 0 else classes[code] for code in codes.tolist()]
    return frame.with_columns(nw.new_series(label, values, backend=frame.implementation))


def judge_crowd(loaded: Loaded, fit: Fit, quick: Fit) -> tuple[Loaded, NacreClassifier, Any]:
    """Fit a model to the labels, and judge these by it and by who gave them.

    Where rows have several answers: a quick model learns from the majority, the answers are judged
    with it as a witness, the model learns from their consensus, and the answers are judged again.
    Returns the table with its last consensus, the model, and the quality of answers and annotators.
    """
    answers = loaded.answers
    assert answers is not None
    several = answers.votes.sum(axis=1).max() > 1
    if several:
        loaded = _relabelled(loaded, _judge(loaded, quick(loaded)))
    model = fit(loaded)
    found = _judge(loaded, model)
    if several:
        loaded = _relabelled(loaded, found)
    plain = LabelQuality(
        found.posterior, model.found_.probabilities, found.given, found.classes, found.noise
    )
    return loaded, model.note_found(plain), found


def _judge(loaded: Loaded, model: NacreClassifier) -> AnswerQuality:
    """The answers on labelled rows, with the model's held-out probabilities as a witness."""
    answers = loaded.answers
    assert answers is not None
    place = np.cumsum(loaded.known) - 1
    own = replace(answers, row=place[answers.row], n_rows=len(loaded.rows))
    chances = np.full((len(loaded.rows), len(answers.classes)), 0.0)
    chances[:, np.searchsorted(answers.classes, model.classes_)] = model.found_.probabilities
    clean = np.zeros(own.n_rows, bool) if loaded.trusted is None else loaded.trusted
    return judge_read(own, log_scores(chances), clean)


def _relabelled(loaded: Loaded, found: AnswerQuality) -> Loaded:
    """The table with the consensus as its labels."""
    codes = loaded.codes.copy()
    codes[loaded.known] = found.given
    gone = ~np.isin(loaded.codes, codes)  # a class keeps its rows rather than vanish
    codes[gone] = loaded.codes[gone]
    assert loaded.answers is not None
    frame = _set_column(loaded.frame, loaded.schema.label, loaded.answers, codes)
    return replace(loaded, frame=frame, codes=codes)
