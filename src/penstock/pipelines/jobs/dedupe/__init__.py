"""A topic without its duplicates, as a table: by key or id, within a time. docs/pipelines/dedupe.md."""

from penstock.pipelines.jobs.dedupe.choosing import first_of_each, unseen
from penstock.pipelines.jobs.dedupe.job import DedupeOptions, dedupe, plan, run
from penstock.pipelines.jobs.lake import session

__all__ = ["DedupeOptions", "dedupe", "first_of_each", "plan", "run", "session", "unseen"]
