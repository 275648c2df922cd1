"""pandas, whose data frames some of cleanlab's functions return."""

from __future__ import annotations

try:
    import pandas as pd
except ModuleNotFoundError as error:
    if error.name != "pandas":
        raise
    raise ModuleNotFoundError(
        "What cleanlab returns are data frames of pandas: pip install pandas", name="pandas"
    ) from None

__all__ = ["pd"]
