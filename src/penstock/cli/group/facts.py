"""What a cluster knows of groups: who is in them, and what they have committed."""

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from penstock.cli.client import Cluster
from penstock.cli.exits import Failure, NotFound, Unreachable
from penstock.cli.places import Place
from penstock.client import NotConnected, TopicInfo
from penstock.client.described import GroupFacts, described_classic, described_consumer, state_name
from penstock.errors import GroupIdNotFound, Refusal, UnsupportedVersion
from penstock.model.words import counted, did_you_mean

OFFSETS_TOPIC = "__consumer_offsets"
AWAY_PAUSE_S = 0.1
CONSUMERS = ("consumer", "")
"""What groups of consumers call their protocol; those that only commit have none."""


@dataclass(frozen=True)
class ListedGroup:
    name: str
    state: str
    type: str


def list_groups(cluster: Cluster, protocols: Collection[str] = CONSUMERS) -> list[ListedGroup]:
    """Of all brokers, or a failure: half a list would look like a whole one. Asked again while a broker is replaced."""
    deadline = time.monotonic() + cluster.timeout_s
    while True:
        # Leaders first: who led a partition of the topic before it was asked for its groups has told those kept there.
        with cluster.doing("list groups") as client:
            topic = client.describe_topics([OFFSETS_TOPIC]).done.get(OFFSETS_TOPIC)
            answers = client.list_groups()
        leaders = set() if topic is None else {each.leader for each in topic.partitions.values()}
        leaderless = partitions_without_leader(topic)
        # A broker that is gone but still named keeps no group, unless it leads one of these partitions.
        missed = {
            broker: refusal
            for broker, refusal in answers.refused.items()
            if broker in leaders or not isinstance(refusal, NotConnected)
        }
        if not missed and not leaderless:
            break
        if time.monotonic() >= deadline:
            raise not_all_listed(missed, leaderless, cluster)
        time.sleep(AWAY_PAUSE_S)
    listed = [
        ListedGroup(each.group_id, state_name(each.group_state), each.group_type.lower() or "unknown")
        for of_broker in answers.done.values()
        for each in of_broker
        if each.protocol_type in protocols
    ]
    return sorted(listed, key=lambda each: each.name)


def partitions_without_leader(topic: TopicInfo | None) -> list[str]:
    if topic is None:
        return []
    return [f"{topic.name}-{each.index}" for each in topic.partitions.values() if each.leader < 0]


def not_all_listed(errors: Mapping[int, Refusal], leaderless: Iterable[str], cluster: Cluster) -> Failure:
    if told := [f"Broker {broker}: {refusal.message}" for broker, refusal in sorted(errors.items())]:
        return Unreachable(f"could not list all groups: {'; '.join(told)}", hint=cluster.silence_advice())
    return Failure(
        f"could not list all groups: nobody leads {', '.join(leaderless)}, where some are kept",
        hint="`penstock cluster describe` shows which brokers are away.",
    )


def find_groups(cluster: Cluster, names: Iterable[str]) -> dict[str, GroupFacts | None]:
    """By name, in the order asked for; None for a group that does not exist."""
    wanted = list(dict.fromkeys(names))
    if not wanted:
        return {}
    client = cluster.client()
    coordinators = client.find_coordinators(wanted)
    consumer = client.describe_consumer_groups(wanted)
    # What is no group of the consumer protocol is a classic one, or none. Older brokers know the classic ones only.
    others = [name for name, each in consumer.items() if isinstance(each, (GroupIdNotFound, UnsupportedVersion))]
    classic = client.describe_groups(others)
    found: dict[str, GroupFacts | None] = {}
    for name in wanted:
        doing = f"describe group {name}"
        node = cluster.value(coordinators[name], doing=doing)
        if name not in classic:
            found[name] = described_consumer(cluster.value(consumer[name], doing=doing), node)
        elif isinstance(classic[name], GroupIdNotFound):
            found[name] = None
        else:
            found[name] = described_classic(cluster.value(classic[name], doing=doing), node)
    return found


def existing_groups(cluster: Cluster, names: Iterable[str]) -> list[GroupFacts]:
    """The same for groups that must exist."""
    found = find_groups(cluster, names)
    for name, facts in found.items():
        if facts is None:
            raise group_missing(name, cluster)
    return [facts for facts in found.values() if facts is not None]


def group_missing(name: str, cluster: Cluster, *, hint: str | None = None) -> NotFound:
    known = [each.name for each in list_groups(cluster)]
    return NotFound(
        f"there is no group {name!r}.{did_you_mean(name, known, sentence=True)}",
        hint=hint or "`penstock group list` shows them.",
    )


def refuse_if_active(facts: GroupFacts, *, doing: str) -> None:
    if facts.members:
        count = counted(len(facts.members), "member")
        raise Failure(
            f"could not {doing} {facts.name}: it has {count}, which would go on from where they are",
            hint="\n".join(["Stop them first (or wait until their sessions end):", *map(str, facts.members)]),
        )


def committed_offsets(cluster: Cluster, names: Iterable[str]) -> dict[str, dict[Place, int]]:
    """What each group has committed, by partition."""
    return {name: _committed(cluster, name) for name in names}


def _committed(cluster: Cluster, name: str) -> dict[Place, int]:
    with cluster.doing(f"read the offsets of {name}") as client:
        try:
            offsets = client.committed_offsets(name)
        except GroupIdNotFound:
            return {}
    return {
        where: cluster.value(outcome, doing=f"read the offset of {where}").offset for where, outcome in offsets.items()
    }
