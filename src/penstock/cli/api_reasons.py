"""Why an API of Kafka's is not answered. Only for people: what is answered is what the registry holds."""

from penstock.wire.api import ApiKey

_SHARES = "share groups are not built yet"
_STREAMS = "the streams group protocol is not built yet"

REASONS: dict[ApiKey, str] = {
    **dict.fromkeys(
        (
            ApiKey.SHARE_GROUP_HEARTBEAT, ApiKey.SHARE_GROUP_DESCRIBE,
            ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS, ApiKey.ALTER_SHARE_GROUP_OFFSETS, ApiKey.DELETE_SHARE_GROUP_OFFSETS,
        ),
        _SHARES,
    ),
    **dict.fromkeys((ApiKey.STREAMS_GROUP_HEARTBEAT, ApiKey.STREAMS_GROUP_DESCRIBE), _STREAMS),
    **dict.fromkeys(
        (ApiKey.GET_TELEMETRY_SUBSCRIPTIONS, ApiKey.PUSH_TELEMETRY), "client telemetry is not collected yet"
    ),
    **dict.fromkeys(
        (ApiKey.ADD_RAFT_VOTER, ApiKey.REMOVE_RAFT_VOTER), "never: there is no Raft quorum, so it has no voters"
    ),
}  # fmt: skip
