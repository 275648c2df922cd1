"""The pages of results, made from what is stored."""

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from nacre.experiments.experiment import Finding, Reading, Setting, grid
from nacre.experiments.reproduce import reproduce
from nacre.experiments.run import run
from nacre.experiments.store import Store
from nacre.papers import page
from nacre.papers.catalogue import EXPERIMENTS, find
from nacre.papers.page import PAPERS, VERDICTS, describe, keep, kept, markdown, write_pages
from tests.experiments.toy import TOY

DOCS = Path(__file__).parents[2] / "docs" / "papers"
RUN = ("sano-3", "barnes-4-5", "weil-1-3")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder of results, and the folder of pages made from it."""
    results, docs = (tmp_path_factory.mktemp(name) for name in ("results", "docs"))
    for name in RUN:
        reproduce(*find(name), "paper", results, n_jobs=1)
    write_pages(docs, results)
    return results, docs


def fragments(docs):
    """What is written for each paper."""
    return {paper: (docs / "results" / f"{paper}.md").read_text("utf-8") for paper in PAPERS}


def texts():
    """The names of the fragments, and of the verdicts that stand in files of their own."""
    return [f"{p}.md" for p in PAPERS] + [f"{p}-verdict.md" for p in VERDICTS]


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
    ours = "far 6, near 6, none 0; 0 outside their half"
    assert f"| 1 | {toy.claims[0].what} | 6, 6 and 0 | {ours} | agree |" in section
    assert "| far | 5 | 6 |" in section
    assert "Settings: case far, near, none; 5 trials. 15 cells, " in section
    assert linked(section) == ["sano-3.png", "sano-3.csv"]
    table = (docs / "results" / "sano-3.csv").read_text()
    assert table == (results / "sano-3.csv").read_text().replace("nan", "")


@pytest.mark.slow
def test_files_are_those_that_are_linked(made):
    _, docs = made
    named = [name for text in fragments(docs).values() for name in linked(text)]
    assert len(named) == 2 * len(RUN)
    there = {path.name for path in (docs / "results").iterdir()}
    summaries = {f"{name}.json" for name in RUN}
    assert there == {*named, *summaries, *texts()}


@pytest.mark.slow
def test_making_them_again_changes_nothing(made, tmp_path):
    results, docs = made
    written = write_pages(tmp_path, results)
    assert {path.name for path in written} == {"results.md", "coverage.md", *texts()}
    for one in (path for path in docs.rglob("*") if path.is_file()):
        assert (tmp_path / one.relative_to(docs)).read_bytes() == one.read_bytes()


def test_a_data_set_that_is_not_all_there_is_left_out(tmp_path):
    partly = [*grid(20, data="a", model=["x", "y"]), *grid(20, data="b", model="x")]
    drawn = []
    toy = replace(TOY, figures={"": lambda results, _: drawn.append({*results.choices("data")})})
    with Store(tmp_path) as store:
        keep(toy, store, tmp_path)
        nothing = kept(TOY, tmp_path)
        run(toy, partly, store)
        keep(toy, store, tmp_path)
        entry = kept(TOY, tmp_path)
    assert (nothing.cells, nothing.summary.table) == (0, [])
    assert [one.word for one in nothing.summary.verdicts] == ["not run", "not run"]
    assert entry.cells == 40
    assert {row["data"] for row in entry.summary.table} == {"a"}
    assert drawn == [{"a"}]  # not those settings of b that are there
    assert [entry.count(word) for word in page.WORDS] == [1, 0, 0, 1]


def test_long_tables_are_folded(tmp_path):
    toy = replace(TOY, table=lambda results: [{"row": k} for k in range(25)])
    section = section_after_a_run(toy, tmp_path)
    assert "<details><summary>Table of 25 rows</summary>\n\n| row |\n| ---: |\n| 0 |" in section
    assert re.search(r"\| 24 \|\n\nSettings: .*\n\n</details>", section)


def section_after_a_run(experiment, folder):
    with Store(folder) as store:
        for one in (experiment, *map(experiment.under, experiment.readings)):
            run(one, list(one.settings["paper"]), store)
        keep(experiment, store, folder)
    return "\n\n".join(page._section(kept(experiment, folder), folder))


def read_as(*readings):
    """The toy, whose first claim differs, with its readings."""
    below = replace(
        TOY.claims[0],
        check=lambda results: Finding(str(len(results)), len(results) == 1),
        reason="There are {cells} settings, not {one}.",
    )
    return replace(
        TOY,
        settings=dict.fromkeys(TOY.settings, grid(2, data="a", model=["x", "y"])),
        claims=(below, TOY.claims[1]),
        conclusion="It is {error:.2f}.",
        numbers=lambda found: {
            "cells": found.cells // 2,
            "one": 1,
            "error": found.value("error", model="x"),
        },
        readings=readings,
    )


FEWER = Reading("fewer", "one may do", dict.fromkeys(TOY.settings, grid(2, data="a", model="x")))
MORE = Reading("more", "three may", dict.fromkeys(TOY.settings, grid(2, data=["a", "b", "c"])))
BY_COUNT = replace(
    MORE, name="by-count", checks={TOY.claims[0].what: lambda results: Finding("well", True)}
)


@pytest.mark.parametrize(
    ("readings", "word"),
    [
        ((), "differ"),
        ((replace(MORE, measure=lambda cell: {"n": 1}),), "differ"),
        ((FEWER,), "agree under a reading"),
        ((replace(BY_COUNT, measure=lambda cell: {"n": 1}), FEWER), "agree under a reading"),
    ],
)
def test_readings(readings, word, tmp_path):
    toy = read_as(*readings)
    section = section_after_a_run(toy, tmp_path)
    entry = kept(toy, tmp_path)
    assert entry.summary.words() == [word, "not run"]
    assert f"| 1 | the error is below 2 | yes | 2 | {word} |" in section
    assert "\n- 1: There are 2 settings, not 1." in section
    assert section.count("\n| *") == len(readings)
    if FEWER in readings:
        assert "\n| *fewer* | one may do | 1 | 1 | agree |" in section
        assert page._readings(entry.summary, 0) == (
            "by-count, fewer of 2" if len(readings) > 1 else "fewer of 1"
        )
    assert (tmp_path / "toy-1-fewer.csv").exists() == (FEWER in readings)
    error = entry.summary.value("error", model="x")
    assert f"**A toy.** It is {error:.2f}.\n" in section


def test_a_reading_has_its_own_draws():
    toy = read_as(FEWER)
    (setting,) = FEWER.settings["quick"]
    one, other = toy.cells(setting)[0], toy.under(FEWER).cells(setting)[0]
    assert one.seed("data") != other.seed("data")
    assert one.key != other.key


def test_what_was_kept_stays_where_a_store_does_not_have_it(tmp_path):
    toy = read_as(FEWER, MORE)
    with Store(tmp_path / "one") as store:
        for one in (toy, toy.under(FEWER)):
            run(one, list(one.settings["paper"]), store)
        keep(toy, store, tmp_path)
    before = kept(toy, tmp_path)
    assert list(before.summary.readings) == ["fewer"]
    assert "| *more* | three may |  | not run |  |" in "\n".join(page._section(before, tmp_path))
    with Store(tmp_path / "other") as store:
        more = replace(toy.under(MORE), measure=lambda cell: {"n": 1})
        run(more, list(more.settings["paper"]), store)
        keep(toy, store, tmp_path)
    after = kept(toy, tmp_path).summary
    assert list(after.readings) == ["fewer", "more"]
    assert after.table == before.summary.table
    assert after.readings["fewer"] == before.summary.readings["fewer"]
    assert list(kept(replace(toy, readings=[MORE]), tmp_path).summary.readings) == ["more"]


def test_a_claim_that_is_new_was_not_run(tmp_path):
    toy = read_as()
    section_after_a_run(toy, tmp_path)
    new = replace(TOY.claims[0], what="something new")
    assert kept(replace(toy, claims=[new, *toy.claims]), tmp_path).summary.words() == [
        "not run", "differ", "not run",
    ]  # fmt: skip


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
    words = [sys.executable, "-m", "nacre.papers.page", str(tmp_path / "docs")]
    words += ["--results", str(tmp_path)]
    result = subprocess.run(words, capture_output=True, text=True)
    assert result.returncode == 2
    assert "has no results: run nacre reproduce all --size paper" in result.stderr
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_pages_in_the_docs_are_those_of_what_is_kept(tmp_path):
    """A declaration, a conclusion or a number that has changed since leaves them stale."""
    (tmp_path / "results").mkdir()
    for path in (DOCS / "results").glob("*.json"):
        shutil.copy(path, tmp_path / "results")
    for path in write_pages(tmp_path):
        there = DOCS / path.relative_to(tmp_path)
        assert there.read_text("utf-8") == path.read_text("utf-8"), (
            "run python -m nacre.papers.page docs/papers"
        )
    for path in tmp_path.rglob("*.csv"):
        assert (DOCS / path.relative_to(tmp_path)).read_bytes() == path.read_bytes()
    named = {name for text in fragments(DOCS).values() for name in linked(text)}
    there = {path.name for path in (DOCS / "results").iterdir()}
    run = [one for one in EXPERIMENTS.values() if kept(one, DOCS / "results").cells]
    assert there == {*named, *(f"{one.name}.json" for one in run), *texts()}


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_conclusions(experiment):
    """Numbers stand in places, which are filled in from what is kept."""
    entry = kept(experiment, DOCS / "results")
    if entry.cells:
        assert re.fullmatch(r"[A-Z].{60,}\.", entry.filled(experiment.conclusion))
    for text in (experiment.conclusion, *(claim.reason for claim in experiment.claims)):
        bare = re.sub(r"{.*?}|\d+ % (noise|of the labels)", "", text)
        assert not re.search(r"\d\.\d|\d %|\d points", bare)


@pytest.mark.parametrize("paper", PAPERS)
def test_the_page_of_a_paper_shows_its_results(paper):
    text = (DOCS / f"{paper}.md").read_text("utf-8")
    assert f"```{{include}} results/{paper}.md\n:relative-images:\n" in text
    assert f":relative-docs: {paper}-\n```" in text


@pytest.mark.parametrize("paper", VERDICTS)
def test_a_verdict_has_no_number_that_somebody_typed(paper):
    page = (DOCS / f"{paper}.md").read_text("utf-8")
    assert f"## Verdict\n\n```{{include}} results/{paper}-verdict.md\n```" in page
    assert "Not run." not in (DOCS / "results" / f"{paper}-verdict.md").read_text("utf-8")
    bare = re.sub(r"{.*?}|{{.*?}}|\(#.*?\)", "", VERDICTS[paper].TEXT)
    # what the papers themselves say may stand there
    assert set(re.findall(r"\d+\.\d+|\d+ %", bare)) <= {"0.8", "1.2", "0.2", "18 %"}


def test_a_verdict_whose_experiments_were_not_run(tmp_path):
    write_pages(tmp_path)
    for paper in VERDICTS:
        assert (tmp_path / "results" / f"{paper}-verdict.md").read_text("utf-8") == "Not run.\n"
