"""Records of Argilla 2, in and out: what its ``records.to_json`` writes, and reads."""

from __future__ import annotations

from typing import Any

from nacre.io.labelling import Labelled, Task, as_labelled, flat, one_question, read_json


def read_argilla(source: Any, question: str | None = None) -> Labelled:
    """Read records of Argilla with their responses, as ``records.to_json`` writes them.

    Drafts and discarded responses do not count, and suggestions are no answers.

    Parameters
    ----------
    source : path, or what the file holds: a list of dicts
    question : str, optional
        The name of the question; needed where there are several.

    Returns
    -------
    Labelled
        ``table``: a row for each record, its fields and metadata and ``label``, fit for
        :func:`nacre.audit`; ``answers``: a row for each response (``row``, ``annotator``,
        ``answer``), for :func:`nacre.judge_answers`.

    Raises
    ------
    ValueError
        Where it is no such file, there are several questions, or several labels to one.

    Examples
    --------
    >>> from nacre.io import read_argilla
    >>> said = {"mood": [{"value": "glad", "user_id": "u7"}]}
    >>> found = read_argilla([{"id": "1", "fields": {"text": "Oh!"}, "responses": said}])
    >>> found.table.to_native().to_pydict()
    {'text': ['Oh!'], 'label': ['glad']}
    >>> found.answers.to_native().to_pydict()
    {'row': [0], 'annotator': ['u7'], 'answer': ['glad']}
    """
    records = read_json(source, "Records of Argilla")
    if not all(isinstance(one.get("fields"), dict) for one in records):
        raise ValueError("Records of Argilla have fields: write them by records.to_json.")
    names = (name for one in records for name, some in _responses(one).items() if some)
    name = one_question(names, question, "question")
    tasks = []
    for place, one in enumerate(records):
        task = Task(flat({**one["fields"], "metadata": one.get("metadata") or {}}))
        for response in _responses(one).get(name or "") or ():
            if response.get("status") in ("draft", "discarded") or response.get("value") is None:
                continue
            value = response["value"]
            if isinstance(value, (list, dict)):
                raise ValueError(
                    f"Record {place} (from 0) has an answer that is no single label: nacre judges "
                    "tables with one label a row."
                )
            who = response.get("user_id")
            task.answers.append((None if who is None else str(who), str(value)))
        tasks.append(task)
    return as_labelled(tasks)


def _responses(record: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    found = record.get("responses") or {}
    if not isinstance(found, dict):
        raise ValueError("Responses of Argilla stand by question: write them by records.to_json.")
    return {
        str(name): [one for one in some if isinstance(one, dict)]
        for name, some in found.items()
        if isinstance(some, list)
    }


def argilla_record(
    values: dict[str, str | None],
    number: int,
    given: str,
    suggested: str,
    score: float,
    agent: str = "nacre",
    decision: str = "open",
) -> dict[str, Any]:
    """A record whose ``label`` question has a suggestion.

    Responses there belong to its own users; so a decision is a suggestion too, by who made it.

    Parameters
    ----------
    values : the cells of the row, by column
    number : of the row, from 0
    given, suggested : labels
    score : the probability of the suggested one
    agent : who suggests it
    decision : what was decided
    """
    lines = (f"{name}: {value}" for name, value in values.items() if value)
    return {
        "id": str(number),
        "fields": {"row": "\n".join(lines)},
        "metadata": {"row": number, "given": given, "decision": decision},
        "suggestions": {"label": {"value": suggested, "score": score, "agent": agent}},
        "responses": {},
    }
