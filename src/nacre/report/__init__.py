"""What an audit found, as plain data and as one page."""

from nacre.report.page import render

__all__ = ["render"]
