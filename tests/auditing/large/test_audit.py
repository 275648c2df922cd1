"""Audits of tables in parts: what they find, that they go on, and that nothing is half done."""

import inspect
import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from itertools import pairwise

import jsonschema
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from nacre.auditing import Audit, audit, audit_schema
from nacre.auditing.large import audit as large
from nacre.auditing.large import audit_parts, rank
from nacre.auditing.large.work import Threads, open_pool
from nacre.io import parts as parts_module
from nacre.persistence import load_model
from tests.cli.runner import run
from tests.dask.wire import Wire

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
ROWS = 3000


@pytest.fixture(scope="module")
def table():
    """Two classes, a tenth of the labels flipped, 30 rows without one."""
    draw = np.random.default_rng(0)
    X = draw.normal(size=(ROWS, 4)).round(3)
    true = X[:, 0] + X[:, 1] > 0
    flip = draw.random(ROWS) < 0.1
    label = np.where(true ^ flip, "yes", "no").astype(object)
    label[draw.permutation(ROWS)[:30]] = None
    checked = draw.random(ROWS) < 0.05
    label[checked & (label != None)] = np.where(true, "yes", "no")[checked & (label != None)]  # noqa: E711
    colour = np.where(draw.random(ROWS) < 0.5, "red", "blue")
    columns = {f"x{j}": X[:, j] for j in range(4)}
    return pa.table(
        columns | {"colour": colour, "y": label.tolist(), "flip": flip & ~checked, "ok": checked}
    )


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    place = tmp_path_factory.mktemp("tables") / "sales"
    place.mkdir()
    for k, (start, stop) in enumerate(pairwise([0, 1000, 1900, ROWS])):
        pq.write_table(table[start:stop], place / f"{k}.parquet", row_group_size=500)
    return place


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(parts_module, "PART", 500 * 8 * 8)


OPTIONS = {"ignore": ["flip"], "clean": "ok", "sample": 1500, "effort": "fast"}


@pytest.fixture(scope="module")
def found(folder, tmp_path_factory):
    """What one thread finds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts_module, "PART", 500 * 8 * 8)
        out = tmp_path_factory.mktemp("out") / "one"
        audit_parts(folder, "y", out, n_jobs=1, **OPTIONS)
    return out


def content(out):
    """All files of an answer."""
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*.*")}


def test_the_answer_is_an_audit(found, table, folder):
    audit = Audit.read(found)
    summary = audit.summary
    jsonschema.validate(summary, audit_schema())
    assert (summary["rows"], summary["labelled"]) == (ROWS, ROWS - 30)
    cleaned = audit.cleaned.to_table()
    assert cleaned.drop_columns(["nacre_label", "nacre_suspect", "nacre_score"]).equals(table)
    flip, suspect = (cleaned[name].to_numpy() for name in ("flip", "nacre_suspect"))
    assert flip[suspect].mean() > 0.8
    assert suspect[flip].mean() > 0.8
    assert suspect.sum() == summary["suspects"]["count"] == len(audit.suspects)
    assert not suspect[table["ok"].to_numpy()].any()
    assert abs(summary["noise"]["rate"] - flip.mean() / 0.95) < 0.03
    label = np.array(cleaned["nacre_label"].to_pylist())
    assert not (label == None).any()  # noqa: E711
    rows = np.array(audit.suspects["row"].to_pylist())
    assert audit.suspects["x0"].to_pylist() == table["x0"].to_numpy()[rows].tolist()
    scores = np.array(audit.suspects["score"].to_pylist())
    assert np.all(np.diff(scores) <= 1e-12)
    np.testing.assert_allclose(scores, cleaned["nacre_score"].to_numpy()[rows], atol=1e-12)
    assert [size for size, _ in summary["settings"]["learning_curve"]] == [375, 750, 1500]
    assert not list(found.parent.glob(".*"))


@pytest.mark.parametrize("cluster", [None, "local"])
def test_the_bits_are_those_of_one_thread(folder, found, tmp_path, cluster):
    if cluster is not None:
        pytest.importorskip("distributed")
    out = tmp_path / "two"
    audit_parts(folder, "y", out, n_jobs=2, cluster=cluster, **OPTIONS)
    assert content(out) == content(found)


def test_what_it_takes_is_taken_as_by_an_audit():
    whole, parts = (inspect.signature(one).parameters for one in (audit, audit_parts))
    shared = whole.keys() & parts.keys() - {"label"}
    assert len(shared) == 12
    assert {name: whole[name] for name in shared} == {name: parts[name] for name in shared}


def test_a_csv_file_gives_the_same_suspects(table, found, tmp_path):
    pacsv.write_csv(table, tmp_path / "sales.csv")
    out = tmp_path / "out"
    audit_parts(tmp_path / "sales.csv", "y", out, **OPTIONS)
    own, other = Audit.read(out), Audit.read(found)
    assert own.suspects["row"].to_pylist() == other.suspects["row"].to_pylist()
    lines = (out / "cleaned.csv").read_text().splitlines()
    before = (tmp_path / "sales.csv").read_text().splitlines()
    assert len(lines) == len(before)
    assert lines[0].count("nacre_label") == 1
    assert own.cleaned is None


KILLED = """
import os, signal, sys
from nacre.auditing.large import audit_parts
from nacre.io import parts

