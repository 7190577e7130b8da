# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class ShareGroupMemberMetadataValue(Message, gc=False):
    api_key = 10
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("share_group_member_metadata_value")
    rack_id: str | None = ""
    client_id: str = ""
    client_host: str = ""
    subscribed_topic_names: list[str] = msgspec.field(default_factory=list)
