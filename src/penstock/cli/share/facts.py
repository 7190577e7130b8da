"""What a cluster knows of share groups: who is in them, and where they read on."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from penstock.cli.client import Cluster
from penstock.cli.exits import Failure, NotFound
from penstock.cli.group.facts import ListedGroup
from penstock.cli.group.facts import list_groups as list_of_protocols
from penstock.cli.places import Place
from penstock.client import Outcomes
from penstock.client.described import Member, state_name
from penstock.errors import GroupIdNotFound, UnsupportedVersion
from penstock.model.words import counted, did_you_mean
from penstock.wire.messages.share_group_describe_response import DescribedGroup

SHARE: Final = "share"
NOT_KNOWN: Final = -1


@dataclass(frozen=True)
class ShareGroupFacts:
    name: str
    state: str
    assignor: str | None
    coordinator: str
    members: tuple[Member, ...]

    def readers(self, where: Place) -> list[Member]:
        return [each for each in self.members if where in each.partitions]


@dataclass(frozen=True)
class ShareOffset:
    """Where a group reads on in a partition. None: it has not begun there, or that is not known."""

    topic: str
    partition: int
    start: int | None
    lag: int | None
    problem: str | None = None
    """Why nothing is known, though the group reads the partition."""


def list_share_groups(cluster: Cluster) -> list[ListedGroup]:
    return list_of_protocols(cluster, (SHARE,))


def existing_share_groups(cluster: Cluster, names: Iterable[str]) -> list[ShareGroupFacts]:
    wanted = list(dict.fromkeys(names))
    with cluster.doing("describe share groups") as client:
        coordinators, described = client.find_coordinators(wanted), client.describe_share_groups(wanted)
    found = []
    for name in wanted:
        outcome = described[name]
        if isinstance(outcome, GroupIdNotFound):
            raise share_group_missing(name, cluster)
        if isinstance(outcome, UnsupportedVersion):
            raise no_share_groups()
        node = cluster.value(coordinators[name], doing=f"describe share group {name}")
        group = cluster.value(outcome, doing=f"describe share group {name}")
        found.append(_facts(group, f"{node.host}:{node.port} (id {node.id})"))
    return found


def _facts(group: DescribedGroup, coordinator: str) -> ShareGroupFacts:
    members = [
        Member(
            each.member_id,
            each.client_id,
            each.client_host.removeprefix("/"),
            None,
            tuple(sorted((t.topic_name, index) for t in each.assignment.topic_partitions for index in t.partitions)),
        )
        for each in group.members
    ]
    members.sort(key=lambda each: (each.client_id, each.member_id))
    return ShareGroupFacts(
        group.group_id, state_name(group.group_state), group.assignor_name or None, coordinator, tuple(members)
    )


def share_offsets(cluster: Cluster, name: str) -> list[ShareOffset]:
    """Of every partition that the group reads or has read."""
    with cluster.doing(f"read the offsets of {name}") as client:
        try:
            told = client.share_group_offsets(name)
        except GroupIdNotFound:
            told = Outcomes()
    refused = told.refused
    found = [ShareOffset(*where, _known(each.start_offset), _known(each.lag)) for where, each in told.done.items()] + [
        ShareOffset(*where, None, None, each.message) for where, each in refused.items()
    ]
    return sorted(found, key=lambda each: (each.topic, each.partition))


def _known(number: int) -> int | None:
    return None if number == NOT_KNOWN else number


def unknown_offsets(offsets: Iterable[ShareOffset]) -> Failure | None:
    """One failure that names what could not be read; None if all could."""
    problems = [f"{each.topic}-{each.partition}: {each.problem}" for each in offsets if each.problem is not None]
    if not problems:
        return None
    return Failure(
        f"could not read where the group is in {counted(len(problems), 'partition')}: {'; '.join(problems)}",
        hint="`penstock cluster describe` shows which brokers are away.",
    )


def share_group_missing(name: str, cluster: Cluster) -> NotFound:
    if any(each.name == name for each in list_of_protocols(cluster)):
        return NotFound(f"{name!r} is no share group", hint=f"`penstock group describe {name}` shows what it is.")
    known = [each.name for each in list_share_groups(cluster)]
    return NotFound(
        f"there is no share group {name!r}.{did_you_mean(name, known, sentence=True)}",
        hint="`penstock share list` shows them.",
    )


def no_share_groups() -> Failure:
    return Failure(
        "this cluster has no share groups",
        hint="They need brokers that know them, and the feature share.version at 1.",
    )


def refuse_if_active(facts: ShareGroupFacts, *, doing: str) -> None:
    if facts.members:
        raise Failure(
            f"could not {doing} {facts.name}: it has {counted(len(facts.members), 'member')}",
            hint="\n".join(["Stop them first (or wait until their sessions end):", *map(str, facts.members)]),
        )
