# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class WritableTxnMarkerTopic(msgspec.Struct, gc=False):
    name: str = ""
    partition_indexes: list[int] = msgspec.field(default_factory=list)


class WritableTxnMarker(msgspec.Struct, gc=False):
    producer_id: int = 0
    producer_epoch: int = 0
    transaction_result: bool = False
    topics: list[WritableTxnMarkerTopic] = msgspec.field(default_factory=list)
    coordinator_epoch: int = 0
    transaction_version: int = 0


class WriteTxnMarkersRequest(Message, gc=False):
    api_key = 27
    versions = (1, 2)
    flexible_from = 1
    codec = Codec("write_txn_markers_request")
    markers: list[WritableTxnMarker] = msgspec.field(default_factory=list)
