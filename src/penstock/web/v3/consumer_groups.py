"""Consumer groups of both protocols: members, and how far behind they are."""

from litestar import Controller, get

from penstock.client.described import GroupFacts, Member, described_classic, described_consumer
from penstock.client.outcomes import one
from penstock.errors import GroupIdNotFound
from penstock.web.group_lag import PartitionLag, lags
from penstock.web.problems import Problem
from penstock.web.v3.here import Answer, Here
from penstock.wire.api import ApiKey

CONSUMERS = ("consumer", "classic")


class ConsumerGroups(Controller):
    path = "/{cluster_id:str}/consumer-groups"

    @get()
    async def list_consumer_groups(self, here: Here, cluster_id: str) -> Answer:
        """Those of brokers that answered."""
        listed = (await here.client.list_groups()).done
        names = sorted(
            each.group_id
            for groups in listed.values()
            for each in groups
            if (each.group_type or "classic").lower() in CONSUMERS
        )
        found = await _described(here, names)
        return here.many("ConsumerGroup", [_group(here, found[name]) for name in names if name in found])

    @get("/{group_id:str}")
    async def get_consumer_group(self, here: Here, cluster_id: str, group_id: str) -> Answer:
        return _group(here, await _one(here, group_id))

    @get("/{group_id:str}/consumers")
    async def list_consumers(self, here: Here, cluster_id: str, group_id: str) -> Answer:
        found = await _one(here, group_id)
        return here.many("Consumer", [_consumer(here, group_id, each) for each in found.members])

    @get("/{group_id:str}/consumers/{consumer_id:str}")
    async def get_consumer(self, here: Here, cluster_id: str, group_id: str, consumer_id: str) -> Answer:
        for each in (await _one(here, group_id)).members:
            if each.member_id == consumer_id:
                return _consumer(here, group_id, each)
        raise Problem(404, "unknown-consumer", f"{group_id} has no consumer {consumer_id}")

    @get("/{group_id:str}/lag-summary")
    async def get_lag_summary(self, here: Here, cluster_id: str, group_id: str) -> Answer:
        facts, found = await _one(here, group_id), await lags(here.client, group_id)
        if not found:
            raise Problem(404, "nothing-committed", f"{group_id} has committed nothing")
        worst = max(found, key=lambda each: each.lag)
        owner = facts.owners().get((worst.topic, worst.partition))
        return here.one(
            "ConsumerGroupLagSummary", ("consumer-groups", group_id, "lag-summary"), consumer_group_id=group_id,
            max_lag_consumer_id=owner.member_id if owner else "", max_lag_client_id=owner.client_id if owner else "",
            max_lag_instance_id=owner.instance_id if owner else None, max_lag_topic_name=worst.topic,
            max_lag_partition_id=worst.partition, max_lag=worst.lag, total_lag=sum(each.lag for each in found),
        )  # fmt: skip

    @get("/{group_id:str}/lags")
    async def list_lags(self, here: Here, cluster_id: str, group_id: str) -> Answer:
        facts = await _one(here, group_id)
        found = await lags(here.client, group_id)
        return here.many("ConsumerLag", [_lag(here, facts, each) for each in found])

    @get("/{group_id:str}/lags/{topic_name:str}/partitions/{partition_id:int}")
    async def get_lag(self, here: Here, cluster_id: str, group_id: str, topic_name: str, partition_id: int) -> Answer:
        facts = await _one(here, group_id)
        for each in await lags(here.client, group_id):
            if (each.topic, each.partition) == (topic_name, partition_id):
                return _lag(here, facts, each)
        raise Problem(404, "nothing-committed", f"{group_id} has committed nothing of {topic_name}-{partition_id}")


async def _described(here: Here, names: list[str]) -> dict[str, GroupFacts]:
    """Those of them that there are, whichever protocol they speak."""
    if not names:
        return {}
    nodes = (await here.client.find_coordinators(names)).done
    consumer = (await here.client.describe_consumer_groups(list(nodes))).done if await _knows_consumers(here) else {}
    found = {name: described_consumer(each, nodes[name]) for name, each in consumer.items()}
    rest = [name for name in nodes if name not in found]
    for name, each in (await here.client.describe_groups(rest)).done.items() if rest else ():
        facts = described_classic(each, nodes[name])
        if facts is not None:
            found[name] = facts
    return found


async def _knows_consumers(here: Here) -> bool:
    return ApiKey.CONSUMER_GROUP_DESCRIBE in await here.client.api_versions()


async def _one(here: Here, name: str) -> GroupFacts:
    one(await here.client.find_coordinators([name]))  # whoever may not is told so
    found = await _described(here, [name])
    if name not in found:
        raise GroupIdNotFound(f"there is no consumer group {name}")
    return found[name]


def _group(here: Here, facts: GroupFacts) -> Answer:
    path = ("consumer-groups", facts.name)
    return here.one(
        "ConsumerGroup", path, consumer_group_id=facts.name, is_simple=facts.type == "classic" and not facts.assignor,
        partition_assignor=facts.assignor or "", state=facts.state.upper(), type=facts.type.upper(),
        coordinator=here.link("brokers", facts.coordinator_id), consumers=here.link(*path, "consumers"),
        lag_summary=here.link(*path, "lag-summary"),
    )  # fmt: skip


def _consumer(here: Here, group: str, member: Member) -> Answer:
    return here.one(
        "Consumer", ("consumer-groups", group, "consumers", member.member_id), consumer_group_id=group,
        consumer_id=member.member_id, instance_id=member.instance_id, client_id=member.client_id,
        assignments=[{"topic_name": topic, "partition_id": index} for topic, index in member.partitions],
    )  # fmt: skip


def _lag(here: Here, facts: GroupFacts, lag: PartitionLag) -> Answer:
    owner = facts.owners().get((lag.topic, lag.partition))
    path = ("consumer-groups", facts.name, "lags", lag.topic, "partitions", lag.partition)
    return here.one(
        "ConsumerLag", path, consumer_group_id=facts.name, topic_name=lag.topic, partition_id=lag.partition,
        current_offset=lag.committed, log_end_offset=lag.end, lag=lag.lag,
        consumer_id=owner.member_id if owner else "", client_id=owner.client_id if owner else "",
        instance_id=owner.instance_id if owner else None,
    )  # fmt: skip
