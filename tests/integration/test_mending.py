"""Bits that rot on one broker's disk: the scrub finds them, and another replica's bytes put them right."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from tests.support.clients import WITHIN_S, read_to_end
from tests.support.faults import health
from tests.support.nodes import Nodes, some_nodes
from tests.support.programs import ClusterOfPrograms

from penstock.log import Scrubber
from penstock.replication.log_port import on_disk
from penstock.wire.batch import HEADER_SIZE, BatchHeader
from penstock.wire.records import Record, build_batch

SCRUBBED = {
    "penstock.scrub.interval.ms": "500",
    "log.flush.interval.messages": "1",
    # Nobody is killed here: a broker that a busy machine keeps waiting is not to lose what it leads.
    "penstock.broker.lease.ms": "60000",
    "penstock.broker.heartbeats.missed.max": "1000",
}
RECORDS = 300
CRC_AT, LENGTH_AT, FIRST_RECORD_AT = 17, 8, HEADER_SIZE


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[ClusterOfPrograms]:
    with ClusterOfPrograms(tmp_path, SCRUBBED, brokers=3, etcd=1) as running:
        yield running


def write(cluster: ClusterOfPrograms, topic: str) -> list[bytes]:
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap})
    config = {"internal.segment.bytes": "20000"}
    admin.create_topics([NewTopic(topic, 1, 3, config=config)])[topic].result(60)
    values = [b"%04d " % n + b"." * 400 for n in range(RECORDS)]
    one_a_batch = {"linger.ms": 0, "batch.num.messages": 1, "enable.idempotence": True}  # in this order, refused or not
    producer = Producer({"bootstrap.servers": cluster.bootstrap, **one_a_batch})
    for value in values:
        producer.produce(topic, value)
    assert producer.flush(WITHIN_S) == 0  # hundreds of flushes on three brokers, which share a disk
    cluster.wait_until_in_sync(topic)
    return values


def segments(cluster: ClusterOfPrograms, broker: int, topic: str) -> list[Path]:
    return sorted((cluster[broker].data_dir / f"{topic}-0").glob("*.log"))


def batches_at(path: Path) -> list[int]:
    data, position, found = path.read_bytes(), 0, []
    while position < len(data):
        found.append(position)
        position += BatchHeader.peek(data, position).size
    return found


def flip(path: Path, at: int, *, bit: int = 0) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        (byte,) = file.read(1)
        file.seek(at)
        file.write(bytes([byte ^ (1 << bit)]))


@pytest.mark.parametrize("hurt", ["follower", "leader"])
def test_flipped_bits_of_one_replica_are_put_right_from_another(cluster: ClusterOfPrograms, hurt: str) -> None:
    values = write(cluster, "orders")
    leader = cluster.leader("orders")
    victim = leader if hurt == "leader" else next(b for b in (1, 2, 3) if b != leader)
    first, second, third, *_ = segments(cluster, victim, "orders")
    before = {path: path.read_bytes() for path in (first, second, third)}
    flip(first, batches_at(first)[3] + FIRST_RECORD_AT + 20)  # a record
    flip(second, batches_at(second)[0] + CRC_AT)  # the segment's first batch
    flip(second, batches_at(second)[-1] + FIRST_RECORD_AT + 9)  # and its last
    flip(third, batches_at(third)[5] + LENGTH_AT, bit=6)  # a length: where the next one begins nobody can tell

    cluster.wait(lambda: cluster.logs(victim).count("damaged batch mended") >= 4, "all four are mended")
    cluster.wait(lambda: health(cluster[victim]).status == 200, "nothing is damaged any more")
    assert {path: path.read_bytes() for path in before} == before
    assert cluster.leader("orders") == leader
    cluster.wait_until_in_sync("orders")
    assert [record.value() for record in read_to_end(cluster.bootstrap, "orders")] == values


def test_damage_that_nobody_has_batches_for_is_left_as_it_is(cluster: ClusterOfPrograms) -> None:
    """Every replica is damaged at the same place: what is sound is served on."""
    values = write(cluster, "orders")
    for broker in (1, 2, 3):
        path = segments(cluster, broker, "orders")[0]
        flip(path, batches_at(path)[3] + FIRST_RECORD_AT + 20)
    for broker in (1, 2, 3):
        cluster.wait(lambda broker=broker: health(cluster[broker]).status == 503, "it is found")  # type: ignore[misc]
    cluster.wait_until_in_sync("orders")
    found = [record.value() for record in read_to_end(cluster.bootstrap, "orders", start=4)]
    assert found == values[4:]


def fill(nodes: Nodes, topic: str) -> None:
    leader = nodes.leader(topic)
    for number in range(200):
        record = Record(0, 1_700_000_000_000, b"%d" % (number % 50), b"%d " % number + b"v" * 400)
        leader.append(memoryview(build_batch([record])), acks=-1)


@pytest.mark.parametrize("hurt", [1, 2])
async def test_a_log_whose_batches_no_other_has_is_fetched_anew(tmp_path: Path, hurt: int) -> None:
    """One replica has compacted, the others have not: their batches do not fit. A leader resigns first."""
    settings = {"penstock.broker.lease.ms": "3000", "auto.leader.rebalance.enable": "false"}
    async with some_nodes(tmp_path, 3, settings) as nodes:
        await nodes.create_topic("orders", replicas=(1, 2, 3), internal_segment_bytes="20000")
        fill(nodes, "orders")
        leader = nodes.leader("orders")
        await nodes.until(lambda: nodes.partition("orders", hurt).high_watermark == 200)
        log = on_disk(nodes.partition("orders", hurt).log)
        path = Path(log.segments[0].file.path)
        log.allow_gaps()
        data = path.read_bytes()
        # As a compaction leaves it: of the first batch there is less, and what follows lies further ahead.
        less = build_batch([Record(0, 1_700_000_000_000, b"0", b"less")])
        path.write_bytes(less + data[batches_at(path)[1] :])
        log.segments[0].size = path.stat().st_size
        flip(path, FIRST_RECORD_AT + 5)
        scrubber = Scrubber(lambda: [log], nodes[hurt].config, nodes[hurt].clock)
        assert await scrubber.round() == 1
        scrubber.stop()
        await nodes.until(lambda: nodes.partition("orders", hurt).log is not log)
        await nodes.until_in_sync("orders", 1, 2, 3)
        assert list(log.folder.parent.glob("orders-0.*-stray"))
        assert nodes.partition("orders", hurt).log.end_offset == 200
        assert (nodes.leader("orders") is leader) == (hurt != 1)


async def test_a_leader_looks_at_what_a_follower_cannot_take_and_has_it_mended(tmp_path: Path) -> None:
    """In the segment that is being written, where no scrub comes; found since a follower does not get past it."""
    settings = {"penstock.broker.lease.ms": "3000", "auto.leader.rebalance.enable": "false"}
    async with some_nodes(tmp_path, 3, settings) as nodes:
        await nodes.create_topic("orders", replicas=(1, 2, 3))
        await nodes.stop(3)
        await nodes.until_in_sync("orders", 1, 2)
        fill(nodes, "orders")
        leader = nodes.leader("orders")
        await nodes.until(lambda: nodes.partition("orders", 2).high_watermark == 200)
        (segment,) = on_disk(leader.log).segments
        path = Path(segment.file.path)
        before = path.read_bytes()
        flip(path, batches_at(path)[70] + FIRST_RECORD_AT + 5)
        await nodes.start(3)
        await nodes.until_in_sync("orders", 1, 2, 3)
        assert path.read_bytes() == before and not on_disk(leader.log).damage
        assert nodes.partition("orders", 3).log.end_offset == 200 and nodes.leader("orders") is leader
