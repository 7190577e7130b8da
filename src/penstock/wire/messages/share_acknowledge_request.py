# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class AcknowledgementBatch(msgspec.Struct, gc=False):
    first_offset: int = 0
    last_offset: int = 0
    acknowledge_types: list[int] = msgspec.field(default_factory=list)


class AcknowledgePartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    acknowledgement_batches: list[AcknowledgementBatch] = msgspec.field(default_factory=list)


class AcknowledgeTopic(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[AcknowledgePartition] = msgspec.field(default_factory=list)


class ShareAcknowledgeRequest(Message, gc=False):
    api_key = 79
    versions = (1, 2)
    flexible_from = 0
    codec = Codec("share_acknowledge_request")
    group_id: str | None = None
    member_id: str | None = ""
    share_session_epoch: int = 0
    is_renew_ack: bool = False
    topics: list[AcknowledgeTopic] = msgspec.field(default_factory=list)
