"""Limits that an audit is held to, and what changed since an earlier one."""

import json
from copy import deepcopy

import jsonschema
import numpy as np
import pandas as pd
import pytest

from nacre import audit
from nacre.auditing import audit_schema
from nacre.auditing.difference import difference, rate_difference
from nacre.auditing.gate import Gate
from nacre.auditing.identity import pack, row_hashes, unpack
from nacre.auditing.stored import read_summary
from nacre.io import read_table
from nacre.noise import NoiseRate
from tests.auditing.summaries import make_summary


def checked(summary, **limits):
    return {one.name: one.passed for one in Gate(**limits).checks(summary)}


def with_rate(rate, low, high, **options):
    summary = make_summary(**options)
    summary["noise"] |= {"rate": rate, "interval": [low, high]}
    return summary


@pytest.mark.parametrize(("limit", "passed"), [(0.05, False), (0.08, True), (0.1, True), (1, True)])
def test_the_lower_end_of_the_interval_counts(limit, passed):
    assert checked(with_rate(0.102, 0.08, 0.13), fail_above=limit) == {"noise-rate": passed}


def test_a_rate_that_could_be_0_never_fails():
    assert checked(with_rate(0.2, 0.0, 0.4), fail_above=0) == {"noise-rate": True}


@pytest.mark.parametrize(("most", "passed"), [(59, False), (60, True)])
def test_suspects_are_counted(most, passed):
    assert checked(make_summary(), max_suspects=most) == {"suspects": passed}


def test_without_limits_nothing_is_checked():
    assert Gate().checks(make_summary()) == []


def shifted(summary, rows, numbers):
    """The same audit, some of whose suspects are rows that were not there."""
    marks = [number.to_bytes(6) for number in numbers]
    found = deepcopy(summary)
    hashes = unpack(found["hashes"]["rows"])
    suspects = unpack(found["hashes"]["suspects"])
    for row, mark in zip(rows, marks, strict=True):
        hashes[hashes.index(suspects[row])] = suspects[row] = mark
    found["hashes"] |= {"rows": pack(hashes), "suspects": pack(suspects)}
    return found


def test_a_baseline_fails_by_rows_that_are_new():
    old = make_summary()
    assert checked(old, baseline=old) == {"new-suspects": True, "noise-rise": True}
    new = shifted(old, [0, 5], [1000, 1001])
    assert checked(new, baseline=old) == {"new-suspects": False, "noise-rise": True}
    assert checked(new, baseline=old, max_suspects=2)["new-suspects"]
    (said,) = [one.said for one in Gate(baseline=old).checks(new) if one.name == "new-suspects"]
    first, second = (new["suspects"]["rows"][k] for k in (0, 5))
    assert "Of 2 rows that are new or changed since the baseline 2 are suspect" in said
    for one in (first, second):
        assert f"line {one['lines'][0]} ({one['given']!r})" in said


def test_a_baseline_knows_rows_in_any_order():
    old, new = make_summary(), make_summary()
    hashes = unpack(new["hashes"]["rows"])
    new["hashes"]["rows"] = pack(hashes[::-1])
    assert difference(old, new)["rows"] == {"old": 569, "new": 569, "added": 0, "removed": 0}
    assert all(checked(new, baseline=old).values())


def test_rows_that_were_there_and_became_suspect_do_not_fail():
    """A row that nobody touched is not the fault of a change."""
    old, new = make_summary(), make_summary()
    old["suspects"] |= {"count": 40, "rows": new["suspects"]["rows"][:40]}
    old["hashes"]["suspects"] = pack(unpack(new["hashes"]["suspects"])[:40])
    found = difference(old, new)["suspects"]
    assert (found["kept"], len(found["raised"]), len(found["added"])) == (40, 20, 0)
    assert all(checked(new, baseline=old).values())
    back = difference(new, old)["suspects"]
    assert back["cleared"] == found["raised"]


