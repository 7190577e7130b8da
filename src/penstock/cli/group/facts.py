"""What a cluster knows of groups: who is in them, and what they have committed."""

import time
from collections.abc import Iterable
from dataclasses import dataclass

from penstock.cli.advertised import unconnectable
from penstock.cli.client import Cluster, error_text, failure
from penstock.cli.exits import Failure, NotFound, Unreachable
from penstock.cli.kafka_names import (
    AdminClient,
    ClusterMetadata,
    ConsumerGroupDescription,
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    ConsumerGroupType,
    KafkaError,
    KafkaException,
    MemberDescription,
)
from penstock.cli.places import Place

STATE_NAMES: dict[object, str] = {
    ConsumerGroupState.PREPARING_REBALANCING: "rebalancing",
    ConsumerGroupState.COMPLETING_REBALANCING: "rebalancing",
    ConsumerGroupState.STABLE: "stable",
    ConsumerGroupState.DEAD: "dead",
    ConsumerGroupState.EMPTY: "empty",
}
OFFSETS_TOPIC = "__consumer_offsets"
AWAY_PAUSE_S = 0.1
ATTEMPTS = 4
"""So many fit into the time that a person gives."""
_AWAY = (KafkaError.NOT_COORDINATOR, KafkaError.COORDINATOR_LOAD_IN_PROGRESS, KafkaError.COORDINATOR_NOT_AVAILABLE)
_TYPE_NAMES: dict[object, str] = {ConsumerGroupType.CONSUMER: "consumer", ConsumerGroupType.CLASSIC: "classic"}


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

    def owners(self) -> dict[Place, Member]:
        return {place: member for member in self.members for place in member.partitions}


@dataclass(frozen=True)
class ListedGroup:
    name: str
    state: str
    type: str


def list_groups(admin: AdminClient, cluster: Cluster) -> list[ListedGroup]:
    """Of all brokers, or a failure: half a list would look like a whole one. Asked again while a broker is replaced."""
    deadline = time.monotonic() + cluster.timeout_s
    while True:
        dead = set(unconnectable(cluster.told))
        metadata = cluster.reach(admin)
        asking = admin.list_consumer_groups(request_timeout=cluster.timeout_s / ATTEMPTS)
        answer = cluster.wait(asking, doing="list groups")
        leaderless = partitions_without_leader(metadata, OFFSETS_TOPIC)
        # A broker that is gone but still named keeps no group: whoever leads a partition of the topic has answered.
        missed = bool(answer.errors) and not (
            len(answer.errors) == len(dead)
            and dead == set(unconnectable(cluster.told))
            and not dead & leaders(metadata, OFFSETS_TOPIC)
        )
        if not missed and not leaderless:
            break
        if time.monotonic() >= deadline:
            raise not_all_listed(answer.errors or [], leaderless, cluster)
        time.sleep(AWAY_PAUSE_S)
    listed = [
        ListedGroup(each.group_id, STATE_NAMES.get(each.state, "unknown"), _TYPE_NAMES.get(each.type, "unknown"))
        for each in answer.valid or []
    ]
    return sorted(listed, key=lambda each: each.name)


def partitions_without_leader(metadata: ClusterMetadata, topic: str) -> list[str]:
    found = metadata.topics.get(topic)
    return [] if found is None else [f"{topic}-{p.id}" for p in found.partitions.values() if p.leader < 0]


def leaders(metadata: ClusterMetadata, topic: str) -> set[int]:
    found = metadata.topics.get(topic)
    return set() if found is None else {p.leader for p in found.partitions.values()}


def not_all_listed(
    errors: Iterable[KafkaError | KafkaException], leaderless: Iterable[str], cluster: Cluster
) -> Failure:
    # The library hands over errors bare or wrapped, by its version; their words name the broker.
    if told := [error_text(error.args[0] if isinstance(error, KafkaException) else error) for error in errors]:
        return Unreachable(f"could not list all groups: {'; '.join(told)}", hint=cluster.silence_advice())
    return Failure(
        f"could not list all groups: nobody leads {', '.join(leaderless)}, where some are kept",
        hint="`penstock cluster describe` shows which brokers are away.",
    )


