"""Settings of a client-metrics subscription (KIP-714): which clients are asked to push which of their metrics.

They can be read and set, and are checked, so that tools find what they expect. Nothing is pushed yet.
"""

from penstock.settings.checks import between, client_matches
from penstock.settings.setting import Scope, setting
from penstock.settings.types import INT, LIST, hours, minutes

_IDLE = " No effect yet: clients' metrics are not taken."

METRICS = setting(
    "metrics", Scope.CLIENT_METRICS, LIST, default=(),
    doc="Prefixes of the metric names to push; * is every metric, and none turns the subscription off." + _IDLE,
)  # fmt: skip
INTERVAL_MS = setting(
    "interval.ms", Scope.CLIENT_METRICS, INT, default=minutes(5), check=between(100, hours(1)),
    doc="How often clients push." + _IDLE,
)  # fmt: skip
MATCH = setting(
    "match", Scope.CLIENT_METRICS, LIST, default=(), check=client_matches(),
    doc="Which clients are meant: name=regular expression, all of which must hold. None means every client."
    + _IDLE,
)  # fmt: skip
