# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class Voter(msgspec.Struct, gc=False):
    voter_id: int = 0
    voter_directory_id: bytes = ZERO_UUID


class LeaderChangeMessage(Message, gc=False):
    versions = (0, 1)
    flexible_from = 0
    codec = Codec("leader_change_message")
    version: int = 0
    leader_id: int = 0
    voters: list[Voter] = msgspec.field(default_factory=list)
    granting_voters: list[Voter] = msgspec.field(default_factory=list)
