"""What dedup by id promises, D1 to D7, each on a real log."""

from pathlib import Path

import pytest
from tests.support.deduplicating import STEP_MS, WINDOW_MS, deduplicating, ids

from penstock.delivery.dedup import replica as replica_module
from penstock.delivery.dedup.ids import DIGEST_SIZE, IdRule, find_ids
from penstock.errors import NotEnoughReplicas
from penstock.model import BrokerId, LeaderEpoch
from penstock.replication import RecordsRefused
from penstock.replication.log_port import on_disk
from penstock.wire.batch import BatchHeader
from penstock.wire.compression import ZSTD
from penstock.wire.markers import MarkerType


async def test_d1_an_id_without_a_key_is_refused_where_there_are_several_partitions(tmp_path: Path) -> None:
    async with deduplicating(tmp_path, is_only=False) as some:
        with pytest.raises(RecordsRefused) as refused:
            some.send("a", "b", key=None)
        assert [place for place, _ in refused.value.record_errors] == [0, 1]
        assert some.records() == []
        assert some.send(None, "c") == [None, "c"]


async def test_d1_the_only_partition_of_a_topic_needs_no_keys(tmp_path: Path) -> None:
    async with deduplicating(tmp_path) as some:
        assert some.send("a", "a", "b", key=None) == ["a", "b"]


async def test_an_id_without_bytes_is_refused(tmp_path: Path) -> None:
    async with deduplicating(tmp_path) as some:
        with pytest.raises(RecordsRefused) as refused:
            some.send("a", "")
        assert [place for place, _ in refused.value.record_errors] == [1]


async def test_d2_an_id_counts_for_the_window_from_the_first_record(tmp_path: Path) -> None:
    async with deduplicating(tmp_path) as some:
        some.send("a")
        some.time_passes(WINDOW_MS - 1)
        assert some.send("a") == []
        some.time_passes(2 * STEP_MS + 1)
        assert some.send("a") == ["a"]  # the duplicate did not make it count for longer


