"""Data flows one way: imports point up the list of layers only."""

import ast
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
    "auditing",
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


def offences(layer, source):
    """Imports of lower layers, or of the public surface, which stands below them all."""
    allowed = [*LAYERS[: LAYERS.index(layer) + 1], "__version__"]
    return [name for name in imported(source) if name.split(".")[1] not in allowed]


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
    ],
)
def test_offences_are_found(layer, source, found):
    assert offences(layer, source) == found
