"""librdkafka's transactional producer with its errors sorted: wait, fenced by another, or failed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.sink.options import SinkOptions
from penstock.pipelines.transient_errors import NOT_THERE

_CALL_S = 30.0
_PAUSE_S = 0.2
# How a cluster says that somebody else has ended this transaction: it depends on what the partition knows by then.
_FENCES = (
    KafkaError._FENCED,
    KafkaError.PRODUCER_FENCED,
    KafkaError.INVALID_PRODUCER_EPOCH,
    KafkaError.INVALID_PRODUCER_ID_MAPPING,
    KafkaError.INVALID_TXN_STATE,
)
_TOO_LARGE = (
    "Nothing of its batch was written to that partition. Raise the topic's max.message.bytes, or filter\n"
    "such records out, and start again: the batch is run again."
)
_PURGED = (KafkaError._PURGE_QUEUE, KafkaError._PURGE_INFLIGHT)


class Fenced(Exception):
    """Another writer with the same transactional id has begun after this one: it decides from now on."""


class TransactionalProducer:
    """One transactional id. Nothing that it sends is seen before `commit` has returned.

    Making one ends what an earlier holder of the id has open, and shuts that holder out: when the constructor has
    returned, whatever the others did is committed or aborted for good.
    """

    def __init__(self, options: SinkOptions, transactional_id: str, *, batch_bytes_max: int = 1_000_000) -> None:
        self._options = options
        self.transactional_id = transactional_id
        self._refused: tuple[KafkaError, Message] | None = None
        self._fatal: KafkaError | None = None
        self._producer = Producer(options.producer(transactional_id, batch_bytes_max=batch_bytes_max))
        self._connect()
        self._patiently(self._producer.init_transactions)

    def begin(self) -> None:
        self._refused = None
        self._producer.begin_transaction()

    def send(
        self,
        topic: str,
        partition: int,
        *,
        key: bytes | None,
        value: bytes | None,
        timestamp_ms: int | None = None,
        headers: list[tuple[str, bytes | None]] | None = None,
    ) -> None:
        optional: dict[str, Any] = {}
        if timestamp_ms is not None:
            optional["timestamp"] = timestamp_ms
        if headers:
            optional["headers"] = headers
        while True:
            try:
                self._producer.produce(
                    topic, value=value, key=key, partition=partition, on_delivery=self._not_delivered, **optional
                )
            except BufferError:  # the queue is full: whoever feeds it waits
                self._serve(_PAUSE_S)
            except KafkaException as error:
                raise self._reason(error) from error
            else:
                return

    def check(self) -> None:
        """Look after what was sent so far; raises what went wrong with it."""
        self._serve(0)

    def commit(self) -> None:
        """Flushes, and commits. An error leaves it open whether the commit counts: markers tell."""
        try:
            self._patiently(self._producer.commit_transaction)
        finally:
            self._serve(0)

    def abort(self) -> None:
        """As well as can be; what is left open is ended by the next holder of the id, or by its timeout."""
        try:
            self._producer.abort_transaction(_CALL_S)
        except KafkaException:
            pass

    def close(self) -> None:
        """Drops what is queued; the object is of no use afterwards."""
        try:
            self._producer.purge()
            self._producer.flush(0)
        except KafkaException:
            pass  # a producer that was shut out says so at every call

    def _connect(self) -> None:
        """To a broker by its own name, which is not yet the connection to the bootstrap address: librdkafka's
        init_transactions looks for a connection that is up, and when there is none looks again after half a second."""
        try:
            for _ in ("the bootstrap address", "a broker that it named"):
                self._producer.list_topics(self._options.markers, timeout=_CALL_S)
        except KafkaException:
            pass  # whoever is away is waited for below

    def _patiently(self, call: Callable[[float], None]) -> None:
        deadline = time.monotonic() + self._options.patience_s
        while True:
            try:
                call(_CALL_S)
                return
            except KafkaException as error:
                problem = error.args[0]
                if not problem.retriable() or time.monotonic() > deadline:
                    raise self._reason(error) from error
                time.sleep(_PAUSE_S)

    def _serve(self, timeout_s: float) -> None:
        """Take delivery reports; raises what went wrong."""
        self._poll(timeout_s)
        self._complain()
        if self._fatal is not None:
            raise self._sorted(KafkaException(self._fatal))

    def _poll(self, timeout_s: float) -> None:
        """`poll` raises a fatal error once; whatever is called before or after it says only that there was one."""
        try:
            self._producer.poll(timeout_s)
        except KafkaException as error:
            self._fatal = error.args[0]

    def _not_delivered(self, error: KafkaError | None, message: Message) -> None:
        # The first says why; others are purged because of it, and may be reported before it.
        if error is not None and (self._refused is None or self._refused[0].code() in _PURGED):
            self._refused = (error, message)

    def _reason(self, error: KafkaException) -> Exception:
        """Raises for a record that was refused, which broke the transaction: librdkafka marks that before it reports
        the record, and reports wait to be taken.
        """
        if self._refused is None or self._refused[0].code() in _PURGED:
            self._poll(_PAUSE_S)
        self._complain()
        return self._sorted(error)

    def _complain(self) -> None:
        """Raise for a record that the cluster would not take, by name, rather than for the transaction it broke."""
        if self._refused is None:
            return
        error, message = self._refused
        if error.code() in _FENCES:
            raise Fenced(error.str())
        if error.code() in _PURGED:
            return
        where = f"{message.topic()}/{message.partition()}"
        raise refusal(error, where, message.key(), len(message.value() or b""))

    def _sorted(self, error: KafkaException) -> Exception:
        problem = error.args[0]
        if problem.code() == KafkaError._FATAL:
            self._poll(0)
            problem = self._fatal or problem
        if problem.code() in _FENCES:
            return Fenced(problem.str())
        if problem.code() == KafkaError.MSG_SIZE_TOO_LARGE:  # its report never came
            return PipelineProblem(f"a record is larger than the topic allows: {problem.str()}", hint=_TOO_LARGE)
        if problem.code() == KafkaError.INVALID_TRANSACTION_TIMEOUT:
            return PipelineProblem(
                f"the cluster does not allow transactions of {self._options.transaction_timeout_ms} ms",
                hint="Lower transaction_timeout_ms, or raise the brokers' transaction.max.timeout.ms.",
            )
        return PipelineProblem(f"transaction of {self.transactional_id}: {problem.str()} ({problem.name()})")


def refusal(error: KafkaError, target: str, key: bytes | None, value_bytes: int) -> PipelineProblem:
    what = f"a record with key {key!r} and {value_bytes:,} bytes of value for {target}"
    if error.code() == KafkaError.MSG_SIZE_TOO_LARGE:
        return PipelineProblem(
            f"{what} is larger than the topic allows",
            hint=_TOO_LARGE,
        )
    if error.code() in NOT_THERE:
        return PipelineProblem(
            f"{what}: the topic is gone",
            hint="Was it deleted? Create it again and start again: the batch is run again.",
        )
    return PipelineProblem(f"{what} was refused: {error.str()} ({error.name()})")
