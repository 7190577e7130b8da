# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class DescribeConfigsResource(msgspec.Struct, gc=False):
    resource_type: int = 0
    resource_name: str = ""
    configuration_keys: list[str] | None = msgspec.field(default_factory=list)


class DescribeConfigsRequest(Message, gc=False):
    api_key = 32
    versions = (1, 4)
    flexible_from = 4
    codec = Codec("describe_configs_request")
    resources: list[DescribeConfigsResource] = msgspec.field(default_factory=list)
    include_synonyms: bool = False
    include_documentation: bool = False
