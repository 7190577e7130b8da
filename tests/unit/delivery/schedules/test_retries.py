"""How often a record is tried again, when, and as what it goes on."""

import pytest

from penstock.delivery.schedules.firing import Route
from penstock.delivery.schedules.plan import Plan, read
from penstock.delivery.schedules.retries import RetryRules
from penstock.wire.records import Record

NOW = 1_790_000_000_000
STEADY = RetryRules("billing", attempts_max=4, backoff_ms=1_000, multiplier=3.0, backoff_max_ms=10_000, jitter=0.0)


def failed(attempts: int, *, offset: int = 0, headers: tuple[tuple[str, bytes], ...] = ()) -> Record:
    count = ((("penstock-attempt", b"%d" % attempts),) if attempts else ()) + headers
    return Record(offset, NOW, b"k", b"v", count)


@pytest.mark.parametrize(
    ("attempts", "wait_ms"), [(0, 1_000), (1, 3_000), (2, 9_000), (3, 10_000), (4, 0), (900_000, 0)]
)
def test_each_retry_waits_longer_up_to_the_longest_wait_and_what_is_given_up_does_not(
    attempts: int, wait_ms: int
) -> None:
    assert read(failed(attempts), delay=STEADY) == Plan(NOW + wait_ms)


def test_waits_are_spread_by_their_jitter_and_are_the_same_whenever_they_are_asked_for() -> None:
    rules = RetryRules("billing", backoff_ms=1_000, jitter=0.2)
    waits = [rules.delay_ms(failed(0, offset=offset)) for offset in range(200)]
    assert waits == [rules.delay_ms(failed(0, offset=offset)) for offset in range(200)]
    assert 800 <= min(waits) < 850 and 1_150 < max(waits) <= 1_200


def test_a_record_that_says_when_it_is_to_be_tried_again_is_tried_then() -> None:
    record = failed(1, headers=(("penstock-delay-ms", b"60000"),))
    assert read(record, delay=STEADY) == Plan(NOW + 60_000)


@pytest.mark.parametrize("count", [b"soon", b"-1", b"", b"99999999", "²".encode()])
def test_a_count_that_is_none_is_refused(count: bytes) -> None:
    with pytest.raises(ValueError, match="penstock-attempt"):
        read(Record(0, NOW, b"k", b"v", (("penstock-attempt", count),)), delay=STEADY)


def test_the_broker_counts_and_what_a_former_journey_left_is_replaced() -> None:
    route = Route("_retry.billing.orders", 2, STEADY)
    left = (("penstock-due", b"1"), ("penstock-sent-at", b"2"), ("own", b"stays"))
    record = route.outgoing(failed(1, offset=17, headers=left), NOW)
    assert dict(record.headers) == {
        "own": b"stays",
        "penstock-scheduled-from": b"_retry.billing.orders-2@17",
        "penstock-due": b"%d" % NOW,
        "penstock-attempt": b"2",
        "penstock-sent-at": b"%d" % NOW,
    }
    assert len(record.headers) == 5


def test_a_dead_letter_has_the_record_and_the_six_headers() -> None:
    route = Route("_retry.billing.orders", 2, STEADY, is_given_up=True)
    record = route.outgoing(failed(4, offset=17, headers=(("own", b"stays"),)), NOW)
    assert (record.key, record.value) == (b"k", b"v")
    said = dict(record.headers)
    assert record.headers[0] == ("own", b"stays") and "penstock-attempt" not in said
    assert {name.removeprefix("__dlq.errors."): value for name, value in said.items() if name.startswith("__dlq")} == {
        "topic": b"_retry.billing.orders",
        "partition": b"2",
        "offset": b"17",
        "group": b"billing",
        "message": b"Tried again 4 times.",
        "delivery.count": b"5",
    }
