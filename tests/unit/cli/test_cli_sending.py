"""What becomes of records that librdkafka has no room for, or gives up."""

from collections.abc import Callable
from typing import Any, cast

import pytest
from confluent_kafka import KafkaError, KafkaException

from penstock.cli.librdkafka import Producer
from penstock.cli.records import ParsedRecord
from penstock.cli.sending import Sender

QUEUE = 3


class FullProducer:
    """Takes no more than QUEUE records. A poll tells what became of all of them: an error's code for each, or None."""

    def __init__(self, outcomes: list[int | None]) -> None:
        self._outcomes = outcomes
        self._queued: list[Callable[..., None]] = []

    def produce(self, _topic: str, *, on_delivery: Callable[..., None], **_: Any) -> None:
        if len(self._queued) == QUEUE:
            raise BufferError
        self._queued.append(on_delivery)

    def poll(self, timeout_s: float) -> None:
        if not timeout_s:
            return
        queued, self._queued = self._queued, []
        for tell, code in zip(queued, self._outcomes, strict=True):
            tell(None if code is None else KafkaError(code), None)


@pytest.mark.parametrize(
    ("outcomes", "is_stuck"),
    [
        ([KafkaError._MSG_TIMED_OUT] * QUEUE, True),
        ([KafkaError._MSG_TIMED_OUT, None, KafkaError._MSG_TIMED_OUT], False),
        ([KafkaError.MSG_SIZE_TOO_LARGE] * QUEUE, False),
        ([None] * QUEUE, False),
    ],
)
def test_a_queue_that_was_given_up_as_a_whole_is_the_end_of_it(outcomes: list[int | None], is_stuck: bool) -> None:
    sender = Sender(cast(Producer, FullProducer(outcomes)), "orders")
    for _ in range(QUEUE):
        sender.send(ParsedRecord(b"one"))
        assert not sender.is_stuck
    sender.send(ParsedRecord(b"one"))
    assert sender.is_stuck == is_stuck


class FatalProducer(FullProducer):
    """Meets an error of its own with the first question; what it has then is given up."""

    def __init__(self) -> None:
        super().__init__([KafkaError._PURGE_QUEUE])
        self._was_asked = False

    def flush(self, timeout_s: float) -> int:
        if not self._was_asked:
            self._was_asked = True
            raise SystemError("a result with an exception set") from KafkaException(
                KafkaError(KafkaError._INCONSISTENT)
            )
        self.poll(timeout_s)
        return 0

    def purge(self) -> None: ...


def test_an_error_of_the_client_library_is_told_and_ends_it(capsys: pytest.CaptureFixture[str]) -> None:
    sender = Sender(cast(Producer, FatalProducer()), "orders")
    sender.send(ParsedRecord(b"one"))
    sender.finish()
    assert sender.first_error is not None and sender.first_error.code() == KafkaError._INCONSISTENT
    assert (sender.is_stuck, sender.failed) == (True, 1)
    assert "the client library gives up" in capsys.readouterr().err
