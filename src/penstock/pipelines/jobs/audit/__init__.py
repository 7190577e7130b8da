"""Two ends compared record by record: topics, tables, clusters. docs/pipelines/audit.md."""

from penstock.pipelines.jobs.audit.job import audit, check, opened, plan, run
from penstock.pipelines.jobs.audit.options import AuditOptions, End
from penstock.pipelines.jobs.audit.report import Report

__all__ = ["AuditOptions", "End", "Report", "audit", "check", "opened", "plan", "run"]
