"""Fetch, by hand: the request's partitions are read in one pass, the response is header bytes between file slices.

Equal to the generated codec (a test holds the two together). Versions 4 to 18: 5 log start offset, 7 sessions
(KIP-227),
9 leader epochs, 11 rack and preferred replica, 12 flexible with diverging epochs, 13 topic ids, 15 replica state as a
tag, 16 node endpoints (KIP-951), 17 replica directory, 18 the fetcher's high watermark.
"""

import struct
from typing import Any, Protocol

import msgspec

from penstock.wire.malformed import Malformed
from penstock.wire.primitives import read_tag, read_uvarint, skip_tag_section, uvarint
from penstock.wire.produce import Endpoint, TopicKey, encode_endpoints_tag

FLEXIBLE_FROM = 12
TOPIC_IDS_FROM = 13
SESSIONS_FROM = 7
ENDPOINTS_FROM = 16
NO_SESSION = 0
FULL_EPOCH = 0
"""Of a request that begins a session, or asks outside of one."""
FINAL_EPOCH = -1
EPOCH_MAX = 0x7FFFFFFF

_I16 = struct.Struct(">h")
_I32 = struct.Struct(">i")
_I64 = struct.Struct(">q")
_WAIT_V4 = struct.Struct(">iiib")
_WAIT_V7 = struct.Struct(">iiibii")
_PARTITION_V4 = struct.Struct(">iqi")
_PARTITION_V5 = struct.Struct(">iqqi")
_PARTITION_V9 = struct.Struct(">iiqqi")
_PARTITION_V12 = struct.Struct(">iiqiqi")
_PARTITION_V12_PLAIN = struct.Struct(">iiqiqiB")  # with an empty section of tags
_REPLICA_STATE = struct.Struct(">iq")
# All up to the partitions of the one topic that is asked for: 2 is the compact form of one element.
_ONE_TOPIC = struct.Struct(">iiibiiB16sB")
# After them: the topic's tags, nothing forgotten, no rack, the request's tags.
_ONE_TOPIC_END = b"\x00\x01\x01\x00"
# The same of a follower: a partition has one tag, its high watermark; the request has one, who asks.
_PARTITION_V18_FOLLOWER = struct.Struct(">iiqiqi3sq")
_HIGH_WATERMARK_TAG = b"\x01\x01\x08"
_ONE_TOPIC_FOLLOWER_END = struct.Struct(">6siqB")
_REPLICA_STATE_TAG = b"\x00\x01\x01\x01\x01\x0d"
REPLICA_STATE_TAG_FROM = 15
HIGH_WATERMARK_FROM = 18


class FetchPartition(msgspec.Struct, gc=False):
    """What a fetcher asks of one partition."""

    index: int
    offset: int
    bytes_max: int
    current_leader_epoch: int = -1
    last_fetched_epoch: int = -1
    log_start_offset: int = -1
    high_watermark: int = 0x7FFFFFFFFFFFFFFF


class FetchRequest(msgspec.Struct):
    replica_id: int
    replica_epoch: int
    wait_ms_max: int
    bytes_min: int
    bytes_max: int
    isolation_level: int
    session_id: int
    session_epoch: int
    topics: list[tuple[TopicKey, list[FetchPartition]]]
    forgotten: list[tuple[TopicKey, list[int]]]
    rack_id: str = ""
    cluster_id: str | None = None


class Records(Protocol):
    """What the connection can send by itself: a slice of a file, or bytes already read."""

    @property
    def size(self) -> int: ...


class PartitionAnswer(msgspec.Struct):
    index: int
    error_code: int = 0
    high_watermark: int = -1
    last_stable_offset: int = -1
    log_start_offset: int = -1
    aborted: list[tuple[int, int]] | None = None
    preferred_read_replica: int = -1
    records: Any = None
    diverging_epoch: tuple[int, int] | None = None
    current_leader: tuple[int, int] | None = None

    @property
    def is_plain(self) -> bool:
        """Whether only numbers need be said, beside the records."""
        return self.current_leader is None and self.diverging_epoch is None and not self.aborted


def decode_request(frame: memoryview, position: int, version: int) -> FetchRequest:
    try:
        one = _decode_one(frame, position, version) if version >= REPLICA_STATE_TAG_FROM else None
        return _Decoder(frame, position, version).request() if one is None else one
    except (IndexError, struct.error, UnicodeDecodeError) as error:
        raise Malformed(f"fetch request ends early or is not text where it should be: {error}") from None


