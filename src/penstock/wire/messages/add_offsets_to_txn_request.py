# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class AddOffsetsToTxnRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 25
    versions: ClassVar[tuple[int, int]] = (0, 4)
    flexible_from: ClassVar[int | None] = 3
    transactional_id: str = ""
    producer_id: int = 0
    producer_epoch: int = 0
    group_id: str = ""

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "AddOffsetsToTxnRequest":
        return decode_whole(
            "AddOffsetsToTxnRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AddOffsetsToTxnRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, AddOffsetsToTxnRequest]" = Codec("add_offsets_to_txn_request")
