# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class FindCoordinatorRequest(Message, gc=False):
    api_key = 10
    versions = (0, 6)
    flexible_from = 3
    codec = Codec("find_coordinator_request")
    key: str = ""
    key_type: int = 0
    coordinator_keys: list[str] = msgspec.field(default_factory=list)
