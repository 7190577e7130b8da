"""Fetches a partition from its start to an offset over one connection, and counts the bytes of the answers.

A client tells what it makes of the bytes, and not how many came. The broker's CPU is what is compared, so that this may
be Python.
"""

import socket
from dataclasses import dataclass

from penstock.processes.raw_requests import ask_over
from penstock.wire.batch import HEADER_SIZE, BatchHeader
from penstock.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic
from penstock.wire.messages.fetch_response import FetchResponse

_VERSION = 12
_PARTITION_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Fetched:
    answers: int
    network_bytes: int
    """Of record batches, as they came."""
    records: int
    """Of data batches alone."""


def fetch_all(host: str, port: int, topic: str, end: int) -> Fetched:
    answers = network = records = offset = 0
    with socket.create_connection((host, port), timeout=60) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while offset < end:
            partition = FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=_PARTITION_BYTES)
            request = FetchRequest(
                max_wait_ms=100, min_bytes=1, session_epoch=-1, topics=[FetchTopic(topic=topic, partitions=[partition])]
            )
            answer: FetchResponse = ask_over(connection, request, FetchResponse, version=_VERSION)
            data = memoryview(answer.responses[0].partitions[0].records or b"")
            answers, network = answers + 1, network + len(data)
            for header in headers(data):
                offset = max(offset, header.next_offset)
                if not header.is_control:
                    records += header.record_count
    return Fetched(answers, network, records)


def headers(data: memoryview) -> list[BatchHeader]:
    """Of the whole batches; the last one of an answer may be cut off."""
    found, at = list[BatchHeader](), 0
    while at + HEADER_SIZE <= len(data):
        header = BatchHeader.peek(data, at)
        if at + header.size > len(data):
            break
        found.append(header)
        at += header.size
    return found
