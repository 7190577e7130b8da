"""Which requests are carried out while an earlier one of their connection still awaits its answer (RULES 49, ADR 41).

Apache Kafka looks at a connection's next request when the former is answered. So do we, except where nobody can tell
the difference: answers leave in order all the same, and neither answer may show something older than the other, or what
the other request has changed. An API that is not named here waits for all that is parked before it.
"""

from typing import Final

from penstock.wire.api import ApiKey

_MEMBERSHIP: Final = frozenset(
    {
        ApiKey.CONSUMER_GROUP_HEARTBEAT,
        ApiKey.HEARTBEAT,
        ApiKey.JOIN_GROUP,
        ApiKey.LEAVE_GROUP,
        ApiKey.SYNC_GROUP,
    }
)
_DECIDED_WHEN_ASKED: Final = frozenset(
    {ApiKey.CONSUMER_GROUP_HEARTBEAT, ApiKey.HEARTBEAT, ApiKey.LEAVE_GROUP, ApiKey.OFFSET_COMMIT}
)

LETS_PASS: Final[dict[ApiKey, frozenset[ApiKey]]] = {
    # Batches are appended in the order in which they come, and acknowledged in that order.
    ApiKey.PRODUCE: frozenset({ApiKey.PRODUCE}),
    # Some clients have one connection for all. The other members of their group must not wait for a long poll, and what
    # a coordinator says to its members tells nothing of any log.
    ApiKey.FETCH: _MEMBERSHIP,
    # The same. Acknowledgements wait: they may change what the parked fetch gets.
    ApiKey.SHARE_FETCH: _MEMBERSHIP | {ApiKey.SHARE_GROUP_HEARTBEAT},
    # What is answered is decided in the order of the requests; only then is the log's high watermark waited for.
    ApiKey.CONSUMER_GROUP_HEARTBEAT: _DECIDED_WHEN_ASKED,
    ApiKey.HEARTBEAT: _DECIDED_WHEN_ASKED,
    ApiKey.OFFSET_COMMIT: _DECIDED_WHEN_ASKED,
    # A member that leaves gives up the answer it waits for, which may take minutes, and for which the others wait.
    ApiKey.JOIN_GROUP: frozenset({ApiKey.LEAVE_GROUP}),
    ApiKey.SYNC_GROUP: frozenset({ApiKey.LEAVE_GROUP}),
}
"""By what is parked: the APIs whose requests need not wait for it."""