def _decode_one(frame: memoryview, position: int, version: int) -> FetchRequest | None:
    """A fetch of one topic without a rack, as most long polls and most of a busy follower's are: read in two steps (a
    quarter of the time). None where it is anything else, or nothing that makes sense: the general reader tells which.
    """
    try:
        wait_ms, bytes_min, bytes_max, isolation, session_id, session_epoch, topics, key, count = (
            _ONE_TOPIC.unpack_from(frame, position)
        )
    except struct.error:
        return None
    if topics != 2 or not 1 < count < 128:
        return None
    first = position + _ONE_TOPIC.size
    partitions, replica_id, replica_epoch = _plain_partitions(frame, first, count - 1), -1, -1
    if partitions is None and version >= HIGH_WATERMARK_FROM:
        partitions = _followed_partitions(frame, first, count - 1)
        if partitions is not None:
            replica_id, replica_epoch = _REPLICA_STATE.unpack_from(frame, len(frame) - 1 - _REPLICA_STATE.size)
    if partitions is None:
        return None
    return FetchRequest(
        replica_id,
        replica_epoch,
        wait_ms,
        bytes_min,
        bytes_max,
        isolation,
        session_id,
        session_epoch,
        [(key, partitions)],
        [],
    )


def _plain_partitions(frame: memoryview, first: int, count: int) -> list[FetchPartition] | None:
    """All that is left of a consumer's request; None where it is another."""
    end = first + count * _PARTITION_V12_PLAIN.size
    return _swept(frame[first:end]) if frame[end:] == _ONE_TOPIC_END else None


def _swept(plain: memoryview) -> list[FetchPartition] | None:
    """A consumer's partitions carry no tags and so have one size: they are read in one sweep (0.4 us each instead of
    0.9). None where one has tags.
    """
    partitions = []
    for index, epoch, offset, fetched, start, bytes_max, tags in _PARTITION_V12_PLAIN.iter_unpack(plain):
        if tags:
            return None
        partitions.append(FetchPartition(index, offset, bytes_max, epoch, fetched, start))
    return partitions


def _followed_partitions(frame: memoryview, first: int, count: int) -> list[FetchPartition] | None:
    """All that is left of a follower's request, but who it is; None where it is another."""
    end = first + count * _PARTITION_V18_FOLLOWER.size
    if len(frame) - end != _ONE_TOPIC_FOLLOWER_END.size:
        return None
    tag, _replica_id, _replica_epoch, tags = _ONE_TOPIC_FOLLOWER_END.unpack_from(frame, end)
    if tag != _REPLICA_STATE_TAG or tags:
        return None
    partitions = []
    for index, epoch, offset, fetched, start, bytes_max, mark_tag, mark in _PARTITION_V18_FOLLOWER.iter_unpack(
        frame[first:end]
    ):
        if mark_tag != _HIGH_WATERMARK_TAG:
            return None
        partitions.append(FetchPartition(index, offset, bytes_max, epoch, fetched, start, mark))
    return partitions


