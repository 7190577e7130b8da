"""A partition as its leader sees it: who leads, what may be appended, how far it is committed, who waits for that."""

from penstock.replication.closed_segments import ClosedSegments
from penstock.replication.fetchers import Fetchers
from penstock.replication.in_sync import InSyncKeeper
from penstock.replication.log_port import FlusherPort, LogFolderPort, LogPort, on_disk
from penstock.replication.machine import Diverging
from penstock.replication.mending import Mending
from penstock.replication.metrics import ReplicationMetrics
from penstock.replication.moved_records import append_moved, append_note
from penstock.replication.moves import FolderMoves
from penstock.replication.partition import ALL, SLOTS, Partition, RecordInspector
from penstock.replication.partition_reader import Readable
from penstock.replication.partitions import Partitions
from penstock.replication.peer_handshake import PeerHandshake
from penstock.replication.peers import Peers
from penstock.replication.ports import InSyncWrites, Resignations
from penstock.replication.promise import Promise, then
from penstock.replication.record_source import LaterRecords, NoMatch, RecordBytes, Records, RecordSource
from penstock.replication.replica_sessions import ReplicaSessions
from penstock.replication.rules import (
    Appended,
    AppendRules,
    NotOneBatch,
    Opened,
    RecordsDisagree,
    RecordsRefused,
    TimestampsRefused,
    Walk,
)
from penstock.replication.throttle import Throttle
from penstock.replication.verification import VerificationGuard

__all__ = [
    "ALL",
    "SLOTS",
    "AppendRules",
    "Appended",
    "ClosedSegments",
    "Diverging",
    "Fetchers",
    "FlusherPort",
    "FolderMoves",
    "InSyncKeeper",
    "InSyncWrites",
    "LaterRecords",
    "LogFolderPort",
    "LogPort",
    "Mending",
    "NoMatch",
    "NotOneBatch",
    "Opened",
    "Partition",
    "Partitions",
    "PeerHandshake",
    "Peers",
    "Promise",
    "Readable",
    "RecordBytes",
    "RecordInspector",
    "RecordSource",
    "Records",
    "RecordsDisagree",
    "RecordsRefused",
    "ReplicaSessions",
    "ReplicationMetrics",
    "Resignations",
    "Throttle",
    "TimestampsRefused",
    "VerificationGuard",
    "Walk",
    "append_moved",
    "append_note",
    "on_disk",
    "then",
]
