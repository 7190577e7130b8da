"""S4: a record that is due in a year keeps itself alone; the rest of its log goes, and is never fired again."""

from __future__ import annotations

from pathlib import Path

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from tests.support.clients import read_to_end
from tests.support.faults import eventually

import penstock.testing as penstock_testing

YEAR_MS = b"31536000000"
RECORDS = 1_200
QUICK = {
    "node.id": "1",
    "log.cleaner.backoff.ms": "300",
    "log.flush.offset.checkpoint.interval.ms": "300",
    "log.segment.delete.delay.ms": "100",
}


def produce(bootstrap: str, values: list[tuple[bytes, list[tuple[str, bytes]]]]) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 5, "batch.num.messages": 50})
    for value, headers in values:
        producer.produce("kept.later", value, key=b"k", headers=headers)  # type: ignore[arg-type]
    assert producer.flush(60) == 0


def size_of_log(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("**/kept.later-0/*.log"))


def fired(bootstrap: str) -> list[bytes | None]:
    return [record.value() for record in read_to_end(bootstrap, "kept", 0)]


def test_one_record_that_is_due_in_a_year_pins_itself_alone() -> None:
    with penstock_testing.broker(QUICK) as broker:
        admin = AdminClient({"bootstrap.servers": broker.bootstrap})
        config = {"penstock.schedule.target": "kept", "internal.segment.bytes": "20000"}
        for topic in (NewTopic("kept", 1, 1), NewTopic("kept.later", 1, 1, config=config)):
            admin.create_topics([topic])[topic.topic].result(30)
        far: list[tuple[str, bytes]] = [("penstock-delay-ms", YEAR_MS), ("penstock-schedule-id", b"far")]
        produce(broker.bootstrap, [(b"far", far)])
        tick: list[tuple[str, bytes]] = [("penstock-cron", b"0 0 0 1 1 *"), ("penstock-time-zone", b"Europe/Berlin")]
        produce(broker.bootstrap, [(b"new year", tick)])
        now: list[tuple[str, bytes]] = [("penstock-delay-ms", b"0"), ("filling", b"-" * 60)]
        produce(broker.bootstrap, [(b"%d" % number, now) for number in range(RECORDS)])
        eventually(lambda: len(fired(broker.bootstrap)) == RECORDS, "all that is due at once")
        # What was written goes: two closed segments' worth is left at most, with the notes of what is in the last one.
        eventually(lambda: size_of_log(broker.data_dir) < 60_000, "closed segments without what is finished")
        waiting = [record.value() for record in read_to_end(broker.bootstrap, "kept.later", 0)]
        assert waiting[:2] == [b"far", b"new year"]
        for stop in (broker.kill, broker.stop):
            stop()
            for path in broker.data_dir.glob("**/penstock-schedule-snapshot"):
                path.unlink()
            broker.start()
            produce(broker.bootstrap, [(b"probe", [("penstock-delay-ms", b"0")])])
            eventually(lambda: fired(broker.bootstrap)[-1:] == [b"probe"], "a record after the start")
            assert [value for value in fired(broker.bootstrap) if value != b"probe"] == [
                b"%d" % number for number in range(RECORDS)
            ]
        cancel = Producer({"bootstrap.servers": broker.bootstrap})
        cancel.produce("kept.later", None, key=b"k", headers={"penstock-schedule-id": b"far", "penstock-fire-now": b""})
        assert cancel.flush(30) == 0
        eventually(lambda: fired(broker.bootstrap)[-1:] == [b"far"], "the far one, when it is to be fired at once")
