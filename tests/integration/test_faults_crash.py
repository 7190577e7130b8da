"""kill -9 and clean stops: what was acknowledged is there afterwards, once and in order, and the broker goes on."""

import threading
from pathlib import Path
from typing import Any

import pytest
from tests.support.batches import Rec, batch, describe
from tests.support.clients import make_topic, read_to_end
from tests.support.faults import Client, eventually, folder_of, metric, now_ms, one, program, segments_of
from tests.support.loads import Load
from tests.support.raw import ConnectionEnded

from penstock.testing import RunningBroker
from penstock.testing.plugin import BrokerFactory

ROUNDS = 4
PARTITIONS = 3
SMALL_SEGMENTS: Any = {"internal_segment_bytes": "100000"}


def test_records_acknowledged_before_a_kill_are_there_once_and_in_order(
    penstock_broker_factory: BrokerFactory,
) -> None:
    broker = penstock_broker_factory()
    topic = make_topic(broker.bootstrap, "killed", partitions=PARTITIONS, **SMALL_SEGMENTS)
    load = Load(broker.bootstrap, topic, partitions=PARTITIONS)
    try:
        for killed in range(1, ROUNDS + 1):
            enough = load.count + 1_000
            eventually(lambda enough=enough: load.count > enough, f"round {killed} gets going")  # type: ignore[misc]
            broker.kill()
            broker.start()
        eventually(lambda: load.count > enough + 1_000, "it goes on after the last kill")
    finally:
        load.stop()
    for partition in range(PARTITIONS):
        read = {each.offset(): each.value() for each in read_to_end(broker.bootstrap, topic, partition)}
        lost = {offset for offset, value in load.acknowledged[partition].items() if read.get(offset) != value}
        assert not lost, f"acknowledged in partition {partition} and gone: {sorted(lost)[:5]}"
        # The producer is idempotent and never gave up: what it sent is all there is, in its order, at every offset.
        assert list(read) == list(range(len(load.sent[partition])))
        assert list(read.values()) == load.sent[partition]


def test_a_batch_sent_again_after_a_kill_is_known_for_a_duplicate(penstock_broker: RunningBroker) -> None:
    def from_producer(sequence: int) -> bytes:
        records = [Rec(b"%d" % (sequence + number)) for number in range(5)]
        return batch(records, producer_id=producer_id, producer_epoch=0, sequence=sequence, base_timestamp=now_ms())

    with Client(penstock_broker) as client:
        assert client.create_topic("orders", **SMALL_SEGMENTS) == 0
        producer_id = client.new_producer_id()
        for number in range(4):
            assert client.produce("orders", from_producer(number * 5))["base_offset"] == number * 5
    penstock_broker.kill()
    penstock_broker.start()
    with Client(penstock_broker) as client:
        again = client.produce("orders", from_producer(15))
        assert (again["error_code"], again["base_offset"]) == (0, 15)
        older = client.produce("orders", from_producer(5))
        assert (older["error_code"], older["base_offset"]) == (0, 5)
        gap = client.produce("orders", from_producer(35))
        assert gap["error_code"] == 45, "OUT_OF_ORDER_SEQUENCE_NUMBER"
        following = client.produce("orders", from_producer(20))
        assert (following["error_code"], following["base_offset"]) == (0, 20)
        assert client.values("orders") == [b"%d" % number for number in range(25)]
        other = client.new_producer_id()
        assert other > producer_id, "ids are not handed out twice"


