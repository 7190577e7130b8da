# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class AddRaftVoterResponse(Message, gc=False):
    api_key = 80
    versions = (0, 1)
    flexible_from = 0
    codec = Codec("add_raft_voter_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
