"""Audits of tables that do not fit into memory: part by part, on threads or a Dask cluster."""

from nacre.auditing.large.audit import SAMPLE, audit_parts, why_in_parts

__all__ = ["SAMPLE", "audit_parts", "why_in_parts"]
