"""Why an API of Kafka's is not answered. Only for people: what is answered is what the registry holds."""

from penstock.wire.api import ApiKey

_STREAMS = "the streams group protocol is not built yet"

REASONS: dict[ApiKey, str] = {
    **dict.fromkeys((ApiKey.STREAMS_GROUP_HEARTBEAT, ApiKey.STREAMS_GROUP_DESCRIBE), _STREAMS),
    **dict.fromkeys(
        (ApiKey.GET_TELEMETRY_SUBSCRIPTIONS, ApiKey.PUSH_TELEMETRY), "client telemetry is not collected yet"
    ),
    **dict.fromkeys(
        (ApiKey.ADD_RAFT_VOTER, ApiKey.REMOVE_RAFT_VOTER), "never: there is no Raft quorum, so it has no voters"
    ),
}  # fmt: skip
