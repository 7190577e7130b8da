"""What a coordinator knows of a classic group: its members, where it stands, and what its members wait for.

A group moves Empty -> PreparingRebalance -> CompletingRebalance -> Stable, and from each of the last two back to
PreparingRebalance; a group that loses its last member completes an empty generation and is Empty. A group that is
deleted is not there any more: Dead is only a name that DescribeGroups gives it.

Members are values: a change replaces one. So a copy of the group's tables is a copy of the group, which commands
change freely before anything is decided (`Draft`).
"""

import struct
from enum import Enum

import msgspec

from penstock.coordinators.decision import Address
from penstock.model import Millis
from penstock.wire.malformed import Malformed
from penstock.wire.messages.group_metadata_value import GroupMetadataValue
from penstock.wire.primitives import read_strings

_SUBSCRIPTION = struct.Struct(">hi")
_VERSION_SIZE = 2

CONSUMER = "consumer"
"""The protocol type whose opaque bytes a coordinator may look into, to learn the topics (RULES 42)."""


class GroupState(Enum):
    EMPTY = "Empty"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"


class Waiter(msgspec.Struct, frozen=True, gc=False):
    """A request that is answered later, and the version it was asked in."""

    address: Address
    api_version: int


class Member(msgspec.Struct, frozen=True, gc=False):
    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    rebalance_timeout_ms: int
    session_timeout_ms: int
    protocols: tuple[tuple[str, bytes], ...]
    """Assignment strategies by name, the most wanted first, each with what this member tells the group's leader."""
    assignment: bytes = b""
    is_new: bool = False
    """Has not been answered yet: it cannot send heartbeats, as it does not know its id."""
    joining: Waiter | None = None
    syncing: Waiter | None = None

    def supports(self, protocol: str) -> bool:
        for name, _ in self.protocols:  # noqa: SIM110 - asked for every member at every join, and any() takes twice as long
            if name == protocol:
                return True
        return False

    def metadata(self, protocol: str | None) -> bytes:
        for name, metadata in self.protocols:
            if name == protocol:
                return metadata
        return b""


class Group(msgspec.Struct, kw_only=True):
    group_id: str
    state: GroupState = GroupState.EMPTY
    state_since: Millis | None = None
    generation: int = 0
    protocol_type: str | None = None
    """None: a simple group, which only ever committed offsets."""
    protocol: str | None = None
    leader: str | None = None
    members: dict[str, Member] = {}
    instances: dict[str, str] = {}
    """Member ids of static members, by the instance id that they keep over restarts (KIP-345)."""
    subscribed: frozenset[str] | None = None
    """Topics of all members; None where that cannot be told."""
    last_kept: GroupMetadataValue | None = None
    """What the log says of the group, which goes on in memory while it rebalances."""

    # What follows is not kept: it begins anew with every leader of the partition.

    promised: dict[str, None] = {}
    """Ids given to members that were told to come again with them."""
    unsynced: dict[str, None] = {}
    """Members of this generation that have not asked for their assignment."""
    deadlines: dict[str, Millis] = {}
    """When the session of a member, or the promise of an id, ends."""
    sessions_looked_at: Millis | None = None
    """When the timer goes off that looks at the deadlines; never later than the first of them."""
    is_initial: bool = False
    """PreparingRebalance that began from Empty: it waits for more members, however many have joined."""
    has_newcomer: bool = False
    """A member came while the initial rebalance waited: it waits once more."""

    def copy(self) -> "Group":
        copied = msgspec.structs.replace(self)
        copied.members = dict(self.members)
        copied.instances = dict(self.instances)
        copied.promised = dict(self.promised)
        copied.unsynced = dict(self.unsynced)
        copied.deadlines = dict(self.deadlines)
        return copied

    @property
    def rebalance_timeout_ms(self) -> int:
        return max((member.rebalance_timeout_ms for member in self.members.values()), default=0)

    @property
    def has_all_joined(self) -> bool:
        return not self.promised and all(member.joining is not None for member in self.members.values())

    @property
    def joining_count(self) -> int:
        return sum(member.joining is not None for member in self.members.values())

    def can_support(self, protocol_type: str, names: list[str]) -> bool:
        """Whether a member with these protocols can join: one of them must be everyone's."""
        if self.state is GroupState.EMPTY:
            return bool(protocol_type) and bool(names)
        return self.protocol_type == protocol_type and any(self._is_common(name) for name in names)

    def _is_common(self, protocol: str) -> bool:
        return all(member.supports(protocol) for member in self.members.values())

    def elected_protocol(self) -> str:
        """Each member votes for the first of its protocols that all have; ties go to the first that was voted for."""
        first = next(iter(self.members.values()))
        common = {name for name, _ in first.protocols if self._is_common(name)}
        votes: dict[str, int] = {}
        for member in self.members.values():
            choice = next(name for name, _ in member.protocols if name in common)
            votes[choice] = votes.get(choice, 0) + 1
        return max(votes, key=lambda name: votes[name])

    def is_subscribed_to(self, topic: str) -> bool:
        if self.subscribed is None:
            return self.protocol_type == CONSUMER
        return topic in self.subscribed

    def topics_of_members(self) -> frozenset[str] | None:
        if self.protocol_type != CONSUMER:
            return None
        if not self.members:
            return frozenset()
        topics: set[str] = set()
        same = None
        for member in self.members.values():
            metadata = member.metadata(self.protocol)
            if same is not None and metadata.startswith(same, _VERSION_SIZE):
                continue  # as most members of most groups: a thousand of them must not hold up everybody else
            told = subscribed_topics(metadata)
            if told is None:
                return None
            topics.update(told[0])
            same = told[1]
        return frozenset(topics)


def subscribed_topics(metadata: bytes) -> tuple[list[str], bytes] | None:
    """The topics in a consumer's subscription, and the bytes that say so; None for bytes that say nothing.

    Every version begins with its number and the list of topics, and that is all that is read: what follows is the
    clients' own business.
    """
    if len(metadata) < 6:
        return None
    version, count = _SUBSCRIPTION.unpack_from(metadata)
    if version < 0 or not 0 <= count <= len(metadata):
        return None
    try:
        topics, end = read_strings(metadata, _SUBSCRIPTION.size, count)
        return (topics, metadata[_VERSION_SIZE:end]) if end <= len(metadata) else None
    except (Malformed, ValueError, IndexError, struct.error):
        return None


class CommittedOffset(msgspec.Struct, frozen=True, gc=False):
    offset: int
    leader_epoch: int
    metadata: str
    committed_at: Millis
    expires_at: Millis | None = None
    """Only for commits that named a retention time of their own, as clients before version 5 could."""
    topic_id: bytes = bytes(16)


class GroupLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that bound groups, as they were when the broker started, and how to tell the time."""

    wall_ahead_ms: int = 0
    """How far the wall clock is ahead of the time that decisions are given (`ClockMoved`)."""

    session_timeout_min_ms: int = 6_000
    session_timeout_max_ms: int = 1_800_000
    initial_rebalance_delay_ms: int = 3_000
    members_max: int = 0x7FFF_FFFF
    groups_max: int = 20_000
    offset_metadata_max: int = 4096
    offsets_retention_ms: int = 7 * 24 * 3_600_000
    expiry_interval_ms: int = 600_000

    def wall(self, now: Millis) -> Millis:
        """Wall time, for what is kept and compared after a restart; deadlines go by `now`, which nobody sets."""
        return Millis(now + self.wall_ahead_ms)
