"""A replica moves to another data folder while it is in use: nothing is lost, whoever leads, and wherever it stops."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.logs import ORDERS_0, a_batch, a_marker, read_all
from tests.support.moves import TwoFolders, append

from penstock.errors import Fatal, KafkaStorageError
from penstock.log import CannotCopy
from penstock.log.file_pool import names_in
from penstock.replication import ALL
from penstock.replication.durability import Durability
from penstock.wire.markers import MarkerType


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Callable[..., TwoFolders]]:
    made: list[TwoFolders] = []

    def make_one(**more: Any) -> TwoFolders:
        made.append(TwoFolders(tmp_path / str(len(made)), **more))
        return made[-1]

    yield make_one
    for world in made:
        await world.close()


@pytest.mark.parametrize("leads", [True, False])
async def test_a_moved_log_has_the_same_bytes_epochs_and_marks(make: Callable[..., TwoFolders], leads: bool) -> None:
    world = make()
    before = world.make_log(200)
    partition = world.partition(leads=leads)
    bytes_before = read_all(before)
    await world.begin(partition).run()

    assert world.homes == ["b"] and partition.log is world.log is not before
    assert read_all(partition.log) == bytes_before
    assert partition.log.epochs.snapshot() == before.epochs.snapshot()
    assert partition.log.high_watermark == partition.high_watermark == before.high_watermark
    (left,) = (name for name in names_in(world.a.path) if name.startswith("orders"))
    assert left.endswith("-delete")
    assert "penstock-moved-in" not in names_in(world.b.path / "orders-0")


async def test_records_that_come_meanwhile_move_too(make: Callable[..., TwoFolders]) -> None:
    world = make()
    world.make_log(300)
    partition = world.partition()
    running = asyncio.create_task(world.begin(partition).run())
    while not running.done():
        append(partition, leader_epoch=2)
        await asyncio.sleep(0.001)
    await running
    append(partition, leader_epoch=2, count=5)

    end_offset = partition.log.end_offset
    world.crash_and_open()
    assert world.homes == ["b"] and world.log.end_offset == end_offset > 305


async def test_what_is_acknowledged_as_flushed_stays_flushed(make: Callable[..., TwoFolders]) -> None:
    world = make(settings={"penstock.flush.before.ack": "true"})
    world.make_log(50)
    partition = world.partition()
    running = asyncio.create_task(world.begin(partition).run())
    while not running.done():
        appended = partition.append(a_batch(0, value_bytes=100)[1], acks=1)
        acknowledged = partition.acknowledged(appended, acks=1)
        if acknowledged is not None:
            await acknowledged
        assert partition.log.recovery_point >= appended.next_offset
    await running
    assert world.homes == ["b"] and partition.log.recovery_point == partition.log.end_offset > 50


async def test_a_cut_at_the_origin_is_followed(make: Callable[..., TwoFolders]) -> None:
    world = make()
    log = world.make_log(100, leader_epoch=1)
    partition = world.partition(leads=False)
    move = world.begin(partition)
    await move._copy_all()
    log.truncation.cut(to=80)
    for _ in range(40):  # what another leader has there
        log.append([a_batch(log.end_offset, value_bytes=90, leader_epoch=2)])
    await move.run()
    assert world.log.epochs.snapshot() == [(1, 0), (2, 80)]
    assert read_all(world.log) == read_all_of_detached(log, world)


def read_all_of_detached(log: Any, world: TwoFolders) -> bytes:
    (gone,) = world.a.path.glob("orders-0.*-delete")
    return b"".join(path.read_bytes() for path in sorted(gone.glob("*.log")))


async def test_a_copy_that_has_more_than_the_log_after_a_power_failure_is_cut(make: Callable[..., TwoFolders]) -> None:
    world = make()
    world.make_log(100, leader_epoch=1)
    move = world.begin(world.partition(leads=False))
    await move._copy_all()
    world.crash()
    _first, *others = sorted((world.a.path / "orders-0").glob("*.log"))
    for lost in others:
        lost.unlink()
    world.open()
    assert world.log.end_offset < 100
    kept = world.log.end_offset
    world.log.append([a_batch(kept, value_bytes=100, leader_epoch=5)])
    partition = world.partition(leads=False)
    await world.go_on(partition).run()
    assert world.log.epochs.snapshot() == [(1, 0), (5, kept)]
    assert world.log.end_offset == kept + 1


@pytest.mark.parametrize("start", [1, 30, 77])
async def test_a_log_whose_head_is_gone_moves_without_it(make: Callable[..., TwoFolders], start: int) -> None:
    world = make()
    log = world.make_log(0)
    for _ in range(20):
        log.append([a_batch(log.end_offset, count=5, value_bytes=50)])
    log.high_watermark = 100
    log.retention.advance_start(start)  # within a batch
    partition = world.partition()
    await world.begin(partition).run()
    assert (world.log.start_offset, world.log.end_offset) == (start, 100)


async def test_producers_and_open_transactions_move_too(make: Callable[..., TwoFolders]) -> None:
    world = make()
    log = world.make_log(0)
    log.append([a_batch(0, count=2, producer_id=7, producer_epoch=0, base_sequence=0, transactional=True)])
    log.append([a_batch(2, count=2, producer_id=8, producer_epoch=0, base_sequence=0, transactional=True)])
    log.append([a_marker(4, MarkerType.ABORT, producer_id=8)])
    log.high_watermark = 5
    partition = world.partition()
    await world.begin(partition).run()
    assert partition.last_stable_offset == 0
    assert [p.producer_id for p in world.log.producers.describe() if p.transaction_first_offset >= 0] == [7]
    assert [(a.producer_id, a.first_offset) for a in world.log.aborts.between(0, 5)] == [(8, 2)]
    world.crash_and_open()
    assert {p.producer_id for p in world.log.producers.describe()} == {7, 8}


async def test_a_producer_whose_records_are_deleted_is_still_known_after_a_move(
    make: Callable[..., TwoFolders],
) -> None:
    world = make()
    log = world.make_log(0)
    log.append([a_batch(0, producer_id=7, producer_epoch=0, base_sequence=0)])
    for _ in range(100):
        log.append([a_batch(log.end_offset, value_bytes=100)])
    log.high_watermark = log.end_offset
    log.retention.advance_start(90)
    log.retention.delete_old_segments(world.clock.now(), log.end_offset)
    assert log.segments[0].base_offset > 0
    await world.begin(world.partition()).run()
    assert [p.producer_id for p in world.log.producers.describe()] == [7]
    world.crash_and_open()
    assert [p.producer_id for p in world.log.producers.describe()] == [7]


async def test_a_damaged_batch_gives_the_move_up(make: Callable[..., TwoFolders]) -> None:
    world = make()
    log = world.make_log(100)
    with open(log.segments[1].file.path, "r+b") as file:
        file.seek(80)
        file.write(b"????")
    with pytest.raises(CannotCopy, match="checksum"):
        await world.begin(world.partition()).run()
    assert world.homes == ["a"] and not log.is_being_copied


async def test_a_copy_that_cannot_be_written_leaves_the_log_where_it_is(make: Callable[..., TwoFolders]) -> None:
    world = make()
    log = world.make_log(100)
    partition = world.partition()
    move = world.begin(partition)
    move.copy.health.take_offline("disk gone", stops_reads=False)
    with pytest.raises(KafkaStorageError):
        await move.run()
    append(partition, leader_epoch=2)
    assert world.homes == ["a"] and log.end_offset == 101 and log.trouble is None


STEPS = ["prepare", "hold", "promote", "remove_later", "remove_note"]


class Killed(BaseException):
    pass


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("step", STEPS)
async def test_a_crash_at_any_step_of_the_exchange_leaves_one_whole_log(
    make: Callable[..., TwoFolders], monkeypatch: pytest.MonkeyPatch, step: str, after: bool
) -> None:
    world = make()
    world.make_log(150)
    partition = world.partition()
    wanted = read_all(world.log)
    move = world.begin(partition)
    interrupt(world, step, after=after, monkeypatch=monkeypatch)
    with pytest.raises(Killed):
        await move.run()
    for file in world.a.path.glob("*/*.log"):
        assert file.exists()
    world.crash_and_open()
    monkeypatch.undo()
    assert len(world.homes) == 1 and world.log.trouble is None
    assert read_all(world.log) == wanted
    if world.homes == ["a"]:
        assert list(world.b.futures.logs) == [ORDERS_0]
        await world.go_on(world.partition()).run()
    assert world.homes == ["b"] and read_all(world.log) == wanted
    world.crash_and_open()
    assert world.homes == ["b"] and not world.a.futures.logs and not world.b.futures.logs


def interrupt(world: TwoFolders, step: str, *, after: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Die before or after a step, whether it is awaited or not."""
    owner: Any = {
        "prepare": world.b.futures,
        "hold": Durability,
        "promote": world.b.futures,
        "remove_later": world.a,
    }.get(step)
    if step == "remove_note":
        monkeypatch.setattr("penstock.log.folders.future_logs.remove_note", dying(lambda _: None, after=False))
        return
    original = getattr(owner, step)
    wrapped = dying_async(original, after=after) if asyncio.iscoroutinefunction(original) else dying(original, after)
    monkeypatch.setattr(owner, step, wrapped)


