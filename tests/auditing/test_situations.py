"""Whole audits of tables as people have them: what is said first, and whether it is true."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nacre import audit
from tests.cli.runner import run

pytestmark = pytest.mark.slow

GOOD = ["great", "lovely", "perfect", "happy", "wonderful", "recommend", "sturdy", "superb"]
BAD = ["broken", "refund", "late", "awful", "cheap", "noisy", "useless", "flimsy"]
FILL = ["the", "my", "it", "was", "for", "with", "after", "week", "box", "really", "had", "one"]


def right(found, wrong):
    """The share of suspects that are wrong, and of wrong labels that are suspects."""
    rows = found.suspects["row"].to_numpy()
    return wrong[rows].mean(), wrong[rows].sum() / wrong.sum()


def test_reviews_with_a_column_that_says_a_little():
    """What the text says is not drowned by a category that goes with the label."""
    rng = np.random.default_rng(0)
    n = 1000
    good = rng.random(n) < 0.55
    texts = [
        " ".join(rng.permutation([*rng.choice(FILL, 12), *rng.choice(GOOD if one else BAD, 2)]))
        for one in good
    ]
    product = np.where(
        rng.random(n) < 0.6,
        np.where(good, "gadget", "cable"),
        rng.choice(["gadget", "cable", "lamp"], n),
    )
    wrong = rng.random(n) < 0.1
    label = np.where(good ^ wrong, "positive", "negative")
    frame = pd.DataFrame({"review": texts, "product": product, "sentiment": label})
    found = audit(frame, "sentiment", effort="fast")
    assert found.summary["noise"]["rate"] == pytest.approx(wrong.mean(), abs=0.03)
    assert min(right(found, wrong)) > 0.85
    truth = np.where(good, "positive", "negative")
    assert (found.cleaned["nacre_label"].to_numpy() != truth).sum() < wrong.sum() / 3
    assert "review says *" in " ".join(found.suspects["reason"])


def visits(n=200):
    rng = np.random.default_rng(0)
    centre, patient = rng.normal(size=(n, 4)), np.repeat(np.arange(n), 5)
    wrong = (rng.random(n) < 0.1)[patient]
    ill = (centre[:, 0] + centre[:, 1] > 0)[patient]
    table = centre[patient] + 0.05 * rng.normal(size=(5 * n, 4))
    frame = pd.DataFrame(table, columns=["age", "bmi", "glucose", "pressure"])
    frame["patient_id"] = 10_000 + 7 * patient
    return frame.assign(diagnosis=np.where(ill ^ wrong, "ill", "well")), wrong


def test_visits_of_patients(tmp_path):
    """That rows belong together is said before an answer that is worth nothing without it."""
    frame, wrong = visits()
    frame.to_csv(tmp_path / "visits.csv", index=False)
    words = (tmp_path / "visits.csv", "--label", "diagnosis", "--effort", "fast")
    said = run("audit", *words, "--out", tmp_path / "apart")
    assert said.exit_code == 0, said.stderr
    text = " ".join(said.stdout.split())
    assert text.index("'patient_id' looks like a group") < text.index("Accuracy on held-out rows")
    page = (tmp_path / "apart" / "report.html").read_text()
    alert = page[page.index('role="alert"') :]
    assert "looks like a group" in alert[:100]
    found = audit(frame, "diagnosis", group="patient_id", effort="fast")
    assert found.summary["noise"]["rate"] == pytest.approx(wrong.mean(), abs=0.04)
    assert min(right(found, wrong)) > 0.75
    assert not [one for one in found.summary["findings"] if one["kind"] == "group"]


def test_duplicates_some_of_them_contradictory():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(400, 4)), columns=list("abcd"))
    frame["label"] = np.where(frame["a"] + frame["b"] > 0, "ill", "well")
    again = frame[:60].copy()
    again.loc[:24, "label"] = again.loc[:24, "label"].map({"ill": "well", "well": "ill"})
    found = audit(pd.concat([frame, again], ignore_index=True), "label", effort="fast")
    (one,) = [one for one in found.summary["findings"] if one["kind"] == "conflict"]
    assert one["said"].startswith("50 rows in 25 sets are equal in every column")
    assert {*one["rows"]} == {*range(25), *range(400, 425)}
    assert len({*range(400, 425)} & {*found.suspects["row"]}) >= 20  # others are at the boundary


def test_a_file_of_a_spreadsheet(tmp_path):
    """Semicolons, a line for Excel, a title, and nothing that is written as computers do."""
    rng = np.random.default_rng(0)
    n = 400
    good = rng.random(n) < 0.5
    wrong = rng.random(n) < 0.08
    salary = np.where(good, 60_000, 30_000) + rng.integers(-9_000, 9_000, n)
    rent = [f"{one:,.2f}" for one in rng.uniform(300, 3000, n)]
    forms = "%d %b %Y", "%d.%m.%Y", "%Y-%m-%d"
    days = pd.Timestamp("2022-01-01") + pd.to_timedelta(rng.integers(0, 700, n), "D")
    frame = pd.DataFrame(
        {
            "distance": [f"{one:,}" for one in rng.integers(500, 90_000, n)],
            "salary": [f"${one:,.2f}" for one in salary],
            "share": [f"{one:.1f}%" for one in rng.uniform(0, 100, n)],
            "fee": [f"{one} EUR" if one % 30 else "n/a" for one in rng.integers(100, 900, n)],
            "mass": [f"{one:.1f} kg" for one in rng.uniform(50, 100, n)],
            "rent": [one.translate(str.maketrans(",.", ".,")) for one in rent],
            "at": [f"{one // 60:02}:{one % 60:02}" for one in rng.integers(0, 1440, n)],
            "seen": [day.strftime(forms[i % 3]) for i, day in enumerate(days)],
            "group": np.where(good ^ wrong, "buyer", "other"),
        }
    )
    path = tmp_path / "people.csv"
    path.write_text("sep=;\nCustomers of the shop\n" + frame.to_csv(index=False, sep=";"))
    found = audit(path, "group", effort="fast")
    kinds = {one["column"]: one["kind"] for one in found.summary["readings"]}
    numbers = dict.fromkeys(["distance", "salary", "share", "fee", "mass", "rent"], "number")
    assert kinds == {**numbers, "at": "time", "seen": "date"}
    (said,) = [one for one in found.summary["notes"] if "'distance'" in one]
    assert "has a mark between thousands" in said
    assert min(right(found, wrong)) > 0.85


def test_an_embedding_in_one_column_of_a_parquet_file(tmp_path):
    rng = np.random.default_rng(0)
    n, d = 500, 48
    truth = rng.integers(3, size=n)
    table = 0.6 * rng.normal(size=(3, d))[truth] + rng.normal(size=(n, d))
    wrong = rng.random(n) < 0.1
    label = np.array(["cat", "dog", "owl"])[(truth + wrong) % 3]
    path = tmp_path / "images.parquet"
    files = [f"images/{i:05}.png" for i in range(n)]
    columns = {"file": files, "embedding": table.astype(np.float32).tolist(), "label": label}
    pq.write_table(pa.table(columns), path)
    out = tmp_path / "audit"
    said = run("audit", path, "--label", "label", "--effort", "fast", "--out", out)
    assert said.exit_code == 0, said.stderr
    rows = pd.read_csv(out / "suspects.csv")["row"].to_numpy()
    assert wrong[rows].mean() > 0.9
    assert wrong[rows].sum() > 0.85 * wrong.sum()
    cleaned = pq.read_table(out / "cleaned.parquet")
    assert cleaned["embedding"] == pq.read_table(path)["embedding"]
    said = run("predict", out / "model.nacre", path, "--out", tmp_path / "said.parquet")
    assert said.exit_code == 0, said.stderr
