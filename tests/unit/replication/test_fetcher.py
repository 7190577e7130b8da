"""A follower's fetcher against a leader that does as the test says, over a real socket."""

import asyncio
import errno
import struct
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from structlog.testing import capture_logs
from tests.support.logs import TOPIC_ID, StillClock, a_batch, headers_in, read_all
from tests.support.replicas import Replicas

from penstock.cluster import Endpoint
from penstock.errors import (
    FetchSessionIdNotFound,
    NotLeaderOrFollower,
    OffsetOutOfRange,
    ReplicaNotAvailable,
    UnknownLeaderEpoch,
)
from penstock.log.flushing import Flushing
from penstock.model import BrokerId
from penstock.replication import Throttle, fetcher
from penstock.replication.fetcher import LeaderFetcher
from penstock.replication.followed_partition import FollowedPartition
from penstock.replication.follower_log import FollowerLog
from penstock.replication.log_port import on_disk
from penstock.replication.machine import Diverging
from penstock.replication.peer_connection import PeerConnection
from penstock.settings import Config
from penstock.wire.fetch import FetchPartition, FetchRequest, PartitionAnswer, decode_request, encode_response
from penstock.wire.framing import RequestHeader
from penstock.wire.replica_fetch import VERSION

LEADER, ME = BrokerId(1), BrokerId(2)
WITHIN_S = 60.0


class Records:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.size = len(data)


