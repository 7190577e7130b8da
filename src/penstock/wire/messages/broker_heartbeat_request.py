# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class BrokerHeartbeatRequest(Message, gc=False):
    api_key = 63
    versions = (0, 2)
    flexible_from = 0
    codec = Codec("broker_heartbeat_request")
    broker_id: int = 0
    broker_epoch: int = -1
    current_metadata_offset: int = 0
    want_fence: bool = False
    want_shut_down: bool = False
    offline_log_dirs: list[bytes] = msgspec.field(default_factory=list)
    cordoned_log_dirs: list[bytes] | None = None
