# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class EndTxnRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 26
    versions: ClassVar[tuple[int, int]] = (0, 5)
    flexible_from: ClassVar[int | None] = 3
    transactional_id: str = ""
    producer_id: int = 0
    producer_epoch: int = 0
    committed: bool = False

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "EndTxnRequest":
        return decode_whole(
            "EndTxnRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("EndTxnRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, EndTxnRequest]" = Codec("end_txn_request")