async def test_d2_an_id_counts_after_a_restart_for_as_long_as_before(tmp_path: Path) -> None:
    async with deduplicating(tmp_path) as some:
        some.send("a")
        some.time_passes(WINDOW_MS // 2)
        some.send("b")
        some.restarted()
        await some.ready()
        assert some.send("a", "b") == []
        some.time_passes(WINDOW_MS // 2 + 2 * STEP_MS)
        assert some.send("a", "b") == ["a"]


async def test_d2_a_clock_that_is_set_back_stands_still(tmp_path: Path) -> None:
    async with deduplicating(tmp_path) as some:
        some.send("a")
        some.time_passes(-10 * WINDOW_MS)
        assert some.send("a", "b") == ["b"]
        some.time_passes(11 * WINDOW_MS + 2 * STEP_MS)
        assert some.send("a", "b") == ["a", "b"]


@pytest.mark.parametrize("restarts", [False, True], ids=["same process", "restarted"])
async def test_d2_an_id_does_not_count_once_its_record_is_deleted(tmp_path: Path, restarts: bool) -> None:
    async with deduplicating(tmp_path) as some:
        some.send("a")
        some.send("b")
        some.partition.delete_records(some.records()[1][0])
        if restarts:
            some.restarted()
            await some.ready()
        assert some.send("a", "b") == ["a"]


async def test_d3_duplicates_become_gaps_and_the_batch_keeps_its_span_and_sequences(tmp_path: Path) -> None:
    async with deduplicating(tmp_path) as some:
        some.append(some.batch("a", "b", producer=7, sequence=0))
        appended = some.append(some.batch("b", "c", "a", producer=7, sequence=2, compression=ZSTD))
        assert appended.next_offset == appended.base_offset + 3
        assert [record_id for _, record_id in some.records()] == ["a", "b", "c"]
        header = BatchHeader.peek(some.batches()[-1])
        assert (header.base_sequence, header.last_offset_delta, header.record_count) == (2, 2, 1)
        assert (header.producer_id, header.compression) == (7, ZSTD)
        assert some.metrics.duplicates == 2


async def test_d3_a_batch_of_duplicates_alone_is_emptied_and_the_producer_goes_on(tmp_path: Path) -> None:
    async with deduplicating(tmp_path) as some:
        some.append(some.batch("a", "b", producer=7, sequence=0))
        emptied = some.append(some.batch("a", "b", producer=7, sequence=2, compression=ZSTD))
        assert BatchHeader.peek(some.batches()[-1]).record_count == 0
        again = some.append(some.batch("a", "b", producer=7, sequence=2, compression=ZSTD))
        assert again.base_offset == emptied.base_offset  # found by its sequences
        some.append(some.batch("c", producer=7, sequence=4))
        assert [record_id for _, record_id in some.records()] == ["a", "b", "c"]


async def test_d3_a_duplicate_is_acknowledged_when_its_original_is_replicated(tmp_path: Path) -> None:
    async with deduplicating(tmp_path) as some:
        partition = some.partition
        replicas = (BrokerId(1), BrokerId(2))
        partition.leadership.lead(epoch=LeaderEpoch(4), leader=BrokerId(1), replicas=replicas, in_sync=replicas)
        some.append(some.batch("a"))
        duplicate = some.append(some.batch("a"))
        pending = partition.acknowledged(duplicate, acks=-1)
        assert pending is not None and not pending.done()


async def test_d4_ids_of_a_transaction_count_from_its_commit(tmp_path: Path) -> None:
    async with deduplicating(tmp_path) as some:
        assert some.send("a", "b", "a", producer=7, sequence=0, transactional=True) == ["a", "b"]
        assert some.send("a") == ["a"]  # the transaction may be aborted
        assert some.send("b", producer=7, sequence=3, transactional=True) == []
        some.end_transaction(7, MarkerType.COMMIT)
        assert some.send("a", "b") == []


async def test_d4_ids_of_an_aborted_transaction_do_not_count(tmp_path: Path) -> None:
    async with deduplicating(tmp_path) as some:
        some.send("a", producer=7, sequence=0, transactional=True)
        some.end_transaction(7, MarkerType.ABORT)
        assert some.send("a") == ["a"]


async def test_d4_a_transaction_that_is_open_at_a_restart_counts_once_it_is_committed(tmp_path: Path) -> None:
    async with deduplicating(tmp_path) as some:
        some.send("a", producer=7, sequence=0, transactional=True)
        await some.replica.write_down()
        some.restarted()
        await some.ready()
        some.end_transaction(7, MarkerType.COMMIT)
        assert some.send("a") == []


async def test_d5_ids_are_told_apart_by_128_bits(tmp_path: Path) -> None:
    async with deduplicating(tmp_path) as some:
        found = find_ids(some.batch("a", "b"), IdRule.of("header:id"))
        assert [len(digest) for digest in found.digests] == [DIGEST_SIZE] * 2 == [16, 16]


async def test_d6_beyond_ids_max_the_window_shrinks_and_says_so(tmp_path: Path) -> None:
    async with deduplicating(tmp_path, penstock_dedup_ids_max="10") as some:
        for first in (0, 5):
            some.send(*ids(5, first))
            some.time_passes(STEP_MS)
        table = some.replica.table
        assert table is not None and table.effective_window_ms == WINDOW_MS
        some.send(*ids(3, 10))
        assert len(table) == 10
        assert table.effective_window_ms == 2 * STEP_MS
        assert some.send("id-2", "id-3") == ["id-2"]


async def test_d7_a_leader_refuses_until_its_table_has_come_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica_module, "AT_ONCE_MAX", 0)
    async with deduplicating(tmp_path) as some:
        some.send("a")
        some.restarted()
        with pytest.raises(NotEnoughReplicas):
            some.send("a")
        await some.ready()
        assert some.send("a", "b") == ["b"]


async def test_d7_a_restart_reads_what_is_behind_the_snapshot_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deduplicating(tmp_path) as some:
        some.send("a")
        await some.replica.write_down()
        some.send("b")
        read: list[int] = []
        original = some.partition.reader.piece

        def noted(offset: int, **more: int) -> object:
            read.append(offset)
            return original(offset, **more)

        monkeypatch.setattr(type(some.partition.reader), "piece", lambda _self, *a, **more: noted(*a, **more))
        some.restarted()
        await some.ready()
        assert read == [some.records()[1][0]]
        assert some.send("a", "b", "c") == ["c"]


async def test_d7_a_snapshot_of_records_that_were_cut_is_not_used(tmp_path: Path) -> None:
    async with deduplicating(tmp_path) as some:
        some.send("a")
        end = some.partition.end_offset
        some.send("b")
        await some.replica.write_down()
        on_disk(some.partition.log).truncation.cut(to=end)
        some.partition.leadership.lead(
            epoch=LeaderEpoch(9), leader=BrokerId(1), replicas=(BrokerId(1),), in_sync=(BrokerId(1),)
        )
        await some.ready()
        assert some.send("a", "b", "c") == ["b", "c"]


async def test_a_torn_snapshot_is_not_used(tmp_path: Path) -> None:
    async with deduplicating(tmp_path) as some:
        some.send("a")
        await some.replica.write_down()
        (snapshot,) = on_disk(some.partition.log).folder.glob("*.ids")
        snapshot.write_bytes(snapshot.read_bytes()[:-3])
        some.restarted()
        await some.ready()
        assert some.send("a", "b") == ["b"]


async def test_other_settings_begin_the_table_anew_from_the_log(tmp_path: Path) -> None:
    async with deduplicating(tmp_path) as some:
        some.send("a", "b", key=b"x")
        some.partition.config.replace_overrides({"penstock.dedup.by": "key"})
        await some.ready()
        assert some.send("c", key=b"x") == []
        assert some.send("a", key=b"y") == ["a"]


async def test_without_records_nothing_is_marked_and_marks_keep_their_distance(tmp_path: Path) -> None:
    async with deduplicating(tmp_path) as some:
        assert some.marks() == 0
        for _ in range(5):
            some.send(None)
        assert some.marks() == 1
        some.time_passes(STEP_MS)
        some.send(None)
        assert some.marks() == 2
