"""What is counted of views."""

from penstock.metrics import Metrics, counter


class ViewMetrics(Metrics, prefix="penstock_view", labels=("topic",)):
    scanned_bytes = counter("Bytes of the source's log that were looked through for a view, as they lie there.")
    scanned_records = counter("Records of the source that were looked through for a view.")
    matched = counter(
        "Records that a view has shown. Beside those looked through, it tells how much of a lag is its own."
    )
    filler = counter("Answers that ended with a filler: what was looked through last had nothing to show.")
    damaged = counter("Scans that met a batch which could not be opened, or had a wrong checksum.")