class _Decoder:
    __slots__ = ("end", "flexible", "frame", "position", "version")

    def __init__(self, frame: memoryview, position: int, version: int) -> None:
        self.frame = frame
        self.position = position
        self.version = version
        self.flexible = version >= FLEXIBLE_FROM
        self.end = len(frame)

    def request(self) -> FetchRequest:
        frame, version = self.frame, self.version
        replica_id = -1
        if version < 15:
            (replica_id,) = _I32.unpack_from(frame, self.position)
            self.position += 4
        session_id, session_epoch = 0, -1
        if version >= SESSIONS_FROM:
            wait_ms, bytes_min, bytes_max, isolation, session_id, session_epoch = _WAIT_V7.unpack_from(
                frame, self.position
            )
            self.position += _WAIT_V7.size
        else:
            wait_ms, bytes_min, bytes_max, isolation = _WAIT_V4.unpack_from(frame, self.position)
            self.position += _WAIT_V4.size
        topics = [self._topic() for _ in range(self._count())]
        forgotten = [self._forgotten() for _ in range(self._count())] if version >= SESSIONS_FROM else []
        rack_id = self._text() if version >= 11 else ""
        request = FetchRequest(
            replica_id,
            -1,
            wait_ms,
            bytes_min,
            bytes_max,
            isolation,
            session_id,
            session_epoch,
            topics,
            forgotten,
            rack_id,
        )
        if self.flexible:
            self._tags(request)
        return request

    def _topic(self) -> tuple[TopicKey, list[FetchPartition]]:
        key = self._topic_key()
        count = self._count()
        partitions = self._plain_partitions(count) if self.flexible else None
        if partitions is None:
            partitions = [self._partition() for _ in range(count)]
        if self.flexible:
            self.position = skip_tag_section(self.frame, self.position)
        return key, partitions

    def _plain_partitions(self, count: int) -> list[FetchPartition] | None:
        """None where one has tags, or where they would not fit: they are read one by one then."""
        end = self.position + count * _PARTITION_V12_PLAIN.size
        partitions = _swept(self.frame[self.position : end]) if end <= self.end else None
        if partitions is not None:
            self.position = end
        return partitions

    def _partition(self) -> FetchPartition:
        frame, position, version = self.frame, self.position, self.version
        if version >= FLEXIBLE_FROM:
            index, epoch, offset, fetched, start, bytes_max = _PARTITION_V12.unpack_from(frame, position)
            self.position = position + _PARTITION_V12.size
            partition = FetchPartition(index, offset, bytes_max, epoch, fetched, start)
            if frame[self.position]:
                self._partition_tags(partition)
            else:
                self.position += 1
            return partition
        if version >= 9:
            index, epoch, offset, start, bytes_max = _PARTITION_V9.unpack_from(frame, position)
            self.position = position + _PARTITION_V9.size
            return FetchPartition(index, offset, bytes_max, epoch, -1, start)
        if version >= 5:
            index, offset, start, bytes_max = _PARTITION_V5.unpack_from(frame, position)
            self.position = position + _PARTITION_V5.size
            return FetchPartition(index, offset, bytes_max, -1, -1, start)
        index, offset, bytes_max = _PARTITION_V4.unpack_from(frame, position)
        self.position = position + _PARTITION_V4.size
        return FetchPartition(index, offset, bytes_max)

    def _partition_tags(self, partition: FetchPartition) -> None:
        for tag, at, size in self._tag_fields():
            if tag == 1 and self.version >= HIGH_WATERMARK_FROM:
                if size != 8:
                    raise Malformed(f"a high watermark of {size} bytes")
                (partition.high_watermark,) = _I64.unpack_from(self.frame, at)

    def _forgotten(self) -> tuple[TopicKey, list[int]]:
        key = self._topic_key()
        count = self._count()
        if count * 4 > self.end - self.position:
            raise Malformed(f"{count} forgotten partitions in {self.end - self.position} bytes")
        partitions = list(struct.unpack_from(f">{count}i", self.frame, self.position))
        self.position += 4 * count
        if self.flexible:
            self.position = skip_tag_section(self.frame, self.position)
        return key, partitions

    def _topic_key(self) -> TopicKey:
        if self.version >= TOPIC_IDS_FROM:
            return self._bytes(16)
        return self._bytes(self._length())

    def _text(self) -> str:
        return self._bytes(self._length()).decode()

    def _length(self) -> int:
        if self.flexible:
            length, self.position = read_uvarint(self.frame, self.position)
            return length - 1
        (length,) = _I16.unpack_from(self.frame, self.position)
        self.position += 2
        return int(length)

    def _bytes(self, length: int) -> bytes:
        position = self.position
        if length < 0 or position + length > self.end:
            raise Malformed(f"a field of {length} bytes where {self.end - position} are left")
        self.position = position + length
        return bytes(self.frame[position : position + length])

    def _count(self) -> int:
        if self.flexible:
            count, self.position = read_uvarint(self.frame, self.position)
            count -= 1
        else:
            (count,) = _I32.unpack_from(self.frame, self.position)
            self.position += 4
        if not 0 <= count <= self.end - self.position:
            raise Malformed(f"{count} elements in {self.end - self.position} bytes")
        return count

    def _tags(self, request: FetchRequest) -> None:
        for tag, at, size in self._tag_fields():
            if tag == 0:
                length, text_at = read_uvarint(self.frame, at)
                if length and text_at + length - 1 != at + size:
                    raise Malformed("a cluster id that does not fill its field")
                request.cluster_id = str(self.frame[text_at : at + size], "utf-8") if length else None
            elif tag == 1 and self.version >= 15:
                request.replica_id, request.replica_epoch = _REPLICA_STATE.unpack_from(self.frame, at)

    def _tag_fields(self) -> list[tuple[int, int, int]]:
        count, position = read_uvarint(self.frame, self.position)
        if count > self.end - position:
            raise Malformed(f"{count} tagged fields in {self.end - position} bytes")
        fields = []
        for _ in range(count):
            tag, end, at = read_tag(self.frame, position)
            fields.append((tag, at, end - at))
            position = end
        self.position = position
        return fields


