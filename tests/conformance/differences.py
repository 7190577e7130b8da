"""Every place where Penstock means to answer otherwise than Apache Kafka 4.3.0, with the reason.

An answer that differs and is not covered here fails the suite, and so does a line here that covers nothing any more.
"""

from __future__ import annotations

from tests.conformance.compare import ABSENT, Difference

# Advertised by Kafka 4.3.0 and not built yet; what is not built is not advertised (RULES 44).
_NOT_BUILT = {
    8: "OffsetCommit",
    9: "OffsetFetch",
    10: "FindCoordinator",
    11: "JoinGroup",
    12: "Heartbeat",
    13: "LeaveGroup",
    14: "SyncGroup",
    15: "DescribeGroups",
    16: "ListGroups",
}

DIFFERENCES = [
    *(
        Difference("ApiVersions", "*", f"*.api_keys.{key}.*", f"{name} is not built yet", penstock=ABSENT)
        for key, name in _NOT_BUILT.items()
    ),
]
