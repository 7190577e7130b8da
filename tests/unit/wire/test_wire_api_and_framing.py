"""API keys, versions and headers, as Kafka 4.3.0 has them."""

import pytest

from penstock.wire import Malformed
from penstock.wire.api import (
    ADVERTISED_VERSIONS,
    API_VERSIONS,
    APIS,
    BROKER_APIS,
    ApiKey,
    request_header_version,
    request_type,
    response_header_version,
    response_type,
)
from penstock.wire.framing import (
    RequestHeader,
    UnknownApi,
    decode_response_header,
    request_frame,
    response_frame,
    response_start,
)


def test_a_broker_of_kafka_4_3_has_77_apis() -> None:
    assert len(BROKER_APIS) == 77
    assert ApiKey.VOTE not in BROKER_APIS
    assert ApiKey.LIST_CONFIG_RESOURCES in BROKER_APIS


@pytest.mark.parametrize(
    ("api", "versions"),
    [
        (ApiKey.PRODUCE, (3, 13)),
        (ApiKey.FETCH, (4, 18)),
        (ApiKey.LIST_OFFSETS, (1, 11)),
        (ApiKey.METADATA, (0, 13)),
        (ApiKey.API_VERSIONS, (0, 4)),
        (ApiKey.CREATE_TOPICS, (2, 7)),
        (ApiKey.INIT_PRODUCER_ID, (0, 5)),
        (ApiKey.DESCRIBE_CLUSTER, (0, 2)),
    ],
)
def test_versions_are_those_of_kafka_4_3(api: ApiKey, versions: tuple[int, int]) -> None:
    assert API_VERSIONS[api] == versions


def test_what_is_offered_differs_for_produce_alone() -> None:
    assert ADVERTISED_VERSIONS[ApiKey.PRODUCE] == (0, 13)
    assert {api for api in APIS if ADVERTISED_VERSIONS[api] != API_VERSIONS[api]} == {ApiKey.PRODUCE}


def test_an_unstable_version_is_kept_as_a_fact() -> None:
    assert [api for api, facts in APIS.items() if facts.latest_is_unstable] == [ApiKey.INIT_PRODUCER_ID]
    assert request_type(ApiKey.INIT_PRODUCER_ID).versions == (0, 6)


@pytest.mark.parametrize("api", [api for api, facts in APIS.items() if facts.module is not None])
def test_every_api_has_a_request_and_a_response_that_agree(api: ApiKey) -> None:
    request, response = request_type(api), response_type(api)
    assert request.api_key == response.api_key == api
    assert request.versions == response.versions == (APIS[api].oldest, APIS[api].latest)
    assert request.flexible_from == APIS[api].flexible_from


def test_of_the_raft_quorum_only_the_names_of_its_apis_are_known() -> None:
    nameless = {api for api, facts in APIS.items() if facts.module is None}
    assert nameless & set(BROKER_APIS) == {ApiKey.ADD_RAFT_VOTER, ApiKey.REMOVE_RAFT_VOTER}
    assert nameless - set(BROKER_APIS) == {api for api, facts in APIS.items() if facts.listeners == {"controller"}}
    with pytest.raises(KeyError):
        request_type(ApiKey.VOTE)


@pytest.mark.parametrize(
    ("api", "version", "request_header", "response_header"),
    [
        (ApiKey.METADATA, 8, 1, 0),
        (ApiKey.METADATA, 9, 2, 1),
        (ApiKey.API_VERSIONS, 2, 1, 0),
        (ApiKey.API_VERSIONS, 3, 2, 0),
        (ApiKey.API_VERSIONS, 99, 2, 0),
        (ApiKey.SASL_HANDSHAKE, 1, 1, 0),
        (ApiKey.OFFSET_DELETE, 0, 1, 0),
        (ApiKey.DESCRIBE_CLUSTER, 0, 2, 1),
        (ApiKey.CONTROLLED_SHUTDOWN, 0, 0, 0),
        (ApiKey.CONTROLLED_SHUTDOWN, 1, 1, 0),
    ],
)
def test_header_versions(api: ApiKey, version: int, request_header: int, response_header: int) -> None:
    assert request_header_version(api, version) == request_header
    assert response_header_version(api, version) == response_header


