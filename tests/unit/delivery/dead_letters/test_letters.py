"""What a dead letter says, and which go out together."""

from penstock.delivery.dead_letters.letters import Origin, choose, letter, letters
from penstock.delivery.shares.archiving import Reason, archiving
from penstock.wire.records import Record

ORIGIN = Origin("workers", "orders", 3)
REJECTED = archiving(Reason.REJECTED)
BAD = Record(7, 1_000, b"k", b"v", (("trace", b"t"), ("trace", None)))


def made(record: Record | None, *, copies: bool = True, size_max: int = 1_000_000) -> Record:
    return letter(ORIGIN, 7, Reason.LOCK_TIMEOUT, 5, record, copies=copies, size_max=size_max).record


def test_a_letter_is_the_record_with_its_headers_first_and_then_kafkas_six() -> None:
    whole = made(BAD)
    assert (whole.key, whole.value) == (b"k", b"v")
    assert whole.headers == (
        ("trace", b"t"),
        ("trace", None),
        ("__dlq.errors.topic", b"orders"),
        ("__dlq.errors.partition", b"3"),
        ("__dlq.errors.offset", b"7"),
        ("__dlq.errors.group", b"workers"),
        ("__dlq.errors.message", b"Acquisition lock timed out."),
        ("__dlq.errors.delivery.count", b"5"),
        ("penstock-sent-at", b"1000"),
    )


def test_without_copies_it_is_headers_only_and_no_pointer() -> None:
    bare = letter(ORIGIN, 7, Reason.REJECTED, 1, BAD, copies=False, size_max=1_000_000)
    assert (bare.record.key, bare.record.value, bare.is_pointer) == (None, None, False)
    assert [name for name, _ in bare.record.headers][:1] == ["__dlq.errors.topic"]


def test_what_is_too_large_or_gone_becomes_a_pointer() -> None:
    for record, size_max in ((BAD, 300), (None, 1_000_000)):
        pointer = letter(ORIGIN, 7, Reason.REJECTED, 1, record, copies=True, size_max=size_max)
        assert (pointer.record.key, pointer.record.value, pointer.is_pointer) == (None, None, True)


def test_an_intent_that_is_sent_again_has_a_letter_for_each_record_be_it_there_or_not() -> None:
    rows = [(7, 9, REJECTED, 1), (20, 20, REJECTED, 2)]
    again = letters(ORIGIN, rows, {7: BAD}, copies=True, size_max=1_000_000)
    assert [each.is_pointer for each in again] == [False, True, True, True]


def test_a_batch_takes_what_fits_in_the_order_of_the_log() -> None:
    rows = [(1, 4, REJECTED, 1), (9, 9, REJECTED, 2)]
    sizes = {1: 400, 2: 400, 3: 400, 4: 400, 9: 100}
    assert choose(rows, set(sizes), sizes, 1_000) == ([(1, 2, REJECTED, 1)], [])
    assert choose(rows, set(sizes), sizes, 100) == ([(1, 1, REJECTED, 1)], [])
    assert choose(rows, set(sizes), sizes, 10_000) == (rows, [])


def test_offsets_without_a_record_are_told_apart_from_those_that_nobody_has_looked_at() -> None:
    rows = [(1, 6, REJECTED, 1)]
    chosen, nothing = choose(rows, {1, 2, 3, 4}, {1: 10, 4: 10}, 10_000)
    assert chosen == [(1, 1, REJECTED, 1), (4, 4, REJECTED, 1)]
    assert nothing == [(2, 3, REJECTED, 1)]
