"""A follower's tail that was never committed, where the leader's records of those offsets are deleted already."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.replicas import Replicas

from penstock.replication.log_port import on_disk

PRODUCER = {"producer_id": 7, "producer_epoch": 0, "base_sequence": 0}


@pytest.fixture
async def replicas(tmp_path: Path) -> AsyncIterator[Replicas]:
    made = Replicas(tmp_path)
    yield made
    await made.close()


def leave_behind(replicas: Replicas, *values: bytes) -> None:
    """Broker 1 led, has these alone, each in a batch, and is replaced by broker 2."""
    for value in values:
        replicas.append(value)
    replicas.elect(2)
    replicas.remove_from_in_sync(1)


async def test_a_producer_is_not_told_that_what_was_never_committed_is_in_the_log(replicas: Replicas) -> None:
    replicas.append(b"never committed", **PRODUCER)
    leave_behind(replicas, b"nor this")
    replicas.append(b"another")
    replicas.append(b"one more")
    replicas.replicate(3)
    assert replicas.leader.delete_records(1) == 1
    assert replicas.fetch(1) == "began anew"
    replicas.replicate(1)
    replicas.elect(1)
    assert replicas[1].start_offset == 1
    sent_again = replicas.append(b"never committed", **PRODUCER)
    assert sent_again.base_offset == 2, "it is written, and not taken for a duplicate of what nobody has"


async def test_who_has_only_what_cannot_be_compared_does_not_count_until_it_has_begun_anew(replicas: Replicas) -> None:
    leave_behind(replicas, b"never committed")
    replicas.append(b"another")
    replicas.replicate(3)
    assert replicas.leader.delete_records(1) == 1
    assert replicas.fetch(1) == "began anew"
    assert set(replicas.state.in_sync) == {2, 3}, "its fetch was from the leader's end, and told of another log"
    replicas.replicate(1)
    assert set(replicas.state.in_sync) == {1, 2, 3}


async def test_who_has_deleted_as_much_counts(replicas: Replicas) -> None:
    replicas.append(b"committed")
    replicas.replicate()
    leave_behind(replicas)
    assert replicas[1].high_watermark == 1
    replicas.append(b"later")
    replicas.replicate(3)
    assert replicas.leader.delete_records(1) == 1
    replicas.replicate(1)
    assert set(replicas.state.in_sync) == {1, 2, 3}
    assert on_disk(replicas[1].log).segments[0].base_offset == 0, "what was committed is kept"


async def test_a_batch_that_begins_before_the_leaders_start_is_taken_by_whoever_has_another_there(
    replicas: Replicas,
) -> None:
    leave_behind(replicas, b"a", b"b", b"c")
    replicas.append(b"three", b"in", b"one")
    replicas.replicate(3)
    assert replicas.leader.delete_records(2) == 2
    replicas.replicate(1)
    assert (replicas[1].start_offset, replicas[1].end_offset) == (2, 3)


async def test_a_tail_that_parts_behind_the_leaders_start_is_cut_there(replicas: Replicas) -> None:
    replicas.append(b"committed")
    replicas.append(b"committed too")
    replicas.replicate()
    leave_behind(replicas, b"never committed")
    replicas.append(b"another")
    replicas.replicate(3)
    assert replicas.leader.delete_records(1) == 1
    assert replicas.fetch(1) == "cut"
    assert (on_disk(replicas[1].log).segments[0].base_offset, replicas[1].end_offset) == (0, 2), (
        "it keeps what it shares"
    )