_HEAD_V4 = struct.Struct(">i")
_HEAD_V7 = struct.Struct(">ihi")
_ANSWER_V4 = struct.Struct(">ihqq")
_ANSWER_V5 = struct.Struct(">ihqqq")
# A partition that has nothing new, whole: aborted transactions, preferred replica, no records, no tags.
_ANSWER_V12_IDLE = struct.Struct(">ihqqqBiBB")
_PAIR = struct.Struct(">qq")
_LEADER_TAG = struct.Struct(">ii")
_EPOCH_TAG = struct.Struct(">iq")


def encode_response(
    version: int,
    topics: list[tuple[TopicKey, list[PartitionAnswer]]],
    *,
    error_code: int = 0,
    session_id: int = 0,
    throttle_time_ms: int = 0,
    endpoints: list[Endpoint] | None = None,
) -> list[Any]:
    """The body's chunks in order: bytes, and each partition's records as they were given."""
    flexible = version >= FLEXIBLE_FROM
    chunks: list[Any] = []
    out = bytearray()
    if version >= SESSIONS_FROM:
        out += _HEAD_V7.pack(throttle_time_ms, error_code, session_id)
    else:
        out += _HEAD_V4.pack(throttle_time_ms)
    out += uvarint(len(topics) + 1) if flexible else _I32.pack(len(topics))
    for key, answers in topics:
        if version < TOPIC_IDS_FROM:
            out += uvarint(len(key) + 1) if flexible else _I16.pack(len(key))
        out += key
        out += uvarint(len(answers) + 1) if flexible else _I32.pack(len(answers))
        for answer in answers:
            records = answer.records
            if flexible and records is None and answer.is_plain:
                out += _ANSWER_V12_IDLE.pack(
                    answer.index,
                    answer.error_code,
                    answer.high_watermark,
                    answer.last_stable_offset,
                    answer.log_start_offset,
                    0 if answer.aborted is None else 1,
                    answer.preferred_read_replica,
                    1,
                    0,
                )
                continue
            _encode_answer(out, version, answer)
            size = 0 if records is None else records.size
            out += uvarint(size + 1) if flexible else _I32.pack(size)
            if size:
                chunks.append(out)
                chunks.append(records)
                out = bytearray()
            if flexible:
                if answer.current_leader is None and answer.diverging_epoch is None:
                    out += b"\x00"
                else:
                    _encode_answer_tags(out, answer)
        if flexible:
            out += b"\x00"
    if flexible:
        if endpoints and version >= ENDPOINTS_FROM:
            encode_endpoints_tag(out, endpoints)
        else:
            out += b"\x00"
    if out:
        chunks.append(out)
    return chunks


def put_throttle_time(head: bytearray, throttle_time_ms: int) -> None:
    """Into the first chunk of a response that is encoded. One that is in it stays where it is longer."""
    (before,) = _I32.unpack_from(head)
    _I32.pack_into(head, 0, max(before, throttle_time_ms))


def _encode_answer(out: bytearray, version: int, answer: PartitionAnswer) -> None:
    if version >= 5:
        out += _ANSWER_V5.pack(
            answer.index, answer.error_code, answer.high_watermark, answer.last_stable_offset, answer.log_start_offset
        )
    else:
        out += _ANSWER_V4.pack(answer.index, answer.error_code, answer.high_watermark, answer.last_stable_offset)
    aborted = answer.aborted
    if version >= FLEXIBLE_FROM:
        if aborted is None:
            out += b"\x00"
        else:
            out += uvarint(len(aborted) + 1)
            for pair in aborted:
                out += _PAIR.pack(*pair)
                out += b"\x00"
    elif aborted is None:
        out += b"\xff\xff\xff\xff"
    else:
        out += _I32.pack(len(aborted))
        for pair in aborted:
            out += _PAIR.pack(*pair)
    if version >= 11:
        out += _I32.pack(answer.preferred_read_replica)


def _encode_answer_tags(out: bytearray, answer: PartitionAnswer) -> None:
    diverging, leader = answer.diverging_epoch, answer.current_leader
    out += uvarint((diverging is not None) + (leader is not None))
    if diverging is not None:
        out += b"\x00\x0d" + _EPOCH_TAG.pack(*diverging) + b"\x00"
    if leader is not None:
        out += b"\x01\x09" + _LEADER_TAG.pack(*leader) + b"\x00"
