"""What replication needs of a log, of the data folder that it lies in, and of whoever flushes it.

`penstock.log` has the real ones. The simulation has others, which keep everything in memory: whoever is typed against
these ports runs on both. What opens, mends or copies files asks for the real classes.

A folder and a flusher are given together with the logs that they are made for, and never meet another kind: so what
they are handed back is `Any` here.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any, Protocol

from penstock.errors import KafkaStorageError
from penstock.log import (
    AbortedTransaction,
    FileSlice,
    FoundByTime,
    LeaderEpochs,
    PartitionLog,
    ProducerState,
    ProducerStates,
    Trouble,
)
from penstock.model import TopicId, TopicPartition
from penstock.settings import TopicConfig
from penstock.wire.batch import BatchHeader


class TruncationPort(Protocol):
    """Taking records off a log's end, or all of them."""

    def cut_ahead(self, *, to: int) -> Callable[[], None] | None: ...

    def start_ahead(self, offset: int) -> Callable[[], None] | None: ...

    def cut(self, *, to: int) -> None: ...

    def start_anew(self, offset: int) -> None: ...


class RetentionPort(Protocol):
    """Taking records off a log's start."""

    def advance_start(self, offset: int) -> None: ...


class HealthPort(Protocol):
    """Whether a log can be used."""

    @property
    def offline_reason(self) -> str | None: ...

    @property
    def is_readable(self) -> bool: ...

    @property
    def open_again(self) -> "Callable[[], LogPort] | None": ...

    def ensure_readable(self) -> None: ...

    def fail(self, what: str, error: OSError) -> KafkaStorageError: ...

    def take_offline(self, reason: str, *, stops_reads: bool, may_pass: bool = False) -> KafkaStorageError: ...


class AbortsPort(Protocol):
    """What a reader has to skip."""

    def within(self, records: FileSlice, before: int) -> Sequence[AbortedTransaction]: ...


class TimesPort(Protocol):
    """Finding records by timestamp."""

    def look_up(self, find: Callable[[], FoundByTime | None]) -> Awaitable[FoundByTime | None]: ...

    def find(self, timestamp: int) -> FoundByTime | None: ...

    def find_largest(self) -> FoundByTime | None: ...


class LogPort(Protocol):
    """One partition's log. What its members mean is told by `penstock.log.PartitionLog`."""

    high_watermark: int
    """The only thing here that replication writes: for the checkpoint, and as the limit of retention."""

    @property
    def partition(self) -> TopicPartition: ...

    @property
    def topic_id(self) -> TopicId: ...

    @property
    def start_offset(self) -> int: ...

    @property
    def local_start_offset(self) -> int: ...

    @property
    def end_offset(self) -> int: ...

    @property
    def recovery_point(self) -> int: ...

    @property
    def cuts(self) -> int: ...

    @property
    def size(self) -> int: ...

    @property
    def segments(self) -> Sequence[object]: ...

    @property
    def is_flush_noted(self) -> bool: ...

    @property
    def epochs(self) -> LeaderEpochs: ...

    @property
    def producers(self) -> ProducerStates: ...

    @property
    def truncation(self) -> TruncationPort: ...

    @property
    def retention(self) -> RetentionPort: ...

    @property
    def health(self) -> HealthPort: ...

    @property
    def aborts(self) -> AbortsPort: ...

    @property
    def times(self) -> TimesPort: ...

    @property
    def trouble(self) -> Trouble | None: ...

    # Writing and reading ----------------------------------------------------------------------------------------

    def append(
        self, batches: Sequence[tuple[BatchHeader, memoryview]], expected_from: ProducerState | None = None
    ) -> None: ...

    def slice(self, start: int, *, at_most: int, before: int, at_least_one: bool = True) -> FileSlice | None: ...

    def read(self, start: int, at_most: int) -> bytes: ...

    def bytes_from(self, records: FileSlice, *, before: int) -> int | None: ...

    def is_near(self, start: int) -> bool: ...

    def warm(self, start: int) -> None: ...


class FlusherPort(Protocol):
    def durable(self, log: Any, upto: int) -> Awaitable[None]: ...

    def note(self, log: Any, *, holds: bool) -> Awaitable[None]: ...


class OpenFiles(Protocol):
    @property
    def open_max(self) -> int: ...


class LogFolderPort(Protocol):
    """A data folder: it makes logs, and sets aside or deletes those that it has."""

    @property
    def logs(self) -> Mapping[TopicPartition, LogPort]: ...

    @property
    def lost(self) -> MutableMapping[TopicPartition, Any]: ...

    @property
    def pool(self) -> OpenFiles: ...

    def create(self, partition: TopicPartition, topic_id: TopicId, config: TopicConfig) -> LogPort: ...

    def stand_in(self, partition: TopicPartition, topic_id: TopicId, config: TopicConfig, reason: str) -> LogPort: ...

    def has_namesake(self, partition: TopicPartition, topic_id: TopicId) -> bool: ...

    def opened_again(self, log: Any) -> None: ...

    def set_aside(self, partition: TopicPartition) -> None: ...

    def delete(self, partition: TopicPartition) -> None: ...

    def checkpoint(self) -> Awaitable[None]: ...

    def __iter__(self) -> Iterator[LogPort]: ...


def on_disk(log: LogPort) -> PartitionLog:
    """The log as one with files, for those who open, mend or copy them."""
    assert isinstance(log, PartitionLog)
    return log
