"""Tasks of Label Studio and records of Argilla with their answers, read."""

import json

import pytest

from nacre import judge_answers
from nacre.io import read_argilla, read_label_studio
from nacre.io.argilla import argilla_record
from nacre.io.label_studio import label_studio_task, label_studio_view


def chosen(*labels, name="mood"):
    return {"from_name": name, "to_name": "text", "type": "choices", "id": "x",
            "value": {"choices": list(labels)}}  # fmt: skip


def annotation(*results, who=1, **more):
    return {"id": 5, "result": list(results), "completed_by": who, "was_cancelled": False,
            "ground_truth": False, "lead_time": 4.2, **more}  # fmt: skip


TASKS = [
    {"id": 1, "data": {"text": "a", "size": 3}, "predictions": [{"result": [chosen("sad")]}],
     "annotations": [annotation(chosen("glad")), annotation(chosen("glad"), who=2),
                     annotation(chosen("sad"), who={"id": 3, "email": "c@example.org"})]},
    {"id": 2, "data": {"text": "b", "size": 4.5},
     "annotations": [annotation(chosen("glad")), annotation(chosen("sad"), who=2)]},
    {"id": 3, "data": {"text": "c", "more": {"size": 7, "tags": ["x"]}},
     "annotations": [annotation(chosen("glad")), annotation(chosen("glad"), who=2),
                     annotation(chosen("sad"), who=3, ground_truth=True)]},
    {"id": 4, "data": {"text": "d"},
     "annotations": [annotation(chosen("sad"), was_cancelled=True), annotation(who=None)]},
]  # fmt: skip
"""As the export JSON has them."""


def plain(frame):
    return frame.to_native().to_pydict()


def test_label_studio():
    table, answers = map(plain, read_label_studio(TASKS))
    assert table == {
        "text": ["a", "b", "c", "d"],
        "size": [3, 4.5, 7, None],
        "tags": [None, None, '["x"]', None],
        "label": ["glad", None, "sad", None],  # a majority, a tie, the truth, nobody
    }
    assert answers["row"] == [0, 0, 0, 1, 1, 2, 2, 2]
    assert answers["annotator"] == ["1", "2", "c@example.org", "1", "2", "1", "2", "3"]
    assert answers["answer"][:3] == ["glad", "glad", "sad"]


def test_answers_are_judged():
    """Three annotators of whom one is often wrong."""
    truth = ["glad", "sad"] * 40
    tasks = [
        {"data": {"n": i}, "annotations": [
            annotation(chosen(said if who < 3 or i % 3 else {"glad": "sad", "sad": "glad"}[said]),
                       who=who)
            for who in (1, 2, 3)]}
        for i, said in enumerate(truth)
    ]  # fmt: skip
    found = judge_answers(read_label_studio(tasks).answers)
    assert found.consensus.tolist() == truth
    assert found.annotators.names[found.annotators.order[0]] == "3"


def test_label_studio_minimal():
    tasks = [
        {"id": 1, "text": "a", "mood": "glad", "annotator": 1, "annotation_id": 9,
         "created_at": "2026-01-01", "updated_at": "2026-01-01", "lead_time": 1.5},
        {"id": 1, "text": "a", "mood": "glad", "annotator": 2, "annotation_id": 10},
        {"id": 2, "text": "b", "mood": {"choices": ["sad"]}, "annotator": 1},
    ]  # fmt: skip
    table, answers = map(plain, read_label_studio(tasks, question="mood"))
    assert table == {"text": ["a", "b"], "label": ["glad", "sad"]}
    assert answers == {
        "row": [0, 0, 1], "annotator": ["1", "2", "1"], "answer": ["glad", "glad", "sad"],
    }  # fmt: skip


def test_our_own_tasks_come_back():
    task = label_studio_task({"label": "x", "b": "1"}, 7, "ill", "well", 0.9, "well", "2026-01-01")
    table, answers = map(plain, read_label_studio([task]))
    assert table == {
        "number": [7],
        "given": ["ill"],
        "label": ["x"],
        "b": ["1"],
        "label_": ["well"],
    }
    assert answers == {"row": [0], "annotator": [None], "answer": ["well"]}
    open_task = label_studio_task({"b": "1"}, 7, "ill", "well", 0.9)
    assert plain(read_label_studio([open_task]).table)["label"] == [None]


