"""What a cluster of penstock.testing is waited for is so for whoever asks next."""

from types import SimpleNamespace
from typing import Any

from penstock.testing.running_cluster import RunningCluster
from penstock.wire.messages.metadata_response import MetadataResponse, MetadataResponsePartition, MetadataResponseTopic

UNHEARD_OF = MetadataResponse(topics=[MetadataResponseTopic(name="orders")])
IN_SYNC = MetadataResponse(
    topics=[
        MetadataResponseTopic(
            name="orders", partitions=[MetadataResponsePartition(leader_id=1, replica_nodes=[1, 2], isr_nodes=[2, 1])]
        )
    ]
)


class Told(RunningCluster):
    """Each broker says one after the other what it is given; the last for ever. None: it hangs."""

    def __init__(self, **said: list[MetadataResponse | None]) -> None:
        self.said = {int(name[1:]): answers for name, answers in said.items()}
        brokers: Any = {number: SimpleNamespace(is_running=True, log_tail=lambda _: "") for number in self.said}
        self.brokers = brokers

    def metadata(self, *topics: str, at: int | None = None) -> MetadataResponse:
        assert topics == ("orders",) and at is not None
        answer = self.said[at].pop(0) if len(self.said[at]) > 1 else self.said[at][0]
        if answer is None:
            raise TimeoutError
        return answer


def test_in_sync_is_what_every_broker_sees() -> None:
    cluster = Told(b1=[IN_SYNC], b2=[UNHEARD_OF, UNHEARD_OF, IN_SYNC])
    cluster.wait_until_in_sync("orders")
    assert cluster.said == {1: [IN_SYNC], 2: [IN_SYNC]}


def test_a_broker_that_hangs_has_no_say_unless_all_do() -> None:
    cluster = Told(b1=[None, None, IN_SYNC], b2=[None])
    cluster.wait_until_in_sync("orders")
    assert cluster.said[1] == [IN_SYNC]
