"""What a batch must be to enter a partition: checks that read its header, and the rarer ones that open it.

Header checks always run. Whether the records are looked at too is the topic's choice (RULES 45): always on a compacted
topic (every record needs a key), with `penstock.validate.records=full`, and with a `compression.type` other than the
producer's; by sample with `sampled`, the default; never with `header`. What is opened is checked for everything.
"""

import struct
from collections.abc import Callable
from typing import Protocol

import msgspec
from crc32c import crc32c

from penstock.errors import (
    CorruptMessage,
    InvalidRecord,
    InvalidTimestamp,
    MessageTooLarge,
    RecordListTooLarge,
    UnsupportedCompressionType,
)
from penstock.log import COMPACTED_RECORDS_MAX
from penstock.replication.verification import VerificationGuard
from penstock.settings import TopicConfig
from penstock.settings import topic as settings
from penstock.wire import batch as layout
from penstock.wire.batch import BatchHeader
from penstock.wire.compression import CODECS_BY_NAME, ZSTD, compress
from penstock.wire.malformed import Malformed
from penstock.wire.records import iterate, unpack
from penstock.wire.survey import Survey, survey

MAGIC = 2
CODEC_MAX = ZSTD
RECORD_BYTES_MIN = 7
"""Length, attributes, two deltas, no key, no value, no headers: a byte each."""
KEEP_PRODUCERS_CODEC = -1
PLAIN_ATTRIBUTES = layout.COMPRESSION_MASK | layout.LOG_APPEND_TIME
"""What a producer's batch may say of itself outside a transaction."""


class NotOneBatch(InvalidRecord):
    """A produce request must hold one whole record batch of magic 2 for each partition."""


class RecordsRefused(InvalidRecord):
    """Some of the batch's records cannot be taken."""

    def __init__(self, message: str, record_errors: list[tuple[int, str]]) -> None:
        super().__init__(message)
        self.record_errors = record_errors


class TimestampsRefused(InvalidTimestamp):
    """Some of the batch's records are too old, or from too far ahead."""

    def __init__(self, message: str, record_errors: list[tuple[int, str]]) -> None:
        super().__init__(message)
        self.record_errors = record_errors


class RecordsDisagree(InvalidRecord):
    """The batch's records are not what its header says."""


class Appender(Protocol):
    """A batch that was looked into, and stands in front of its log."""

    def append(self, *, acks: int, guard: VerificationGuard | None) -> "Appended": ...


class Opened(msgspec.Struct, frozen=True, gc=False):
    """A batch that was looked into and may be appended."""

    view: memoryview
    producer_id: int
    record_count: int
    mended: str | None
    """What its header had wrong and has right now."""
    appender: "Appender | None" = None
    """What appends it in the partition's stead, on a topic that leaves records out."""


class Appended(msgspec.Struct, frozen=True, gc=False):
    """Where a batch came to lie; for a duplicate, where the first one did, or -1 if that is forgotten."""

    base_offset: int
    next_offset: int
    log_append_time_ms: int
    log_start_offset: int