@pytest.mark.parametrize(
    ("header", "encoded"),
    [
        (RequestHeader(7, 0, 5), b"\x00\x07\x00\x00\x00\x00\x00\x05"),
        (RequestHeader(3, 8, 5, "me"), b"\x00\x03\x00\x08\x00\x00\x00\x05\x00\x02me"),
        (RequestHeader(3, 8, 5), b"\x00\x03\x00\x08\x00\x00\x00\x05\xff\xff"),
        (RequestHeader(3, 9, 5, "me"), b"\x00\x03\x00\x09\x00\x00\x00\x05\x00\x02me\x00"),
        (RequestHeader(18, 5, -1, ""), b"\x00\x12\x00\x05\xff\xff\xff\xff\x00\x00\x00"),
    ],
)
def test_request_headers_of_every_version(header: RequestHeader, encoded: bytes) -> None:
    assert header.encode() == encoded
    assert RequestHeader.decode(encoded + b"body") == (header, len(encoded))
    assert RequestHeader.decode(memoryview(bytearray(encoded))) == (header, len(encoded))
    frame = request_frame(header, b"body")
    assert frame == len(encoded + b"body").to_bytes(4, "big") + encoded + b"body"


def test_tagged_fields_of_a_header_are_passed_over() -> None:
    encoded = RequestHeader(3, 9, 5, "me").encode()[:-1] + b"\x02\x00\x01x\x81\x01\x00"
    assert RequestHeader.decode(encoded + b"body") == (RequestHeader(3, 9, 5, "me"), len(encoded))


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\x00\x03\x00\x09\x00\x00\x00",
        b"\x00\x03\x00\x09\x00\x00\x00\x05",
        b"\x00\x03\x00\x09\x00\x00\x00\x05\x00\x02me",
        b"\x00\x03\x00\x08\x00\x00\x00\x05\x00\x09me",
        b"\x00\x03\x00\x08\x00\x00\x00\x05\xff\xfeme",
        b"\x00\x03\x00\x09\x00\x00\x00\x05\x00\x02me\x01\x00\x09",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # a TLS hello
    ],
)
def test_a_broken_header_is_malformed(frame: bytes) -> None:
    with pytest.raises(Malformed):
        RequestHeader.decode(frame)


def test_an_api_that_kafka_lacks_is_named() -> None:
    with pytest.raises(UnknownApi, match="there is no API 1000"):
        RequestHeader.decode(b"\x03\xe8\x00\x00\x00\x00\x00\x01\xff\xff")


def test_response_frames_have_a_size_and_a_correlation_id() -> None:
    assert response_frame(ApiKey.METADATA, 8, 7, b"body") == b"\x00\x00\x00\x08\x00\x00\x00\x07body"
    assert response_frame(ApiKey.METADATA, 9, 7, b"body") == b"\x00\x00\x00\x09\x00\x00\x00\x07\x00body"
    assert response_start(ApiKey.API_VERSIONS, 4, 7, body_size=100) == b"\x00\x00\x00\x68\x00\x00\x00\x07"


def test_a_client_reads_a_response_header() -> None:
    assert decode_response_header(ApiKey.METADATA, 8, b"\x00\x00\x00\x07body") == (7, 4)
    assert decode_response_header(ApiKey.METADATA, 9, b"\x00\x00\x00\x07\x00body") == (7, 5)
    assert decode_response_header(ApiKey.METADATA, 9, b"\x00\x00\x00\x07\x01\x00\x01xbody") == (7, 8)
    with pytest.raises(Malformed):
        decode_response_header(ApiKey.METADATA, 9, b"\x00\x00\x00\x07")
