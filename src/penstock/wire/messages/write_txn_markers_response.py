# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class WritableTxnMarkerPartitionResult(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0


class WritableTxnMarkerTopicResult(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[WritableTxnMarkerPartitionResult] = msgspec.field(default_factory=list)


class WritableTxnMarkerResult(msgspec.Struct, gc=False):
    producer_id: int = 0
    topics: list[WritableTxnMarkerTopicResult] = msgspec.field(default_factory=list)


class WriteTxnMarkersResponse(Message, gc=False):
    api_key = 27
    versions = (1, 2)
    flexible_from = 1
    codec = Codec("write_txn_markers_response")
    markers: list[WritableTxnMarkerResult] = msgspec.field(default_factory=list)
