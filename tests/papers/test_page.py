"""The page of results, made from what is stored."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from nacre.papers import page
from nacre.papers.catalogue import EXPERIMENTS, find
from nacre.papers.experiment import Setting, grid
from nacre.papers.page import describe, duration, markdown, read, write_page
from nacre.papers.reproduce import reproduce
from nacre.papers.run import run
from nacre.papers.store import Store
from tests.papers.toy import TOY

DOCS = Path(__file__).parents[2] / "docs"
RUN = ("sano-3", "barnes-4-5", "weil-1-3")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder of results, and the page made from it."""
    results, docs = (tmp_path_factory.mktemp(name) for name in ("results", "docs"))
    for name in RUN:
        reproduce(*find(name), "paper", results, n_jobs=1)
    return results, write_page(results, docs)


def linked(text):
    """The files that a page links to."""
    return re.findall(r"\]\((results/[^)]+)\)", text)


def test_every_experiment_has_its_place(made):
    _, path = made
    text = path.read_text()
    assert path.name == "results.md"
    assert sorted(re.findall(r"^### (.*)", text, re.M)) == sorted(EXPERIMENTS)
    assert text.count("\nNot run.\n") == len(EXPERIMENTS) - len(RUN)
    claims = sum(len(one.claims) for one in EXPERIMENTS.values())
    assert f"{claims} claims: 5 agree, {claims - 5} not run." in text
    assert "20 cells took " in text  # 15 of sano-3, 4 of barnes-4-5, 1 of weil-1-3


def test_a_section(made):
    results, path = made
    section = path.read_text().split("### sano-3\n")[1].split("\n##")[0]
    (toy,) = find("sano-3")
    assert f"**{toy.title}.** {toy.conclusion}" in section
    assert "| 6, 6 and 0 | far 6, near 6, none 0; 0 outside their half | agree |" in section
    assert "| far | 5 | 6 |" in section
    assert "Settings: case far, near, none; 5 trials. 15 cells, " in section
    assert linked(section) == ["results/sano-3.png", "results/sano-3.csv"]
    table = (path.parent / "results" / "sano-3.csv").read_bytes()
    assert table == (results / "sano-3.csv").read_bytes()


def test_links_lead_somewhere(made):
    _, path = made
    text = path.read_text()
    assert len(linked(text)) == 2 * len(RUN)
    assert all((path.parent / name).is_file() for name in linked(text))
    headings = re.findall(r"^#+ (.*)", text, re.M)
    assert set(re.findall(r"\(#([^)]+)\)", text)) <= set(headings)


def test_making_it_again_changes_nothing(made, tmp_path):
    results, path = made
    again = write_page(results, tmp_path)
    assert again.read_text() == path.read_text()
    for one in (path.parent / "results").iterdir():
        assert (tmp_path / "results" / one.name).read_bytes() == one.read_bytes()


def test_a_data_set_that_is_not_all_there_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "SIZE", "quick")
    partly = [*grid(15, data="a", model=["x", "y"]), *grid(15, data="b", model="x")]
    with Store(tmp_path) as store:
        nothing = read(TOY, store)
        run(TOY, partly, store)
        entry = read(TOY, store)
    assert (nothing.cells, nothing.table) == (0, [])
    assert [one.word for one in nothing.verdicts] == ["not run", "not run"]
    assert entry.cells == 30
    assert {row["data"] for row in entry.table} == {"a"}
    assert [entry.count(word) for word in page.WORDS] == [1, 0, 1]


def test_long_tables_are_folded(tmp_path):
    toy = replace(TOY, table=lambda results: [{"row": k} for k in range(25)])
    with Store(tmp_path) as store:
        run(toy, list(toy.settings["paper"]), store)
        section = "\n\n".join(page._section(read(toy, store), tmp_path))
    assert "<details><summary>Table of 25 rows</summary>\n\n| row |\n| ---: |\n| 0 |" in section
    assert "| 24 |\n\n</details>" in section


def test_settings_in_a_line():
    settings = [
        *grid(3, data=["a", "b"], learning_rate=0.5),
        *grid(5, data="a", rounds=list(range(1, 51))),
        Setting({"rows": None}, 5),
    ]
    assert describe(settings) == (
        "data a, b; learning rate 0.5; rounds 1 to 50 (50 values); rows all; 3, 5 trials"
    )


def test_durations():
    assert [duration(s) for s in (0.04, 119, 120, 7199, 9000)] == [
        "0.0 s", "119.0 s", "2.0 min", "120.0 min", "2.5 h",
    ]  # fmt: skip


def test_tables():
    rows = [{"name": "a", "n_left": 1, "share": 1 / 3}, {"name": "b", "share": float("nan")}]
    assert markdown(rows) == (
        "| name | n left | share |\n| --- | ---: | ---: |\n| a | 1 | 0.3333 |\n| b |  |  |"
    )


def test_without_results_one_line_says_what_to_run(tmp_path):
    words = [sys.executable, "-m", "nacre.papers.page", str(tmp_path), str(tmp_path / "docs")]
    result = subprocess.run(words, capture_output=True, text=True)
    assert result.returncode == 2
    assert "has no results: run nacre reproduce all --size paper" in result.stderr
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_page_in_the_docs_is_that_of_the_declarations():
    text = (DOCS / "results.md").read_text(encoding="utf-8")
    for experiment in EXPERIMENTS.values():
        section = text.split(f"\n### {experiment.name}\n")[1].split("\n##")[0]
        if "\nNot run.\n" in section:
            assert not experiment.conclusion
            continue
        assert re.fullmatch(r"[A-Z].{60,}\.", experiment.conclusion)
        assert f"\n**{experiment.title}.** {experiment.conclusion}\n" in section
        assert all(f"\n| {claim.what} | {claim.paper} | " in section for claim in experiment.claims)
    there = {f"results/{path.name}" for path in (DOCS / "results").iterdir()}
    assert there == set(linked(text))