@pytest.mark.parametrize(
    ("was", "now", "rose"),
    [
        ((0.05, 0.03, 0.07), (0.06, 0.04, 0.08), False),
        ((0.05, 0.03, 0.07), (0.09, 0.07, 0.11), True),  # the intervals just meet
        ((0.05, 0.03, 0.07), (0.20, 0.0, 0.3), False),
        ((0.20, 0.15, 0.25), (0.05, 0.03, 0.07), False),
    ],
)
def test_a_rise_beyond_chance(was, now, rose):
    old, new = with_rate(*was), with_rate(*now)
    assert checked(new, baseline=old)["noise-rise"] is not rose
    noise = difference(old, new)["noise"]
    assert noise["interval"][0] <= noise["difference"] <= noise["interval"][1]
    assert noise["fell"] == (was[0] == 0.2)


def test_the_interval_of_a_difference_holds_it():
    """Of two rates from samples of their own, in 95 cases of 100 or more."""
    rng = np.random.default_rng(0)
    n, rates, held = 400, (0.06, 0.1), 0
    for _ in range(2000):
        parts = []
        for rate in rates:
            found = rng.binomial(n, rate) / n
            low, high = (
                (found + 1.96**2 / (2 * n) + sign * 1.96
                 * np.sqrt(found * (1 - found) / n + 1.96**2 / (4 * n * n))) / (1 + 1.96**2 / n)
                for sign in (-1, 1)
            )  # Wilson's  # fmt: skip
            parts.append({"rate": found, "interval": [low, high]})
        low, high = rate_difference(*parts)["interval"]
        held += low <= rates[1] - rates[0] <= high
    assert 0.935 < held / 2000 < 0.97


def test_audits_of_other_tables_are_refused():
    old, new = make_summary(), make_summary(columns=("radius", "texture", "area"))
    with pytest.raises(ValueError, match="by other columns: 'area' stands in one of the two only"):
        difference(old, new)
    with pytest.raises(ValueError, match="other labels: those of 'diagnosis', not 'state'"):
        difference(old, {**new, "label": "state"})


def strict(schema):
    """The same schema, which allows no key that it does not name."""
    if isinstance(schema, dict):
        schema = {name: strict(one) for name, one in schema.items()}
        if isinstance(schema.get("properties"), dict) and "type" in schema:
            schema.setdefault("additionalProperties", False)
    return [strict(one) for one in schema] if isinstance(schema, list) else schema


def validate(summary):
    jsonschema.Draft202012Validator(strict(audit_schema())).validate(summary)


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(audit_schema())
    validate(make_summary(trusted=30, unlabelled=4, id="case"))
    validate({**make_summary(), "gate": {"passed": True, "checks": []}})


@pytest.mark.parametrize(
    "harm",
    [
        lambda one: one.pop("hashes"),
        lambda one: one.update(schema=2),
        lambda one: one["noise"].update(rate=1.2),
        lambda one: one["suspects"]["rows"][0].update(lines=[0, 1]),
        lambda one: one["suspects"]["rows"][0].update(extra=1),
        lambda one: one["hashes"].update(rows="abc"),
    ],
)
def test_the_schema_refuses(harm):
    summary = make_summary()
    harm(summary)
    with pytest.raises(jsonschema.ValidationError):
        validate(summary)


DAMAGED = {
    "{": "holds no JSON",
    "[]": "other keys",
    '{"a": 1}': "other keys",
    '{"noise": {}, "suspects": {}, "label": "y"}': "by an older nacre",
    '{"schema": 99, "noise": {}, "suspects": {}, "label": "y"}': "has the form 99",
    '{"schema": 1, "noise": {}, "suspects": {}, "label": "y"}': "is damaged",
    "[" * 100_000: "holds no JSON",
}


@pytest.mark.parametrize(("text", "said"), DAMAGED.items(), ids=lambda one: one[:20])
def test_damaged_baselines(text, said, tmp_path):
    (tmp_path / "audit.json").write_text(text)
    with pytest.raises(ValueError, match=said):
        read_summary(tmp_path / "audit.json")


