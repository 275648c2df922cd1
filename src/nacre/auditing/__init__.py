"""From a file to an answer: which labels are wrong, why, and what to do about it."""

from nacre.auditing.audit import audit
from nacre.auditing.result import Audit

__all__ = ["Audit", "audit"]
