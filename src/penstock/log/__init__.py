"""One partition's bytes on disk: segments, indexes, recovery, retention, compaction."""

from penstock.log.compaction.cleaner import Cleaner
from penstock.log.compaction.compaction import CompactionOutcome as KeptRecords
from penstock.log.compaction.filter import RECORDS_MAX as COMPACTED_RECORDS_MAX
from penstock.log.compaction.keeping import Keeping, cleanable_to
from penstock.log.copying import CannotCopy, LogCopy
from penstock.log.damage.damage import BadBatch
from penstock.log.damage.mending import (
    RepairMismatch,
    RepairTarget,
    batches_that_fit,
    mended,
    opened,
    repairs,
    write_into,
)
from penstock.log.damage.scrub import Scrubber
from penstock.log.damage.suspects import (
    Suspect,
    convict,
    examine,
    look_again,
    look_into,
    not_sent,
    suspect,
    suspect_slice,
)
from penstock.log.epochs import LEADER_EPOCH_MAX, LeaderEpochs
from penstock.log.file_pool import UNREADABLE, FilePool
from penstock.log.flusher import Flusher, FlushMetrics
from penstock.log.folders.accept_loss import SoundPart, begin_empty, keep_sound, look_for_sound
from penstock.log.folders.folder import LogFolder
from penstock.log.folders.folder_set import folder_id, require_first_folder, require_known_folders
from penstock.log.folders.identity import Identity, read_identity
from penstock.log.folders.names import check_future_name
from penstock.log.folders.offline import OfflineFolder, SetAside, lost_logs, offline_folders
from penstock.log.folders.opening import NO_TOPIC_ID
from penstock.log.folders.reserve import give_up_reserve
from penstock.log.folders.unfinished_moves import settle_moves
from penstock.log.health import DISK_FULL, FREE_BYTES_MIN, Trouble
from penstock.log.pace import Pace, Stopped
from penstock.log.partition_log import PartitionLog
from penstock.log.producers.checks import Duplicate
from penstock.log.producers.producer import ProducerState
from penstock.log.producers.producers import ActiveProducer, ProducerStates
from penstock.log.recovery import ExpectedLog
from penstock.log.segments.scan import Damaged
from penstock.log.segments.slices import FileSlice
from penstock.log.segments.transaction_index import AbortedTransaction
from penstock.log.service import LogHousekeeping
from penstock.log.time_lookup import FoundByTime

__all__ = [
    "COMPACTED_RECORDS_MAX",
    "DISK_FULL",
    "FREE_BYTES_MIN",
    "LEADER_EPOCH_MAX",
    "NO_TOPIC_ID",
    "UNREADABLE",
    "AbortedTransaction",
    "ActiveProducer",
    "BadBatch",
    "CannotCopy",
    "Cleaner",
    "Damaged",
    "Duplicate",
    "ExpectedLog",
    "FilePool",
    "FileSlice",
    "FlushMetrics",
    "Flusher",
    "FoundByTime",
    "Identity",
    "Keeping",
    "KeptRecords",
    "LeaderEpochs",
    "LogCopy",
    "LogFolder",
    "LogHousekeeping",
    "OfflineFolder",
    "Pace",
    "PartitionLog",
    "ProducerState",
    "ProducerStates",
    "RepairMismatch",
    "RepairTarget",
    "Scrubber",
    "SetAside",
    "SoundPart",
    "Stopped",
    "Suspect",
    "Trouble",
    "batches_that_fit",
    "begin_empty",
    "check_future_name",
    "cleanable_to",
    "convict",
    "examine",
    "folder_id",
    "give_up_reserve",
    "keep_sound",
    "look_again",
    "look_for_sound",
    "look_into",
    "lost_logs",
    "mended",
    "not_sent",
    "offline_folders",
    "opened",
    "read_identity",
    "repairs",
    "require_first_folder",
    "require_known_folders",
    "settle_moves",
    "suspect",
    "suspect_slice",
    "write_into",
]
