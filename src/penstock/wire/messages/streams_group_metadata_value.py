# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class LastAssignmentConfig(msgspec.Struct, gc=False):
    key: str = ""
    value: str = ""


class StreamsGroupMetadataValue(Message, gc=False):
    api_key = 17
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("streams_group_metadata_value")
    epoch: int = 0
    metadata_hash: int = 0
    validated_topology_epoch: int = -1
    last_assignment_configs: list[LastAssignmentConfig] | None = msgspec.field(default_factory=list)
