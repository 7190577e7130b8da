"""What a codec costs: microseconds to encode and decode three messages, ours beside kio's.

    python -m benchmarks.micro_codec

Prints figures and asserts nothing about time. Both get the same messages: their encodings are checked to be equal.
"""

import io
import timeit
from collections.abc import Callable
from functools import partial
from typing import Any

from kio.index import load_request_schema, load_response_schema
from kio.serial import entity_reader, entity_writer
from rich.console import Console
from rich.table import Table

from benchmarks.cpu_cost import Cost, cost_us
from penstock.wire.api import ApiKey, request_type, response_type
from penstock.wire.messages.fetch_response import FetchableTopicResponse, FetchResponse, PartitionData
from penstock.wire.messages.metadata_response import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from penstock.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData

RECORDS_16_KIB = bytes(16 * 1024)


def metadata_of_100_topics() -> MetadataResponse:
    brokers = [MetadataResponseBroker(node, f"broker-{node}.example", 9092) for node in (1, 2, 3)]
    topics = [
        MetadataResponseTopic(
            name=f"topic-{number:03}",
            topic_id=number.to_bytes(16, "big"),
            partitions=[MetadataResponsePartition(0, 0, 1, 5, [1, 2, 3], [1, 2, 3], [])],
        )
        for number in range(1, 101)
    ]
    return MetadataResponse(brokers=brokers, cluster_id="a-cluster", controller_id=1, topics=topics)


def produce_of_16_kib() -> ProduceRequest:
    partition = PartitionProduceData(index=0, records=RECORDS_16_KIB)
    return ProduceRequest(
        acks=-1, timeout_ms=30_000, topic_data=[TopicProduceData(name="t", partition_data=[partition])]
    )


def fetch_of_50_partitions() -> FetchResponse:
    partitions = [
        PartitionData(
            partition_index=index, high_watermark=100, last_stable_offset=100, log_start_offset=0, records=b"x"
        )
        for index in range(50)
    ]
    return FetchResponse(session_id=1, responses=[FetchableTopicResponse(topic="t", partitions=partitions)])


def costs() -> list[Cost]:
    """CPU time of ours alone."""
    kinds: list[tuple[str, str, Any, Any, int]] = [
        ("metadata", "Metadata v12, 100 topics", metadata_of_100_topics(), response_type(ApiKey.METADATA), 12),
        ("produce", "Produce v9, 16 KiB", produce_of_16_kib(), request_type(ApiKey.PRODUCE), 9),
        ("fetch", "Fetch v12, 50 partitions", fetch_of_50_partitions(), response_type(ApiKey.FETCH), 12),
    ]
    found = []
    for key, title, message, kind, version in kinds:
        encode, decode = partial(message.encode, version), partial(kind.decode, message.encode(version), version)
        found.append(Cost(f"encode.{key}", f"encode {title}", cost_us(encode)))
        found.append(Cost(f"decode.{key}", f"decode {title}", cost_us(decode)))
    return found


def microseconds(call: Callable[[], object]) -> float:
    timer = timeit.Timer(call)
    times, _ = timer.autorange()
    times = max(1, times // 2)
    return min(timer.repeat(repeat=7, number=times)) / times * 1e6


def compare(label: str, message: Any, ours: Any, theirs: Any, version: int) -> list[str]:
    encoded = message.encode(version)
    read, write = entity_reader(theirs), entity_writer(theirs)
    entity, _ = read(encoded, 0)

    def write_theirs() -> bytes:
        with io.BytesIO() as buffer:
            write(buffer, entity)
            return buffer.getvalue()

    if write_theirs() != encoded:
        raise SystemExit(f"{label}: the two encodings differ")
    encode_ours, encode_theirs = microseconds(lambda: message.encode(version)), microseconds(write_theirs)
    decode_ours = microseconds(lambda: ours.decode(encoded, version))
    decode_theirs = microseconds(lambda: read(encoded, 0))
    figures = [encode_ours, encode_theirs, encode_theirs / encode_ours, decode_ours, decode_theirs]
    return [label, *(f"{figure:,.1f}" for figure in (*figures, decode_theirs / decode_ours))]


def main() -> None:
    metadata, fetch, produce = ApiKey.METADATA, ApiKey.FETCH, ApiKey.PRODUCE
    table = Table(title="µs a message")
    for column in ("", "encode", "kio", "ratio", "decode", "kio", "ratio"):
        table.add_column(column, justify="right")
    for row in (
        compare(
            "Metadata v12, 100 topics",
            metadata_of_100_topics(),
            response_type(metadata),
            load_response_schema(metadata, 12),
            12,
        ),
        compare("Produce v9, 16 KiB", produce_of_16_kib(), request_type(produce), load_request_schema(produce, 9), 9),
        compare(
            "Fetch v12, 50 partitions",
            fetch_of_50_partitions(),
            response_type(fetch),
            load_response_schema(fetch, 12),
            12,
        ),
    ):
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()
