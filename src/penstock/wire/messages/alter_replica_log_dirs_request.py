# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class AlterReplicaLogDirTopic(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class AlterReplicaLogDir(msgspec.Struct, gc=False):
    path: str = ""
    topics: list[AlterReplicaLogDirTopic] = msgspec.field(default_factory=list)


class AlterReplicaLogDirsRequest(Message, gc=False):
    api_key = 34
    versions = (1, 2)
    flexible_from = 2
    codec = Codec("alter_replica_log_dirs_request")
    dirs: list[AlterReplicaLogDir] = msgspec.field(default_factory=list)
