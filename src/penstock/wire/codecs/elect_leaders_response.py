# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, negative_length, null_refused
from penstock.wire.messages.elect_leaders_response import ElectLeadersResponse, PartitionResult, ReplicaElectionResult
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_ihh = Struct(">ihh").unpack_from
_read_ihi = Struct(">ihi").unpack_from
_read_ii = Struct(">ii").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihh = Struct(">ihh").pack
_pack_ihi = Struct(">ihi").pack
_pack_ii = Struct(">ii").pack


def _decode_partition_result_v0(data: bytes, pos: int) -> tuple[PartitionResult, int]:
    partition_id, error_code, n = _read_ihh(data, pos)
    pos += 8
    error_message: str | None = None
    if n >= 0:
        end = pos + n
        error_message = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("error_message", n)
    return PartitionResult(partition_id, error_code, error_message), pos


def _decode_replica_election_result_v0(data: bytes, pos: int) -> tuple[ReplicaElectionResult, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("topic")
    end = pos + n
    topic = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("partition_result")
    if n * 8 > len(data) - pos:
        raise absurd_count("partition_result", n)
    partition_result: list[PartitionResult] = []
    for _ in range(n):
        partition_result_item, pos = _decode_partition_result_v0(data, pos)
        partition_result.append(partition_result_item)
    return ReplicaElectionResult(topic, partition_result), pos


def _decode_elect_leaders_response_v0(data: bytes, pos: int) -> tuple[ElectLeadersResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("replica_election_results")
    if n * 6 > len(data) - pos:
        raise absurd_count("replica_election_results", n)
    replica_election_results: list[ReplicaElectionResult] = []
    for _ in range(n):
        replica_election_results_item, pos = _decode_replica_election_result_v0(data, pos)
        replica_election_results.append(replica_election_results_item)
    return ElectLeadersResponse(throttle_time_ms, replica_election_results=replica_election_results), pos


def _decode_elect_leaders_response_v1(data: bytes, pos: int) -> tuple[ElectLeadersResponse, int]:
    throttle_time_ms, error_code, n = _read_ihi(data, pos)
    pos += 10
    if n < 0:
        raise null_refused("replica_election_results")
    if n * 6 > len(data) - pos:
        raise absurd_count("replica_election_results", n)
    replica_election_results: list[ReplicaElectionResult] = []
    for _ in range(n):
        replica_election_results_item, pos = _decode_replica_election_result_v0(data, pos)
        replica_election_results.append(replica_election_results_item)
    return ElectLeadersResponse(throttle_time_ms, error_code, replica_election_results), pos


def _decode_partition_result_v2(data: bytes, pos: int) -> tuple[PartitionResult, int]:
    partition_id, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionResult(partition_id, error_code, error_message), pos


def _decode_replica_election_result_v2(data: bytes, pos: int) -> tuple[ReplicaElectionResult, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("topic")
    end = pos + n - 1
    topic = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partition_result")
    n -= 1
    if n * 8 > len(data) - pos:
        raise absurd_count("partition_result", n)
    partition_result: list[PartitionResult] = []
    for _ in range(n):
        partition_result_item, pos = _decode_partition_result_v2(data, pos)
        partition_result.append(partition_result_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ReplicaElectionResult(topic, partition_result), pos


def _decode_elect_leaders_response_v2(data: bytes, pos: int) -> tuple[ElectLeadersResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("replica_election_results")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("replica_election_results", n)
    replica_election_results: list[ReplicaElectionResult] = []
    for _ in range(n):
        replica_election_results_item, pos = _decode_replica_election_result_v2(data, pos)
        replica_election_results.append(replica_election_results_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ElectLeadersResponse(throttle_time_ms, error_code, replica_election_results), pos


def _encode_partition_result_v0(push: Push, this: PartitionResult) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = -1
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent)
    push(_pack_ihh(this.partition_id, this.error_code, n))
    push(error_message_sent)


def _encode_replica_election_result_v0(push: Push, this: ReplicaElectionResult) -> None:
    topic_sent = this.topic.encode()
    n = len(topic_sent)
    push(_pack_h(n))
    push(topic_sent)
    partition_result = this.partition_result
    n = len(partition_result)
    push(_pack_i(n))
    for partition_result_item in partition_result:
        _encode_partition_result_v0(push, partition_result_item)


def _encode_elect_leaders_response_v0(push: Push, this: ElectLeadersResponse) -> None:
    if this.error_code != 0:
        raise field_refused("error_code")
    replica_election_results = this.replica_election_results
    n = len(replica_election_results)
    push(_pack_ii(this.throttle_time_ms, n))
    for replica_election_results_item in replica_election_results:
        _encode_replica_election_result_v0(push, replica_election_results_item)


def _encode_elect_leaders_response_v1(push: Push, this: ElectLeadersResponse) -> None:
    replica_election_results = this.replica_election_results
    n = len(replica_election_results)
    push(_pack_ihi(this.throttle_time_ms, this.error_code, n))
    for replica_election_results_item in replica_election_results:
        _encode_replica_election_result_v0(push, replica_election_results_item)


def _encode_partition_result_v2(push: Push, this: PartitionResult) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(
        _pack_ihB(this.partition_id, this.error_code, n)
        if n < 128
        else _pack_ih(this.partition_id, this.error_code) + string_length(n)
    )
    push(error_message_sent)
    push(b"\0")


def _encode_replica_election_result_v2(push: Push, this: ReplicaElectionResult) -> None:
    topic_sent = this.topic.encode()
    n = len(topic_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_sent)
    partition_result = this.partition_result
    n = len(partition_result) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partition_result_item in partition_result:
        _encode_partition_result_v2(push, partition_result_item)
    push(b"\0")


def _encode_elect_leaders_response_v2(push: Push, this: ElectLeadersResponse) -> None:
    replica_election_results = this.replica_election_results
    n = len(replica_election_results) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + uvarint(n)
    )
    for replica_election_results_item in replica_election_results:
        _encode_replica_election_result_v2(push, replica_election_results_item)
    push(b"\0")


DECODERS = {
    0: _decode_elect_leaders_response_v0,
    1: _decode_elect_leaders_response_v1,
    2: _decode_elect_leaders_response_v2,
}
ENCODERS = {
    0: _encode_elect_leaders_response_v0,
    1: _encode_elect_leaders_response_v1,
    2: _encode_elect_leaders_response_v2,
}
