# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class StateBatch(msgspec.Struct, gc=False):
    first_offset: int = 0
    last_offset: int = 0
    delivery_state: int = 0
    delivery_count: int = 0
    not_before_ms: int = 0
    dead_letter_reason: int = 0


class ShareSnapshotValue(Message, gc=False):
    api_key = 0
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("share_snapshot_value")
    snapshot_epoch: int = 0
    state_epoch: int = 0
    leader_epoch: int = 0
    start_offset: int = 0
    delivery_complete_count: int = -1
    create_timestamp: int = 0
    write_timestamp: int = 0
    state_batches: list[StateBatch] = msgspec.field(default_factory=list)
    relay: bytes = b""
