"""What all jobs share: a plan for the dry run, progress while running, a summary at the end, a clean stop."""

from penstock.pipelines.running.plan import Plan
from penstock.pipelines.running.progress import BatchProgress, Pace, Unwatched, Watcher, Watchers
from penstock.pipelines.running.stopping import Stopping, stop_on_signals
from penstock.pipelines.running.summary import Summary

__all__ = [
    "BatchProgress",
    "Pace",
    "Plan",
    "Stopping",
    "Summary",
    "Unwatched",
    "Watcher",
    "Watchers",
    "stop_on_signals",
]
