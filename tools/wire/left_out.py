"""Messages of Kafka's that Penstock will neither send nor answer, so the facts do not keep them.

Of a request left out its API stays: key, name, versions and listeners, since `penstock apis` lists every one of Kafka's
and the header of a request can be read whatever its body is.
"""

from typing import Any

_FIELDS = ("fields", "structs")

# Said among the controllers of a Raft quorum and by brokers to them. Here the metadata store has that part.
_QUORUM_APIS = (
    "AddRaftVoter", "AllocateProducerIds", "AlterPartition", "AssignReplicasToDirs", "BeginQuorumEpoch",
    "BrokerHeartbeat", "BrokerRegistration", "ControllerRegistration", "EndQuorumEpoch", "Envelope", "FetchSnapshot",
    "RemoveRaftVoter", "UpdateRaftVoter", "Vote",
)  # fmt: skip
# Kafka knows their names, but no version any more.
_ENDED_APIS = ("ControlledShutdown", "LeaderAndIsr", "StopReplica", "UpdateMetadata")
_DATA = {
    # Records of the quorum's own log, and what an Envelope holds.
    "DefaultPrincipalData", "KRaftVersionRecord", "LeaderChangeMessage", "SnapshotFooterRecord", "SnapshotHeaderRecord",
    "VotersRecord",
    # Kafka's notes of which segments lie in remote storage.
    "RemoteLogSegmentMetadataRecord", "RemoteLogSegmentMetadataSnapshotRecord", "RemoteLogSegmentMetadataUpdateRecord",
    "RemotePartitionDeleteMetadataRecord",
    # Keys and values of control records, which penstock.wire.markers has by hand.
    "ControlRecordTypeSchema", "EndTxnMarker",
}  # fmt: skip

_APIS = (*_QUORUM_APIS, *_ENDED_APIS)
_REQUESTS = {f"{name}Request" for name in _APIS}
_DROPPED = {f"{name}Response" for name in _APIS} | _DATA
LEFT_OUT = _REQUESTS | _DROPPED


def without_left_out(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    kept = [message for message in messages if message["name"] not in _DROPPED]
    return [_only_the_api(message) if message["name"] in _REQUESTS else message for message in kept]


def _only_the_api(request: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in request.items() if key not in _FIELDS} | {"only_the_api": True}
