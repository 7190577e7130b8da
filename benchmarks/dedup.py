"""`python -m benchmarks.dedup`: what a topic takes with dedup by id, and 20 % duplicates, beside one without.

    python -m benchmarks.dedup --records 400000 --record-bytes 1000
    python -m benchmarks.dedup --client raw

In turns to a topic of either kind; of five records one has an id that came before. The best of the rounds counts. The
client is librdkafka, idempotent; `raw` sends requests that were made beforehand, and costs next to nothing: what is
compared then is a broker that opens every batch with one that opens none. A restart after kill -9 is timed as well:
from when the broker listens to the first record that was taken.
"""

import json
import random
import socket
import struct
import time
import urllib.request
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import click
import msgspec
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

import penstock.testing as penstock_testing
from penstock.testing.process import ProcessBroker
from penstock.wire.compression import CODECS_BY_NAME
from penstock.wire.framing import RequestHeader
from penstock.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from penstock.wire.messages.produce_response import ProduceResponse
from penstock.wire.records import Record, build_batch, iterate

VERSION: Final = 10
IN_FLIGHT: Final = 5
BAR: Final = 0.5


class Figures(msgspec.Struct):
    client: str
    record_bytes: int
    codec: str
    plain_records_per_s: int
    dedup_records_per_s: int
    share: float
    plain_cpu_us_a_record: float
    dedup_cpu_us_a_record: float
    left_out: int
    ids: int
    restart_to_first_record_s: float


class Round(msgspec.Struct):
    records_per_s: float
    cpu_us: float


