# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class CurrentLeader(msgspec.Struct, gc=False):
    leader_id: int = -1
    leader_epoch: int = -1
    host: str = ""
    port: int = 0


class UpdateRaftVoterResponse(Message, gc=False):
    api_key = 82
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("update_raft_voter_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    current_leader: CurrentLeader = msgspec.field(default_factory=CurrentLeader)
