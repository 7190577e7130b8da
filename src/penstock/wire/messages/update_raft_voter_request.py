# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class Listener(msgspec.Struct, gc=False):
    name: str = ""
    host: str = ""
    port: int = 0


class KRaftVersionFeature(msgspec.Struct, gc=False):
    min_supported_version: int = 0
    max_supported_version: int = 0


class UpdateRaftVoterRequest(Message, gc=False):
    api_key = 82
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("update_raft_voter_request")
    cluster_id: str | None = ""
    current_leader_epoch: int = 0
    voter_id: int = 0
    voter_directory_id: bytes = ZERO_UUID
    listeners: list[Listener] = msgspec.field(default_factory=list)
    kraft_version_feature: KRaftVersionFeature = msgspec.field(default_factory=KRaftVersionFeature)
