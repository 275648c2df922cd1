"""A summary as an audit makes it, from nothing but numbers drawn by chance."""

import numpy as np

from nacre.auditing.identity import pack

CHECKS = ("accuracy", "balanced_accuracy", "auc", "log_loss")


def make_summary(classes=("benign", "malignant"), suspects=60, columns=("radius", "texture"), *,
                 text=None, trusted=0, unlabelled=0, id=None, seed=0):  # fmt: skip
    """``text`` stands wherever a table or its labels could put any text."""
    rng = np.random.default_rng(seed)
    classes = [text, *classes[1:]] if text is not None else list(classes)
    columns = [text, *columns] if text is not None else list(columns)
    K = len(classes)
    matrix = 0.9 * np.eye(K) + 0.1 / K
    scores = np.sort(rng.uniform(0.5, 1, suspects))[::-1]
    rows = [
        {
            "row": int(row),
            "lines": [int(row) + 2, int(row) + 2],
            "id": None if id is None else text or f"P-{row}",
            "score": float(score),
            "given": classes[k % K],
            "suggested": classes[(k + 1) % K],
            "reasons": [f"Held-out models: {score:.0%} {classes[(k + 1) % K]}",
                        f"{text or 'radius'} = 21.2 is 14 times as common there"],
            "values": [text if text is not None else round(rng.normal(), 3) for _ in columns],
            "evidence": {"columns": [[columns[0], 1.5], [columns[-1], -0.5]], "rest": 0.25,
                         "total": 1.25},
            "nearest": {"row": 17, "values": [text or 7.25 for _ in columns]},
        }
        for k, (row, score) in enumerate(zip(rng.permutation(569), scores, strict=False))
    ]  # fmt: skip
    models = ("noise-aware", "as given", "without suspects")
    checks = {name: {"mean": 0.9, "error": 0.011} for name in CHECKS}
    hashes = [row.to_bytes(6) for row in range(569)]
    return {
        "schema": 1,
        "nacre": "1.0",
        "source": text or "data.csv",
        "file": {"path": f"/no/such/{text or 'data.csv'}", "sha256": "0" * 64},
        "label": text or "diagnosis",
        "rows": 569 + unlabelled,
        "labelled": 569,
        "trusted": trusted,
        "clean": None,
        "group": None,
        "columns": len(columns),
        "readings": [
            {
                "column": text or "income",
                "kind": "number",
                "how": f"numbers of {text or 'EUR'}",
                "examples": [[text or "35.000 EUR", "35000"], ["388", text or "388"]],
                "unread": 2,
                "gaps": [f"{text or 'n/a'!r} 2"],
                "doubt": text or "",
                "said": text or "Column 'income' is read as numbers of EUR.",
            }
        ],
        "settings": {"effort": "full", "seed": 0},
        "annotators": {
            "column": text or "nurse",
            "answers": 569,
            "count": 1,
            "several": False,
            "agreement": 1.0,
            "listed": [
                {
                    "name": text or "ann",
                    "answers": 569,
                    "rate": 0.1,
                    "interval": [0.05, 0.2],
                    "agreement": 1.0,
                }
            ],
            "to_ask": {"count": 0, "rows": []},
        },
        "findings": [
            {"kind": "leak", "said": f"Column {text or 'code'} gives the label away.", "rows": []},
            {"kind": "conflict", "said": f"Rows of {text or 'x'} differ.", "rows": [1, 5]},
        ],
        "noise": {
            "rate": 0.102,
            "interval": [0.08, 0.13],
            "said": "10.2% of the labels are wrong (95% interval 8.0% to 13.0%)",
            "settled": True,
            "rows_to_check": 0,
            "wrong": 58,
            "of": 569,
            "classes": classes,
            "matrix": matrix.tolist(),
            "likeliest": [{"true": classes[0], "given": classes[1], "chance": 0.1 / K}],
        },
        "classes": [
            {"name": one, "given": 569 // K, "suspect": 7, "suggested": 7, "predicted": unlabelled}
            for one in classes
        ],
        "suspects": {
            "count": suspects,
            "changed": suspects // 2,
            "queue": [{"first": suspects, "wrong": 0.8 * suspects}] if suspects else [],
            "id": id,
            "columns": columns,
            "rows": rows,
        },
        "quality": {
            "edges": np.linspace(0, 1, 21).tolist(),
            "flagged": [suspects, 3] + [0] * 18,
            "other": [0] * 10 + rng.integers(1, 200, 10).tolist(),
        },
        "features": [
            {"name": name, "importance": float(share)}
            for name, share in zip(columns, np.linspace(0.5, 0.1, len(columns)), strict=True)
        ],
        "metrics": {
            "folds": 5,
            "rows": 569,
            "models": [
                {
                    "what": what,
                    "given": checks,
                    "trusted": checks if trusted else None,
                    "corrected": 0.97,
                }
                for what in models
            ],
        },
        "cleaning": {"changed": 21, "changed_share": 21 / 569},
        "unlabelled": {"count": unlabelled},
        "hashes": {
            "by": sorted(columns),
            "rows": pack(hashes),
            "suspects": pack([hashes[one["row"]] for one in rows]),
        },
        "notes": [text or "patient: an identifier, all of its 569 values differ."],
    }
