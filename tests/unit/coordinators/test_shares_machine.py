"""What the share machine keeps, refuses and has written."""

from typing import Any

import pytest
from tests.support.share_machine import (
    ACKNOWLEDGED,
    ARCHIVED,
    AVAILABLE,
    KEY,
    OTHER_TOPIC,
    START_MS,
    TOPIC,
    ShareWorld,
    batch,
    initialize,
    known,
    write,
)

from penstock.coordinators.decision import NOBODY, RUNNER, Command
from penstock.coordinators.shares import commands, upkeep
from penstock.coordinators.shares.commands import CutLog, Delete, ForgetTopics, PruneDue, Read, Summarize
from penstock.coordinators.shares.progress import Progress
from penstock.coordinators.shares.ranges import StateRanges
from penstock.coordinators.shares.records import Forgotten, ShareCodec, Snapshot, Update
from penstock.coordinators.shares.state import ShareLimits
from penstock.coordinators.shares.states import SharePartitionKey, ShareState, ShareSummary, StateBatch
from penstock.errors import (
    FencedLeaderEpoch,
    FencedStateEpoch,
    InvalidRequest,
    PolicyViolation,
    Refusal,
    UnknownTopicOrPartition,
)
from penstock.wire.messages.share_snapshot_value import ShareSnapshotValue
from penstock.wire.messages.share_update_value import ShareUpdateValue


def read(leader_epoch: int = 0, key: SharePartitionKey = KEY, **more: Any) -> Read:
    return Read(key=key, leader_epoch=leader_epoch, **more)


def begun(limits: ShareLimits | None = None) -> ShareWorld:
    world = ShareWorld(limits)
    world.do(initialize())
    return world


def of(group: str) -> SharePartitionKey:
    return KEY._replace(group_id=group)


# Rows


@pytest.mark.parametrize(
    ("before", "added", "after"),
    [
        ([], [batch(3, 5)], [batch(3, 5)]),
        ([batch(0, 1)], [batch(3, 5)], [batch(0, 1), batch(3, 5)]),
        ([batch(0, 2)], [batch(3, 5)], [batch(0, 5)]),
        ([batch(6, 7)], [batch(3, 5)], [batch(3, 7)]),
        ([batch(0, 2), batch(6, 7)], [batch(3, 5)], [batch(0, 7)]),
        ([batch(0, 2, AVAILABLE)], [batch(3, 5)], [batch(0, 2, AVAILABLE), batch(3, 5)]),
        ([batch(0, 9, AVAILABLE)], [batch(3, 5)], [batch(0, 2, AVAILABLE), batch(3, 5), batch(6, 9, AVAILABLE)]),
        ([batch(0, 9)], [batch(3, 5, AVAILABLE)], [batch(0, 9)]),
        ([batch(0, 9)], [batch(3, 5, AVAILABLE, 2)], [batch(0, 2), batch(3, 5, AVAILABLE, 2), batch(6, 9)]),
        ([batch(0, 4), batch(7, 9)], [batch(2, 8, AVAILABLE)], [batch(0, 4), batch(5, 6, AVAILABLE), batch(7, 9)]),
        ([batch(0, 4), batch(7, 9)], [batch(2, 8, ARCHIVED)], [batch(0, 1), batch(2, 8, ARCHIVED), batch(9, 9)]),
        ([batch(2, 3), batch(5, 6)], [batch(0, 9, ARCHIVED)], [batch(0, 9, ARCHIVED)]),
        ([batch(2, 3, ARCHIVED)], [batch(2, 3)], [batch(2, 3, ARCHIVED)]),
        ([batch(2, 3, AVAILABLE, 1, 70)], [batch(2, 2, AVAILABLE, 1, 90)],
         [batch(2, 2, AVAILABLE, 1, 90), batch(3, 3, AVAILABLE, 1, 70)]),
        ([batch(2, 3, AVAILABLE, 1, 70)], [batch(2, 3, AVAILABLE, 2, 0)], [batch(2, 3, AVAILABLE, 2, 0)]),
    ],
)  # fmt: skip
def test_of_two_states_of_a_record_the_further_one_counts(
    before: list[StateBatch], added: list[StateBatch], after: list[StateBatch]
) -> None:
    ranges = StateRanges(before)
    ranges.add(added)
    assert list(ranges) == after == list(StateRanges(reversed([*before, *added])))


