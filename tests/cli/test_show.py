"""What an audit has found, in words."""

from types import SimpleNamespace

import pytest

from nacre.cli.show import print_audit, queue_line
from tests.auditing.summaries import make_summary


def suspects(count, changed, firsts):
    queue = [{"first": first, "wrong": first / 2} for first in firsts]
    return {"count": count, "changed": changed, "queue": queue}


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (suspects(0, 0, []), "No label is suspect."),
        (suspects(1, 0, [1]), "1 label is suspect. None is sure enough to be changed in the "
                              "cleaned table."),
        (suspects(12, 3, [1, 6, 12]), "12 labels are suspect. Wrong among the first 12: about 6. 3 "
                                      "changed in the cleaned table, being sure enough."),
        (suspects(100, 0, [10, 50]), "100 labels are suspect. Wrong among the first 10: about 5, "
                                     "50: about 25. None is sure enough to be changed in the "
                                     "cleaned table."),
    ],
)  # fmt: skip
def test_counts_that_say_nothing_are_left_out(found, said):
    assert queue_line(found).replace("[bold]", "").replace("[/bold]", "") == said


@pytest.mark.parametrize(("trusted", "verb"), [(0, ""), (1, "1 row is"), (103, "103 rows are")])
def test_trusted_rows_are_told(capsys, trusted, verb):
    summary = make_summary(trusted=trusted)
    summary["noise"]["of"] = 569 - trusted
    print_audit(SimpleNamespace(to_dict=lambda: summary))
    shown = " ".join(capsys.readouterr().out.split())
    said = f"({verb} trusted; rates are of the other {569 - trusted}.)"
    assert (said in shown) == (trusted > 0)
    assert ("rates are of" in shown) == (trusted > 0)
