"""The documentation names everything that is public, and what it says can be run."""

import doctest
import re
import runpy
import shlex
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from nacre.cli import app

DOCS = Path(__file__).parents[1] / "docs"
MODULES = (
    "nacre",
    "nacre.auditing",
    "nacre.boost",
    "nacre.datasets",
    "nacre.diagnostics",
    "nacre.export",
    "nacre.filters",
    "nacre.noise",
    "nacre.io",
    "nacre.data",
    "nacre.progress",
)
SECTIONS = "start", "tutorials", "howto"
PAGES = [page for section in SECTIONS for page in sorted((DOCS / section).glob("*.md"))]
PAGES.append(DOCS / "explain" / "explanations.md")

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the docs are not beside the tests")


def names_in_the_reference():
    """What the lists of the reference's pages name."""
    found = set()
    for page in (DOCS / "reference").glob("*.md"):
        module = None
        for line in page.read_text(encoding="utf-8").splitlines():
            if start := re.match(r"\.\. currentmodule:: (\S+)", line):
                module = start[1]
            elif data := re.match(r"\.\. py:data:: (\S+)", line):
                found.add(data[1])
            elif entry := re.fullmatch(r"   ([\w.]+)", line):
                found.add(f"{module}.{entry[1]}")
    return found


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_stands_in_the_reference(module):
    public = {f"{module}.{name}" for name in import_module(module).__all__}
    at_the_top = {"nacre.auditing.audit"} & public  # stands there as nacre.audit
    assert public - at_the_top - names_in_the_reference() == set()


def test_every_name_in_the_reference_is_there():
    for name in names_in_the_reference():
        module, _, last = name.rpartition(".")
        assert hasattr(import_module(module), last), name


def blocks(text):
    """The fenced blocks of a page: their language, their text, and the line they begin at."""
    for block in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        yield block[1], block[2], text[: block.start(2)].count("\n")


NUMBER = re.compile(r"\d+(?:\.\d+)?")


class Nearly(doctest.OutputChecker):
    """Numbers that models come to may be a little off: processors round differently."""

    def check_output(self, want, got, optionflags):
        """Whether the words are the same and each number is within a tenth of its fellow."""
        if super().check_output(want, got, optionflags):
            return True
        words = [" ".join(NUMBER.sub("0", text).split()) for text in (want, got)]
        numbers = [[float(one) for one in NUMBER.findall(text)] for text in (want, got)]
        return words[0] == words[1] and all(
            abs(one - other) <= 0.1 * max(one, other) + 0.02
            for one, other in zip(*numbers, strict=True)
        )


def test_numbers_may_be_a_little_off():
    check = Nearly().check_output
    assert check("19 wrong (20.7%)\n", "20 wrong (20.6%)\n", 0)
    assert not check("19 wrong\n", "25 wrong\n", 0)
    assert not check("19 wrong\n", "19 right\n", 0)


def run_python(code, names, where, line):
    """Run a block of Python as a doctest, in the names that earlier blocks have left."""
    test = doctest.DocTestParser().get_doctest(code, names, where, where, line)
    assert test.examples, f"{where}, line {line}: a block of Python without a prompt"
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    runner = doctest.DocTestRunner(Nearly(), optionflags=options)
    said = []
    runner.run(test, out=said.append, clear_globs=False)
    assert not runner.failures, "".join(said)
    names.update(test.globs)


def run_console(text, where, line):
    """Run the lines of a block that begin with ``$ nacre``."""
    for command in re.findall(r"^\$ nacre (.*)$", text, re.MULTILINE):
        run = CliRunner().invoke(app, shlex.split(command))
        assert run.exit_code == 0, f"{where}, line {line}: {command}\n{run.output}"


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_what_a_page_says_can_be_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    where = str(page.relative_to(DOCS))
    for language, text, line in blocks(page.read_text(encoding="utf-8")):
        if language == "python":
            run_python(text, names, where, line)
        elif language == "console":
            run_console(text, where, line)


def test_thumbnails_of_the_gallery_lead_to_their_examples(tmp_path, monkeypatch):
    """A link of their own around them put them over the titles of others."""
    monkeypatch.setattr(sys, "path", [*sys.path])  # which the configuration changes
    monkeypatch.setenv("MPLBACKEND", "agg")
    pytest.importorskip("sphinx")
    pytest.importorskip("PIL")
    from docutils import nodes
    from PIL import Image

    configured = runpy.run_path(str(DOCS / "conf.py"))
    page = nodes.container()
    for name in ("sphx_glr_plot_01_thumb.png", "large.png"):
        Image.new("RGB", (400, 280)).save(tmp_path / name)
        page += nodes.image(uri=name)
    configured["link_large_figures"](SimpleNamespace(srcdir=tmp_path), page)
    assert ["width" in image for image in page.findall(nodes.image)] == [False, True]
