"""Windowed counts, sums, quantiles and distincts by key, from a topic to a table. docs/pipelines/rollup.md."""

from penstock.pipelines.jobs.rollup.job import check, opened, plan, rollup, run
from penstock.pipelines.jobs.rollup.options import RollupOptions
from penstock.pipelines.jobs.rollup.rolling import rolled_up

__all__ = ["RollupOptions", "check", "opened", "plan", "rolled_up", "rollup", "run"]
