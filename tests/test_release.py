"""What a release is made of says the same everywhere."""

import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest

from nacre import __version__

ROOT = Path(__file__).parents[1]
RUN = "report", "cli", "plot", "review", "table", "excel", "duckdb", "dask"
"""Extras that people install; the others are for work on nacre itself."""

pytestmark = pytest.mark.skipif(
    not (ROOT / "pyproject.toml").exists(), reason="the project is not beside the tests"
)


def bounds(lines, mark):
    """Packages and the versions behind a mark, without zeros at the end."""
    pattern = rf"([\w-]+)(?:\[[\w,]+\])?{mark}([\d.]+)"
    found = [re.match(pattern, line) for line in lines]
    return {one[1].lower(): re.sub(r"(\.0)+$", "", one[2]) for one in found if one}


def test_the_oldest_versions_that_are_tested_are_those_that_are_asked_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    asked = bounds(chain(project["dependencies"], *(extras[name] for name in RUN)), ">=")
    tested = bounds((ROOT / "tests" / "minimum.txt").read_text().splitlines(), "==")
    assert len(asked) > 12
    assert asked == {name: tested.get(name) for name in asked}
    others = bounds(extras["test"], ">=")
    assert {name: tested[name] for name in others if name in tested}.items() <= others.items()


def test_the_citation_is_that_of_the_last_release():
    citation = (ROOT / "CITATION.cff").read_text()
    said = dict(re.findall(r"^(version|date-released|license): (.+)$", citation, re.MULTILINE))
    version, date = re.search(
        r"^## (\d+\.\d+\.\d+) - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE
    ).groups()
    assert said == {"version": version, "date-released": date, "license": "BSD-3-Clause"}
    assert __version__.startswith(version) or __version__ > version


@pytest.mark.parametrize(
    "name", ["SECURITY.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "LICENSE"]
)
def test_what_a_project_says_about_itself(name):
    assert len((ROOT / name).read_text().split()) > 60


WORKFLOWS = ROOT / ".github" / "workflows"


@pytest.mark.skipif(not WORKFLOWS.exists(), reason="the workflows are not beside the tests")
def test_workflows_do_no_harm():
    yaml = pytest.importorskip("yaml")
    files = {path.stem: yaml.safe_load(path.read_text()) for path in WORKFLOWS.glob("*.yml")}
    assert files["release"][True] == {"release": {"types": ["published"]}}  # YAML reads on as true
    for name, file in files.items():
        assert file["permissions"] == {"contents": "read"}, name
    jobs = files["release"]["jobs"]
    assert jobs["publish"]["needs"] == "build"
    assert jobs["publish"]["environment"] == "release"
    assert "password" not in str(files)
    assert "secrets" not in str(files)
    targets = re.findall(r"make ([\w-]+)", str(files))
    rules = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {*targets} <= {*rules}
    for path in (WORKFLOWS.parent / "ISSUE_TEMPLATE").glob("*.yml"):
        assert yaml.safe_load(path.read_text())
