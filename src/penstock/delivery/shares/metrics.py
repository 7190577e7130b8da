"""What is counted of share groups, at the leaders of the partitions that they read."""

from penstock.metrics import Metrics, counter, reading


class ShareMetrics(Metrics, prefix="penstock_share", labels=("group", "topic")):
    acquired = counter("Records given to members of a share group.")
    redelivered = counter("Those of them that somebody had been given before.")
    acknowledged = counter("Records that members accepted.")
    released = counter("Records that members gave back.")
    rejected = counter("Records that members rejected.")
    expired = counter("Records that were older than their penstock-ttl-ms allows, and were given up.")
    unreadable_ttl = counter("Records whose penstock-ttl-ms is no number of milliseconds; they do not expire.")
    expired_locks = counter("Records taken back because nobody answered in time.")


_LABELS = ("group", "topic", "partition")
INFLIGHT = reading("penstock_share_inflight", "Records that members of a share group have now.", labels=_LABELS)
WINDOW_SPAN = reading(
    "penstock_share_window_span",
    "Offsets from the first record that is not done to the last that was given out.",
    labels=_LABELS,
)
WINDOW_STALLED = reading(
    "penstock_share_window_stalled_seconds",
    "For how long nothing new could be given out because the window was full.",
    labels=_LABELS,
)
BACKING_OFF = reading(
    "penstock_share_backing_off", "Records that came back and wait before somebody gets them again.", labels=_LABELS
)
KEY_BLOCKED = reading(
    "penstock_share_key_blocked",
    "Records that wait until the one before them with the same key is done.",
    labels=_LABELS,
)
LAG = reading("penstock_share_lag", "Records of a partition that a share group has not done with yet.", labels=_LABELS)
SESSIONS = reading("penstock_share_sessions", "Share sessions with this broker.")
SHARE_PARTITIONS = reading("penstock_share_partitions", "Partitions that share groups read at this broker, by group.")
