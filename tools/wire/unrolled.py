"""Which messages have straight-line functions, and from which version on; all others are read and written by a table.

Straight-line is what a broker or client meets again and again: with every record batch, poll, commit, heartbeat and
transaction, as a client starts or a group rebalances, and what a coordinator keeps. Versions before the one
that is named are read and written by the table too: they work, and cost more. Of Produce and Fetch nobody uses these
functions below that version: the broker has its own (penstock.wire.produce and fetch).
"""

UNROLLED: dict[str, int] = {
    "AddOffsetsToTxnRequest": 0, "AddOffsetsToTxnResponse": 0,
    "AddPartitionsToTxnRequest": 0, "AddPartitionsToTxnResponse": 0,
    "ApiVersionsRequest": 0, "ApiVersionsResponse": 0,
    "ConsumerGroupCurrentMemberAssignmentKey": 0, "ConsumerGroupCurrentMemberAssignmentValue": 0,
    "ConsumerGroupHeartbeatRequest": 0, "ConsumerGroupHeartbeatResponse": 0,
    "ConsumerGroupTargetAssignmentMemberKey": 0, "ConsumerGroupTargetAssignmentMemberValue": 0,
    "EndTxnRequest": 0, "EndTxnResponse": 0,
    "FetchRequest": 12, "FetchResponse": 12,
    "FindCoordinatorRequest": 0, "FindCoordinatorResponse": 0,
    "GroupMetadataKey": 0, "GroupMetadataValue": 3,
    "HeartbeatRequest": 0, "HeartbeatResponse": 0,
    "InitProducerIdRequest": 0, "InitProducerIdResponse": 0,
    "JoinGroupRequest": 5, "JoinGroupResponse": 5,
    "ListOffsetsRequest": 1, "ListOffsetsResponse": 1,
    "MetadataRequest": 4, "MetadataResponse": 4,
    "OffsetCommitKey": 0, "OffsetCommitValue": 0,
    "OffsetCommitRequest": 7, "OffsetCommitResponse": 2,
    "OffsetFetchRequest": 5, "OffsetFetchResponse": 5,
    "OffsetForLeaderEpochRequest": 2, "OffsetForLeaderEpochResponse": 2,
    "ProduceRequest": 9, "ProduceResponse": 9,
    "RequestHeader": 0, "ResponseHeader": 0,
    "ShareAcknowledgeRequest": 1, "ShareAcknowledgeResponse": 1,
    "ShareFetchRequest": 1, "ShareFetchResponse": 1,
    "ShareSnapshotKey": 0, "ShareSnapshotValue": 0,
    "ShareUpdateKey": 0, "ShareUpdateValue": 0,
    "SyncGroupRequest": 3, "SyncGroupResponse": 0,
    "TransactionLogKey": 0, "TransactionLogValue": 0,
    "TxnOffsetCommitRequest": 3, "TxnOffsetCommitResponse": 3,
    "WriteShareGroupStateRequest": 0, "WriteShareGroupStateResponse": 0,
    "WriteTxnMarkersRequest": 1, "WriteTxnMarkersResponse": 1,
}  # fmt: skip
