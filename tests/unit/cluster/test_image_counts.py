"""Figures kept as the image changes are those that a look at everything gives."""

from tests.support.brokers import Brokers, some_brokers
from tests.support.virtual_time import in_virtual_time


def looked_up(brokers: Brokers, at: int) -> tuple[int, int, int]:
    image = brokers.clusters[at].image
    partitions = [partition for _, partition in image.partitions()]
    return (
        sum(partition.leader not in image.brokers for partition in partitions),
        sum(partition.leader not in partition.replicas[:1] for partition in partitions),
        sum(partition.leader == at for partition in partitions),
    )


def kept(brokers: Brokers, at: int) -> tuple[int, int, int]:
    tally = brokers.clusters[at].tally
    return tally.offline(), tally.not_preferred(), len(tally.led_here())


@in_virtual_time
async def test_what_is_kept_is_what_is_there() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=12, replicas=3)
        await brokers.create("alone", assigned=(2,))
        assert kept(brokers, 1) == looked_up(brokers, 1) != (0, 0, 0)
        await brokers.create("more", partitions=7, replicas=2)
        assert kept(brokers, 1) == looked_up(brokers, 1)
        await brokers.kill(2)
        await brokers.until(lambda: kept(brokers, 1)[0] == 1)
        offline, not_preferred, _ = kept(brokers, 1)
        assert kept(brokers, 1) == looked_up(brokers, 1) and offline == 1 and not_preferred > 0
        topic_id = brokers.image(1).topics["orders"].topic_id
        await brokers.clusters[1].controller.delete_topics([topic_id], timeout_ms=10_000)
        await brokers.agree()
        for at in (1, 3):
            assert kept(brokers, at) == looked_up(brokers, at)


@in_virtual_time
async def test_topics_that_come_and_go_while_nobody_counts_leave_nothing() -> None:
    async with some_brokers(1) as brokers:
        cluster = brokers.clusters[1]
        for number in range(5):
            await brokers.create(f"topic-{number}", replicas=1)
            if number == 2:
                assert len(cluster.tally.led_here()) == 1
            topic_id = brokers.image(1).topics[f"topic-{number}"].topic_id
            await cluster.controller.delete_topics([topic_id], timeout_ms=10_000)
            await brokers.agree()
        assert not cluster.tally._changed and not cluster.tally._counted
        assert kept(brokers, 1) == (0, 0, 0)
