"""From a file to an answer: which labels are wrong, why, and what to do about it."""

from nacre.auditing.audit import audit
from nacre.auditing.large import audit_parts
from nacre.auditing.result import Audit
from nacre.auditing.stored import audit_schema

__all__ = ["Audit", "audit", "audit_parts", "audit_schema"]
