# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class Endpoint(msgspec.Struct, gc=False):
    host: str = ""
    port: int = 0


class KeyValue(msgspec.Struct, gc=False):
    key: str = ""
    value: str = ""


class StreamsGroupMemberMetadataValue(Message, gc=False):
    api_key = 19
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("streams_group_member_metadata_value")
    instance_id: str | None = ""
    rack_id: str | None = ""
    client_id: str = ""
    client_host: str = ""
    rebalance_timeout_ms: int = -1
    topology_epoch: int = 0
    process_id: str = ""
    user_endpoint: Endpoint | None = None
    client_tags: list[KeyValue] = msgspec.field(default_factory=list)
