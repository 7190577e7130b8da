# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class DescribeClusterBroker(msgspec.Struct, gc=False):
    broker_id: int = 0
    host: str = ""
    port: int = 0
    rack: str | None = None
    is_fenced: bool = False


class DescribeClusterResponse(Message, gc=False):
    api_key = 60
    versions = (0, 2)
    flexible_from = 0
    codec = Codec("describe_cluster_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    endpoint_type: int = 1
    cluster_id: str = ""
    controller_id: int = -1
    brokers: list[DescribeClusterBroker] = msgspec.field(default_factory=list)
    cluster_authorized_operations: int = -2147483648
