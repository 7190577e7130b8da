"""What is counted of dead letters, at the leaders of the partitions that their records come from."""

from penstock.metrics import Metrics, counter, reading


class DeadLetterMetrics(Metrics, prefix="penstock_dlq", labels=("group", "topic")):
    written = counter("Dead letters that are in their topic.")
    failed = counter("Records that were given up without a dead letter.")
    held = counter("Records that had to wait because their dead letter could not be written at once.")
    pointer = counter("Dead letters that only say where the record is: it was too large for the topic, or was deleted.")


ARCHIVING = reading(
    "penstock_dlq_archiving",
    "Records that wait for their dead letter to be written.",
    labels=("group", "topic", "partition"),
)
