# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class Listener(msgspec.Struct, gc=False):
    name: str = ""
    host: str = ""
    port: int = 0


class AddRaftVoterRequest(Message, gc=False):
    api_key = 80
    versions = (0, 1)
    flexible_from = 0
    codec = Codec("add_raft_voter_request")
    cluster_id: str | None = ""
    timeout_ms: int = 0
    voter_id: int = 0
    voter_directory_id: bytes = ZERO_UUID
    listeners: list[Listener] = msgspec.field(default_factory=list)
    ack_when_committed: bool = True
