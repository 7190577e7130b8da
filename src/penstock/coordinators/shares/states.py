"""What share groups keep of a partition: how far all is done, and what became of what lies beyond.

`ShareStates` is the port to whoever keeps it: the share coordinator of that partition, on this broker or on another.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import msgspec

from penstock.model import TopicId, topic_id_text


class SharePartitionKey(NamedTuple):
    """A partition as one share group sees it."""

    group_id: str
    topic_id: TopicId
    partition: int

    def __str__(self) -> str:
        """As FindCoordinator is asked for it."""
        return f"{self.group_id}:{topic_id_text(self.topic_id)}:{self.partition}"


class StateBatch(msgspec.Struct, frozen=True, gc=False):
    """Records in a row that are in one state."""

    first_offset: int
    last_offset: int
    delivery_state: int
    """0 available, 2 acknowledged, 4 archived; acquired (1) is never kept."""
    delivery_count: int


class ShareState(msgspec.Struct, frozen=True, gc=False):
    state_epoch: int
    """Up by one whenever the group's offsets are set by hand: former owners of the partition are refused."""
    start_offset: int
    """Everything before it is done; -1 where nobody has begun."""
    batches: Sequence[StateBatch] = ()


class ShareSummary(msgspec.Struct, frozen=True, gc=False):
    state_epoch: int
    leader_epoch: int
    start_offset: int
    delivery_complete_count: int
    """Of records at or after the start that are done; -1 where nobody has said."""


class ShareStates(Protocol):
    """Each raises a Refusal with Kafka's code: FencedStateEpoch, FencedLeaderEpoch, CoordinatorNotAvailable and so on.
    Whoever keeps the state is asked again, for some seconds, while it moves or loads.
    """

    async def initialize(self, key: SharePartitionKey, *, state_epoch: int, start_offset: int) -> None: ...

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
    ) -> None:
        """Increments: what is not in `batches` stays. A start offset of -1 leaves that one as it is. Returns when
        it is replicated.
        """

    async def summary(self, key: SharePartitionKey, *, leader_epoch: int) -> ShareSummary: ...

    async def delete(self, key: SharePartitionKey) -> None: ...
