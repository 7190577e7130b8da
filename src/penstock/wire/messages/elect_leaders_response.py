# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class PartitionResult(msgspec.Struct, gc=False):
    partition_id: int = 0
    error_code: int = 0
    error_message: str | None = ""


class ReplicaElectionResult(msgspec.Struct, gc=False):
    topic: str = ""
    partition_result: list[PartitionResult] = msgspec.field(default_factory=list)


class ElectLeadersResponse(Message, gc=False):
    api_key = 43
    versions = (0, 2)
    flexible_from = 2
    codec = Codec("elect_leaders_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    replica_election_results: list[ReplicaElectionResult] = msgspec.field(default_factory=list)