@pytest.mark.parametrize(
    ("start", "left"),
    [
        (0, [batch(2, 4), batch(7, 9)]),
        (3, [batch(3, 4), batch(7, 9)]),
        (5, [batch(7, 9)]),
        (9, [batch(9, 9)]),
        (10, []),
    ],
)
def test_what_lies_before_the_start_is_dropped(start: int, left: list[StateBatch]) -> None:
    ranges = StateRanges([batch(2, 4), batch(7, 9)])
    assert ranges.count_from(start) == len(left)
    ranges.drop_before(start)
    assert list(ranges) == left


@pytest.mark.parametrize(
    ("now", "said", "then"),
    [
        (Progress(5, 2), Progress(7, 0), Progress(7, 0)),
        (Progress(5, 2), Progress(-1, 3), Progress(5, 3)),
        (Progress(5, 2), Progress(5, 3), Progress(5, 3)),
        (Progress(5, 3), Progress(5, 2), Progress(5, 3)),
        (Progress(5, 3), Progress(3, 9), Progress(5, 3)),
        (Progress(5, 3), Progress(-1, -1), Progress(5, -1)),
        (Progress(-1, -1), Progress(0, 0), Progress(0, 0)),
    ],
)
def test_the_start_never_goes_back(now: Progress, said: Progress, then: Progress) -> None:
    assert now.after(said) == then


# Reading and writing


def test_increments_add_up() -> None:
    world = begun()
    world.do(write(batch(3, 4), batch(7, 7, AVAILABLE, 2), complete=2))
    world.do(write(batch(5, 6), start=4, complete=3))
    state = world.ask(read())
    assert state == ShareState(1, 4, (batch(4, 6), batch(7, 7, AVAILABLE, 2)))
    assert world.ask(Summarize(key=KEY)) == ShareSummary(1, 0, 4, 3)
    assert known(world.replayed()) == known(world.machine)


def test_a_write_that_is_repeated_late_changes_nothing() -> None:
    world = begun()
    late = write(batch(0, 3), start=0, complete=4)
    world.all([late, write(batch(6, 6, AVAILABLE, 1), start=4, complete=0), write(batch(6, 6), start=5, complete=1)])
    before = world.ask(read())
    world.do(late)
    assert world.ask(read()) == before == ShareState(1, 5, (batch(6, 6),))
    assert world.ask(Summarize(key=KEY)).delivery_complete_count == 1
    assert known(world.replayed()) == known(world.machine)


def test_what_is_not_initialized_has_a_summary_and_nothing_else() -> None:
    world = ShareWorld()
    assert world.ask(Summarize(key=KEY)) == ShareSummary(0, 0, -1, -1)
    assert world.ask(Delete(key=KEY)) is None and world.log == []
    for command in (read(), write(batch(0, 0))):
        with pytest.raises(InvalidRequest):
            world.do(command)


@pytest.mark.parametrize("start", [-1, 0, 70])
def test_an_initialization_begins_anew(start: int) -> None:
    world = begun()
    world.all([read(leader_epoch=5), write(batch(3, 4), leader_epoch=5), initialize(state_epoch=2, start=start)])
    assert world.ask(read()) == ShareState(2, start)
    assert world.ask(Summarize(key=KEY)) == ShareSummary(2, 0, start, -1 if start == -1 else 0)