class AppendRules(msgspec.Struct, frozen=True, gc=False):
    """A topic's settings as the append path wants them; made anew when the settings' version moves."""

    version: int
    batch_bytes_max: int
    segment_bytes: int
    stamps_append_time: bool
    timestamp_before_ms_max: int
    timestamp_after_ms_max: int
    target_codec: int
    target_level: int | None
    needs_keys: bool
    opens_batches: bool
    """Whether every batch is opened before its append."""
    samples_batches: bool
    """Whether some are."""
    asks_to_flush: bool
    """Whether the topic wants records flushed before they count."""
    flushes_before_ack: bool
    flush_records: int
    """Unflushed records at which a flush begins, without anybody waiting for it."""
    in_sync_min: int
    wants_inspector: bool
    """Whether the partition's inspector looks at every batch."""
    deduplicates: bool
    """Whether records are left out whose id is in the log already."""

    @classmethod
    def of(cls, config: TopicConfig, *, is_flushed: bool = False) -> "AppendRules":
        """`is_flushed`: records are flushed before they count, whatever the topic asks for."""
        codec = config[settings.COMPRESSION_TYPE]
        target_codec = KEEP_PRODUCERS_CODEC if codec == "producer" else CODECS_BY_NAME[codec]
        needs_keys = "compact" in config[settings.CLEANUP_POLICY]
        validates = config[settings.PENSTOCK_VALIDATE_RECORDS]
        wants_inspector = bool(config[settings.PENSTOCK_SCHEDULE_TARGET])
        deduplicates = bool(config[settings.PENSTOCK_DEDUP_BY])
        opens_batches = (
            needs_keys or wants_inspector or deduplicates or validates == "full" or target_codec != KEEP_PRODUCERS_CODEC
        )
        # One record a flush leaves nothing that could be acknowledged before it.
        asks_to_flush = config[settings.PENSTOCK_FLUSH_BEFORE_ACK] or config[settings.FLUSH_MESSAGES] == 1
        levels = {
            "gzip": settings.COMPRESSION_GZIP_LEVEL,
            "lz4": settings.COMPRESSION_LZ4_LEVEL,
            "zstd": settings.COMPRESSION_ZSTD_LEVEL,
        }
        return cls(
            version=config.version,
            batch_bytes_max=config[settings.MAX_MESSAGE_BYTES],
            segment_bytes=config[settings.SEGMENT_BYTES],
            stamps_append_time=config[settings.MESSAGE_TIMESTAMP_TYPE] == "LogAppendTime",
            timestamp_before_ms_max=config[settings.MESSAGE_TIMESTAMP_BEFORE_MAX_MS],
            timestamp_after_ms_max=config[settings.MESSAGE_TIMESTAMP_AFTER_MAX_MS],
            target_codec=target_codec,
            target_level=config[levels[codec]] if codec in levels else None,
            needs_keys=needs_keys,
            opens_batches=opens_batches,
            samples_batches=validates == "sampled" and not opens_batches,
            asks_to_flush=asks_to_flush,
            flushes_before_ack=is_flushed or asks_to_flush,
            flush_records=config[settings.FLUSH_MESSAGES],
            in_sync_min=config[settings.MIN_INSYNC_REPLICAS],
            wants_inspector=wants_inspector,
            deduplicates=deduplicates,
        )


def check_header(view: memoryview, rules: AppendRules, now: int | None) -> BatchHeader:
    """The header of the one batch in `view`, or a refusal. Reads every byte once, for the checksum, and copies none.

    Without `now`, timestamps are left to `open_batch`, which looks at the records' own, and at how many there are: some
    may have been left out since.
    """
    try:
        header = BatchHeader.peek(view)
    except struct.error:
        raise _too_short(view) from None
    size = len(view)
    if header.magic != MAGIC:
        raise _wrong_magic(header.magic)
    if header.length != size - layout.LENGTH_OVERHEAD:
        raise _wrong_length(header, size)
    if header.crc != crc32c(view[layout.CRC_FROM :]):
        raise CorruptMessage("The batch's CRC does not match its contents")
    if size > rules.batch_bytes_max:
        raise MessageTooLarge(f"The batch has {size} bytes, max.message.bytes allows {rules.batch_bytes_max}")
    if size > rules.segment_bytes:
        raise RecordListTooLarge(f"The batch has {size} bytes, a segment holds {rules.segment_bytes}")
    if header.base_offset != 0:
        raise InvalidRecord(f"A producer counts a batch's offsets from 0, this one from {header.base_offset}")
    attributes = header.attributes
    if attributes & ~PLAIN_ATTRIBUTES or attributes & layout.COMPRESSION_MASK > CODEC_MAX:
        _check_odd_attributes(header)
    count = header.record_count
    if count <= 0 or header.last_offset_delta != count - 1:
        _check_span(header, is_looked_into=now is None)
    if attributes & layout.COMPRESSION_MASK == 0 and count * RECORD_BYTES_MIN > size - layout.HEADER_SIZE:
        raise InvalidRecord(f"{count} records cannot fit into {size - layout.HEADER_SIZE} bytes")
    if now is not None and not rules.stamps_append_time:
        _check_timestamp(view, header, rules, now)
    return header


