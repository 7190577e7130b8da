# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class AddPartitionsToTxnTopic(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class AddPartitionsToTxnTransaction(msgspec.Struct, gc=False):
    transactional_id: str = ""
    producer_id: int = 0
    producer_epoch: int = 0
    verify_only: bool = False
    topics: list[AddPartitionsToTxnTopic] = msgspec.field(default_factory=list)


class AddPartitionsToTxnRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 24
    versions: ClassVar[tuple[int, int]] = (0, 5)
    flexible_from: ClassVar[int | None] = 3
    transactions: list[AddPartitionsToTxnTransaction] = msgspec.field(default_factory=list)
    v3_and_below_transactional_id: str = ""
    v3_and_below_producer_id: int = 0
    v3_and_below_producer_epoch: int = 0
    v3_and_below_topics: list[AddPartitionsToTxnTopic] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "AddPartitionsToTxnRequest":
        return decode_whole(
            "AddPartitionsToTxnRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AddPartitionsToTxnRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, AddPartitionsToTxnRequest]" = Codec("add_partitions_to_txn_request")
