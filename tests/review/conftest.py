"""Audits to review: a small one that was made, and large ones that were made up."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification

from nacre import audit
from nacre.auditing import Audit
from nacre.auditing.load import load
from nacre.noise import flip_labels
from nacre.noise.quality import LabelQuality

HOSTILE = (
    "<script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "\" onmouseover='window.hacked = 1' x=\"",
    "{{ 7 * 7 }}${7 * 7}",
    "שלום עולם \u202e right to left",
    "=cmd|' /C calc'!A0",
)
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cf"
    "c0000003010100c9fe92ef0000000049454e44ae426082"
)
"""An image."""


def make(n=300, seed=0):
    """Two classes, numbers, a category, hostile text, long text, paths to images, a truth."""
    X, y = make_classification(
        n, 5, n_informative=4, n_redundant=0, class_sep=1.6, random_state=seed
    )
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(X.round(3), columns=[f"x {j}" for j in range(5)])
    frame.insert(0, "case", [f"C-{i}" for i in range(n)])
    frame["ward"] = rng.choice(["north", "south"], n)
    frame["text"] = [f"{HOSTILE[i % len(HOSTILE)]} {i}" for i in range(n)]
    frame["note"] = [f"note {i} " * 1250 for i in range(n)]
    frame["picture"] = ["pictures/a.png" if i % 2 else "../secret.png" for i in range(n)]
    frame["truth"] = np.where(y, "sick", "well")
    frame["state"] = flip_labels(frame["truth"], 0.12, random_state=seed)[0]
    return frame


@pytest.fixture(scope="session")
def audited(tmp_path_factory):
    """A folder with ``cases.csv`` and its audit, ``cases-audit``: to be copied, not changed."""
    folder = tmp_path_factory.mktemp("audited") / "data"
    (folder / "pictures").mkdir(parents=True)
    (folder / "pictures" / "a.png").write_bytes(PIXEL)
    (folder.parent / "secret.png").write_bytes(PIXEL)
    make().to_csv(folder / "cases.csv", index=False)
    found = audit(folder / "cases.csv", "state", id="case", ignore=["truth", "note"], effort="fast")
    found.save(folder / "cases-audit")
    return folder


@pytest.fixture
def folder(audited, tmp_path):
    """A copy of that audit's folder, the table beside it."""
    shutil.copy(audited.parent / "secret.png", tmp_path)
    shutil.copytree(audited, tmp_path / "data")
    folder = tmp_path / "data" / "cases-audit"
    summary = json.loads((folder / "audit.json").read_text())
    summary["file"]["path"] = str(tmp_path / "data" / "cases.csv")
    (folder / "audit.json").write_text(json.dumps(summary))
    return folder


@pytest.fixture(scope="session")
def truth():
    return make()["truth"].tolist()


class Pageless(Audit):
    """An audit whose summary is too short for a report."""

    def _page(self):
        return b""


def made_up(folder, frame, label, seed=0):
    """An audit of any table, whose probabilities are drawn by chance: nothing is learned."""
    x = np.random.default_rng(0).normal(size=40).round(3)
    small = pd.DataFrame({"x": x, "kind": [f"k{i % 2}" for i in range(40)]})
    model = audit(small, "kind", effort="fast").model
    frame.to_parquet(folder / "table.parquet")
    loaded = load(folder / "table.parquet", label)
    rng = np.random.default_rng(seed)
    n, K = len(loaded.rows), len(loaded.classes)
    given = loaded.codes[loaded.known]
    posterior = rng.dirichlet(np.full(K, 0.3), n)
    model.found_ = LabelQuality(posterior, posterior, given, loaded.classes, model.noise_)
    summary = {
        "nacre": "0", "source": "table.parquet", "file": None, "label": label, "rows": n,
        "clean": None, "group": None, "trusted": 0, "suspects": {"count": 0},
        "features": [{"name": name, "importance": 0.1} for name in loaded.schema.features],
    }  # fmt: skip
    empty = pd.DataFrame({"row": []})
    found = Pageless(summary, empty, loaded.frame.to_native(), model, loaded.schema)
    out = folder / "table-audit"
    out.mkdir()
    found.write(out, suffix=".parquet")
    return out
