"""What is counted of dedup by id."""

from penstock.metrics import Metrics, counter, reading


class DedupMetrics(Metrics, prefix="penstock_dedup", labels=("topic",)):
    duplicates = counter("Records that were left out, as their id was in the log already.")


IDS = reading("penstock_dedup_ids", "Ids that count, in the partitions that this broker leads.", labels=("topic",))
WINDOW_EFFECTIVE_MS = reading(
    "penstock_dedup_window_effective_ms",
    "For how long ids count: less than penstock.dedup.window.ms where there are more than penstock.dedup.ids.max.",
    labels=("topic",),
)