parts.PART = 500 * 8 * 8
source, out, stage, part = sys.argv[1:]

def progress(event):
    if event.path[0].what == stage and event.done >= int(part):
        os.kill(os.getpid(), signal.SIGKILL)

audit_parts(source, "y", out, n_jobs=1, ignore=["flip"], clean="ok", sample=1500, effort="fast",
            progress=progress)
"""


@pytest.mark.parametrize(("stage", "done"), [("Reading the table", 3), ("Judging labels", 2)])
def test_a_run_that_was_killed_goes_on(folder, found, tmp_path, monkeypatch, stage, done):
    out = tmp_path / "out"
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, str(folder), str(out), stage, str(done)], timeout=200
    )
    assert ended.returncode == -signal.SIGKILL
    assert not out.exists()
    left = sorted((tmp_path / ".out.parts").iterdir())
    assert left
    calls = []
    each = Threads.each
    monkeypatch.setattr(
        Threads, "each", lambda self, tasks: (calls.append(len(tasks)), each(self, tasks))[1]
    )
    audit_parts(folder, "y", out, n_jobs=1, **OPTIONS)
    at = 0 if stage == "Reading the table" else 1
    assert calls[at] in (7 - done, 6 - done)  # one may have been done while the signal came
    assert calls[:at] + calls[at + 1 :] == [0] * at + [7] * (2 - at)
    assert content(out) == content(found)
    assert not (tmp_path / ".out.parts").exists()


def test_a_file_of_another_type_makes_the_others_be_read_anew(folder, tmp_path):
    """What a run that was stopped has left has the types of before."""
    sales = tmp_path / "sales"
    sales.mkdir()
    for path in folder.iterdir():
        rows = pq.read_table(path)
        pq.write_table(rows.append_column("n", pa.array(range(len(rows)))), sales / path.name)

    def stop(event):
        if event.path[0].what == "Learning from a sample":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit_parts(sales, "y", tmp_path / "out", progress=stop, **OPTIONS)
    assert list((tmp_path / ".out.parts").iterdir())
    rows = pq.read_table(sales / "2.parquet")
    pq.write_table(
        rows.set_column(rows.column_names.index("n"), "n", rows["n"].cast(pa.float64())),
        sales / "2.parquet",
    )
    assert audit_parts(sales, "y", tmp_path / "out", **OPTIONS).summary["rows"] == ROWS
    assert not (tmp_path / ".out.parts").exists()


def test_a_broken_part_ends_in_one_line_and_nothing_is_half_there(folder, tmp_path):
    broken = tmp_path / "sales"
    broken.mkdir()
    for path in folder.iterdir():
        (broken / path.name).write_bytes(path.read_bytes())
    data = bytearray((broken / "1.parquet").read_bytes())
    data[200:2000] = bytes(1800)
    (broken / "1.parquet").write_bytes(data)
    with pytest.raises(ValueError, match=r"part 2 \(row groups 0 to 0 of '1\.parquet'\): "):
        audit_parts(broken, "y", tmp_path / "out", **OPTIONS)
    assert not (tmp_path / "out").exists()


def test_what_is_there_is_replaced_only_if_told(folder, found):
    with pytest.raises(FileExistsError, match="--force"):
        audit_parts(folder, "y", found, **OPTIONS)


def test_text_and_numbers_of_rows(tmp_path):
    draw = np.random.default_rng(3)
    n = 800
    good = draw.random(n) < 0.5
    words = [
        " ".join(draw.choice(["fine", "lovely", "well"] if one else ["awful", "bad", "broken"], 4))
        for one in good
    ]
    table = pa.table({"said": words, "count": np.arange(n), "y": np.where(good, "good", "bad")})
    pq.write_table(table, tmp_path / "said.parquet", row_group_size=200)
    audit = audit_parts(
        tmp_path / "said.parquet", "y", tmp_path / "out", text=["said"], sample=400, effort="fast"
    )
    assert any("it numbers the rows" in line for line in audit.summary["notes"])
    assert audit.summary["suspects"]["count"] < 20
    load_model(tmp_path / "out" / "model.nacre")


@pytest.mark.parametrize(("rows", "classes"), [(36, 2), (300, 20)])
def test_classes_of_few_rows(tmp_path, rows, classes):
    draw = np.random.default_rng(0)
    code = np.arange(rows) % classes
    table = {"x": code + 0.1 * draw.normal(size=rows), "y": [f"c{one}" for one in code]}
    pq.write_table(pa.table(table), tmp_path / "few.parquet")
    audit = audit_parts(tmp_path / "few.parquet", "y", tmp_path / "out", sample=100, effort="fast")
    assert audit.summary["rows"] == rows


def test_the_command(folder, tmp_path, monkeypatch):
    out = tmp_path / "out"
    options = ["--label", "y", "--ignore", "flip", "--out", out, "--effort", "fast"]
    pattern = folder / "*.parquet"
    done = run("audit", pattern, *options, "--sample", 1000, "--max-suspects", 1)
    assert done.exit_code == 3
    assert "as asked (--sample)" in " ".join(done.stdout.split())
    summary = json.loads((out / "audit.json").read_text())
    assert summary["settings"]["sample"] == 1000
    refused = {
        ("--annotator", "colour"): "--annotator is not possible",
        ("--baseline", out): "needs --id, in both audits",
        ("--baseline", out, "--id", "x0"): "knows its rows by other columns",
        ("--label", "colour"): "needs one column of labels",
        ("--cluster", "tcp://127.0.0.1:1"): "There is no scheduler",
    }
    for words, said in refused.items():
        done = run("audit", pattern, *options, "--force", "--sample", 1000, *words)
        assert done.exit_code == 1
        assert said in done.stderr
    monkeypatch.setattr(large, "room", lambda: 1e6)
    done = run("audit", pattern, *options, "--force")
    assert "of the 1 MB that are free" in " ".join(done.stdout.split())
    done = run("review", out)
    assert done.exit_code == 1
    assert "was audited in parts" in done.stderr
    same = json.loads(run("compare", out, out, "--json").stdout)
    assert same["rows"]["added"] is None
    assert same["suspects"]["kept"] == same["suspects"]["old"] > 0
    assert same["noise"]["difference"] == 0.0
    assert "known again by --id only" in " ".join(run("compare", out, out).stdout.split())


def test_rows_are_known_again_by_their_id(table, tmp_path, monkeypatch):
    monkeypatch.setattr(rank, "LISTED", 50)  # the others have hashes, too
    before = table.append_column("id", pa.array(range(ROWS)))
    more = before[:300].set_column(8, "id", pa.array(range(ROWS, ROWS + 300)))
    sides = pc.if_else(pc.equal(more["y"], "yes"), "no", "yes")
    wrong = pc.if_else(pa.array(np.arange(300) < 100), sides, more["y"])
    more = more.set_column(more.schema.get_field_index("y"), "y", wrong)
    options = ["--label", "y", "--ignore", "flip", "--effort", "fast", "--sample", 1500]
    for name, rows in {"old": before, "new": pa.concat_tables([before[10:], more])}.items():
        pq.write_table(rows, tmp_path / f"{name}.parquet", row_group_size=500)
    old, new = tmp_path / "old", tmp_path / "new"
    baseline = [*options, "--id", "id", "--baseline", old]
    assert run("audit", f"{old}.parquet", *options, "--id", "id", "--out", old).exit_code == 0
    done = run("audit", f"{new}.parquet", *baseline, "--out", new)
    assert done.exit_code == 3
    known = [one["y"] for one in (before[10:], more)]
    found = json.loads(run("compare", old, new, "--json").stdout)
    gone = 10 - before["y"][:10].null_count
    assert found["rows"]["added"] == 300 - known[1].null_count
    assert found["rows"]["removed"] == gone
    suspects = found["suspects"]
    assert 70 < len(suspects["added"]) < 160
    assert suspects["new"] == suspects["kept"] + len(suspects["added"]) + len(suspects["raised"])
    assert suspects["old"] == suspects["kept"] + len(suspects["removed"]) + len(suspects["cleared"])
    cleaned = Audit.read(new).cleaned.to_table()
    late = pc.and_(cleaned["nacre_suspect"], pc.greater_equal(cleaned["id"], ROWS))
    assert len(suspects["added"]) == pc.sum(late).as_py()
    assert f"{len(suspects['added'])} are suspect" in " ".join(done.stderr.split())
    same = run("audit", f"{old}.parquet", *baseline, "--out", tmp_path / "again")
    assert same.exit_code == 0


def test_a_local_cluster_says_nothing_of_another(recwarn):
    pytest.importorskip("distributed")
    with ExitStack() as stack:
        with suppress(OSError):  # where the port is taken already
            stack.enter_context(socket.create_server(("", 8787)))
        with open_pool("local", 1) as pool:
            assert list(pool.each([])) == []
    assert [str(one.message) for one in recwarn if one.category is UserWarning] == []


def test_lost_workers_and_connections_cost_what_was_under_way(folder, found, tmp_path):
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    options["scheduler_kwargs"] = {"dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(**options) as cluster:
        wire = Wire(cluster.scheduler_address)
        with distributed.Client(wire.address) as client:
            pids = list(client.run(os.getpid).values())
            cuts = [1.0]

            def progress(event):
                stage = event.path[0].what
                if stage == "Judging labels" and event.done == 1 and len(pids) == 2:
                    os.kill(pids.pop(), signal.SIGKILL)
                if stage == "Writing the cleaned table" and event.done == 1 and cuts:
                    wire.cut(cuts.pop())

            out, begun = tmp_path / "out", time.monotonic()
            audit_parts(folder, "y", out, cluster=client, progress=progress, **OPTIONS)
            assert time.monotonic() - begun < 200
        wire.close()
    assert len(pids) == 1
    assert not cuts
    assert content(out) == content(found)