def find_groups(admin: AdminClient, cluster: Cluster, names: Iterable[str]) -> dict[str, GroupFacts | None]:
    """By name, in the order asked for; None for a group that does not exist."""
    wanted = list(dict.fromkeys(names))
    if not wanted:
        return {}
    deadline = time.monotonic() + cluster.timeout_s
    while True:
        try:
            return _described(admin, cluster, wanted)
        except Failure as error:
            if not _is_coordinator_away(error.__cause__) or time.monotonic() >= deadline:
                raise
            time.sleep(AWAY_PAUSE_S)


def _described(admin: AdminClient, cluster: Cluster, wanted: list[str]) -> dict[str, GroupFacts | None]:
    futures = admin.describe_consumer_groups(wanted, request_timeout=cluster.timeout_s)
    found: dict[str, GroupFacts | None] = {}
    for name in wanted:
        try:
            described = cluster.wait(futures[name], doing=f"describe group {name}")
        except Failure as error:
            if not is_unknown_group(error.__cause__):
                raise
            found[name] = None
        else:
            # Older answers have no error for a group that is not there: they call it dead.
            found[name] = None if described.state is ConsumerGroupState.DEAD else _facts(described)
    return found


def existing_groups(admin: AdminClient, cluster: Cluster, names: Iterable[str]) -> list[GroupFacts]:
    """The same for groups that must exist."""
    found = find_groups(admin, cluster, names)
    for name, facts in found.items():
        if facts is None:
            raise group_missing(name, admin, cluster)
    return [facts for facts in found.values() if facts is not None]


def group_missing(name: str, admin: AdminClient, cluster: Cluster, *, hint: str | None = None) -> NotFound:
    from penstock.cli.suggest import did_you_mean  # noqa: PLC0415 - only when something was misspelt

    known = [each.name for each in list_groups(admin, cluster)]
    return NotFound(
        f"there is no group {name!r}.{did_you_mean(name, known)}", hint=hint or "`penstock group list` shows them."
    )


def refuse_if_active(facts: GroupFacts, *, doing: str) -> None:
    if facts.members:
        count = f"{len(facts.members)} member{'s' if len(facts.members) > 1 else ''}"
        raise Failure(
            f"could not {doing} {facts.name}: it has {count}, which would go on from where they are",
            hint="\n".join(["Stop them first (or wait until their sessions end):", *map(str, facts.members)]),
        )


def committed_offsets(admin: AdminClient, cluster: Cluster, names: Iterable[str]) -> dict[str, dict[Place, int]]:
    """What each group has committed, by partition."""
    # The library takes one group a call.
    futures = {
        name: admin.list_consumer_group_offsets(
            [ConsumerGroupTopicPartitions(name)], request_timeout=cluster.timeout_s
        )[name]
        for name in names
    }
    found: dict[str, dict[Place, int]] = {}
    for name, future in futures.items():
        try:
            answer = cluster.wait(future, doing=f"read the offsets of {name}")
        except Failure as error:
            if not is_unknown_group(error.__cause__):
                raise
            found[name] = {}
            continue
        places = answer.topic_partitions or []
        for place in places:
            if place.error is not None:
                raise failure(place.error, cluster, doing=f"read the offset of {place.topic}-{place.partition}")
        found[name] = {(place.topic, place.partition): place.offset for place in places if place.offset >= 0}
    return found


def is_unknown_group(error: BaseException | None) -> bool:
    return isinstance(error, KafkaException) and error.args[0].code() == KafkaError.GROUP_ID_NOT_FOUND


def _is_coordinator_away(error: BaseException | None) -> bool:
    """As for a moment when a cluster's first group is asked for, or when a broker has just started."""
    return isinstance(error, KafkaException) and error.args[0].code() in _AWAY


def _facts(described: ConsumerGroupDescription) -> GroupFacts:
    node = described.coordinator
    return GroupFacts(
        name=described.group_id,
        state=STATE_NAMES.get(described.state, "unknown"),
        type=_TYPE_NAMES.get(described.type, "unknown"),
        assignor=described.partition_assignor or None,
        coordinator=None if node is None else f"{node.host}:{node.port} (id {node.id})",
        members=tuple(
            sorted((_member(each) for each in described.members), key=lambda each: (each.client_id, each.member_id))
        ),
    )


def _member(described: MemberDescription) -> Member:
    places = described.assignment.topic_partitions if described.assignment else []
    return Member(
        member_id=described.member_id,
        client_id=described.client_id,
        # Kafka writes hosts as Java prints addresses: with a slash.
        host=described.host.removeprefix("/"),
        instance_id=described.group_instance_id,
        partitions=tuple(sorted((place.topic, place.partition) for place in places)),
    )