@pytest.mark.parametrize(
    "harm",
    [
        lambda one: one["hashes"].update(rows="AAAA"),
        lambda one: one["hashes"].update(suspects="!"),
        lambda one: one["hashes"].update(by=[1]),
        lambda one: one["noise"].update(interval=[0.5, 0.1]),
        lambda one: one["noise"].update(rate="high"),
        lambda one: one["noise"].update(rate=float("nan")),
        lambda one: one["suspects"].update(count=3),
        lambda one: one["suspects"]["rows"][0].pop("lines"),
        lambda one: one.pop("settings"),
    ],
)
def test_baselines_that_say_what_cannot_be(harm, tmp_path):
    summary = make_summary()
    harm(summary)
    (tmp_path / "audit.json").write_text(json.dumps(summary))
    with pytest.raises(ValueError, match="is damaged"):
        read_summary(tmp_path)


def test_a_baseline_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no file"):
        read_summary(tmp_path / "no.json")


def test_hashes_go_by_values():
    """Whole numbers that became floats are the same; a gap is not an empty cell beside another."""
    names = ["n", "word"]
    frame = pd.DataFrame({"n": [1, 2, 3], "word": ["a", "b", None]})
    whole = row_hashes(read_table(frame), names)
    floats = row_hashes(read_table(frame.astype({"n": float})), names)
    assert whole == floats
    assert len(set(whole)) == 3
    swapped = row_hashes(read_table(frame.rename(columns={"n": "word", "word": "n"})), names)
    assert not set(whole) & set(swapped)
    moved = pd.DataFrame({"n": ["ab", "a"], "word": ["c", "bc"]})
    assert len(set(row_hashes(read_table(moved), names))) == 2
    assert unpack(pack(whole)) == whole


@pytest.mark.slow
def test_a_whole_audit(tmp_path):
    """Its file fits the schema; rows that moved are known again, flipped ones stand out."""
    rng = np.random.default_rng(0)
    y = np.arange(160) % 2
    frame = pd.DataFrame({"a": y * 9 + rng.normal(size=160), "b": rng.normal(size=160)}).round(3)
    frame["y"] = np.where(y, "yes", "no")
    frame.loc[5, "y"] = "no"
    path = tmp_path / "in.csv"
    frame.to_csv(path, index=False)
    first = audit(path, "y", effort="fast")
    first.save(tmp_path / "out")
    summary = read_summary(tmp_path / "out")
    validate(summary)
    assert summary == first.summary
    assert [one["lines"] for one in summary["suspects"]["rows"]] == [
        [one["row"] + 2] * 2 for one in summary["suspects"]["rows"]
    ]
    later = frame.sample(frac=1, random_state=0).reset_index(drop=True)
    flipped = list(range(3, 160, 12))
    later.loc[flipped, "y"] = later.loc[flipped, "y"].map({"yes": "no", "no": "yes"})
    second = audit(later, "y", effort="fast")
    validate(second.summary)
    found = difference(first.summary, second.summary)
    assert found["rows"] == {"old": 160, "new": 160, "added": 14, "removed": 14}
    added = {one["row"] for one in found["suspects"]["added"]}
    assert added <= set(flipped)
    assert len(added) > 10


def test_assert_below():
    found = NoiseRate(0.12, (0.07, 0.15), np.eye(2), np.array(["a", "b"]))
    found.assert_below(0.07)
    found.assert_below("7%")
    with pytest.raises(AssertionError, match=r"\(7.0% to 15.0%\) lies above the limit of 5.0%"):
        found.assert_below(0.05)
    for bad in ("five", "5", "-1%", "101%", "nan", 5, -0.1, float("nan")):
        with pytest.raises(ValueError, match="limit must be"):
            found.assert_below(bad)
    for bad in (None, True, [0.1]):
        with pytest.raises(TypeError, match="limit must be"):
            found.assert_below(bad)
