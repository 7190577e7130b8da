# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import field_refused
from penstock.wire.messages.describe_cluster_request import DescribeClusterRequest
from penstock.wire.primitives import Push, skip_tags

_read_tB = Struct(">?B").unpack_from
_read_tbtB = Struct(">?b?B").unpack_from
_read_tbB = Struct(">?bB").unpack_from
_pack_tbtx = Struct(">?b?x").pack
_pack_tbx = Struct(">?bx").pack
_pack_tx = Struct(">?x").pack


def _decode_describe_cluster_request_v0(data: bytes, pos: int) -> tuple[DescribeClusterRequest, int]:
    include_cluster_authorized_operations, tags = _read_tB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeClusterRequest(include_cluster_authorized_operations), pos


def _decode_describe_cluster_request_v1(data: bytes, pos: int) -> tuple[DescribeClusterRequest, int]:
    include_cluster_authorized_operations, endpoint_type, tags = _read_tbB(data, pos)
    pos += 3
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeClusterRequest(include_cluster_authorized_operations, endpoint_type), pos


def _decode_describe_cluster_request_v2(data: bytes, pos: int) -> tuple[DescribeClusterRequest, int]:
    include_cluster_authorized_operations, endpoint_type, include_fenced_brokers, tags = _read_tbtB(data, pos)
    pos += 4
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeClusterRequest(include_cluster_authorized_operations, endpoint_type, include_fenced_brokers), pos


def _encode_describe_cluster_request_v0(push: Push, this: DescribeClusterRequest) -> None:
    if this.endpoint_type != 1:
        raise field_refused("endpoint_type")
    if this.include_fenced_brokers:
        raise field_refused("include_fenced_brokers")
    push(_pack_tx(this.include_cluster_authorized_operations))


def _encode_describe_cluster_request_v1(push: Push, this: DescribeClusterRequest) -> None:
    if this.include_fenced_brokers:
        raise field_refused("include_fenced_brokers")
    push(_pack_tbx(this.include_cluster_authorized_operations, this.endpoint_type))


def _encode_describe_cluster_request_v2(push: Push, this: DescribeClusterRequest) -> None:
    push(_pack_tbtx(this.include_cluster_authorized_operations, this.endpoint_type, this.include_fenced_brokers))


DECODERS = {
    0: _decode_describe_cluster_request_v0,
    1: _decode_describe_cluster_request_v1,
    2: _decode_describe_cluster_request_v2,
}
ENCODERS = {
    0: _encode_describe_cluster_request_v0,
    1: _encode_describe_cluster_request_v1,
    2: _encode_describe_cluster_request_v2,
}
