# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.elect_leaders_response import ElectLeadersResponse, PartitionResult, ReplicaElectionResult
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ElectLeadersResponse,
    {
        ReplicaElectionResult: (
            Field("topic", "string"),
            Field("partition_result", "[]PartitionResult"),
        ),
        PartitionResult: (
            Field("partition_id", "int32"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
        ),
        ElectLeadersResponse: (
            Field("throttle_time_ms", "int32"),
            Field("error_code", "int16", since=1),
            Field("replica_election_results", "[]ReplicaElectionResult"),
        ),
    },
)
