"""Tasks of Label Studio, in and out: https://labelstud.io/guide/task_format"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from nacre.io.labelling import Labelled, Task, as_labelled, flat, one_question, read_json
from nacre.io.printable import printable

CONTROL, SHOWN = "label", "row"
"""Names in the labelling configuration: of the choices, and of the table that shows a row."""

MINIMAL = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time")
"""Keys of the format JSON-MIN that are no data."""


def read_label_studio(source: Any, question: str | None = None) -> Labelled:
    """Read tasks of Label Studio with their annotations: its exports JSON and JSON-MIN.

    Answers are those to ``<Choices>`` of which one is chosen. Cancelled annotations do not count;
    where an annotation is marked as ground truth, it alone says what the label is.

    Parameters
    ----------
    source : path, or what the file holds: a list of dicts
    question : str, optional
        The name of the ``<Choices>``; needed where there are several.

    Returns
    -------
    Labelled
        ``table``: a row for each task, its data and ``label``, fit for :func:`nacre.audit`;
        ``answers``: a row for each annotation (``row``, ``annotator``, ``answer``), for
        :func:`nacre.judge_answers`.

    Raises
    ------
    ValueError
        Where it is no such file, there are several questions, or several labels to one.

    Examples
    --------
    >>> from nacre.io import read_label_studio
    >>> said = {"from_name": "mood", "type": "choices", "value": {"choices": ["glad"]}}
    >>> task = {"data": {"text": "Oh!"}, "annotations": [{"completed_by": 7, "result": [said]}]}
    >>> found = read_label_studio([task])
    >>> found.table.to_native().to_pydict()
    {'text': ['Oh!'], 'label': ['glad']}
    >>> found.answers.to_native().to_pydict()
    {'row': [0], 'annotator': ['7'], 'answer': ['glad']}
    """
    tasks = read_json(source, "Tasks of Label Studio")
    if all(isinstance(one.get("data"), dict) for one in tasks):
        return _read_full(tasks, question)
    if any("data" in one or "annotations" in one for one in tasks):
        raise ValueError("Some tasks of Label Studio have no data: export them again as JSON.")
    return _read_minimal(tasks, question)


def _read_full(tasks: list[dict[str, Any]], question: str | None) -> Labelled:
    annotations = [[one for one in task.get("annotations") or () if _counts(one)] for task in tasks]
    names = (
        result.get("from_name", CONTROL)
        for some in annotations
        for one in some
        for result in _choices(one)
    )
    name = one_question(names, question, "question")
    found = []
    for place, (task, some) in enumerate(zip(tasks, annotations, strict=True)):
        made = Task(flat(task["data"]))
        for one in some:
            for result in _choices(one):
                if result.get("from_name", CONTROL) != name:
                    continue
                label = _single(result["value"]["choices"], place)
                made.answers.append((_annotator(one.get("completed_by")), label))
                if one.get("ground_truth") is True:
                    made.trusted.append(label)
        found.append(made)
    return as_labelled(found)


def _counts(annotation: Any) -> bool:
    return isinstance(annotation, dict) and annotation.get("was_cancelled") is not True


def _choices(annotation: dict[str, Any]) -> list[dict[str, Any]]:
    """The parts of an annotation that are choices."""
    return [
        one
        for one in annotation.get("result") or ()
        if isinstance(one, dict)
        and isinstance(one.get("value"), dict)
        and isinstance(one["value"].get("choices"), list)
    ]


def _single(choices: Sequence[Any], place: int) -> str:
    if len(choices) != 1:
        raise ValueError(
            f"Task {place} (from 0) has {len(choices)} labels: nacre judges tables with one label "
            "a row."
        )
    return str(choices[0])


def _annotator(who: Any) -> str | None:
    """Who has answered: a number, or an object that names the user."""
    if isinstance(who, dict):
        who = next((who[key] for key in ("email", "username", "id") if who.get(key)), None)
    return None if who is None else str(who)


def _read_minimal(tasks: list[dict[str, Any]], question: str | None) -> Labelled:
    """JSON-MIN: a row for each annotation, with the answer beside the data."""
    if question is None:
        raise ValueError(
            "These tasks have no annotations of their own (JSON-MIN): say by question= which key "
            "has the label, or export them as JSON."
        )
    if not any(question in one for one in tasks):
        raise ValueError(f"No task has the key {question!r}.")
    found: dict[Any, Task] = {}
    for place, one in enumerate(tasks):
        cells = {name: value for name, value in one.items() if name not in (*MINIMAL, question)}
        task = found.setdefault(one.get("id", ("", place)), Task(flat(cells)))
        value = one.get(question)
        if isinstance(value, dict):
            value = _single(value.get("choices") or (), place)
        if value is not None:
            task.answers.append((_annotator(one.get("annotator")), str(value)))
    return as_labelled(list(found.values()))


def label_studio_task(
    values: dict[str, str | None],
    number: int,
    given: str,
    suggested: str,
    score: float,
    decided: str | None = None,
    at: str | None = None,
) -> dict[str, Any]:
    """A task: the suggestion is a prediction, a decision an annotation.

    Parameters
    ----------
    values : the cells of the row, by column
    number : of the row, from 0
    given, suggested : labels
    score : the probability that the given one is wrong
    decided : the label that somebody has decided for, if any
    at : when
    """
    task: dict[str, Any] = {
        "data": {SHOWN: values, "number": number, "given": given},
        "predictions": [{"model_version": "nacre", "score": score, "result": _chosen(suggested)}],
    }
    if decided is not None:
        task["annotations"] = [{"result": _chosen(decided), "ground_truth": True, "created_at": at}]
    return task


def _chosen(label: str) -> list[dict[str, Any]]:
    return [
        {
            "from_name": CONTROL,
            "to_name": SHOWN,
            "type": "choices",
            "value": {"choices": [label]},
        }
    ]


def label_studio_view(classes: Sequence[str]) -> str:
    """The labelling configuration that goes with the tasks."""
    choices = "".join(f"    <Choice value={quoteattr(printable(name))}/>\n" for name in classes)
    return (
        f'<View>\n  <Header value="Labelled as: $given"/>\n  <Table name="{SHOWN}" '
        f'value="${SHOWN}"/>\n  <Choices name="{CONTROL}" toName="{SHOWN}" choice="single">\n'
        f"{choices}  </Choices>\n</View>\n"
    )
