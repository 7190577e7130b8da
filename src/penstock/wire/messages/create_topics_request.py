# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class CreatableReplicaAssignment(msgspec.Struct, gc=False):
    partition_index: int = 0
    broker_ids: list[int] = msgspec.field(default_factory=list)


class CreatableTopicConfig(msgspec.Struct, gc=False):
    name: str = ""
    value: str | None = ""


class CreatableTopic(msgspec.Struct, gc=False):
    name: str = ""
    num_partitions: int = 0
    replication_factor: int = 0
    assignments: list[CreatableReplicaAssignment] = msgspec.field(default_factory=list)
    configs: list[CreatableTopicConfig] = msgspec.field(default_factory=list)


class CreateTopicsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 19
    versions: ClassVar[tuple[int, int]] = (2, 7)
    flexible_from: ClassVar[int | None] = 5
    topics: list[CreatableTopic] = msgspec.field(default_factory=list)
    timeout_ms: int = 60000
    validate_only: bool = False

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "CreateTopicsRequest":
        return decode_whole(
            "CreateTopicsRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("CreateTopicsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, CreateTopicsRequest]" = Codec("create_topics_request")
