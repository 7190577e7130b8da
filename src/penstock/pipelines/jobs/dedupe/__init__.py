"""A topic without its duplicates, as a table and a topic: by key or id, within a time. docs/pipelines/dedupe.md."""

from penstock.pipelines.jobs.dedupe.duplicates import first_of_each, unseen
from penstock.pipelines.jobs.dedupe.job import check, dedupe, plan, run
from penstock.pipelines.jobs.dedupe.options import DedupeOptions
from penstock.pipelines.jobs.lake import opened

__all__ = ["DedupeOptions", "check", "dedupe", "first_of_each", "opened", "plan", "run", "unseen"]
