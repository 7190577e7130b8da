# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class ShareGroupHeartbeatRequest(Message, gc=False):
    api_key = 76
    versions = (1, 1)
    flexible_from = 0
    codec = Codec("share_group_heartbeat_request")
    group_id: str = ""
    member_id: str = ""
    member_epoch: int = 0
    rack_id: str | None = None
    subscribed_topic_names: list[str] | None = None