def test_who_reads_as_leader_fences_those_before() -> None:
    world = begun()
    assert world.ask(read(leader_epoch=3)).start_offset == 0
    assert world.ask(Summarize(key=KEY)).leader_epoch == 3
    assert world.do(read(leader_epoch=3)).records == (), "it is written down once"
    assert known(world.replayed()) == known(world.machine)
    for command in (read(leader_epoch=2), write(batch(0, 0), leader_epoch=2)):
        with pytest.raises(FencedLeaderEpoch):
            world.do(command)
    world.all([write(batch(0, 0), leader_epoch=3), write(batch(1, 1), leader_epoch=-1)])
    assert world.ask(read(leader_epoch=3)).batches == (batch(0, 1),)


@pytest.mark.parametrize(
    ("command", "refusal"),
    [
        (initialize(state_epoch=1), FencedStateEpoch),
        (write(batch(0, 0), state_epoch=1, leader_epoch=4), FencedStateEpoch),
        (write(batch(0, 0), state_epoch=1, leader_epoch=3), FencedLeaderEpoch),
        (write(batch(0, 0), key=of("nobody")), InvalidRequest),
        (write(batch(0, 0), key=KEY._replace(partition=-1)), InvalidRequest),
        (write(batch(4, 3), state_epoch=2, leader_epoch=4), InvalidRequest),
        (write(batch(-4, 3), state_epoch=2, leader_epoch=4), InvalidRequest),
        (read(leader_epoch=3), FencedLeaderEpoch),
        (read(leader_epoch=-1), FencedLeaderEpoch),
        (read(key=of("nobody"), is_there=False), InvalidRequest),
        (read(leader_epoch=4, is_there=False), UnknownTopicOrPartition),
        (write(batch(0, 0), state_epoch=2, leader_epoch=4, is_there=False), UnknownTopicOrPartition),
        (initialize(state_epoch=2, is_there=False), UnknownTopicOrPartition),
        (initialize(KEY._replace(partition=-1)), InvalidRequest),
        (Summarize(key=KEY, is_there=False), UnknownTopicOrPartition),
        (Delete(key=KEY, is_there=False), UnknownTopicOrPartition),
        (Delete(key=KEY._replace(partition=-1)), InvalidRequest),
    ],
)
def test_what_is_refused_is_refused_as_by_kafka(command: Command, refusal: type[Refusal]) -> None:
    world = ShareWorld()
    world.all([initialize(state_epoch=2), read(leader_epoch=4)])
    before = known(world.machine)
    with pytest.raises(refusal):
        world.do(command)
    assert known(world.machine) == before


def test_who_says_no_epoch_is_held_to_none() -> None:
    world = ShareWorld()
    world.all([initialize(state_epoch=2), write(batch(0, 0), state_epoch=-1), initialize(state_epoch=-1)])
    assert world.ask(Summarize(key=KEY)).state_epoch == -1


def test_a_deleted_partition_begins_from_nothing() -> None:
    world = begun()
    world.all([read(leader_epoch=9), Delete(key=KEY)])
    assert isinstance(world.decided.records[0], Forgotten) and world.log[-1][2] is None
    assert known(world.machine) == known(world.replayed()) == {}
    world.do(initialize(state_epoch=0))
    assert world.ask(read(leader_epoch=1)).state_epoch == 0


# Snapshots


def test_after_so_many_updates_a_write_is_a_snapshot() -> None:
    world = begun(ShareLimits(updates_per_snapshot=3))
    kinds = [type(world.do(write(batch(2 * n, 2 * n))).records[0]) for n in range(8)]
    assert kinds == [Update, Update, Update, Snapshot, Update, Update, Update, Snapshot]
    snapshot = world.decided.records[0]
    assert (snapshot.snapshot_epoch, len(snapshot.batches)) == (2, 8), "the write that is due is in it"
    assert known(world.replayed()) == known(world.machine)


def test_without_updates_every_change_is_a_snapshot() -> None:
    world = begun(ShareLimits(updates_per_snapshot=0))
    world.all([write(batch(0, 0)), read(leader_epoch=4), write(batch(4, 4), start=2, leader_epoch=4)])
    assert world.ask(read(leader_epoch=4)) == ShareState(1, 2, (batch(4, 4),))
    assert [ShareCodec().decode(key, value).__class__ for _, key, value in world.log] == [Snapshot] * 4