class ScriptedLeader:
    """Takes fetches and answers them when it is told to."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue[tuple[int, FetchRequest]] = asyncio.Queue(100)
        self.connections = 0
        self._dribbled = False
        self._writer: asyncio.StreamWriter | None = None
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)

    @property
    def address(self) -> tuple[str, int]:
        assert self._server is not None
        host, port = self._server.sockets[0].getsockname()[:2]
        return host, port

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writer = writer
        try:
            while True:
                (size,) = struct.unpack(">i", await reader.readexactly(4))
                frame = memoryview(await reader.readexactly(size))
                header, position = RequestHeader.decode(frame)
                self.asked.put_nowait((header.correlation_id, decode_request(frame, position, VERSION)))
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def next(self) -> tuple[int, FetchRequest]:
        return await asyncio.wait_for(self.asked.get(), WITHIN_S)

    async def next_naming(self, index: int = 0) -> tuple[int, FetchPartition]:
        """The next fetch, which must name this partition."""
        correlation_id, request = await self.next()
        named = {part.index: part for _, parts in request.topics for part in parts}
        return correlation_id, named[index]

    def answer(self, correlation_id: int, *answers: PartitionAnswer, error_code: int = 0, session_id: int = 7) -> None:
        topics: Any = [(TOPIC_ID, list(answers))] if answers else []
        chunks = encode_response(VERSION, topics, error_code=error_code, session_id=session_id)
        body = b"".join(chunk.data if isinstance(chunk, Records) else bytes(chunk) for chunk in chunks)
        assert self._writer is not None
        self._writer.write(struct.pack(">iib", len(body) + 5, correlation_id, 0) + body)

    def dribble(self) -> None:
        """A little more of a long answer."""
        assert self._writer is not None
        self._writer.write(struct.pack(">i", 1_000_000) if not self._dribbled else bytes(1))
        self._dribbled = True

    def hang_up(self) -> None:
        assert self._writer is not None
        self._writer.transport.abort()

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        if self._writer is not None:
            self._writer.close()


class Bench:
    """Broker 2 of three follows broker 1, which is scripted."""

    def __init__(self, replicas: Replicas, leader: ScriptedLeader) -> None:
        self.replicas = replicas
        self.partition = replicas[ME]
        self.leader = leader
        self.own_epoch = 20
        self.unreachable: list[int] = []
        self.silent: list[int] = []
        self.greetings = 0
        self.tasks: set[asyncio.Task[Any]] = set()
        config = Config.for_broker({"replica.fetch.backoff.ms": "50"})
        self.fetcher = LeaderFetcher(
            LEADER,
            me=ME,
            config=config,
            locate=lambda _: Endpoint(*leader.address),
            own_epoch=lambda: self.own_epoch,
            throttle=Throttle.of_follower(ME, config, StillClock()),
            spawn=self.spawn,
            on_unreachable=self.unreachable.append,
            on_silent=self.silent.append,
        )

    def spawn(self, work: Any) -> None:
        self.tasks.add(asyncio.get_running_loop().create_task(work))

    async def until(self, holds: Callable[[], object]) -> None:
        async with asyncio.timeout(WITHIN_S):
            while not holds():
                await asyncio.sleep(0.002)


@asynccontextmanager
async def a_bench(folder: Path, **settings: str) -> AsyncIterator[Bench]:
    leader = ScriptedLeader()
    await leader.start()
    topic = {name.replace("_", "."): value for name, value in settings.items()}
    replicas = Replicas(folder, settings=topic)
    bench = Bench(replicas, leader)
    bench.fetcher.follow(bench.partition)
    running = asyncio.create_task(bench.fetcher.run())
    try:
        yield bench
    finally:
        for task in (running, *bench.tasks):
            task.cancel()
        await asyncio.gather(running, *bench.tasks, return_exceptions=True)
        await leader.stop()
        await replicas.close()


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    async with a_bench(tmp_path) as made:
        yield made


def records_at(offset: int, *, mark: int = 0, epoch: int = 1, start: int = 0) -> PartitionAnswer:
    _, view = a_batch(offset, leader_epoch=epoch)
    return PartitionAnswer(0, 0, mark, -1, start, records=Records(bytes(view)))


def offsets_of(bench: Bench) -> list[int]:
    return [header.base_offset for header in headers_in(read_all(on_disk(bench.partition.log)))]


def begins_at(bench: Bench) -> int:
    """Where the first record is that is still kept, deleted or not."""
    return on_disk(bench.partition.log).segments[0].base_offset


async def test_the_first_fetch_names_all_and_the_next_only_what_was_taken_in(bench: Bench) -> None:
    first, request = await bench.leader.next()
    assert (request.session_id, request.session_epoch, request.replica_id, request.replica_epoch) == (0, 0, ME, 20)
    ((topic_id, (asked,)),) = request.topics
    assert (topic_id, asked.offset, asked.last_fetched_epoch, asked.current_leader_epoch) == (TOPIC_ID, 0, -1, 1)
    bench.leader.answer(first, records_at(0))
    second, request = await bench.leader.next()
    assert (request.session_id, request.session_epoch) == (7, 1)
    ((_, (asked,)),) = request.topics
    assert (asked.offset, asked.last_fetched_epoch, asked.high_watermark) == (1, 1, 0)
    bench.leader.answer(second)
    _, request = await bench.leader.next()
    assert request.topics == [] and request.session_epoch == 2


async def test_the_high_watermark_is_taken_over_as_far_as_the_records_are_here(bench: Bench) -> None:
    first, _ = await bench.leader.next()
    bench.leader.answer(first, records_at(0, mark=5))
    await bench.leader.next()
    assert bench.partition.high_watermark == 1


async def test_a_diverging_tail_is_cut_and_asked_for_anew(bench: Bench) -> None:
    first, _ = await bench.leader.next()
    bench.leader.answer(first, records_at(0))
    second, _ = await bench.leader.next_naming()
    bench.leader.answer(second, PartitionAnswer(0, 0, 0, -1, 0, diverging_epoch=(1, 0)))
    _, asked = await bench.leader.next_naming()
    assert asked.offset == 0 and bench.partition.log.end_offset == 0


@pytest.mark.parametrize("committed", [0, 1])
async def test_what_lies_below_a_new_leaders_start_is_kept_only_if_it_was_committed(
    bench: Bench, committed: int
) -> None:
    first, _ = await bench.leader.next()
    bench.leader.answer(first, records_at(0, mark=committed))
    await bench.leader.next_naming()
    bench.replicas.elect(LEADER)
    bench.fetcher.follow(bench.partition)
    second, asked = await bench.leader.next_naming()
    assert (asked.offset, asked.last_fetched_epoch) == (1, 1)
    bench.leader.answer(second)
    bench.leader.answer(second, records_at(1, mark=2, epoch=2, start=1))
    third, asked = await bench.leader.next_naming()
    if not committed:
        assert (asked.offset, asked.last_fetched_epoch, asked.log_start_offset) == (1, -1, 1)
        bench.leader.answer(third, records_at(1, mark=2, epoch=2, start=1))
        _, asked = await bench.leader.next_naming()
    assert (asked.offset, asked.log_start_offset) == (2, 1)
    assert begins_at(bench) == 1 - committed


async def test_what_was_taken_from_this_leader_is_kept_when_all_of_it_is_deleted(bench: Bench) -> None:
    first, _ = await bench.leader.next()
    bench.leader.answer(first, records_at(0))
    second, _ = await bench.leader.next_naming()
    bench.leader.answer(second, records_at(1, mark=1, start=1))
    _, asked = await bench.leader.next_naming()
    assert (asked.offset, asked.log_start_offset) == (2, 1) and begins_at(bench) == 0


async def test_a_follower_out_of_range_begins_anew_at_the_leaders_start(bench: Bench) -> None:
    first, _ = await bench.leader.next()
    bench.leader.answer(first, PartitionAnswer(0, OffsetOutOfRange.code, 90, -1, 40))
    _, asked = await bench.leader.next_naming()
    assert (asked.offset, asked.log_start_offset) == (40, 40)


async def test_of_many_logs_to_be_begun_anew_one_a_turn_is_and_those_that_went_meanwhile_are_not(bench: Bench) -> None:
    """Each is written down before anything else, which takes a while; a new broker may have thousands."""
    fetcher, loop = bench.fetcher, asyncio.get_running_loop()
    turns: list[int] = [0]

    class Slow:
        """As much of a partition as is begun anew."""

        role, log = bench.partition.role, bench.partition.log
        topic_partition, leader_epoch, is_flushed = bench.partition.topic_partition, bench.partition.leader_epoch, True
        follower_log = property(lambda self: self)

        def cut_ahead(self, _: int) -> None:
            return None

        def start_anew(self, _: int) -> None:
            if not turns[-1]:
                loop.call_soon(turns.append, 0)
            turns[-1] += 1

    await bench.leader.next()
    places = [FollowedPartition((TOPIC_ID, index), cast("Any", Slow())) for index in range(1, 6)]
    for place in places:
        fetcher.places[place.key] = place
        fetcher._intake.cuts.cut_or_wait(place, 40)
    del fetcher.places[places[3].key]
    await bench.until(lambda: sum(turns) == 4 and not fetcher._intake.cuts._waiting)
    assert max(turns) == 1 and not any(place.is_busy for place in places if place is not places[3])


async def test_what_the_disk_must_say_before_cuts_a_thread_writes_for_many(bench: Bench) -> None:
    """And where it could not, each cut still does what is to be done."""
    fetcher, here = bench.fetcher, threading.get_ident()
    written: list[int] = []
    told: list[tuple[int, int]] = []

    class Told:
        """As much of a partition as is begun anew, with something to be written first."""

        role, log = bench.partition.role, bench.partition.log
        topic_partition, leader_epoch, is_flushed = bench.partition.topic_partition, bench.partition.leader_epoch, True
        follower_log = property(lambda self: self)

        def cut_ahead(self, _: int) -> Callable[[], None]:
            return self.write

        def write(self) -> None:
            written.append(threading.get_ident())
            if len(written) == 2:
                raise OSError(errno.EIO, "Input/output error")

        def start_anew(self, offset: int) -> None:
            told.append((offset, len(written)))

    await bench.leader.next()
    places = [FollowedPartition((TOPIC_ID, index), cast("Any", Told())) for index in range(1, 6)]
    for place in places:
        fetcher.places[place.key] = place
        fetcher._intake.cuts.cut_or_wait(place, 40)
    assert not told, "not even the first waits for the disk on the loop"
    await bench.until(lambda: len(told) == 5)
    assert told == [(40, 5)] * 5 and here not in written


async def test_a_log_that_waits_to_be_cut_is_cut_once_whatever_else_was_asked_before(bench: Bench) -> None:
    """Cut by an old word again when more has come, it would lose what the leader counts on."""
    fetcher = bench.fetcher
    waiting: list[Coroutine[Any, Any, Any]] = []
    cuts: list[object] = []

    class Other:
        """As much of a partition as is cut."""

        role, log = bench.partition.role, bench.partition.log
        topic_partition, leader_epoch, is_flushed = bench.partition.topic_partition, bench.partition.leader_epoch, False
        follower_log = property(lambda self: self)
        cut_back = staticmethod(cuts.append)

        def where_to_part(self, diverging: Diverging, *, leaders_start: int) -> Diverging:
            return diverging

        def cut_ahead(self, _: object) -> None:
            return None

    first, _ = await bench.leader.next()
    bench.leader.answer(first, records_at(0))
    second, _ = await bench.leader.next_naming()
    other = fetcher.places[TOPIC_ID, 1] = FollowedPartition((TOPIC_ID, 1), cast("Any", Other()))
    other.asked_in = fetcher.places[TOPIC_ID, 0].asked_in
    fetcher._intake.cuts._spawn = waiting.append  # nobody's turn comes before the test says so
    diverging = [PartitionAnswer(index, 0, 0, -1, 0, diverging_epoch=(1, 0)) for index in (1, 0)]
    bench.leader.answer(second, *diverging)
    bench.leader.answer(second, diverging[1])
    await bench.until(lambda: fetcher._session.answered == 3)
    assert len(cuts) == 1 and bench.partition.log.end_offset == 1, "the other one's turn is first"
    for work in waiting:
        if "_cut_in_turns" in str(work):
            await work
        else:
            work.close()
    assert not fetcher._intake.cuts._waiting and bench.partition.log.end_offset == 0
    while not (request := (await bench.leader.next())[1]).topics:
        pass
    assert [(asked.index, asked.offset) for asked in request.topics[0][1]] == [(0, 0)]


@pytest.mark.parametrize("refusal", [UnknownLeaderEpoch, NotLeaderOrFollower, ReplicaNotAvailable])
async def test_what_is_refused_is_asked_for_again_after_a_pause(bench: Bench, refusal: Any) -> None:
    correlation_id, _ = await bench.leader.next()
    with capture_logs() as said:
        for count in range(6):
            assert len(said) == (count >= 4), "said once, when the pauses have become as long as they get"
            bench.leader.answer(correlation_id, PartitionAnswer(0, refusal.code))
            correlation_id, request = await bench.leader.next()
            while not request.topics:
                # A fetch that names nothing is parked meanwhile; the pause over, another one follows it.
                correlation_id, request = await bench.leader.next()
    assert [line["event"] for line in said] == ["fetch refused"]
    bench.leader.answer(correlation_id, records_at(0))
    await bench.until(lambda: bench.partition.log.end_offset == 1)


async def test_a_session_that_the_leader_does_not_know_is_begun_anew(bench: Bench) -> None:
    first, _ = await bench.leader.next()
    bench.leader.answer(first, error_code=FetchSessionIdNotFound.code, session_id=0)
    _, request = await bench.leader.next()
    assert request.session_epoch == 0 and len(request.topics) == 1 and bench.leader.connections == 2


async def test_a_leader_that_has_not_heard_of_this_broker_yet_is_asked_again(bench: Bench) -> None:
    first, _ = await bench.leader.next()
    bench.leader.answer(first, PartitionAnswer(0, NotLeaderOrFollower.code), session_id=0)  # as to a stranger
    again, asked = await bench.leader.next_naming(0)
    assert asked.offset == 0
    bench.leader.answer(again, records_at(0))
    await bench.until(lambda: offsets_of(bench) == [0])


async def test_a_broken_connection_is_reported_and_another_one_tried(bench: Bench) -> None:
    await bench.leader.next()
    bench.leader.hang_up()
    _, request = await bench.leader.next()
    assert request.session_epoch == 0 and bench.unreachable == [LEADER]


async def test_a_new_registration_begins_a_new_session_while_a_fetch_is_parked(bench: Bench) -> None:
    first, _ = await bench.leader.next()
    bench.leader.answer(first)
    parked, request = await bench.leader.next()
    assert request.topics == []
    bench.own_epoch = 99
    bench.fetcher.try_now()
    anew, request = await bench.leader.next()
    assert (request.session_id, request.session_epoch, request.replica_epoch) == (0, 0, 99)
    assert len(request.topics) == 1
    bench.leader.answer(parked, session_id=7)
    bench.leader.answer(anew, records_at(0), session_id=8)
    _, request = await bench.leader.next()
    assert (request.session_id, request.session_epoch) == (8, 1)


async def test_after_a_new_registration_an_answer_that_is_late_is_not_waited_for(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packets were lost: on a new connection the next ones arrive at once, on this one when the kernel thinks fit."""
    first, _ = await bench.leader.next_naming()
    bench.leader.answer(first)
    await bench.leader.next()  # a fetch that is never answered
    bench.fetcher.try_now()
    assert bench.leader.connections == 1, "it is not late yet"
    monkeypatch.setattr(fetcher, "LATE_S", -1.0)
    bench.own_epoch = 21
    bench.fetcher.try_now()
    await bench.leader.next_naming()
    assert bench.leader.connections == 2 and bench.unreachable == []


