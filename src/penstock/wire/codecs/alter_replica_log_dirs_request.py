# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.alter_replica_log_dirs_request import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    AlterReplicaLogDirsRequest,
    {
        AlterReplicaLogDir: (
            Field("path", "string"),
            Field("topics", "[]AlterReplicaLogDirTopic"),
        ),
        AlterReplicaLogDirTopic: (
            Field("name", "string"),
            Field("partitions", "[]int32"),
        ),
        AlterReplicaLogDirsRequest: (Field("dirs", "[]AlterReplicaLogDir"),),
    },
)
