"""A leader's answers to a follower: what is sent when, and what makes a parked fetch come back."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.support.clusters import SeededDice
from tests.support.logs import TOPIC_ID, headers_in
from tests.support.partitions import SomePartitions

from penstock.broker.after_receive import AfterReceive
from penstock.broker.deadlines import Deadlines
from penstock.cluster import ClusterImage
from penstock.errors import (
    ClusterAuthorizationFailed,
    FencedLeaderEpoch,
    FetchSessionIdNotFound,
    InvalidFetchSessionEpoch,
    NotLeaderOrFollower,
    OffsetOutOfRange,
    ReplicaNotAvailable,
    UnknownTopicOrPartition,
)
from penstock.log import FileSlice, PartitionLog
from penstock.model import BrokerId, LeaderEpoch
from penstock.replication import Partitions, Promise, ReplicaSessions, Throttle, replica_session
from penstock.replication.replica_session import NEWS_AFTER_MS, NEWS_IN_A_RUN_AFTER_MS
from penstock.replication.throttle import PAUSE_S
from penstock.settings import Config
from penstock.wire.fetch import FetchPartition, FetchRequest
from penstock.wire.messages.fetch_response import FetchResponse, PartitionData

ME, FOLLOWER, OTHER = BrokerId(1), BrokerId(2), BrokerId(3)
EPOCH = 4
VERSION = 18


class Bench:
    """Broker 1 leads three partitions, brokers 2 and 3 follow; the test is broker 2."""

    def __init__(
        self,
        folder: Path,
        *,
        needs_authentication: bool = False,
        settings: dict[str, str] | None = None,
        topic: dict[str, str] | None = None,
    ) -> None:
        self.partitions = SomePartitions(folder, 3, topic)
        for index in self.partitions:
            self.partitions[index].leadership.lead(
                epoch=LeaderEpoch(EPOCH), leader=ME, replicas=(ME, FOLLOWER, OTHER), in_sync=(ME, FOLLOWER, OTHER)
            )
        self.config = Config.for_broker(dict(settings or {}))
        image: Any = SimpleNamespace(topics_by_id={TOPIC_ID: None}, brokers={ME: None, FOLLOWER: None, OTHER: None})
        self.sessions = ReplicaSessions(
            cast(Partitions, self.partitions),
            cast(ClusterImage, image),
            SeededDice(),
            afterwards=AfterReceive(asyncio.get_running_loop()),
            deadlines=Deadlines(asyncio.get_running_loop()),
            throttle=Throttle.of_leader(ME, self.config, self.partitions.clock),
            needs_authentication=lambda: needs_authentication,
        )
        self.session_id, self.session_epoch = 0, 0

    def ask(
        self,
        offsets: dict[int, int],
        *,
        replica: int = FOLLOWER,
        wait_ms: int = 60_000,
        bytes_max: int = 1 << 20,
        bytes_min: int = 1,
        epoch: int = EPOCH,
        last_epoch: int = -1,
        mark: int = 0,
        forgets: tuple[int, ...] = (),
        proved: int = -1,
        session: tuple[int, int] | None = None,
    ) -> Any:
        """A fetch that names these partitions; the next one continues the session."""
        parts = [FetchPartition(i, o, bytes_max, epoch, last_epoch, 0, mark) for i, o in offsets.items()]
        request = FetchRequest(
            replica_id=replica,
            replica_epoch=20,
            wait_ms_max=wait_ms,
            bytes_min=bytes_min,
            bytes_max=bytes_max,
            isolation_level=0,
            session_id=self.session_id if session is None else session[0],
            session_epoch=self.session_epoch if session is None else session[1],
            topics=[(TOPIC_ID, parts)] if parts else [],
            forgotten=[(TOPIC_ID, list(forgets))] if forgets else [],
        )
        self.session_epoch += 1
        return self.sessions.fetch(request, VERSION, proved=proved)

    def read(self, reply: Any) -> dict[int, PartitionData]:
        """What an answer says, by partition."""
        return {part.partition_index: part for topic in self.response(reply).responses for part in topic.partitions}

    def response(self, reply: Any) -> FetchResponse:
        assert isinstance(reply, list), f"not answered: {reply}"
        data = b""
        for chunk in reply:
            if isinstance(chunk, FileSlice):
                data += chunk.read()
                chunk.release()
            else:
                data += chunk
        response = FetchResponse.decode(memoryview(data), VERSION)
        self.session_id = response.session_id or self.session_id
        return response

    def begin(self, **offsets: int) -> dict[int, PartitionData]:
        return self.read(self.ask({int(name[1:]): offset for name, offset in offsets.items()}))


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    made = Bench(tmp_path)
    yield made
    await made.partitions.close()


def parked(reply: Any) -> Promise[Any]:
    assert isinstance(reply, Promise) and not reply.done()
    return reply


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_session_begins_with_an_answer_at_once_even_if_there_is_nothing(bench: Bench) -> None:
    assert bench.begin(p0=0, p1=0) == {}
    assert bench.session_id > 0


async def test_records_up_to_the_logs_end_are_sent_and_the_follower_is_noted(bench: Bench) -> None:
    bench.partitions.fill(0, 3)
    answers = bench.begin(p0=0, p1=0)
    assert set(answers) == {0} and answers[0].high_watermark == 0
    records = answers[0].records
    assert records is not None and [h.base_offset for h in headers_in(bytes(records))] == [0, 1, 2]


async def test_an_append_answers_a_parked_fetch_though_the_high_watermark_stands_still(bench: Bench) -> None:
    bench.begin(p0=0, p1=0)
    waiting = parked(bench.ask({}))
    bench.partitions.fill(1)
    await settle()
    answers = bench.read(waiting.result())
    assert set(answers) == {1} and answers[1].records is not None and answers[1].high_watermark == 0


async def test_what_was_sent_is_sent_again_only_when_it_is_asked_for_again(bench: Bench) -> None:
    bench.partitions.fill(0)
    assert set(bench.begin(p0=0, p1=0)) == {0}
    waiting = parked(bench.ask({}))
    bench.partitions.fill(0)
    await settle()
    assert not waiting.done(), "the follower has not taken in the first one yet"
    waiting = bench.ask({0: 1})
    answers = bench.read(waiting)
    records = answers[0].records
    assert records is not None and [h.base_offset for h in headers_in(bytes(records))] == [1]


async def test_a_newer_fetch_answers_the_parked_one_as_it_is(bench: Bench) -> None:
    bench.begin(p0=0)
    first = parked(bench.ask({}))
    second = parked(bench.ask({1: 0}))
    assert bench.read(first.result()) == {}
    bench.partitions.fill(1)
    await settle()
    assert set(bench.read(second.result())) == {1}


async def test_a_fetch_moves_the_high_watermark_and_others_hear_of_it(bench: Bench) -> None:
    bench.partitions.fill(0)
    bench.begin(p0=0)
    waiting = parked(bench.ask({0: 1}))
    other = bench.ask({0: 1}, replica=OTHER, session=(0, 0))
    assert isinstance(other, list)
    assert bench.partitions[0].high_watermark == 1
    answers = bench.read(await asyncio.wait_for(waiting, 60))
    assert answers[0].high_watermark == 1 and not answers[0].records


async def test_news_of_the_high_watermark_travels_with_records_where_there_are_any(bench: Bench) -> None:
    bench.partitions.fill(0)
    bench.begin(p0=0, p1=0)
    waiting = parked(bench.ask({0: 1}))
    bench.ask({0: 1}, replica=OTHER, session=(0, 0))
    bench.partitions.fill(1)
    await settle()
    answers = bench.read(waiting.result())
    assert answers[0].high_watermark == 1 and not answers[0].records and answers[1].records


async def test_news_of_the_high_watermark_waits_longer_while_records_keep_coming(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1_000.0
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now)

    def taken_in(offset: int) -> Promise[Any]:
        """Both followers say that they have what is before it, so that the high watermark moves there."""
        waiting = parked(bench.ask({0: offset}))
        bench.ask({0: offset}, replica=OTHER, session=(0, 0))
        bench.session_epoch -= 1  # that was another's session
        assert bench.partitions[0].high_watermark == offset
        return waiting

    bench.partitions.fill(0)
    bench.begin(p0=0)
    now += 60
    waiting = taken_in(1)
    now += (NEWS_AFTER_MS + 1) / 1000
    await settle()
    assert bench.read(waiting.result())[0].high_watermark == 1, "nothing says that more will come"
    bench.partitions.fill(0)
    assert set(bench.read(bench.ask({}))) == {0}
    waiting = taken_in(2)
    now += (NEWS_AFTER_MS + 1) / 1000
    await settle()
    parked(waiting)
    now += NEWS_IN_A_RUN_AFTER_MS / 1000
    await settle()
    assert bench.read(waiting.result())[0].high_watermark == 2


async def test_a_tail_that_is_not_the_leaders_is_told_and_is_no_progress(bench: Bench) -> None:
    partition = bench.partitions[0]
    bench.partitions.fill(0)
    partition.leadership.lead(epoch=LeaderEpoch(9), leader=ME, replicas=(ME, FOLLOWER), in_sync=(ME, FOLLOWER))
    answers = bench.read(bench.ask({0: 5}, epoch=9, last_epoch=7))
    assert (answers[0].diverging_epoch.epoch, answers[0].diverging_epoch.end_offset) == (EPOCH, 1)
    assert partition.high_watermark == 0


async def test_of_a_partition_whose_tail_diverges_nothing_is_told_before_that(bench: Bench) -> None:
    """A high watermark alone would make the follower take its own tail for committed."""
    bench.begin(p0=0, p1=0)
    bench.partitions.fill(1)
    bench.partitions[0].leadership.lead(epoch=LeaderEpoch(EPOCH), leader=ME, replicas=(ME, FOLLOWER), in_sync=(ME,))
    bench.partitions.fill(0)
    assert bench.partitions[0].high_watermark == 1
    assert set(bench.read(bench.ask({0: 5}, last_epoch=EPOCH, bytes_max=1))) == {1}
    answers = bench.read(bench.ask({1: 1}, bytes_max=1))
    assert (answers[0].diverging_epoch.epoch, answers[0].diverging_epoch.end_offset) == (EPOCH, 1)


async def test_a_follower_below_the_leaders_start_is_told_where_that_is(bench: Bench) -> None:
    partition = bench.partitions[0]
    bench.partitions.fill(0, 3)
    for replica in (FOLLOWER, OTHER):
        bench.read(bench.ask({0: 3}, replica=replica, session=(0, 0)))
    partition.delete_records(2)
    bench.session_epoch = 0
    answers = bench.read(bench.ask({0: 0}))
    assert answers[0].error_code == OffsetOutOfRange.code and answers[0].log_start_offset == 2


async def test_a_follower_that_has_not_taken_in_the_leaders_start_is_told_it_again(bench: Bench) -> None:
    """It was told in the epoch before. All that it has is deleted here, so it counts only once it has heard of that."""
    partition = bench.partitions[0]
    bench.partitions.fill(0, 3)
    for replica in (OTHER, FOLLOWER):
        bench.session_epoch = 0
        bench.read(bench.ask({0: 3}, replica=replica, session=(0, 0)))
    partition.delete_records(3)
    waiting = parked(bench.ask({0: 3}, mark=3))
    partition.leadership.lead(
        epoch=LeaderEpoch(9), leader=ME, replicas=(ME, FOLLOWER, OTHER), in_sync=(ME, FOLLOWER, OTHER)
    )
    await settle()
    assert bench.read(waiting.result())[0].error_code == FencedLeaderEpoch.code
    answer = bench.ask({0: 3}, epoch=9, last_epoch=EPOCH, mark=3, wait_ms=20)
    answers = bench.read(await asyncio.wait_for(answer, 60))
    assert set(answers) == {0} and answers[0].log_start_offset == 3


async def test_a_follower_with_an_older_epoch_is_fenced_and_told_once(bench: Bench) -> None:
    answers = bench.read(bench.ask({0: 0, 1: 0}, epoch=EPOCH - 1))
    assert {part.error_code for part in answers.values()} == {FencedLeaderEpoch.code}
    waiting = parked(bench.ask({}))
    bench.partitions.fill(0)
    await settle()
    assert not waiting.done()


async def test_a_leader_that_is_deposed_says_so_at_once(bench: Bench) -> None:
    bench.begin(p0=0)
    waiting = parked(bench.ask({}))
    bench.partitions[0].leadership.lead(
        epoch=LeaderEpoch(EPOCH + 1), leader=OTHER, replicas=(ME, FOLLOWER, OTHER), in_sync=(ME, FOLLOWER, OTHER)
    )
    await settle()
    answers = bench.read(waiting.result())
    assert answers[0].error_code != 0 and answers[0].current_leader.leader_id == OTHER


async def test_a_partition_that_is_forgotten_is_not_spoken_of(bench: Bench) -> None:
    bench.begin(p0=0, p1=0)
    waiting = parked(bench.ask({}, forgets=(0,)))
    bench.partitions.fill(0)
    await settle()
    assert not waiting.done()


async def test_a_partition_that_is_not_here_is_answered_and_not_kept(bench: Bench) -> None:
    answers = bench.begin(p0=0, p7=0)
    assert answers[7].error_code == UnknownTopicOrPartition.code
    parked(bench.ask({}))


async def test_what_does_not_fit_comes_first_in_the_next_answer(bench: Bench) -> None:
    for index in bench.partitions:
        bench.partitions.fill(index)
    assert set(bench.read(bench.ask({0: 0, 1: 0, 2: 0}, bytes_max=1))) == {0}
    assert set(bench.read(bench.ask({0: 1}, bytes_max=1))) == {1}
    assert set(bench.read(bench.ask({1: 1}, bytes_max=1))) == {2}


async def test_a_minimum_of_bytes_is_waited_for(bench: Bench) -> None:
    bench.begin(p0=0)
    waiting = parked(bench.ask({}, bytes_min=250, wait_ms=60_000))
    bench.partitions.fill(0)
    await settle()
    assert not waiting.done()
    bench.partitions.fill(0, 3)
    await settle()
    records = bench.read(waiting.result())[0].records
    assert records is not None and len(list(headers_in(bytes(records)))) == 4


async def test_a_wait_ends_when_its_time_is_over(bench: Bench) -> None:
    bench.begin(p0=0)
    waiting = parked(bench.ask({}, wait_ms=20))
    assert bench.read(await asyncio.wait_for(waiting, 60)) == {}


async def test_a_session_that_is_not_known_or_out_of_step_is_refused(bench: Bench) -> None:
    bench.begin(p0=0)
    unknown = bench.response(bench.ask({}, session=(bench.session_id + 1, 1)))
    assert unknown.error_code == FetchSessionIdNotFound.code
    skipped = bench.response(bench.ask({}, session=(bench.session_id, 7)))
    assert skipped.error_code == InvalidFetchSessionEpoch.code


async def test_a_new_session_of_a_follower_ends_its_former_one(bench: Bench) -> None:
    bench.begin(p0=0)
    waiting = parked(bench.ask({}))
    bench.read(bench.ask({1: 0}, session=(0, 0)))
    assert waiting.done() and len(bench.sessions) == 1
    assert not bench.partitions[0].waiters.end_watchers and len(bench.partitions[1].waiters.end_watchers) == 1


async def test_a_stranger_moves_no_high_watermark(tmp_path: Path) -> None:
    bench = Bench(tmp_path, needs_authentication=True)
    bench.partitions.fill(0)
    for replica in (FOLLOWER, OTHER):
        refused = bench.response(bench.ask({0: 1}, replica=replica, session=(0, 0)))
        assert refused.error_code == ClusterAuthorizationFailed.code
    assert bench.partitions[0].high_watermark == 0
    proved = bench.response(bench.ask({0: 1}, session=(0, 0), proved=FOLLOWER))
    assert proved.error_code == 0
    await bench.partitions.close()


async def test_whoever_is_no_broker_gets_no_session(bench: Bench) -> None:
    """A broker that stands alone asks nobody for a proof, and anybody may claim to be any of a billion replicas."""
    for replica in range(100, 110):
        answered = bench.read(bench.ask({0: 0}, replica=replica, session=(0, 0)))
        assert answered[0].error_code == NotLeaderOrFollower.code
    assert len(bench.sessions) == 0 and not bench.partitions[0].waiters.end_watchers


async def test_a_replica_that_catches_up_is_held_to_its_rate_and_one_in_sync_is_not(tmp_path: Path) -> None:
    rate = {"leader.replication.throttled.rate": "100"}
    bench = Bench(tmp_path, settings=rate, topic={"leader.replication.throttled.replicas": "0:1,1:1"})
    bench.partitions[0].leadership.lead(
        epoch=LeaderEpoch(EPOCH), leader=ME, replicas=(ME, FOLLOWER, OTHER), in_sync=(ME, OTHER)
    )
    for index in bench.partitions:
        bench.partitions.fill(index, 3)
    assert set(bench.begin(p0=0)) == {0}, "a second's worth, and the batch that goes beyond it"
    more = bench.read(bench.ask({0: 1, 1: 0, 2: 0}))
    assert set(more) == {1, 2}, "1 is in sync, 2 is not listed"
    waiting = parked(bench.ask({}))
    bench.partitions.clock.time += 10_000
    answers = bench.read(await asyncio.wait_for(waiting, 60))
    assert set(answers) == {0} and answers[0].records
    await bench.partitions.close()


async def test_what_a_follower_is_in_sync_with_does_not_wait_for_all_that_it_catches_up_on(bench: Bench) -> None:
    for index in (0, 1):
        bench.partitions[index].leadership.lead(
            epoch=LeaderEpoch(EPOCH), leader=ME, replicas=(ME, FOLLOWER, OTHER), in_sync=(ME, OTHER)
        )
        bench.partitions.fill(index, 2)
    assert set(bench.read(bench.ask({0: 0, 1: 0}, bytes_max=1))) == {0}
    bench.partitions.fill(2, 1)
    size = bench.partitions[2].log.size
    assert set(bench.read(bench.ask({0: 1, 2: 0}, bytes_max=2 * size))) == {1, 2}, "1 has waited, 2 is waited for"
    assert set(bench.read(bench.ask({}))) == {0}


async def test_what_it_catches_up_on_goes_on_though_there_is_ever_more_of_what_it_is_in_sync_with(bench: Bench) -> None:
    partition = bench.partitions[0]
    partition.leadership.lead(epoch=LeaderEpoch(EPOCH), leader=ME, replicas=(ME, FOLLOWER, OTHER), in_sync=(ME, OTHER))
    for index in bench.partitions:
        bench.partitions.fill(index, 9)
    sent = set(bench.read(bench.ask({1: 0, 2: 0, 0: 0}, bytes_max=1)))
    for offset in range(1, 4):
        sent |= set(bench.read(bench.ask({1: offset, 2: offset}, bytes_max=1)))
    assert sent == {0, 1, 2}


async def test_of_many_logs_whose_indexes_are_not_in_memory_some_are_loaded_for_each_answer(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[int] = []
    monkeypatch.setattr(replica_session, "COLD_AT_ONCE", 1)
    for index in bench.partitions:
        bench.partitions.fill(index, 1)
    logs = {bench.partitions[index].log: index for index in bench.partitions}
    monkeypatch.setattr(PartitionLog, "is_near", lambda log, _: logs[log] == 2 or logs[log] in loaded)
    monkeypatch.setattr(PartitionLog, "warm", lambda log, _: loaded.append(logs[log]))
    assert set(bench.read(await bench.ask({0: 0, 1: 0, 2: 0}))) == {0, 2} and loaded == [0]
    assert set(bench.read(await bench.ask({}))) == {1} and loaded == [0, 1]
    parked(bench.ask({}))


async def test_what_is_named_while_indexes_are_loaded_is_in_the_answer_to_the_fetch_that_named_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A follower takes in nothing of a partition that it had not asked for yet, and is not asked to come again."""
    bench.begin()
    bench.partitions.fill(0, 1)
    bench.partitions.fill(1, 1)
    logs = {bench.partitions[index].log: index for index in bench.partitions}
    loaded: list[int] = []
    monkeypatch.setattr(PartitionLog, "is_near", lambda log, _: logs[log] == 1 or logs[log] in loaded)
    monkeypatch.setattr(PartitionLog, "warm", lambda log, _: loaded.append(logs[log]))

    first, second = bench.ask({0: 0}), bench.ask({1: 0})
    answers = await asyncio.gather(first, second)

    assert [set(bench.read(answer)) for answer in answers] == [{0}, {1}]


