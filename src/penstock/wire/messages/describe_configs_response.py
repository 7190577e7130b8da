# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class DescribeConfigsSynonym(msgspec.Struct, gc=False):
    name: str = ""
    value: str | None = ""
    source: int = 0


class DescribeConfigsResourceResult(msgspec.Struct, gc=False):
    name: str = ""
    value: str | None = ""
    read_only: bool = False
    config_source: int = -1
    is_sensitive: bool = False
    synonyms: list[DescribeConfigsSynonym] = msgspec.field(default_factory=list)
    config_type: int = 0
    documentation: str | None = ""


class DescribeConfigsResult(msgspec.Struct, gc=False):
    error_code: int = 0
    error_message: str | None = ""
    resource_type: int = 0
    resource_name: str = ""
    configs: list[DescribeConfigsResourceResult] = msgspec.field(default_factory=list)


class DescribeConfigsResponse(Message, gc=False):
    api_key = 32
    versions = (1, 4)
    flexible_from = 4
    codec = Codec("describe_configs_response")
    throttle_time_ms: int = 0
    results: list[DescribeConfigsResult] = msgspec.field(default_factory=list)