def dying(original: Callable[..., Any], after: bool) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        if after:
            original(*arguments)
        raise Killed

    return call


def dying_async(original: Callable[..., Any], *, after: bool) -> Callable[..., Any]:
    async def call(*arguments: Any) -> Any:
        if after:
            await original(*arguments)
        raise Killed

    return call


async def test_records_written_after_the_exchange_win_over_the_old_log(
    make: Callable[..., TwoFolders], monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make()
    world.make_log(50)
    partition = world.partition()
    move = world.begin(partition)
    monkeypatch.setattr(world.a, "remove_later", dying(lambda _: None, after=False))
    with pytest.raises(Killed):
        await move.run()
    append(partition, leader_epoch=2, count=10)
    world.crash_and_open()
    assert world.homes == ["b"] and world.log.end_offset == 60


async def test_a_log_can_move_back(make: Callable[..., TwoFolders]) -> None:
    world = make()
    world.make_log(50)
    partition = world.partition()
    await world.begin(partition).run()
    append(partition, leader_epoch=2, count=10)
    world.folders.reverse()
    await world.begin(partition).run()
    world.folders.reverse()
    assert world.homes == ["a"] and world.log.end_offset == 60
    assert partition.append(a_batch(0)[1], acks=ALL).base_offset == 60


async def test_compaction_waits_for_the_move(make: Callable[..., TwoFolders]) -> None:
    world = make(settings={"cleanup.policy": "compact"})
    log = world.make_log(100)
    log.flushing.flush()
    world.a.write_checkpoints()
    move = world.begin(world.partition())
    log.is_being_copied = True
    with pytest.raises(ValueError, match="copied"):
        log.swapping.replace([log.segments[0]], [log.segments[0].base_offset])
    await move.run()
    assert not world.log.is_being_copied and log.is_being_copied


async def test_an_empty_log_moves_with_its_offsets(make: Callable[..., TwoFolders]) -> None:
    world = make()
    log = world.make_log(60)
    log.retention.advance_start(60)
    log.retention.delete_old_segments(world.clock.now(), 60)
    await world.begin(world.partition()).run()
    assert (world.log.start_offset, world.log.end_offset) == (60, 60)
    world.crash_and_open()
    assert world.homes == ["b"] and (world.log.start_offset, world.log.end_offset) == (60, 60)


async def test_a_log_in_two_folders_without_a_note_refuses_to_start(make: Callable[..., TwoFolders]) -> None:
    world = make()
    world.make_log(10)
    world.crash()
    shutil.copytree(world.a.path / "orders-0", world.b.path / "orders-0")
    with pytest.raises(Fatal, match="several data folders"):
        world.open()
    world.crash()
    shutil.rmtree(world.b.path / "orders-0")
    world.open()


async def test_an_earlier_log_in_the_way_gives_the_move_up(make: Callable[..., TwoFolders]) -> None:
    world = make()
    world.make_log(10)
    move = world.begin(world.partition())
    (world.b.path / "orders-0").mkdir()
    with pytest.raises(FileExistsError):
        await move.run()
    assert world.homes == ["a"]
    (world.b.path / "orders-0").rmdir()