async def test_what_was_held_back_and_then_sent_is_not_sent_again_when_its_pause_is_over(tmp_path: Path) -> None:
    rate = {"leader.replication.throttled.rate": "100"}
    bench = Bench(tmp_path, settings=rate, topic={"leader.replication.throttled.replicas": "0:1"})
    bench.partitions[0].leadership.lead(
        epoch=LeaderEpoch(EPOCH), leader=ME, replicas=(ME, FOLLOWER, OTHER), in_sync=(ME, OTHER)
    )
    bench.partitions.fill(0, 3)
    bench.begin(p0=0)
    waiting = parked(bench.ask({0: 1}))
    bench.partitions.clock.time += 10_000
    bench.partitions.fill(0, 1)
    assert set(bench.read(await asyncio.wait_for(waiting, 10))) == {0}
    waiting = parked(bench.ask({}))
    bench.partitions.clock.time += 10_000
    await asyncio.sleep(2 * PAUSE_S)
    parked(waiting)
    await bench.partitions.close()


async def test_a_follower_that_was_taken_out_of_sync_is_asked_how_far_it_is(bench: Bench) -> None:
    """Nothing happens in the partition, so that it would never say so by itself."""
    bench.begin(p0=0, p1=0)
    waiting = parked(bench.ask({}))
    partition, everybody = bench.partitions[0], (ME, FOLLOWER, OTHER)
    partition.leadership.lead(epoch=LeaderEpoch(EPOCH), leader=ME, replicas=everybody, in_sync=(ME, OTHER))
    await settle()
    ((index, told),) = bench.read(waiting.result()).items()
    assert (index, told.error_code) == (0, ReplicaNotAvailable.code)
    partition.leadership.lead(epoch=LeaderEpoch(EPOCH), leader=ME, replicas=everybody, in_sync=(ME, OTHER))
    parked(bench.ask({}))
    await settle()
    waiting = parked(bench.ask({0: 0}))
    assert not partition.followers.has_lost_track_of(FOLLOWER)
    partition.leadership.lead(epoch=LeaderEpoch(EPOCH), leader=ME, replicas=everybody, in_sync=everybody)
    await settle()
    parked(waiting)


async def test_a_follower_out_of_sync_that_waits_for_its_turn_is_sent_records_and_not_asked_how_far_it_is(
    bench: Bench,
) -> None:
    """It says so with the next fetch. One that has much to catch up on would be asked again each time its turn came."""
    bench.partitions.fill(0, 1)
    bench.partitions.fill(1, 1)
    assert set(bench.read(bench.ask({1: 0, 0: 0}, bytes_max=1))) == {1}
    partition = bench.partitions[0]
    partition.leadership.lead(epoch=LeaderEpoch(EPOCH), leader=ME, replicas=(ME, FOLLOWER, OTHER), in_sync=(ME, OTHER))
    assert partition.followers.has_lost_track_of(FOLLOWER)
    answers = bench.read(bench.ask({}))
    assert set(answers) == {0} and answers[0].error_code == 0 and answers[0].records