def test_topics_settings_and_offsets_survive_a_kill(penstock_broker: RunningBroker) -> None:
    with Client(penstock_broker) as client:
        assert client.create_topic("kept", partitions=2, retention_ms="123456") == 0
        assert client.create_topic("dropped") == 0
        client.produce("dropped", one(b"old"))
        client.delete_topic("dropped")
        assert client.create_topic("dropped") == 0
        for number in range(3):
            assert client.produce("kept", one(b"%d" % number), partition=1)["base_offset"] == number
        assert client.delete_records("kept", 0)["error_code"] == 0
    penstock_broker.kill()
    penstock_broker.start()
    with Client(penstock_broker) as client:
        assert client.produce("kept", one(b"3"), partition=1)["base_offset"] == 3
        assert client.values("kept", partition=1) == [b"0", b"1", b"2", b"3"]
        assert client.values("dropped") == [], "the second topic of that name"
        wanted = {"resources": [{"resource_type": 2, "resource_name": "kept", "configuration_keys": ["retention.ms"]}]}
        (result,) = client.request("DescribeConfigs", 4, wanted)["results"]
        assert result["configs"][0]["value"] == "123456"


def test_a_reader_never_sees_what_a_kill_takes_back(penstock_broker: RunningBroker) -> None:
    """Records a consumer was given are there after the kill, at the same offsets and under an older leader epoch."""
    with Client(penstock_broker) as client:
        assert client.create_topic("seen", **SMALL_SEGMENTS) == 0
        for number in range(200):
            client.produce("seen", one(b"%d" % number), acks=1)
        seen = client.values("seen")
    penstock_broker.kill()
    penstock_broker.start()
    with Client(penstock_broker) as client:
        assert client.values("seen") == seen
        client.produce("seen", one(b"after"))
        epochs = [each["epoch"] for each in describe(client.fetch("seen", 0)["records"]) or []]
        (last,) = describe(client.fetch("seen", 200)["records"]) or []
        assert last["epoch"] > max(epochs[:200]), "a new incarnation leads under a new epoch"


def test_a_clean_stop_leaves_nothing_to_scan(tmp_path: Path) -> None:
    with program(tmp_path) as broker:
        with Client(broker) as client:
            assert client.create_topic("orders", retention_ms="5000000", **SMALL_SEGMENTS) == 0
            for number in range(30):
                assert client.produce("orders", one(b"%d" % number * 10_000))["base_offset"] == number
        broker.stop()
        assert (broker.data_dir / ".kafka_cleanshutdown").exists()
        before = facts(broker)
        # An index that lies shows whether anybody looked: a scan would have built it anew.
        index = segments_of(broker, "orders")[0].with_suffix(".index")
        true_index = index.read_bytes()
        index.write_bytes(bytes(len(true_index)))
        broker.start()
        assert not (broker.data_dir / ".kafka_cleanshutdown").exists(), "from here on a kill is a kill"
        assert index.read_bytes() == bytes(len(true_index))
        index.write_bytes(true_index)
        assert facts(broker) == before, "nothing was written, cut or made anew"
        with Client(broker) as client:
            assert client.produce("orders", one(b"next"))["base_offset"] == 30
            assert len(client.values("orders")) == 31
        broker.restart()  # SIGTERM, and a third start
        with Client(broker) as client:
            assert client.latest("orders") == 31
        assert metric(broker, "kafka_log_log_logendoffset", topic="orders") == 31


def facts(broker: RunningBroker) -> dict[str, tuple[int, int]]:
    """Size and age of every file of the partition."""
    found = {path.name: path.stat() for path in folder_of(broker, "orders").iterdir()}
    return {name: (stat.st_size, stat.st_mtime_ns) for name, stat in found.items() if not name.endswith(".index")}


def test_stop_and_start_many_times_keeps_everything(penstock_broker: RunningBroker) -> None:
    with Client(penstock_broker) as client:
        assert client.create_topic("orders") == 0
    for number in range(6):
        with Client(penstock_broker) as client:
            assert client.produce("orders", one(b"%d" % number))["base_offset"] == number
        if number % 2:
            penstock_broker.kill()
        penstock_broker.restart()
    with Client(penstock_broker) as client:
        assert client.values("orders") == [b"%d" % number for number in range(6)]