def batches(records: int, record_bytes: int, batch_records: int, codec: str, first: int) -> list[bytes]:
    """Of `records` new ids from `first` on, with a fifth of duplicates in all."""
    dice, now = random.Random(first), int(time.time() * 1000)
    value = dice.randbytes(record_bytes // 2) + bytes(record_bytes - record_bytes // 2)
    made: list[bytes] = []
    number = first
    while number < first + records:
        batch = []
        for place in range(batch_records):
            is_new = number == first or place % 5 != 4
            record_id = number if is_new else dice.randrange(max(first, number - 50_000), number)
            number += is_new
            batch.append(Record(place, now, b"%d" % (record_id % 1_000), value, (("id", b"event-%012d" % record_id),)))
        made.append(bytes(build_batch(batch, compression=CODECS_BY_NAME[codec])))
    return made


def frames(topic: str, some: Sequence[bytes]) -> list[bytes]:
    header = RequestHeader(ProduceRequest.api_key, VERSION, 7, "bench").encode()
    found = []
    for batch in some:
        part = TopicProduceData(name=topic, partition_data=[PartitionProduceData(index=0, records=batch)])
        body = header + ProduceRequest(acks=-1, timeout_ms=30_000, topic_data=[part]).encode(VERSION)
        found.append(struct.pack(">i", len(body)) + body)
    return found


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


class Sender:
    def __init__(self, bootstrap: str) -> None:
        host, _, port = bootstrap.rpartition(":")
        self._socket = socket.create_connection((host, int(port)), timeout=120)
        self._file = self._socket.makefile("rb")

    def send(self, requests: Sequence[bytes]) -> None:
        """All of them, each acknowledged. While the ids are read the broker says so, and the request goes out again."""
        left = list(reversed(requests))
        under_way: list[bytes] = []
        while left or under_way:
            while left and len(under_way) < IN_FLIGHT:
                under_way.append(left.pop())
                self._socket.sendall(under_way[-1])
            (size,) = struct.unpack(">i", self._file.read(4))
            response = ProduceResponse.decode(self._file.read(size), VERSION, 5)
            code = response.responses[0].partition_responses[0].error_code
            request = under_way.pop(0)
            if code == 19:
                left.append(request)
            elif code:
                raise RuntimeError(f"refused with code {code}")


def ids_of(broker: ProcessBroker) -> int:
    with urllib.request.urlopen(broker.http_url + "/metrics", timeout=30) as answer:
        lines = answer.read().decode().splitlines()
    return sum(int(float(line.rpartition(" ")[2])) for line in lines if line.startswith("penstock_dedup_ids{"))


def by_librdkafka(bootstrap: str, topic: str, some: Sequence[Record], codec: str) -> None:
    producer = Producer(
        {
            "bootstrap.servers": bootstrap,
            "enable.idempotence": True,
            "linger.ms": 5,
            "batch.size": 1_000_000,
            "compression.type": "none" if codec == "uncompressed" else codec,
            "queue.buffering.max.messages": 1_000_000,
        }
    )
    for record in some:
        producer.produce(topic, record.value, record.key, headers=list(record.headers))
    if producer.flush(120):
        raise RuntimeError("not all was acknowledged")


def measured(broker: ProcessBroker, topic: str, some: Sequence[bytes], records: int, client: str, codec: str) -> Round:
    if client == "raw":
        send = partial(Sender(broker.bootstrap).send, frames(topic, some))
    else:
        send = partial(
            by_librdkafka, broker.bootstrap, topic, [each for batch in some for each in iterate(batch)], codec
        )
    before, begun = cpu_s(broker.pid), time.monotonic()
    send()
    took_s, cpu = time.monotonic() - begun, cpu_s(broker.pid) - before
    return Round(records / took_s, cpu * 1e6 / records)


def measure(records: int, record_bytes: int, batch_records: int, codec: str, rounds: int, client: str) -> Figures:
    settings = {"node.id": "1", "log.retention.ms": "-1"}
    with penstock_testing.broker(settings, mode="process") as broker:
        assert isinstance(broker, ProcessBroker)
        admin = AdminClient({"bootstrap.servers": broker.bootstrap})
        dedup = {"penstock.dedup.by": "header:id", "penstock.dedup.ids.max": "10000000"}
        for topic, config in (("plain", {}), ("dedup", dedup)):
            admin.create_topics([NewTopic(topic, 1, 1, config=config)])[topic].result(60)
        found: dict[str, list[Round]] = {"plain": [], "dedup": []}
        sent = 0
        for number in range(rounds):
            some = batches(records * 4 // 5, record_bytes, batch_records, codec, first=number * 10_000_000)
            sent = len(some) * batch_records
            for topic, rates in found.items():
                rates.append(measured(broker, topic, some, sent, client, codec))
        kept = ids_of(broker)
        broker.kill()
        broker.start()
        begun = time.monotonic()
        Sender(broker.bootstrap).send(frames("dedup", batches(4, record_bytes, 5, codec, first=10**9)))
        restart_s = time.monotonic() - begun
    best = {topic: max(each.records_per_s for each in rates) for topic, rates in found.items()}
    cpu = {topic: min(each.cpu_us for each in rates) for topic, rates in found.items()}
    return Figures(
        client=client,
        record_bytes=record_bytes,
        codec=codec,
        plain_records_per_s=int(best["plain"]),
        dedup_records_per_s=int(best["dedup"]),
        share=best["dedup"] / best["plain"],
        plain_cpu_us_a_record=cpu["plain"],
        dedup_cpu_us_a_record=cpu["dedup"],
        left_out=sent * rounds - kept,
        ids=kept,
        restart_to_first_record_s=restart_s,
    )


@click.command()
@click.option("--records", type=int, default=400_000, help="In a round, duplicates included.")
@click.option("--record-bytes", type=int, default=1_000)
@click.option("--batch-records", type=int, default=500)
@click.option("--codec", default="uncompressed", type=click.Choice(list(CODECS_BY_NAME)))
@click.option("--client", default="librdkafka", type=click.Choice(["librdkafka", "raw"]))
@click.option("--rounds", type=int, default=3)
@click.option("--json", "as_json", is_flag=True)
def main(
    records: int, record_bytes: int, batch_records: int, codec: str, client: str, rounds: int, as_json: bool
) -> None:
    said = msgspec.structs.asdict(measure(records, record_bytes, batch_records, codec, rounds, client))
    if as_json:
        print(json.dumps(said))
    else:
        for name, value in said.items():
            print(f"{name:28} {value:>14,.2f}" if isinstance(value, float) else f"{name:28} {value:>14}")
        print(f"the bar for `share` is {BAR}")


if __name__ == "__main__":
    main()
