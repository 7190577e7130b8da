# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class TxnOffsetCommitRequestPartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    committed_offset: int = 0
    committed_leader_epoch: int = -1
    committed_metadata: str | None = ""


class TxnOffsetCommitRequestTopic(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[TxnOffsetCommitRequestPartition] = msgspec.field(default_factory=list)


class TxnOffsetCommitRequest(Message, gc=False):
    api_key = 28
    versions = (0, 5)
    flexible_from = 3
    codec = Codec("txn_offset_commit_request")
    transactional_id: str = ""
    group_id: str = ""
    producer_id: int = 0
    producer_epoch: int = 0
    generation_id: int = -1
    member_id: str = ""
    group_instance_id: str | None = None
    topics: list[TxnOffsetCommitRequestTopic] = msgspec.field(default_factory=list)