def test_the_view_names_all_classes():
    from xml.etree import ElementTree

    names = ["a", 'quote " and <b>', "\x1b[31mred\x00"]
    view = ElementTree.fromstring(label_studio_view(names))
    assert [one.get("value") for one in view.iter("Choice")] == [*names[:2], "red"]
    (choices,) = view.iter("Choices")
    (table,) = view.iter("Table")
    assert choices.get("toName") == table.get("name")


RECORDS = [
    {"id": "1", "fields": {"text": "a"}, "metadata": {"size": 3}, "vectors": {},
     "suggestions": {"mood": {"value": "sad", "score": 0.4, "agent": "m"}},
     "responses": {"mood": [{"value": "glad", "user_id": "u1"},
                            {"value": "glad", "user_id": "u2"}]}},
    {"id": "2", "fields": {"text": "b"}, "metadata": {}, "suggestions": {}, "status": "pending",
     "responses": {"mood": [{"value": "sad", "user_id": "u1", "status": "draft"},
                            {"value": None, "user_id": "u2"}]}},
    {"id": "3", "fields": {"text": "c"}, "responses": {}},
]  # fmt: skip
"""As ``records.to_json`` writes them."""


def test_argilla(tmp_path):
    (tmp_path / "records.json").write_text(json.dumps(RECORDS))
    table, answers = map(plain, read_argilla(tmp_path / "records.json"))
    assert table == {
        "text": ["a", "b", "c"],
        "size": [3, None, None],
        "label": ["glad", None, None],
    }
    assert answers == {"row": [0, 0], "annotator": ["u1", "u2"], "answer": ["glad", "glad"]}


def test_our_own_records_come_back():
    record = argilla_record({"a": "1", "b": None}, 7, "ill", "well", 0.9)
    record["responses"] = {"label": [{"value": "well", "user_id": "u"}]}
    assert plain(read_argilla([record]).table) == {
        "row": ["a: 1"], "metadata.row": [7], "given": ["ill"], "decision": ["open"],
        "label": ["well"],
    }  # fmt: skip


@pytest.mark.parametrize("read", [read_label_studio, read_argilla])
@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "holds no JSON"), ("[]", "one at least"), ("[1]", "one at least"), ("7", "a list of"),
     ('"x"', "a list of"), ("[" * 100_000, "holds no JSON")],
    ids=lambda one: one[:9],
)  # fmt: skip
def test_damaged_files(read, text, said, tmp_path):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ValueError, match=said):
        read(tmp_path / "x.json")
    with pytest.raises(FileNotFoundError, match="There is no file"):
        read(tmp_path / "y.json")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: read_label_studio([{"text": "a"}]), "JSON-MIN"),
        (lambda: read_label_studio([{"text": "a"}], "mood"), "No task has the key 'mood'"),
        (lambda: read_label_studio([TASKS[0], {"data": 3}]), "have no data"),
        (lambda: read_label_studio(TASKS, "colour"), "no question 'colour': there is mood"),
        (lambda: read_label_studio([{"data": {}, "annotations": [
            annotation(chosen("a"), chosen("b", name="colour"))]}]), "several questions"),
        (lambda: read_label_studio([{"data": {}, "annotations": [
            annotation(chosen("a", "b"))]}]), "Task 0 .* has 2 labels"),
        (lambda: read_argilla([{"id": 1}]), "have fields"),
        (lambda: read_argilla([{"fields": {}, "responses": []}, {"fields": {}, "responses": [1]}]),
         "stand by question"),
        (lambda: read_argilla([{"fields": {"a": 1}, "responses": {
            "mood": [{"value": ["a", "b"], "user_id": "u"}]}}]), "no single label"),
    ],
)  # fmt: skip
def test_what_is_no_label_is_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()
