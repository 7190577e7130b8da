# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.delete_share_group_state_request import (
    DeleteShareGroupStateRequest,
    DeleteStateData,
    PartitionData,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DeleteShareGroupStateRequest,
    {
        DeleteStateData: (
            Field("topic_id", "uuid"),
            Field("partitions", "[]PartitionData"),
        ),
        PartitionData: (Field("partition", "int32"),),
        DeleteShareGroupStateRequest: (
            Field("group_id", "string"),
            Field("topics", "[]DeleteStateData"),
        ),
    },
)
