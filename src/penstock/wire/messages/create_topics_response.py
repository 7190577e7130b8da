# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


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


class CreateTopicsResponse(Message, gc=False):
    api_key = 19
    versions = (2, 7)
    flexible_from = 5
    codec = Codec("create_topics_response")
    throttle_time_ms: int = 0
    topics: list[CreatableTopicResult] = msgspec.field(default_factory=list)
