"""What is counted of schedule topics."""

from penstock.metrics import Metrics, counter, histogram, reading

LATENESS_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0, 300.0, 3600.0)


class ScheduleMetrics(Metrics, prefix="penstock_schedule", labels=("topic",)):
    fired = counter("Records that came to their target in time or late.")
    cancelled = counter("Records that were cancelled before they were due.")
    cancelled_late = counter("Cancels that came too late, or found nothing under their id.")
    lateness = histogram(
        "From when a record was due until it was replicated at its target.",
        buckets=LATENESS_SECONDS,
        name="lateness_seconds",
    )


WAITING = reading("penstock_schedule_waiting", "Records that wait for their time.", labels=("topic",))
DUE = reading("penstock_schedule_due", "Records that are due and have not been fired yet.", labels=("topic",))
HELD = reading(
    "penstock_schedule_held",
    "Records that are due and that their target would not take or an open transaction may cancel, and those whose time "
    "is not understood here.",
    labels=("topic",),
)
INDEX_BYTES = reading("penstock_schedule_index_bytes", "Memory for what waits.", labels=("topic",))
