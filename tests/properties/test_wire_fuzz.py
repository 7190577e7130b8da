"""Whatever a stranger sends, a request decoder answers with a request or Malformed, and takes memory in proportion."""

import tracemalloc
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.wire_values import MESSAGES, class_of, full_values, layouts_of, said_at

from penstock.wire import Malformed
from penstock.wire.api import ApiKey
from penstock.wire.framing import RequestHeader
from penstock.wire.messages.create_partitions_request import CreatePartitionsRequest
from penstock.wire.primitives import uvarint

REQUESTS = sorted(name for name, message in MESSAGES.items() if message.kind == "request")
QUICK = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))

# The worst a byte can do is a small struct with an empty list or two, some 60 bytes of memory.
MEMORY_FACTOR_MAX = 100
HOSTILE_SIZE = 4_000

COUNTS_THAT_LIE = (
    b"\x7f\xff\xff\xff",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\xff\x07",
    b"\xff\xff\xff\xff\x0f",
    b"\x80",
    b"\x00",
    b"\x01",
    b"\x02",
)


def decode_or_refuse(name: str, data: bytes | memoryview, version: int) -> Any:
    try:
        return class_of(name).decode(data, version)
    except Malformed:
        return None


@pytest.mark.parametrize("name", REQUESTS)
def test_random_bytes_are_a_request_or_malformed(name: str) -> None:
    @QUICK
    @given(st.binary(max_size=120))
    def survive(data: bytes) -> None:
        for version in MESSAGES[name].versions:
            decode_or_refuse(name, data, version)
            decode_or_refuse(name, memoryview(data), version)

    survive()


@pytest.mark.parametrize("name", REQUESTS)
def test_a_damaged_request_is_another_request_or_malformed(name: str) -> None:
    @QUICK
    @given(full_values(name), st.data())
    def survive(full: Any, data: st.DataObject) -> None:
        version = data.draw(st.sampled_from(list(MESSAGES[name].versions)))
        good = said_at(full, layouts_of(name)[version]).encode(version)
        at = data.draw(st.integers(0, len(good)))
        lie = data.draw(st.sampled_from(COUNTS_THAT_LIE))
        decode_or_refuse(name, good[:at] + lie + good[at + len(lie) :], version)
        decode_or_refuse(name, good[:at] + lie + good[at:], version)
        if at < len(good):
            with pytest.raises(Malformed):
                class_of(name).decode(good[:at], version)
        assert class_of(name).decode(good + lie, version) == class_of(name).decode(good, version)

    survive()


@pytest.mark.parametrize("piece", COUNTS_THAT_LIE)
def test_memory_stays_in_proportion_to_the_bytes_received(piece: bytes) -> None:
    data = (piece * HOSTILE_SIZE)[:HOSTILE_SIZE]
    decoders = [(class_of(name), version) for name in REQUESTS for version in MESSAGES[name].versions]
    for request, version in decoders:
        decode_or_refuse(request.__name__, data, version)  # the first of a kind also imports its codec
    tracemalloc.start()
    try:
        for request, version in decoders:
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            for start in range(12):  # so that the lie falls on every field near the front
                decode_or_refuse(request.__name__, bytes(start) + data, version)
            _, peak = tracemalloc.get_traced_memory()
            assert peak - before < MEMORY_FACTOR_MAX * HOSTILE_SIZE, f"{request.__name__} v{version}"
    finally:
        tracemalloc.stop()


def test_as_many_of_the_smallest_structs_as_fit_take_some_60_times_their_bytes() -> None:
    count = 20_000
    empty_assignments = b"\x01\x00" * count
    data = (
        b"\x02" + b"\x02t" + bytes(4) + uvarint(count + 1) + empty_assignments + b"\x00" + bytes(4) + b"\x00" + b"\x00"
    )
    tracemalloc.start()
    try:
        request = CreatePartitionsRequest.decode(data, 3)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(request.topics[0].assignments or ()) == count
    assert peak < MEMORY_FACTOR_MAX * len(data)


@given(st.sampled_from(list(ApiKey)), st.integers(-1, 20), st.binary(max_size=40))
@settings(max_examples=300, deadline=None)
def test_a_request_header_is_read_or_malformed(api_key: ApiKey, version: int, rest: bytes) -> None:
    frame = api_key.to_bytes(2, "big") + version.to_bytes(2, "big", signed=True) + rest
    try:
        _, position = RequestHeader.decode(frame)
    except Malformed:
        return
    assert 8 <= position <= len(frame)