def test_rows_and_partitions_have_a_bound() -> None:
    world = begun(ShareLimits(ranges_max=4, partitions_max=1))
    world.do(write(batch(0, 0), batch(2, 2)))
    with pytest.raises(PolicyViolation):
        world.do(write(batch(4, 4), batch(6, 6)))
    world.do(write(batch(4, 4), batch(6, 6), start=3))
    with pytest.raises(PolicyViolation):
        world.do(initialize(of("others")))
    world.do(initialize(state_epoch=2))


# Upkeep


def test_the_log_is_cut_at_the_oldest_of_the_newest_snapshots() -> None:
    world = ShareWorld(ShareLimits(updates_per_snapshot=2))
    world.all([initialize(of("a")), initialize(of("b")), write(batch(1, 1), key=of("b"))])
    assert world.cut() == 0
    world.all([initialize(of("a"), state_epoch=2)])
    assert world.cut() == 1, "the second has its snapshot there, and an update after it"
    world.all(write(batch(n, n), key=of("b")) for n in range(3, 6))
    assert world.cut() == 3
    assert known(world.replayed()) == known(world.machine)
    world.all([Delete(key=of("a")), Delete(key=of("b"))])
    assert world.cut() == len(world.log) - 1
    assert known(world.replayed()) == {}


def test_the_order_to_cut_waits_for_replication_as_every_order_does() -> None:
    world = begun()
    (reply,) = world.do(PruneDue()).replies
    assert reply.address == RUNNER and reply.value == CutLog(3, 0)
    (timer,) = world.decided.timers
    assert timer.at == world.now + world.limits.prune_interval_ms and timer.command == PruneDue()


def cold_world(limits: ShareLimits) -> ShareWorld:
    """One that is written to and two that are not, but were."""
    world = ShareWorld(limits)
    world.all(initialize(of(name)) for name in ("cold", "colder", "busy"))
    world.all(write(batch(1, 1, AVAILABLE), key=of(name), complete=5) for name in ("cold", "colder"))
    world.all(write(batch(2 * n, 2 * n), key=of("busy")) for n in range(60))
    return world


def test_a_cold_partition_does_not_keep_the_log_from_being_cut() -> None:
    world = cold_world(ShareLimits(updates_per_snapshot=10, cold_after_ms=1_000))
    assert world.cut() == 0
    before = known(world.machine)
    assert world.do(commands.ColdDue()).records == [], "none is old yet"
    world.pass_ms(999)
    world.do(write(batch(500, 500), key=of("busy"), start=490))
    world.pass_ms(1)
    renewed = world.do(commands.ColdDue()).records
    assert [record.key.group_id for record in renewed][:2] == ["cold", "colder"]
    assert world.cut() > 50
    assert known(world.replayed()) == known(world.machine)
    state = world.machine.states[of("cold")]
    assert (state.snapshot_epoch, state.create_timestamp, state.write_timestamp) == (1, START_MS, START_MS + 1_000)
    assert (state.progress, list(state.ranges)) == (Progress(0, 5), [batch(1, 1, AVAILABLE)])
    assert before[of("cold")][3:5] == (Progress(0, 5), [batch(1, 1, AVAILABLE)])


def test_a_log_of_which_most_is_of_use_is_not_written_anew() -> None:
    world = ShareWorld(ShareLimits(updates_per_snapshot=10, cold_after_ms=1_000))
    world.all(initialize(of(str(n))) for n in range(20))
    world.pass_ms(10_000_000)
    assert world.do(commands.ColdDue()).records == []


def test_a_clock_that_was_set_back_makes_snapshots_cold_at_once() -> None:
    world = cold_world(ShareLimits(updates_per_snapshot=10, cold_after_ms=1_000))
    world.set_clock_ahead(-500_000)
    assert len(world.do(commands.ColdDue()).records) == 3


def test_records_tell_the_time_of_a_clock_that_was_set() -> None:
    world = ShareWorld()
    world.set_clock_ahead(60_000)
    (record,) = world.do(initialize()).records
    assert isinstance(record, Snapshot) and record.write_timestamp == world.now + 60_000