def _check_span(header: BatchHeader, *, is_looked_into: bool) -> None:
    count = header.record_count
    if not is_looked_into or not 0 <= count <= header.last_offset_delta:
        raise InvalidRecord(f"A batch of {count} records cannot span {header.last_offset_delta + 1} offsets")


def _wrong_magic(magic: int) -> Exception:
    if 0 <= magic < MAGIC:
        return NotOneBatch(f"Produce requests may hold record batches of magic 2 only, this one says {magic}")
    return CorruptMessage(f"No record batch has the magic {magic}")


def _check_odd_attributes(header: BatchHeader) -> None:
    attributes = header.attributes
    if attributes & layout.CONTROL:
        raise InvalidRecord("Control batches come from brokers, not from producers")
    if attributes & ~layout.KNOWN_ATTRIBUTES or attributes & layout.DELETE_HORIZON:
        raise InvalidRecord(f"A producer's batch cannot carry the attributes {attributes:#06x}")
    if attributes & layout.COMPRESSION_MASK > CODEC_MAX:
        raise UnsupportedCompressionType(f"No codec has the id {attributes & layout.COMPRESSION_MASK}")
    if header.producer_id < 0:
        raise InvalidRecord("A batch within a transaction names its producer, this one does not")


def _too_short(view: memoryview) -> Exception:
    if len(view) == 0:
        return NotOneBatch("A produce request needs one record batch for each partition, this one has none")
    return NotOneBatch(f"A record batch has at least {layout.HEADER_SIZE} bytes, this one has {len(view)}")


def _wrong_length(header: BatchHeader, size: int) -> Exception:
    if header.length < layout.HEADER_SIZE - layout.LENGTH_OVERHEAD:
        return CorruptMessage(f"The batch says {header.size} bytes, fewer than a header has")
    if header.length < size - layout.LENGTH_OVERHEAD:
        return NotOneBatch("A produce request may hold one record batch for each partition, this one has more")
    return NotOneBatch(f"The batch says {header.size} bytes, {size} came")


def _check_timestamp(view: memoryview, header: BatchHeader, rules: AppendRules, now: int) -> None:
    """By the header's base and largest timestamps: nobody looks at the records' own."""
    base, largest = header.base_timestamp, header.max_timestamp
    if largest < base:  # its first record is newer than what it says is the newest
        set_max_timestamp(view, header, base)
        largest = base
    if largest - now > rules.timestamp_after_ms_max or (base >= 0 and now - base > rules.timestamp_before_ms_max):
        raise InvalidTimestamp(
            f"The batch has timestamps from {base} to {largest}, the topic takes those from"
            f" {now - rules.timestamp_before_ms_max} to {now + rules.timestamp_after_ms_max}"
        )


class Walk(Protocol):
    """A look at each record of a batch: `survey`, or one that finds out more."""

    def __call__(self, batch: memoryview, *, pause: Callable[[], None] | None = None) -> Survey: ...


