# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class CreatableTopicConfigs(msgspec.Struct, gc=False):
    name: str = ""
    value: str | None = ""
    read_only: bool = False
    config_source: int = -1
    is_sensitive: bool = False


class CreatableTopicResult(msgspec.Struct, gc=False):
    name: str = ""
    topic_id: bytes = ZERO_UUID
    error_code: int = 0
    error_message: str | None = ""
    topic_config_error_code: int = 0
    num_partitions: int = -1
    replication_factor: int = -1
    configs: list[CreatableTopicConfigs] | None = msgspec.field(default_factory=list)


class CreateTopicsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 19
    versions: ClassVar[tuple[int, int]] = (2, 7)
    flexible_from: ClassVar[int | None] = 5
    throttle_time_ms: int = 0
    topics: list[CreatableTopicResult] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "CreateTopicsResponse":
        return decode_whole(
            "CreateTopicsResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("CreateTopicsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, CreateTopicsResponse]" = Codec("create_topics_response")
