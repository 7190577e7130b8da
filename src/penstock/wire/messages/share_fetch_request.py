# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class AcknowledgementBatch(msgspec.Struct, gc=False):
    first_offset: int = 0
    last_offset: int = 0
    acknowledge_types: list[int] = msgspec.field(default_factory=list)


class FetchPartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    acknowledgement_batches: list[AcknowledgementBatch] = msgspec.field(default_factory=list)


class FetchTopic(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[FetchPartition] = msgspec.field(default_factory=list)


class ForgottenTopic(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = msgspec.field(default_factory=list)


class ShareFetchRequest(Message, gc=False):
    api_key = 78
    versions = (1, 2)
    flexible_from = 0
    codec = Codec("share_fetch_request")
    group_id: str | None = None
    member_id: str | None = ""
    share_session_epoch: int = 0
    max_wait_ms: int = 0
    min_bytes: int = 0
    max_bytes: int = 2147483647
    max_records: int = 0
    batch_size: int = 0
    share_acquire_mode: int = 0
    is_renew_ack: bool = False
    topics: list[FetchTopic] = msgspec.field(default_factory=list)
    forgotten_topics_data: list[ForgottenTopic] = msgspec.field(default_factory=list)