def open_batch(
    view: memoryview,
    rules: AppendRules,
    now: int,
    pause: Callable[[], None] | None = None,
    walk: Walk = survey,
) -> Opened:
    """Check the records themselves, and recompress them where the topic says so.

    Slow: for a thread, unless the batch is small. `pause` is called now and then meanwhile.
    """
    header = BatchHeader.peek(view)
    if header.record_count <= 0 or header.last_offset_delta != header.record_count - 1:
        _check_span(header, is_looked_into=False)
    mended = None
    if header.attributes & layout.LOG_APPEND_TIME and not rules.stamps_append_time:
        clear_append_time(view, header)
    if rules.needs_keys and header.record_count > COMPACTED_RECORDS_MAX:  # a producer that is told so may split it
        raise MessageTooLarge(
            f"The batch has {header.record_count} records, a compacted topic takes {COMPACTED_RECORDS_MAX}"
        )
    try:
        found = walk(view, pause=pause)
        if rules.needs_keys and found.has_keyless:
            raise _without_keys(header, view)
        if not rules.stamps_append_time:
            oldest, newest = now - rules.timestamp_before_ms_max, now + rules.timestamp_after_ms_max
            if (found.newest > newest or found.oldest < oldest) and (wrong := _out_of_time(view, oldest, newest)):
                # In Kafka's words; which records, and why, is said of each.
                raise TimestampsRefused("One or more records have been rejected due to invalid timestamp", wrong)
            if header.max_timestamp != found.newest:
                mended = f"the largest timestamp is {found.newest}, its header said {header.max_timestamp}"
                set_max_timestamp(view, header, found.newest)
        if rules.target_codec not in (KEEP_PRODUCERS_CODEC, header.compression):
            view = _recompress(header, view, rules)
    except Malformed as error:
        raise RecordsDisagree(f"The batch's records do not hold what its header says: {error}") from None
    return Opened(view, header.producer_id, header.record_count, mended)


def _out_of_time(view: memoryview, oldest: int, newest: int) -> list[tuple[int, str]]:
    """The records that the topic's window leaves out; a record without a timestamp is in any."""
    return [
        (index, f"The record has the timestamp {record.timestamp}, the topic takes those from {oldest} to {newest}")
        for index, record in enumerate(iterate(view))
        if record.timestamp > newest or 0 <= record.timestamp < oldest
    ]


def _without_keys(header: BatchHeader, view: memoryview) -> RecordsRefused:
    keyless = [
        (index, "The topic is compacted, so a record needs a key")
        for index, record in enumerate(iterate(view))
        if record.key is None
    ]
    return RecordsRefused(f"{len(keyless)} of {header.record_count} records have no key", keyless)


def _recompress(header: BatchHeader, view: memoryview, rules: AppendRules) -> memoryview:
    body = compress(rules.target_codec, unpack(header, view), rules.target_level)
    out = bytearray(layout.HEADER_SIZE + len(body))
    out[: layout.HEADER_SIZE] = view[: layout.HEADER_SIZE]
    out[layout.HEADER_SIZE :] = body
    length = len(out) - layout.LENGTH_OVERHEAD
    layout.OFFSET_AND_LENGTH.pack_into(out, 0, header.base_offset, length)
    attributes = header.attributes & ~layout.COMPRESSION_MASK | rules.target_codec
    layout.ATTRIBUTES.pack_into(out, layout.ATTRIBUTES_AT, attributes)
    whole = memoryview(out)
    restamp_crc(whole)
    return whole


def stamp_append_time(view: memoryview, header: BatchHeader, now: int) -> None:
    """Mark the batch as stamped by the log: readers then take the largest timestamp for every record of it."""
    header.attributes |= layout.LOG_APPEND_TIME
    header.max_timestamp = now
    layout.ATTRIBUTES.pack_into(view, layout.ATTRIBUTES_AT, header.attributes)
    layout.TIMESTAMP.pack_into(view, layout.MAX_TIMESTAMP_AT, now)
    header.crc = restamp_crc(view)


def clear_append_time(view: memoryview, header: BatchHeader) -> None:
    """A producer's claim that the log stamped its batch is taken back: here the records' own times count."""
    header.attributes &= ~layout.LOG_APPEND_TIME
    layout.ATTRIBUTES.pack_into(view, layout.ATTRIBUTES_AT, header.attributes)
    header.crc = restamp_crc(view)


def set_max_timestamp(view: memoryview, header: BatchHeader, timestamp: int) -> None:
    """Put the header's largest timestamp right: look-up by time and retention go by it."""
    header.max_timestamp = timestamp
    layout.TIMESTAMP.pack_into(view, layout.MAX_TIMESTAMP_AT, timestamp)
    header.crc = restamp_crc(view)


def restamp_crc(view: memoryview) -> int:
    crc = crc32c(view[layout.CRC_FROM :])
    layout.CRC.pack_into(view, layout.CRC_AT, crc)
    return crc
