"""What can be asked of the share machine, and what it orders to be done.

What is asked about one share partition is also what travels between brokers: see `peer_requests`.
"""

from collections.abc import Sequence

import msgspec

from penstock.coordinators.decision import Command
from penstock.coordinators.shares.progress import Progress
from penstock.coordinators.shares.states import SharePartitionKey, StateBatch
from penstock.model import TopicId


class Question(Command, frozen=True, kw_only=True):
    """About one share partition."""

    key: SharePartitionKey
    is_there: bool = True
    """Whether the cluster has that partition, as far as is known where the machine is."""


class Initialize(Question, frozen=True, kw_only=True):
    state_epoch: int
    start_offset: int


class Read(Question, frozen=True, kw_only=True):
    """Answered with a ShareState."""

    leader_epoch: int


class Write(Question, frozen=True, kw_only=True):
    state_epoch: int
    leader_epoch: int
    progress: Progress
    batches: Sequence[StateBatch] = ()
    relay: bytes = b""


class Summarize(Question, frozen=True, kw_only=True):
    """Answered with a ShareSummary. The leader epoch is asked for on the wire, and looked at by nobody, as in Kafka."""

    leader_epoch: int = -1


class Delete(Question, frozen=True, kw_only=True):
    pass


# From the broker and from timers


class ForgetTopics(Command, frozen=True, kw_only=True):
    """These topics are deleted."""

    topic_ids: frozenset[TopicId]


class PruneDue(Command, frozen=True, kw_only=True):
    """Look how much of the log's beginning is of no use any more."""


class ColdDue(Command, frozen=True, kw_only=True):
    """Look for share partitions whose snapshots are old and keep the log's beginning from being cut."""


# Orders to whoever runs the machine


class CutLog(msgspec.Struct, frozen=True, gc=False):
    """Everything that is still of use, and replicated, lies at this offset or beyond."""

    index: int
    """The partition of `__share_group_state`."""
    before: int
