"""The pages of results, made from what is stored."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from nacre.experiments.experiment import Setting, grid
from nacre.experiments.reproduce import reproduce
from nacre.experiments.run import run
from nacre.experiments.store import Store
from nacre.papers import page
from nacre.papers.catalogue import EXPERIMENTS, find
from nacre.papers.page import PAPERS, describe, markdown, read, write_pages
from tests.experiments.toy import TOY

DOCS = Path(__file__).parents[2] / "docs" / "papers"
RUN = ("sano-3", "barnes-4-5", "weil-1-3")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder of results, and the folder of pages made from it."""
    results, docs = (tmp_path_factory.mktemp(name) for name in ("results", "docs"))
    for name in RUN:
        reproduce(*find(name), "paper", results, n_jobs=1)
    write_pages(results, docs)
    return results, docs


def fragments(docs):
    """What is written for each paper."""
    return {paper: (docs / "results" / f"{paper}.md").read_text("utf-8") for paper in PAPERS}


def section_of(docs, experiment):
    """One experiment's section."""
    text = "\n" + fragments(docs)[experiment.paper]
    return text.split(f"\n### {experiment.name}\n")[1].split("\n###")[0]


def linked(text):
    """The files that a fragment links to."""
    return re.findall(r"\]\(([^)]+\.(?:png|csv))\)", text)


def test_papers_are_those_of_the_experiments():
    assert PAPERS == ("chan", "weil", "sano", "barnes", "oza", "beyond")


@pytest.mark.slow
def test_every_experiment_has_its_place(made):
    _, docs = made
    for paper, text in fragments(docs).items():
        names = [one.name for one in EXPERIMENTS.values() if one.paper == paper]
        assert re.findall(r"^#+ (.*)", text, re.M) == names
    text = "".join(fragments(docs).values())
    assert text.count("\nNot run.\n") == len(EXPERIMENTS) - len(RUN)


@pytest.mark.slow
def test_the_overview(made):
    _, docs = made
    text = (docs / "results.md").read_text("utf-8")
    claims = sum(len(one.claims) for one in EXPERIMENTS.values())
    assert f"{claims} claims: 5 agree, {claims - 5} not run." in text
    assert "20 cells took " in text  # 15 of sano-3, 4 of barnes-4-5, 1 of weil-1-3
    links = re.findall(r"^\| \[(.*?)\]\((.*?)\) \| \[(.*?)\]\((.*?)\) \|", text, re.M)
    assert links == [
        (one.paper, f"{one.paper}.md", one.name, f"{one.paper}.md#{one.name}")
        for one in EXPERIMENTS.values()
    ]


@pytest.mark.slow
def test_a_section(made):
    results, docs = made
    (toy,) = find("sano-3")
    section = section_of(docs, toy)
    assert f"**{toy.title}.** {toy.conclusion}" in section
    assert "| 6, 6 and 0 | far 6, near 6, none 0; 0 outside their half | agree |" in section
    assert "| far | 5 | 6 |" in section
    assert "Settings: case far, near, none; 5 trials. 15 cells, " in section
    assert linked(section) == ["sano-3.png", "sano-3.csv"]
    table = (docs / "results" / "sano-3.csv").read_bytes()
    assert table == (results / "sano-3.csv").read_bytes()


@pytest.mark.slow
def test_files_are_those_that_are_linked(made):
    _, docs = made
    named = [name for text in fragments(docs).values() for name in linked(text)]
    assert len(named) == 2 * len(RUN)
    there = {path.name for path in (docs / "results").iterdir()}
    assert there == {*named, *(f"{paper}.md" for paper in PAPERS)}


@pytest.mark.slow
def test_making_them_again_changes_nothing(made, tmp_path):
    results, docs = made
    written = write_pages(results, tmp_path)
    assert [path.name for path in written] == ["results.md", *(f"{paper}.md" for paper in PAPERS)]
    for one in (path for path in docs.rglob("*") if path.is_file()):
        assert (tmp_path / one.relative_to(docs)).read_bytes() == one.read_bytes()


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


def test_tables():
    rows = [{"name": "a", "n_left": 1, "share": 1 / 3}, {"name": "b", "share": float("nan")}]
    assert markdown(rows) == (
        "| name | n left | share |\n| --- | ---: | ---: |\n| a | 1 | 0.3333 |\n| b |  |  |"
    )


@pytest.mark.slow
def test_without_results_one_line_says_what_to_run(tmp_path):
    words = [sys.executable, "-m", "nacre.papers.page", str(tmp_path), str(tmp_path / "docs")]
    result = subprocess.run(words, capture_output=True, text=True)
    assert result.returncode == 2
    assert "has no results: run nacre reproduce all --size paper" in result.stderr
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_pages_in_the_docs_are_those_of_the_declarations():
    for experiment in EXPERIMENTS.values():
        section = section_of(DOCS, experiment)
        if "\nNot run.\n" in section:
            assert not experiment.conclusion
            continue
        assert re.fullmatch(r"[A-Z].{60,}\.", experiment.conclusion)
        assert f"\n**{experiment.title}.** {experiment.conclusion}\n" in section
        assert all(f"\n| {claim.what} | {claim.paper} | " in section for claim in experiment.claims)
    named = {name for text in fragments(DOCS).values() for name in linked(text)}
    there = {path.name for path in (DOCS / "results").iterdir()}
    assert there == {*named, *(f"{paper}.md" for paper in PAPERS)}


@pytest.mark.parametrize("paper", PAPERS)
def test_the_page_of_a_paper_shows_its_results(paper):
    text = (DOCS / f"{paper}.md").read_text("utf-8")
    assert f"```{{include}} results/{paper}.md\n:relative-images:\n" in text
    assert f":relative-docs: {paper}-\n```" in text
