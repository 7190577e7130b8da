# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ComponentData(msgspec.Struct, gc=False):
    entity_type: str = ""
    match_type: int = 0
    match: str | None = ""


class DescribeClientQuotasRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 48
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = 1
    components: list[ComponentData] = msgspec.field(default_factory=list)
    strict: bool = False

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeClientQuotasRequest":
        return decode_whole(
            "DescribeClientQuotasRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeClientQuotasRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeClientQuotasRequest]" = Codec("describe_client_quotas_request")
