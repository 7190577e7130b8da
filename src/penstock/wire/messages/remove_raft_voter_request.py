# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import ZERO_UUID, Codec, Message


class RemoveRaftVoterRequest(Message, gc=False):
    api_key = 81
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("remove_raft_voter_request")
    cluster_id: str | None = ""
    voter_id: int = 0
    voter_directory_id: bytes = ZERO_UUID
