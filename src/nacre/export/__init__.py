"""Models for scoring elsewhere: as JSON, with a scorer of a page of plain Python."""

from nacre.export.export import export_model

__all__ = ["export_model"]
