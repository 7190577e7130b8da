"""Hands records to librdkafka and counts what became of them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from penstock.cli.librdkafka import KafkaError, KafkaException, Message, Producer, error_text
from penstock.cli.output import note
from penstock.cli.records import ParsedRecord

FAILURES_SHOWN_MAX = 5
"""Of many failures most are alike; the rest are only counted."""


@dataclass
class Sender:
    producer: Producer
    topic: str
    partition: int | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    is_acknowledged: bool = True
    """False with acks=0: a record counts as delivered when it is sent, and nobody says whether it was written."""
    delivered: int = 0
    failed: int = 0
    bytes_sent: int = 0
    first_error: KafkaError | None = field(default=None)
    timed_out: int = 0
    is_stuck: bool = False
    """Whether there was room for the last record only because others were given up after message.timeout.ms, with none
    written meanwhile: so it would go on, a full queue each time, to the end of the input. Or librdkafka takes none."""

    def send(self, record: ParsedRecord) -> None:
        """Queue a record; waits while librdkafka's queue is full, which is the backpressure."""
        delivered, timed_out = self.delivered, self.timed_out
        fields: dict[str, Any] = {
            "value": record.value,
            "key": record.key,
            "headers": [*self.headers, *record.headers],
            "on_delivery": self._on_delivery,
        }
        partition = record.partition if record.partition is not None else self.partition
        if partition is not None:
            fields["partition"] = partition
        if record.timestamp_ms is not None:
            fields["timestamp"] = record.timestamp_ms
        while True:
            try:
                self.producer.produce(self.topic, **fields)
            except BufferError:
                self._served(lambda: self.producer.poll(0.1))
            except KafkaException as error:
                self._failed(error.args[0])
                return
            else:
                self.is_stuck = self.delivered == delivered and self.timed_out > timed_out
                self.bytes_sent += len(record.value or b"") + len(record.key or b"")
                self._served(lambda: self.producer.poll(0))
                return

    def finish(self) -> None:
        """Wait until every record has its outcome; message.timeout.ms bounds it. Where it is known there is no wait."""
        if self.is_stuck:
            self.producer.purge()
        while self._served(lambda: self.producer.flush(0.5)):
            pass

    def _served(self, serve: Callable[[], int]) -> int:
        """What librdkafka has to tell is told here. Where it has met an error of its own, such as a batch of which some
        records were too late to be sent again, it takes none any more: that is the end.
        """
        try:
            return serve()
        except (KafkaException, SystemError) as error:
            # Outcomes are told with the exception of a fatal error set, which Python takes for a mistake.
            fatal = error if isinstance(error, KafkaException) else error.__cause__
            if not isinstance(fatal, KafkaException):
                raise
        problem: KafkaError = fatal.args[0]
        note(f"the client library gives up: {error_text(problem)}")
        self.first_error = self.first_error or problem
        self.is_stuck = True
        self.producer.purge()
        return 1  # the outcomes of what was purged are still to come

    def _on_delivery(self, error: KafkaError | None, message: Message) -> None:
        if error is None:
            self.delivered += 1
        else:
            self._failed(error)

    def _failed(self, error: KafkaError) -> None:
        self.failed += 1
        self.timed_out += error.code() == KafkaError._MSG_TIMED_OUT
        self.first_error = self.first_error or error
        if self.failed <= FAILURES_SHOWN_MAX:
            note(f"not written: {error_text(error)}")
        elif self.failed == FAILURES_SHOWN_MAX + 1:
            note("further failures are only counted")
