"""What is counted of records on their way from a home to other partitions."""

from penstock.metrics import Metrics, counter, reading


class RelayMetrics(Metrics, prefix="penstock_relay"):
    resent = counter("Batches that were sent again as it was not known whether they had come.")


OPEN = reading("penstock_relay_open", "Batches on their way from a home to a target.", labels=("topic",))
