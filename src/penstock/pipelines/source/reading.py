"""Reading one range of offsets, in a task: a consumer that is told where to begin and belongs to no group's round."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import structlog

from penstock.pipelines.kafka_names import Consumer, KafkaError, KafkaException, Message, TopicPartition
from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.source.columns import record_batch
from penstock.pipelines.source.group import commit
from penstock.pipelines.source.options import SourceOptions
from penstock.pipelines.source.planning import Range
from penstock.pipelines.source.positions import Offsets
from penstock.pipelines.transient_errors import NOT_THERE, passes

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_BYTES = 4 * 1024 * 1024
"""What an Arrow batch aims at: large enough to be cheap a record, small enough for many tasks side by side."""
BATCH_RECORDS_MAX = 10_000
BATCH_RECORDS_FIRST = 200
POLL_S = 0.1
"""How long a call waits for the records it asked for; where a range ends in a gap, this is waited once."""

_log = structlog.get_logger(__name__)

# A worker of Spark runs one task after another: a connected consumer is kept for the next. One a process.
_idle: dict[str, Consumer] = {}


def read(options: SourceOptions, part: Range, *, progress: Offsets | None = None) -> Iterator[pa.RecordBatch]:
    """The records of a range as Arrow batches. Ends when everything below the range's end was delivered, or is known
    not to exist: a record at or beyond the end, or the end of the log, has been seen. What is `progress` besides is
    committed to the group.
    """
    consumer = _take(options)
    try:
        for records in _batches(consumer, options, part):
            yield record_batch(part.partition, records, headers=options.headers)
        if progress and options.group:
            commit(consumer, options.group, progress)
    except BaseException:
        consumer.close()
        raise
    consumer.unassign()
    _give_back(options, consumer)


def _batches(consumer: Consumer, options: SourceOptions, part: Range) -> Iterator[list[Message]]:
    consumer.assign([TopicPartition(part.partition.topic, part.partition.partition, part.start)])
    at, most = part.start, BATCH_RECORDS_FIRST
    heard = time.monotonic()
    while at < part.end:
        wanted: list[Message] = []
        size = 0
        came = consumer.consume(min(most, part.end - at), POLL_S)
        # A consumer that is used again must not give what it had fetched for the range before.
        assert not came or (came[0].topic(), came[0].partition()) in (part.partition, (None, None)), (
            "a stranger's record"
        )
        for record in came:
            error = record.error()
            if error is not None:
                at = _after(error, record, consumer, options, part, at)
            elif (offset := _offset(record)) < part.end:
                if offset < at:
                    continue  # the first batch of a fetch may begin before what was asked for
                wanted.append(record)
                size += len(record)
                at = offset + 1
            else:
                at = part.end
            heard = time.monotonic()
        if wanted:
            # len(record) counts the value alone; a hundred bytes stand for the rest.
            most = max(1, min(BATCH_RECORDS_MAX, BATCH_BYTES * len(wanted) // (size + 100 * len(wanted))))
            yield wanted
        elif time.monotonic() - heard > options.broker_wait_ms / 1000:
            raise PipelineProblem(
                f"{part.partition}: nothing came for {options.broker_wait_ms / 1000:g} s at offset {at} of {part.end}",
                hint="Are the brokers of the cluster reachable from Spark's workers? brokerWaitMs is how long to wait.",
            )


def _after(error: KafkaError, record: Message, consumer: Consumer, options: SourceOptions, part: Range, at: int) -> int:
    """Where reading stands after an event that is no record; raises on what does not pass by itself."""
    code = error.code()
    if code == KafkaError._PARTITION_EOF:
        # Nothing below it will come any more: what has not come was compacted away, or is a transaction's marker.
        return max(at, min(part.end, _offset(record)))
    if code in (KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE):
        low, high = consumer.get_watermark_offsets(
            TopicPartition(part.partition.topic, part.partition.partition), timeout=30
        )
        words = f"{part.partition}: offset {at} is gone while it was to be read; the log is from {low} to {high}"
        if options.fail_on_data_loss:
            raise PipelineProblem(words, hint="failOnDataLoss=false goes on with what is there.")
        _log.warning("records lost", partition=str(part.partition), offset=at, log_start=low, log_end=high)
        if at < low < part.end:
            consumer.assign([TopicPartition(part.partition.topic, part.partition.partition, low)])
            return low
        return part.end
    if code in NOT_THERE:
        if options.fail_on_data_loss:
            raise PipelineProblem(
                f"{part.partition} is gone, and with it the offsets {at} to {part.end - 1}",
                hint="failOnDataLoss=false goes on with what is there.",
            )
        _log.warning("partition gone", partition=str(part.partition), offset=at)
        return part.end
    if error.fatal() or not passes(error):
        raise KafkaException(error)
    return at


def _offset(record: Message) -> int:
    offset = record.offset()
    assert offset is not None, "records and ends of logs that a consumer gives have an offset"
    return offset


def consumer_settings(options: SourceOptions) -> dict[str, Any]:
    return {
        "fetch.queue.backoff.ms": 5,  # librdkafka's second of rest between two full queues would be felt
        "fetch.wait.max.ms": 100,
        "fetch.message.max.bytes": 4 * 1024 * 1024,
        "queued.max.messages.kbytes": 32 * 1024,
        **options.client_settings(),
        "group.id": options.group or "penstock-spark",  # the library wants one
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "enable.partition.eof": True,
        "auto.offset.reset": "error",
        "isolation.level": "read_committed" if options.read_committed else "read_uncommitted",
    }


def _take(options: SourceOptions) -> Consumer:
    return _idle.pop(_key(options), None) or Consumer(consumer_settings(options))


def _give_back(options: SourceOptions, consumer: Consumer) -> None:
    for other in _idle.values():
        other.close()
    _idle.clear()
    _idle[_key(options)] = consumer


def _key(options: SourceOptions) -> str:
    return repr(sorted((name, str(value)) for name, value in consumer_settings(options).items()))