async def greeted(bench: Bench, *, is_answered: bool) -> None:
    """From now on another connection is answered, or is not."""

    async def authenticate_on(_connection: PeerConnection, _whom: BrokerId) -> None:
        bench.greetings += 1
        if not is_answered:
            raise TimeoutError

    bench.fetcher._authenticate = authenticate_on


async def test_a_connection_without_an_answer_is_left_once_another_one_gets_through(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a cut in the network nobody registers anew where only one way was closed, or only between two brokers."""
    monkeypatch.setattr(fetcher, "LOOKS_EVERY_S", 0.01)
    first, _ = await bench.leader.next_naming()
    bench.leader.answer(first)
    await bench.leader.next()  # a fetch that is never answered
    await greeted(bench, is_answered=False)
    monkeypatch.setattr(fetcher, "LATE_S", -1.0)
    assert bench.silent == []
    await bench.until(lambda: bench.greetings >= 3)
    assert set(bench.silent) == {LEADER}, "clients that ask for it now had better wait a moment"
    assert bench.fetcher._connection is not None and bench.leader.asked.empty(), "a leader that hangs may come back"
    await greeted(bench, is_answered=True)
    again, asked = await bench.leader.next_naming()
    assert (again, asked.offset) == (1, 0), "a new session"
    assert bench.unreachable == [], "which is no reason to take it for dead"
    bench.leader.answer(again, records_at(0))
    await bench.until(lambda: bench.partition.log.end_offset == 1)


async def test_an_answer_that_is_slow_to_come_is_not_asked_for_anew_for_ever(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetcher, "LOOKS_EVERY_S", 0.01)
    await greeted(bench, is_answered=True)
    first, _ = await bench.leader.next_naming()
    bench.leader.answer(first)
    await bench.leader.next()
    monkeypatch.setattr(fetcher, "LATE_S", -1.0)
    patience: list[float] = []
    for _ in range(4):
        await bench.leader.next_naming()  # and is not answered
        patience.append(bench.fetcher._patience_s)
    assert patience == sorted(patience) and patience[-1] > 4 * patience[0] > 0
    await asyncio.sleep(patience[-1] / 4)
    bench.leader.answer(1, records_at(0))
    await bench.until(lambda: bench.partition.log.end_offset == 1)
    assert bench.fetcher._patience_s >= patience[-1] / 2, "the next answer may take as long as this one did"


async def test_a_connection_on_which_something_comes_is_waited_for(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetcher, "LOOKS_EVERY_S", 0.02)
    first, _ = await bench.leader.next_naming()
    bench.leader.answer(first)
    await bench.leader.next()
    monkeypatch.setattr(fetcher, "LATE_S", -1.0)
    await greeted(bench, is_answered=True)
    before = bench.leader.connections
    until = asyncio.get_running_loop().time() + 0.2
    while asyncio.get_running_loop().time() < until:  # an answer that takes its time to arrive
        bench.leader.dribble()
        await asyncio.sleep(0)
    assert bench.leader.connections == before and bench.greetings == 0


async def test_a_partition_that_is_new_here_is_named_while_a_fetch_is_parked(bench: Bench) -> None:
    first, _ = await bench.leader.next()
    bench.leader.answer(first)
    await bench.leader.next()
    bench.replicas._change(leader_epoch=2)
    bench.partition.leadership.assign(bench.replicas.state)
    bench.fetcher.follow(bench.partition)
    _, asked = await bench.leader.next_naming()
    assert asked.current_leader_epoch == 2


async def test_an_answer_of_an_earlier_epoch_is_not_taken_in(bench: Bench) -> None:
    first, _ = await bench.leader.next()
    bench.replicas._change(leader_epoch=2)
    bench.partition.leadership.assign(bench.replicas.state)
    bench.leader.answer(first, records_at(0))
    second, _ = await bench.leader.next()
    bench.leader.answer(second)
    await bench.leader.next()
    assert bench.partition.log.end_offset == 0


async def test_a_damaged_batch_is_asked_for_again(bench: Bench) -> None:
    first, _ = await bench.leader.next()
    good = records_at(0)
    damaged = bytearray(good.records.data)
    damaged[-1] ^= 1
    bench.leader.answer(first, PartitionAnswer(0, 0, 0, -1, 0, records=Records(bytes(damaged))))
    correlation_id, request = await bench.leader.next()
    while not request.topics:
        correlation_id, request = await bench.leader.next()
    bench.leader.answer(correlation_id, good)
    await bench.until(lambda: bench.partition.log.end_offset == 1)


async def test_the_leader_hears_of_records_when_they_are_flushed(tmp_path: Path) -> None:
    async with a_bench(tmp_path, penstock_flush_before_ack="true") as bench:
        first, _ = await bench.leader.next()
        bench.leader.answer(first, records_at(0))
        _, request = await bench.leader.next()
        while not request.topics:
            _, request = await bench.leader.next()
        ((_, (asked,)),) = request.topics
        assert asked.offset == 1 and bench.partition.log.recovery_point == 1


async def test_a_flush_that_could_not_begin_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Out of descriptors, for one: the partition must not be forgotten, nor the broker end by it."""
    async with a_bench(tmp_path, penstock_flush_before_ack="true") as bench:
        first, _ = await bench.leader.next()
        log = bench.partition.log

        def out_of_descriptors(*_: object, **__: object) -> Any:
            raise OSError(errno.EMFILE, "Too many open files")

        with monkeypatch.context() as faulty:
            faulty.setattr(Flushing, "begin", out_of_descriptors)
            bench.leader.answer(first, records_at(0))
            await bench.until(lambda: log.trouble is not None)
        assert log.trouble is not None and log.trouble.may_pass
        assert on_disk(log).health.try_again()
        _, request = await bench.leader.next()
        while not request.topics:
            bench.leader.answer(_, PartitionAnswer(0, 0, 0, -1, 0))
            _, request = await bench.leader.next()
        ((_, (asked,)),) = request.topics
        assert asked.offset == 1 and log.recovery_point == 1
        assert all(task.exception() is None for task in bench.tasks if task.done())


async def test_what_goes_wrong_with_one_partition_is_its_own_trouble(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection is for all of them: it must not end, or none of them would get on."""
    first, _ = await bench.leader.next()
    failures: list[Exception] = [OSError(errno.EIO, "I/O error"), ZeroDivisionError()]

    def fail(_log: FollowerLog, **_: object) -> None:
        if failures:
            raise failures.pop()
        monkeypatch.undo()

    monkeypatch.setattr(FollowerLog, "take_over", fail)
    answered = first
    while failures:
        bench.leader.answer(answered, PartitionAnswer(0, 0, 0, -1, 0))
        answered, request = await bench.leader.next()
        while not request.topics:
            bench.leader.answer(answered)
            answered, request = await bench.leader.next()
    bench.leader.answer(answered, records_at(0))
    await bench.until(lambda: bench.partition.log.end_offset == 1)
    assert bench.leader.connections == 1


async def test_a_log_that_takes_no_more_records_leaves_the_in_sync_set_and_asks_for_none(bench: Bench) -> None:
    first, _ = await bench.leader.next()
    bench.partition.log.health.take_offline("I/O error", stops_reads=False)
    bench.leader.answer(first, records_at(0))
    _, request = await bench.leader.next()
    assert request.topics == [] and ME not in bench.replicas.state.in_sync


async def test_what_an_earlier_epoch_said_is_no_answer_to_what_this_one_asked(bench: Bench) -> None:
    """A leader that led before, and not in between: its old word would cut what was committed meanwhile."""
    first, _ = await bench.leader.next()
    bench.leader.answer(first, records_at(0))
    second, asked = await bench.leader.next_naming()
    assert asked.offset == 1
    bench.replicas._change(leader_epoch=2)
    bench.partition.leadership.assign(bench.replicas.state)
    bench.fetcher.follow(bench.partition)
    third, asked = await bench.leader.next_naming()
    assert (asked.offset, asked.current_leader_epoch) == (1, 2)
    bench.leader.answer(second, PartitionAnswer(0, 0, 0, -1, 0, diverging_epoch=(1, 0)))
    bench.leader.answer(third, records_at(1, epoch=2, mark=2))
    await bench.until(lambda: bench.partition.high_watermark == 2)
    assert offsets_of(bench) == [0, 1]


async def test_records_that_a_former_log_asked_for_leave_no_gap_in_the_new_one(bench: Bench) -> None:
    """A damaged log is fetched anew from the leader's start while an answer for the old one is on its way."""
    first, _ = await bench.leader.next()
    bench.leader.answer(first, records_at(0))
    second, asked = await bench.leader.next_naming()
    assert asked.offset == 1
    bench.fetcher.forget(bench.partition)
    bench.partition.follower_log.start_anew(0)
    bench.fetcher.follow(bench.partition)
    third, asked = await bench.leader.next_naming()
    assert asked.offset == 0
    bench.leader.answer(second, records_at(1))
    bench.leader.answer(third, records_at(0))
    _, asked = await bench.leader.next_naming()
    assert asked.offset == 1 and offsets_of(bench) == [0]


async def test_an_answer_of_the_session_before_counts_for_nothing_in_the_new_one(bench: Bench) -> None:
    first, _ = await bench.leader.next()
    bench.leader.answer(first, records_at(0))
    second, asked = await bench.leader.next_naming()
    bench.own_epoch = 99
    bench.fetcher.try_now()
    third, asked = await bench.leader.next_naming()
    assert asked.offset == 1
    bench.leader.answer(second, PartitionAnswer(0, OffsetOutOfRange.code, 1, -1, 0))
    bench.leader.answer(third, records_at(1), session_id=8)
    _, asked = await bench.leader.next_naming()
    assert asked.offset == 2 and offsets_of(bench) == [0, 1]


async def test_a_broker_that_is_registered_again_fetches_on_though_nobody_tells_it_so(bench: Bench) -> None:
    first, _ = await bench.leader.next()
    bench.own_epoch = 0  # fenced, and about to register again
    bench.leader.answer(first, records_at(0))
    await bench.until(lambda: bench.partition.log.end_offset == 1)
    bench.fetcher.try_now()  # the news came by the watch before the new epoch was known here
    await asyncio.sleep(0.01)
    assert bench.leader.asked.empty()
    bench.own_epoch = 99
    _, request = await bench.leader.next()
    assert (request.replica_epoch, request.session_epoch, request.topics[0][1][0].offset) == (99, 0, 1)
