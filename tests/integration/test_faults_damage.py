"""Files that a crash or a disk has hurt: torn tails are cut, damage below the recovery point is said and never cut."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.faults import (
    CORRUPT,
    STORAGE_ERROR,
    Client,
    eventually,
    health,
    metric,
    one,
    recovery_point,
    segments_of,
)

from penstock.testing import RunningBroker

RECORD = b"x" * 900
HOUR_MS = 3_600_000
SEGMENT_BYTES = "10000"
"""Ten records a segment."""

TEARS: dict[str, Callable[[bytes], bytes]] = {
    "cut within the last batch": lambda data: data[:-17],
    "cut within the last header": lambda data: data[:-950],
    "a byte of the last batch flipped": lambda data: data[:-5] + bytes([data[-5] ^ 0xFF]) + data[-4:],
    "zeros behind the last batch": lambda data: data + bytes(4096),
    "noise behind the last batch": lambda data: data + bytes(range(256)) * 8,
    "half a batch behind the last one": lambda data: data + data[:500],
}


@pytest.mark.parametrize("tear", TEARS, ids=lambda name: str(name).replace(" ", "-"))
def test_a_torn_tail_above_the_recovery_point_leaves_a_clean_prefix(penstock_broker: RunningBroker, tear: str) -> None:
    with Client(penstock_broker) as client:
        assert client.create_topic("orders") == 0
        for number in range(8):
            assert client.produce("orders", one(b"%d" % number + RECORD))["error_code"] == 0
    penstock_broker.kill()
    assert recovery_point(penstock_broker, "orders") == 0
    (segment,) = segments_of(penstock_broker, "orders")
    whole = segment.read_bytes()
    segment.write_bytes(TEARS[tear](whole))
    penstock_broker.start()
    kept = 8 if "behind" in tear else 7
    assert segment.read_bytes() == whole[: len(whole) * kept // 8]
    with Client(penstock_broker) as client:
        assert client.values("orders") == [b"%d" % number + RECORD for number in range(kept)]
        assert client.produce("orders", one(b"next"))["base_offset"] == kept
        assert client.latest("orders") == kept + 1
    assert health(penstock_broker).status == 200


@pytest.mark.penstock(settings={"replica.high.watermark.checkpoint.interval.ms": HOUR_MS})
def test_whatever_follows_a_torn_segment_goes_with_it(penstock_broker: RunningBroker) -> None:
    """Nothing is flushed here, so the files may have been torn anywhere: a prefix is what remains."""
    with Client(penstock_broker) as client:
        assert client.create_topic("orders", internal_segment_bytes=SEGMENT_BYTES) == 0
        for number in range(15):
            client.produce("orders", one(b"%d" % number + RECORD))
    penstock_broker.kill()
    assert recovery_point(penstock_broker, "orders") == 0, "nothing was written down in that hour"
    first, _second = segments_of(penstock_broker, "orders")
    first.write_bytes(first.read_bytes()[:-100])
    penstock_broker.start()
    with Client(penstock_broker) as client:
        assert client.values("orders") == [b"%d" % number + RECORD for number in range(9)]
        assert client.produce("orders", one(b"next"))["base_offset"] == 9


def a_checkpointed_log(broker: RunningBroker) -> list[Path]:
    """Two topics; three closed segments of `orders` lie below its recovery point on disk, when this returns."""
    with Client(broker) as client:
        for topic in ("orders", "others"):
            assert client.create_topic(topic, internal_segment_bytes=SEGMENT_BYTES) == 0
        for number in range(35):
            client.produce("orders", one(b"%d" % number + RECORD))
        client.produce("others", one(b"unharmed"))
    eventually(lambda: recovery_point(broker, "orders") >= 30, "closed segments are flushed and checkpointed")
    return segments_of(broker, "orders")


def flip_length(path: Path) -> None:
    """A byte of the last batch's length, so that the segment does not end where it should."""
    data = bytearray(path.read_bytes())
    data[len(data) // 10 * 9 + 11] ^= 0x40
    path.write_bytes(data)


HARMS: dict[str, Callable[[list[Path]], object]] = {
    "a closed segment is gone": lambda segments: segments[1].unlink(),
    "the oldest segment is gone": lambda segments: segments[0].unlink(),
    "a closed segment is short": lambda segments: segments[1].write_bytes(segments[1].read_bytes()[:-1]),
    "a closed segment is empty": lambda segments: segments[0].write_bytes(b""),
    "a closed segment's last batch lies about its length": lambda segments: flip_length(segments[2]),
}


@pytest.mark.penstock(settings={"replica.high.watermark.checkpoint.interval.ms": 200})
@pytest.mark.parametrize("harm", HARMS, ids=lambda name: str(name).replace(" ", "-"))
def test_damage_below_the_recovery_point_takes_the_log_offline_and_is_not_cut(
    penstock_broker: RunningBroker, harm: str
) -> None:
    segments = a_checkpointed_log(penstock_broker)
    penstock_broker.kill()
    HARMS[harm](segments)
    left = {path.name: path.read_bytes() for path in segments_of(penstock_broker, "orders")}
    for start in range(2):  # a second start trusts the log no more than the first
        penstock_broker.start()
        with Client(penstock_broker) as client:
            assert client.produce("orders", one(b"more"))["error_code"] == STORAGE_ERROR
            for offset in (0, 15, 34, 35, 1_000):  # never OFFSET_OUT_OF_RANGE: consumers would start over
                assert client.fetch("orders", offset)["error_code"] == STORAGE_ERROR
            assert client.offset("orders", -1)["error_code"] == STORAGE_ERROR
            assert client.values("others") == [b"unharmed"] * (start + 1)
            assert client.produce("others", one(b"unharmed"))["error_code"] == 0
        status, page = health(penstock_broker)
        assert status == 503
        (offline,) = page["offline_logs"]
        assert offline["name"] == "orders-0" and len(offline["reason"]) > 20
        assert metric(penstock_broker, "kafka_server_replicamanager_offlinereplicacount") == 1
        assert {path.name: path.read_bytes() for path in segments_of(penstock_broker, "orders")} == left
        penstock_broker.stop()


@pytest.mark.penstock(settings={"replica.high.watermark.checkpoint.interval.ms": 200})
def test_a_log_is_served_again_when_its_files_are_put_back(penstock_broker: RunningBroker) -> None:
    segments = a_checkpointed_log(penstock_broker)
    penstock_broker.kill()
    kept = segments[1].read_bytes()
    segments[1].unlink()
    penstock_broker.start()
    with Client(penstock_broker) as client:
        assert client.fetch("orders", 0)["error_code"] == STORAGE_ERROR
    penstock_broker.stop()
    segments[1].write_bytes(kept)
    penstock_broker.start()
    with Client(penstock_broker) as client:
        assert client.values("orders") == [b"%d" % number + RECORD for number in range(35)]
        assert client.produce("orders", one(b"next"))["base_offset"] == 35
    assert health(penstock_broker).status == 200


@pytest.mark.penstock(
    settings={"replica.high.watermark.checkpoint.interval.ms": 200, "penstock.scrub.interval.ms": 300}
)
def test_a_flipped_byte_in_a_closed_segment_is_found_by_the_scrub_and_not_served(
    penstock_broker: RunningBroker,
) -> None:
    segments = a_checkpointed_log(penstock_broker)
    data = bytearray(segments[1].read_bytes())
    data[len(data) // 2 + 100] ^= 0x01  # within the record of the sixth batch: offset 15
    segments[1].write_bytes(data)
    with Client(penstock_broker) as client:
        eventually(lambda: client.fetch("orders", 15)["error_code"] == CORRUPT, "the scrub finds it")
        before = client.fetch("orders", 10)
        assert before["error_code"] == 0 and before["records"], "what is good before it is served"
        assert client.values("orders", 16) == [b"%d" % number + RECORD for number in range(16, 35)]
        assert client.produce("orders", one(b"next"))["base_offset"] == 35
    status, page = health(penstock_broker)
    assert status == 503 and "orders-0" in str(page)
    penstock_broker.restart()
    with Client(penstock_broker) as client:
        assert client.fetch("orders", 15)["error_code"] == CORRUPT, "known across a clean restart"


def test_checkpoints_that_cannot_be_read_are_not_taken_for_empty_ones(penstock_broker: RunningBroker) -> None:
    with Client(penstock_broker) as client:
        assert client.create_topic("orders") == 0
        client.produce("orders", one(b"one"))
    penstock_broker.stop()
    for path in penstock_broker.data_dir.glob("*-checkpoint"):
        path.write_bytes(b"\x00\xff rubbish")
    try:
        penstock_broker.start()
    except RuntimeError as refused:
        assert "checkpoint" in str(refused), "refused in words"
        return
    with Client(penstock_broker) as client:
        assert client.values("orders") == [b"one"]
