"""Data flows one way: imports point up the list of layers only."""

import ast
import re
from pathlib import Path

import pytest

import nacre

SOURCE = Path(nacre.__file__).parent
LAYERS = [
    "progress",
    "kernels",
    "io",
    "data",
    "bins",
    "learners",
    "boost",
    "noise",
    "models",
    "consensus",
    "diagnostics",
    "filters",
    "datasets",
    "persistence",
    "export",
    "auditing",
    "review",
    "dask",
    "experiments",
    "papers",
    "cli",
    "__main__",
]


def layer_of(path):
    """The folder, or for files beside the folders their own name."""
    first = path.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


def imported(source):
    """All that a file imports of nacre, late imports and those for types too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.startswith("nacre."))
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            if node.module == "nacre":
                yield from (f"nacre.{name.name}" for name in node.names)
            elif node.module.startswith("nacre."):
                yield node.module


def named(source):
    """Modules of nacre that a file names in text that is no docstring, as late imports may."""
    tree = ast.parse(source)
    prose = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):  # docstrings, of variables too
            prose |= {
                id(one.value)
                for one in body
                if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
            }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield from MODULE.findall(node.value)


MODULE = re.compile(rf"\bnacre\.(?:{'|'.join(LAYERS)})\b(?:\.\w+)*")


def offences(layer, source):
    """What a file imports, or names in text, of lower layers or the surface below them all."""
    allowed = [*LAYERS[: LAYERS.index(layer) + 1], "__version__"]
    found = [*imported(source), *named(source)]
    return [name for name in found if name.split(".")[1] not in allowed]


FILES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_up(path):
    assert offences(layer_of(path), path.read_text(encoding="utf-8")) == []


def test_every_layer_exists():
    assert {layer_of(path) for path in FILES} == set(LAYERS)


@pytest.mark.parametrize(
    ("layer", "source", "found"),
    [
        ("data", "from nacre.bins import bin_rows", ["nacre.bins"]),
        ("data", "def late():\n    import nacre.models.base", ["nacre.models.base"]),
        ("boost", "from nacre import models, data", ["nacre.models"]),
        ("models", "from nacre import AdaBoostClassifier", ["nacre.AdaBoostClassifier"]),
        ("models", "from nacre.boost import Run\nimport numpy", []),
        ("cli", "from nacre import __version__", []),
        ("data", "HOME = 'nacre.models.base'", ["nacre.models.base"]),
        ("data", '"""Of nacre.models."""\nx = 1\n"""As nacre.models."""', []),
        ("models", "raise ValueError('use a part of nacre.boost.')", []),
    ],
)
def test_offences_are_found(layer, source, found):
    assert offences(layer, source) == found


COLUMNS = {"ERROR", "LOG_COST", "SHRINK", "VOTE", "DRIVE", "STATE"}
"""Places in the compiled loop's trace."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_columns_of_the_trace_stay_with_the_compiled_loop(path):
    """Others know what a round did by name."""
    if layer_of(path) == "kernels" or path == SOURCE / "boost" / "compiled.py":
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    names |= {
        one.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for one in node.names
    }
    assert not names & COLUMNS