def test_many_cold_ones_are_written_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "RENEWED_AT_ONCE", 2)
    world = cold_world(ShareLimits(updates_per_snapshot=10, cold_after_ms=1_000))
    world.pass_ms(5_000)
    assert [record.key.group_id for record in world.do(commands.ColdDue()).records] == ["cold", "colder"]
    assert world.decided.timers[0].at == world.now + upkeep.GO_ON_AFTER_MS


def test_topics_that_are_deleted_take_their_state_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "FORGOTTEN_AT_ONCE", 2)
    world = ShareWorld()
    world.all(initialize(of(name)) for name in "abc")
    world.do(initialize(KEY._replace(topic_id=OTHER_TOPIC)))
    world.do(ForgetTopics(topic_ids=frozenset((TOPIC,))))
    (again,) = world.decided.timers
    assert len(world.machine.states) == 2 and again.command is not None and again.command.address == NOBODY
    world.do(again.command)
    assert world.decided.timers == () and [key.topic_id for key in world.machine.states] == [OTHER_TOPIC]
    assert known(world.replayed()) == known(world.machine)


# Bytes


def test_fields_that_nobody_knows_are_passed_over() -> None:
    """As a later version may write them, into a row and into a whole value."""
    own = b"\x01\x91\x4e\x02\x00\x07"
    row = bytes(8) + bytes(7) + b"\x05" + b"\x02" + b"\x00\x01"
    update = bytes(4) + bytes(4) + bytes(8) + b"\x02" + row + own + own
    assert ShareUpdateValue.decode(update, 0).state_batches[0].last_offset == 5
    snapshot = bytes(12) + bytes(8) + bytes(16) + b"\x02" + row + own + own
    assert ShareSnapshotValue.decode(snapshot, 0).state_batches[0].delivery_state == ACKNOWLEDGED


def test_a_row_that_waits_says_so_in_a_field_of_our_own() -> None:
    codec = ShareCodec()
    update = Update(
        key=KEY, snapshot_epoch=0, leader_epoch=2, progress=Progress(4, -1), batches=(batch(4, 5, AVAILABLE, 2, 77),)
    )
    key, value = codec.encode(update)
    assert value is not None and b"\x01\x90\x4e\x08" + (77).to_bytes(8, "big") in value
    assert codec.decode(key, value) == update


@pytest.mark.parametrize(("key", "value"), [(b"\x00\x09", b""), (b"\x00\x00", b"\x00\x01"), (b"\x00\x01", b"\x00\x07")])
def test_records_of_another_version_are_let_be(key: bytes, value: bytes) -> None:
    rest = KEY.group_id.encode()
    whole = key + len(rest).to_bytes(2, "big") + rest + KEY.topic_id + bytes(4)
    assert ShareCodec().decode(whole, value) is None


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (str(KEY), KEY),
        ("a:b:" + str(KEY), KEY._replace(group_id="a:b:workers")),
        ("g:AAAAAAAAAAAAAAAAAAAAAA==:+7", SharePartitionKey("g", type(TOPIC)(bytes(16)), 7)),
    ],
)
def test_a_key_is_read_as_kafka_reads_it(text: str, key: SharePartitionKey) -> None:
    assert SharePartitionKey.parse(text) == key


@pytest.mark.parametrize(
    "text", ["", "g", "g:0", " :AAAAAAAAAAAAAAAAAAAAAA:0", ":AAAAAAAAAAAAAAAAAAAAAA:0", "g:AAAA:0",
             "g:AAAAAAAAAAAAAAAAAAAAAA:", "g:AAAAAAAAAAAAAAAAAAAAAA:x", "g:AAAAAAAAAAAAAAAAAAAAAA:2147483648",
             "g:A+AAAAAAAAAAAAAAAAAAAA:0"],
)  # fmt: skip
def test_a_key_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest):
        SharePartitionKey.parse(text)
