# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class ClassicProtocol(msgspec.Struct, gc=False):
    name: str = ""
    metadata: bytes = b""


class ClassicMemberMetadata(msgspec.Struct, gc=False):
    session_timeout_ms: int = 0
    supported_protocols: list[ClassicProtocol] = msgspec.field(default_factory=list)


class ConsumerGroupMemberMetadataValue(Message, gc=False):
    api_key = 5
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("consumer_group_member_metadata_value")
    instance_id: str | None = ""
    rack_id: str | None = ""
    client_id: str = ""
    client_host: str = ""
    subscribed_topic_names: list[str] = msgspec.field(default_factory=list)
    subscribed_topic_regex: str | None = ""
    rebalance_timeout_ms: int = -1
    server_assignor: str | None = ""
    classic_member_metadata: ClassicMemberMetadata | None = msgspec.field(default_factory=ClassicMemberMetadata)