def test_no_producer_id_is_given_twice_however_often_the_broker_is_killed(penstock_broker: RunningBroker) -> None:
    given: list[int] = []
    for _ in range(4):
        with Client(penstock_broker) as client:
            given += [client.new_producer_id() for _ in range(1_100)]  # more than a block
        penstock_broker.kill()
        penstock_broker.start()
    assert len(set(given)) == len(given) and given == sorted(given)


def test_topics_made_and_deleted_around_a_kill_are_there_or_not_and_never_half(penstock_broker: RunningBroker) -> None:
    made: set[str] = set()
    gone: set[str] = set()
    for killed in range(4):
        asked = threading.Thread(target=make_and_delete, args=(penstock_broker, f"round{killed}", made, gone))
        asked.start()
        enough = len(made) + 10
        eventually(lambda enough=enough: len(made) > enough, "topics are made")  # type: ignore[misc]
        penstock_broker.kill()
        asked.join()
        penstock_broker.start()
    with Client(penstock_broker) as client:
        topics = {each["name"]: each for each in client.request("Metadata", 9, {"topics": None})["topics"]}
        assert made - gone <= set(topics), "acknowledged is there"
        assert not gone & set(topics), "deleted stays deleted"
        for name, described in topics.items():
            assert described["error_code"] == 0 and len(described["partitions"]) == 3
            assert {client.produce(name, one(b"v"), partition=index)["error_code"] for index in range(3)} == {0}
            client.delete_topic(name)
    # A log whose topic's deletion was cut short by the kill is set aside, never deleted at a start (RULES 15).
    left = [path.name for path in penstock_broker.data_dir.iterdir() if path.is_dir()]
    assert all(name.endswith(("-delete", "-stray")) for name in left), left


def make_and_delete(broker: RunningBroker, stem: str, made: set[str], gone: set[str]) -> None:
    """Until the broker is killed. A deletion that was asked for and not answered may have happened or not."""
    try:
        with Client(broker) as client:
            for number in range(10_000):
                name = f"{stem}-{number}"
                assert client.create_topic(name, partitions=3) == 0
                made.add(name)
                if number % 3 == 2:
                    made.discard(name)
                    client.delete_topic(name)
                    gone.add(name)
    except (ConnectionEnded, OSError):
        pass


@pytest.mark.penstock(settings={"log.cleaner.backoff.ms": 50, "replica.high.watermark.checkpoint.interval.ms": 100})
def test_a_table_keeps_the_latest_of_each_key_through_kills_in_the_middle_of_compaction(
    penstock_broker: RunningBroker,
) -> None:
    keys = 20
    latest: dict[bytes, bytes] = {}
    written = 0
    with Client(penstock_broker) as client:
        settings: Any = {"cleanup_policy": "compact", "min_cleanable_dirty_ratio": "0.01"}
        assert client.create_topic("table", internal_segment_bytes="20000", **settings) == 0
    for killed in range(4):
        with Client(penstock_broker) as client:
            while not was_compacted(penstock_broker, written) or written < 400 * (killed + 1):
                key, value = b"key %d" % (written % keys), b"%d-%d " % (killed, written) + bytes(400)
                assert client.produce("table", one(value, key=key))["error_code"] == 0
                latest[key] = value
                written += 1
                assert written < 50_000, "nothing is compacted"
        penstock_broker.kill()
        penstock_broker.start()
        records = read_to_end(penstock_broker.bootstrap, "table", check_crcs=True)
        assert {record.key(): record.value() for record in records} == latest
        offsets = [record.offset() or 0 for record in records]
        assert offsets == sorted(set(offsets))
        assert len(offsets) < written, "some of it was compacted away"


def was_compacted(broker: RunningBroker, written: int) -> bool:
    """Whether there is less by now than was written; looked at now and then, and for as long as it takes."""
    return written % 100 == 0 and 0 < metric(broker, "kafka_log_log_size", topic="table") < written * 400
