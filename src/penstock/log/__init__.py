"""One partition's bytes on disk: segments, indexes, recovery, retention, compaction."""

from penstock.log.accepting import Sound, begin_empty, keep_sound, look_for_sound
from penstock.log.compaction_filter import RECORDS_MAX as COMPACTED_RECORDS_MAX
from penstock.log.compaction_service import Cleaner
from penstock.log.copying import CannotCopy, LogCopy
from penstock.log.damage import BadBatch
from penstock.log.epochs import LEADER_EPOCH_MAX
from penstock.log.files import UNREADABLE, FilePool
from penstock.log.flusher import Flusher, FlushMetrics
from penstock.log.folder import NO_TOPIC_ID, LogFolder
from penstock.log.folder_names import check_future_name
from penstock.log.folder_set import folder_id, require_first_folder, require_known_folders
from penstock.log.identity import Identity, read_identity
from penstock.log.mending import (
    Misfit,
    Wound,
    batches_that_fit,
    mended,
    opened,
    wounds,
    write_into,
)
from penstock.log.offline import OfflineFolder, SetAside, lost_logs, offline_folders
from penstock.log.partition_log import PartitionLog
from penstock.log.producer_checks import Duplicate
from penstock.log.producer_state import ProducerState
from penstock.log.reading import FoundByTime
from penstock.log.recovery import Expected
from penstock.log.reserve import give_up_reserve
from penstock.log.scan import Damaged
from penstock.log.scrub import Scrubber
from penstock.log.service import LogHousekeeping
from penstock.log.slices import FileSlice
from penstock.log.state import DISK_FULL, FREE_BYTES_MIN, Trouble
from penstock.log.suspects import Suspect, convict, examine, look_again, not_sent, suspect, suspect_slice
from penstock.log.unfinished_moves import settle_moves

__all__ = [
    "COMPACTED_RECORDS_MAX",
    "DISK_FULL",
    "FREE_BYTES_MIN",
    "LEADER_EPOCH_MAX",
    "NO_TOPIC_ID",
    "UNREADABLE",
    "BadBatch",
    "CannotCopy",
    "Cleaner",
    "Damaged",
    "Duplicate",
    "Expected",
    "FilePool",
    "FileSlice",
    "FlushMetrics",
    "Flusher",
    "FoundByTime",
    "Identity",
    "LogCopy",
    "LogFolder",
    "LogHousekeeping",
    "Misfit",
    "OfflineFolder",
    "PartitionLog",
    "ProducerState",
    "Scrubber",
    "SetAside",
    "Sound",
    "Suspect",
    "Trouble",
    "Wound",
    "batches_that_fit",
    "begin_empty",
    "check_future_name",
    "convict",
    "examine",
    "folder_id",
    "give_up_reserve",
    "keep_sound",
    "look_again",
    "look_for_sound",
    "lost_logs",
    "mended",
    "not_sent",
    "offline_folders",
    "opened",
    "read_identity",
    "require_first_folder",
    "require_known_folders",
    "settle_moves",
    "suspect",
    "suspect_slice",
    "wounds",
    "write_into",
]
