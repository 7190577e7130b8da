"""A group as its coordinator describes it, of either protocol, in the same words."""

from dataclasses import dataclass
from typing import Final

from penstock.client.network import Node
from penstock.wire import Malformed
from penstock.wire.messages.consumer_group_describe_response import DescribedGroup as ConsumerGroup
from penstock.wire.messages.consumer_protocol_assignment import ConsumerProtocolAssignment
from penstock.wire.messages.describe_groups_response import DescribedGroup as ClassicGroup

_STATES: Final = {
    "preparingrebalance": "rebalancing",
    "completingrebalance": "rebalancing",
    "assigning": "rebalancing",
    "reconciling": "rebalancing",
    "stable": "stable",
    "dead": "dead",
    "empty": "empty",
}
VERSION_BYTES: Final = 2

Place = tuple[str, int]
"""A topic and the index of a partition."""


@dataclass(frozen=True)
class Member:
    member_id: str
    client_id: str
    host: str
    instance_id: str | None
    partitions: tuple[Place, ...]

    def __str__(self) -> str:
        static = f", instance {self.instance_id}" if self.instance_id else ""
        return f"{self.client_id} on {self.host}{static} (member {self.member_id})"


@dataclass(frozen=True)
class GroupFacts:
    name: str
    state: str
    type: str
    assignor: str | None
    coordinator: str | None
    members: tuple[Member, ...]
    coordinator_id: int | None = None

    def owners(self) -> dict[Place, Member]:
        return {place: member for member in self.members for place in member.partitions}


def state_name(state: str) -> str:
    """In the words of both protocols: somebody reads, shares are being dealt out, or nobody reads."""
    return _STATES.get(state.lower(), "unknown")


def described_consumer(group: ConsumerGroup, coordinator: Node) -> GroupFacts:
    members = [
        Member(
            each.member_id,
            each.client_id,
            _host(each.client_host),
            each.instance_id,
            tuple(sorted((t.topic_name, index) for t in each.assignment.topic_partitions for index in t.partitions)),
        )
        for each in group.members
    ]
    return _facts(group.group_id, group.group_state, "consumer", group.assignor_name, coordinator, members)


def described_classic(group: ClassicGroup, coordinator: Node) -> GroupFacts | None:
    """None for a group that is not there: older answers have no error for it, and call it dead."""
    if group.group_state.lower() == "dead":
        return None
    members = [
        Member(
            each.member_id,
            each.client_id,
            _host(each.client_host),
            each.group_instance_id,
            assigned(each.member_assignment) if group.protocol_type == "consumer" else (),
        )
        for each in group.members
    ]
    return _facts(group.group_id, group.group_state, "classic", group.protocol_data, coordinator, members)


def _facts(name: str, state: str, kind: str, assignor: str, coordinator: Node, members: list[Member]) -> GroupFacts:
    return GroupFacts(
        name,
        state_name(state),
        kind,
        assignor or None,
        f"{coordinator.host}:{coordinator.port} (id {coordinator.id})",
        tuple(sorted(members, key=lambda each: (each.client_id, each.member_id))),
        coordinator.id,
    )


def assigned(assignment: bytes) -> tuple[Place, ...]:
    """What the leader of a classic group wrote down for a member; nothing where that cannot be read."""
    version = int.from_bytes(assignment[:VERSION_BYTES], "big")
    newest = ConsumerProtocolAssignment.versions[1]
    try:
        found = ConsumerProtocolAssignment.decode(assignment, min(version, newest), VERSION_BYTES)
    except Malformed:
        return ()
    return tuple(sorted((each.topic, index) for each in found.assigned_partitions for index in each.partitions))


def _host(host: str) -> str:
    """Kafka writes hosts as Java prints addresses: with a slash."""
    return host.removeprefix("/")
