# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class Listener(msgspec.Struct, gc=False):
    name: str = ""
    host: str = ""
    port: int = 0
    security_protocol: int = 0


class Feature(msgspec.Struct, gc=False):
    name: str = ""
    min_supported_version: int = 0
    max_supported_version: int = 0


class BrokerRegistrationRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 62
    versions: ClassVar[tuple[int, int]] = (0, 4)
    flexible_from: ClassVar[int | None] = 0
    broker_id: int = 0
    cluster_id: str = ""
    incarnation_id: bytes = ZERO_UUID
    listeners: list[Listener] = msgspec.field(default_factory=list)
    features: list[Feature] = msgspec.field(default_factory=list)
    rack: str | None = ""
    is_migrating_zk_broker: bool = False
    log_dirs: list[bytes] = msgspec.field(default_factory=list)
    previous_broker_epoch: int = -1

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "BrokerRegistrationRequest":
        return decode_whole(
            "BrokerRegistrationRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("BrokerRegistrationRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, BrokerRegistrationRequest]" = Codec("broker_registration_request")
