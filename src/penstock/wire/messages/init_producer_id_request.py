# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class InitProducerIdRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 22
    versions: ClassVar[tuple[int, int]] = (0, 6)
    flexible_from: ClassVar[int | None] = 2
    transactional_id: str | None = ""
    transaction_timeout_ms: int = 0
    producer_id: int = -1
    producer_epoch: int = -1
    enable2_pc: bool = False
    keep_prepared_txn: bool = False

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "InitProducerIdRequest":
        return decode_whole(
            "InitProducerIdRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("InitProducerIdRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, InitProducerIdRequest]" = Codec("init_producer_id_request")
