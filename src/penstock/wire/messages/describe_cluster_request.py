# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class DescribeClusterRequest(Message, gc=False):
    api_key = 60
    versions = (0, 2)
    flexible_from = 0
    codec = Codec("describe_cluster_request")
    include_cluster_authorized_operations: bool = False
    endpoint_type: int = 1
    include_fenced_brokers: bool = False
