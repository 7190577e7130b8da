"""The audit log: events as chained lines in a broker's own files, and whether they are as they were written."""

from penstock.access.audit.chain import Chain, Damaged, Head, Line, read_line
from penstock.access.audit.events import (
    DENIALS,
    Activity,
    Asker,
    Changed,
    Event,
    LogActivity,
    Resource,
    Severity,
    Status,
    api_activity,
    in_events,
    shortened,
    shortened_value,
)
from penstock.access.audit.log import AuditLog, AuditMetrics, KnownHead, known_heads
from penstock.access.audit.topic import AuditTopic
from penstock.access.audit.verification import Problem, Report, verify

__all__ = [
    "DENIALS",
    "Activity",
    "Asker",
    "AuditLog",
    "AuditMetrics",
    "AuditTopic",
    "Chain",
    "Changed",
    "Damaged",
    "Event",
    "Head",
    "KnownHead",
    "Line",
    "LogActivity",
    "Problem",
    "Report",
    "Resource",
    "Severity",
    "Status",
    "api_activity",
    "in_events",
    "known_heads",
    "read_line",
    "shortened",
    "shortened_value",
    "verify",
]
