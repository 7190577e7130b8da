"""What leaders do once their followers have caught up, for tests in which nothing is replicated."""

from tests.support.brokers import Brokers


async def put_in_sync(brokers: Brokers) -> None:
    """Every live replica of every partition joins its in-sync set."""
    await brokers.agree()
    for topic, part in list(brokers.image().partitions()):
        known = brokers.image(part.leader).brokers
        joining = [broker for broker in part.replicas if broker not in part.in_sync and broker in known]
        await brokers.clusters[part.leader].in_sync_writes.write(
            topic.topic_id,
            part.index,
            expected_revision=part.revision,
            in_sync=(*part.in_sync, *joining),
            eligible=(),
            joining={broker: known[broker].epoch for broker in joining},
        )
    await brokers.agree()
