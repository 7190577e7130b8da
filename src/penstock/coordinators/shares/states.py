"""What share groups keep of a partition: how far all is done, and what became of what lies beyond.

`ShareStates` is the port to whoever keeps it: the share coordinator of that partition, on this broker or on another.

A record's state only moves on within a state epoch: see `StateBatch.standing`. So writes may be repeated, joined, and
carried out in any order: what comes of it is the same.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import msgspec

from penstock.errors import InvalidRequest
from penstock.model import TopicId, topic_id_from_text, topic_id_text

_TEXT = re.compile(r"(?P<group>.*):(?P<topic>[A-Za-z0-9_-]{22})(==)?:(?P<partition>[+-]?[0-9]{1,10})", re.DOTALL)


class SharePartitionKey(NamedTuple):
    """A partition as one share group sees it."""

    group_id: str
    topic_id: TopicId
    partition: int

    def __str__(self) -> str:
        """As FindCoordinator is asked for it."""
        return f"{self.group_id}:{topic_id_text(self.topic_id)}:{self.partition}"

    @classmethod
    def parse(cls, text: str) -> "SharePartitionKey":
        """What `str` gives; a group's id may have colons of its own."""
        found = _TEXT.fullmatch(text)
        if found is None or not found["group"].strip() or not -(1 << 31) <= int(found["partition"]) < 1 << 31:
            raise InvalidRequest("a share partition is named by its group, its topic's id and its number: g:id:0")
        return cls(found["group"], topic_id_from_text(found["topic"]), int(found["partition"]))


class StateBatch(msgspec.Struct, frozen=True, gc=False):
    """Records in a row that are in one state."""

    first_offset: int
    last_offset: int
    delivery_state: int
    """0 available, 2 acknowledged, 3 archiving, 4 archived; acquired (1) is never kept."""
    delivery_count: int
    not_before_ms: int = 0
    """Wall time at which they may be delivered again; 0: at once."""
    dead_letter_reason: int = 0
    """Of those that are archiving: why."""

    @property
    def standing(self) -> tuple[int, int, int, int]:
        """Of two states of one record the greater counts: the one that more deliveries brought, and then the one that
        is closer to the end.
        """
        return self.delivery_count, self.delivery_state, self.not_before_ms, self.dead_letter_reason


class ShareState(msgspec.Struct, frozen=True, gc=False):
    state_epoch: int
    """Up by one whenever the group's offsets are set by hand: former owners of the partition are refused."""
    start_offset: int
    """Everything before it is done; -1 where nobody has begun."""
    batches: Sequence[StateBatch] = ()
    relay: bytes = b""
    """What of the partition's records is on its way to another topic; see `newer_relay`."""


def newer_relay(one: bytes, other: bytes) -> bytes:
    """Each begins with eight bytes that only grow; nothing (empty) is older than all."""
    return max(one, other)


class ShareSummary(msgspec.Struct, frozen=True, gc=False):
    state_epoch: int
    leader_epoch: int
    start_offset: int
    delivery_complete_count: int
    """Of records at or after the start that are done; -1 where nobody has said."""


class ShareStates(Protocol):
    """Each raises a Refusal with Kafka's code: FencedStateEpoch; FencedLeaderEpoch; InvalidRequest from `read` and
    `write` where nothing was initialized; UnknownTopicOrPartition; CoordinatorNotAvailable once whoever keeps the
    state was asked again for some seconds, while it moved or loaded. What was asked may then have been done.
    """

    async def initialize(self, key: SharePartitionKey, *, state_epoch: int, start_offset: int) -> None:
        """Forgets what was kept under this state epoch or an earlier one."""

    async def read(self, key: SharePartitionKey, *, leader_epoch: int) -> ShareState:
        """For the leader of the partition, whose epoch is kept: a former leader's writes are refused from then on."""

    async def write(
        self,
        key: SharePartitionKey,
        *,
        state_epoch: int,
        leader_epoch: int,
        start_offset: int,
        delivery_complete_count: int,
        batches: Sequence[StateBatch],
        relay: bytes = b"",
    ) -> None:
        """Increments: what is not in `batches` stays. A start offset of -1, or one that is passed already, leaves
        that one as it is, and so does a `relay` that is not newer. Returns when it is replicated. Where it is refused
        as not available it may have been done: to repeat it is safe.
        """

    async def summary(self, key: SharePartitionKey, *, leader_epoch: int) -> ShareSummary: ...

    async def delete(self, key: SharePartitionKey) -> None:
        """Done as well where there was nothing."""
