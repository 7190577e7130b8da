"""Prepares a broker for situations: makes topics, and waits until a change is seen by the broker that made it.

Kafka answers an admin request when its controller has decided, and its broker learns of that a little later; Penstock
answers when the broker holds the result (RULES 36), so with it there is nothing to wait for.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tests.conformance.table import Body, Topic
from tests.support.raw import RawClient

_CHANGE = frozenset(
    ["AlterConfigs", "CreatePartitions", "CreateTopics", "DeleteTopics", "IncrementalAlterConfigs", "UpdateFeatures"]
)
_AT_ONCE = 150
_WITHIN_S = 180.0
_CLIENT_METRICS = 16
_TRANSACTIONAL_ID_NOT_FOUND = 105


class Stagehand:
    def __init__(self, broker: str, port: int, *, settles_later: bool, others: Mapping[int, int] | None = None) -> None:
        """`others`: the ports of a cluster of which the one at `port` is broker 1, and whose groups are left alone."""
        self.broker = broker
        self.port = port
        self.ports = {1: port, **(others or {})}
        self.settles_later = settles_later
        self._numbers = itertools.count()
        if others is not None:
            return
        self._wait_for_coordinators()
        self._wait_for_transaction_coordinators()
        if settles_later:
            self._wait_for_producer_ids()

    def create(self, prefix: str, topics: Sequence[Topic]) -> dict[str, bytes]:
        ids: dict[str, bytes] = {}
        self.create_all([(prefix, topics, ids)])
        return ids

    def create_all(self, wanted: Sequence[tuple[str, Sequence[Topic], dict[str, bytes]]]) -> None:
        """Make the topics of every (prefix, topics) and put their ids where the caller wants them."""
        flat = [(prefix, topic, ids) for prefix, topics, ids in wanted for topic in topics]
        with RawClient(self.port, timeout_s=_WITHIN_S) as client:
            for start in range(0, len(flat), _AT_ONCE):
                chunk = flat[start : start + _AT_ONCE]
                body: Body = {
                    "topics": [_wanted(prefix, self._placed(topic)) for prefix, topic, _ in chunk],
                    "timeout_ms": 60_000,
                }
                made = {each["name"]: each for each in client.request("CreateTopics", 7, body)["topics"]}
                for prefix, topic, ids in chunk:
                    answer = made[prefix + topic.name]
                    assert answer["error_code"] == 0, f"the table gives a topic that cannot be made: {answer}"
                    ids[topic.name] = answer["topic_id"]
                if len(self.ports) > 1:
                    for port in self.ports.values():
                        _wait_until_known(port, [prefix + topic.name for prefix, topic, _ in chunk])
                if self.settles_later or len(self.ports) > 1:
                    for prefix, topic, _ in chunk:
                        with RawClient(self.ports[self._leader(topic)]) as leader:
                            _wait_for_leaders(leader, prefix + topic.name, topic.partitions)

    def _placed(self, topic: Topic) -> Topic:
        """In a cluster every broker keeps what nobody placed elsewhere, and the one that is asked leads it."""
        if topic.replicas or len(self.ports) == 1:
            return topic
        return replace(topic, replicas=sorted(self.ports))

    def _leader(self, topic: Topic) -> int:
        return topic.replicas[0] if topic.replicas else 1

    def settle(self, api: str) -> None:
        """Wait until what `api` changed is known: changes become known in order, so a later one serves as the mark.

        Changes that come close together Kafka takes up at once, and what it answers from comes before its logs and
        coordinators: the first mark may be seen while those are still at work on the change. What is asked for then is
        taken up after that work, hence the second.
        """
        if not self.settles_later or api not in _CHANGE:
            return
        with RawClient(self.port) as client:
            self._leave_a_mark(client)
            self._leave_a_mark(client)

    def _leave_a_mark(self, client: RawClient) -> None:
        mark = f"cf-00000000-0-mark-{next(self._numbers)}"
        config = {"name": "interval.ms", "config_operation": 0, "value": "123456"}
        resource = {"resource_type": _CLIENT_METRICS, "resource_name": mark, "configs": [config]}
        client.request("IncrementalAlterConfigs", 1, {"resources": [resource]})
        asked = {"resource_type": _CLIENT_METRICS, "resource_name": mark, "configuration_keys": None}
        deadline = time.monotonic() + _WITHIN_S
        while time.monotonic() < deadline:
            (found,) = client.request("DescribeConfigs", 4, {"resources": [asked]})["results"]
            if any(each["value"] == "123456" for each in found["configs"]):
                return
            time.sleep(0.005)
        raise AssertionError(f"a change is not known after {_WITHIN_S:.0f} s")

    def _wait_for_coordinators(self) -> None:
        """The topic that groups are kept in is made when a coordinator is first looked for."""
        deadline = time.monotonic() + _WITHIN_S
        with RawClient(self.port) as client:
            while client.request("FindCoordinator", 3, {"key": "any", "key_type": 0})["error_code"] != 0:
                assert time.monotonic() < deadline, f"no coordinator after {_WITHIN_S:.0f} s"
                time.sleep(0.05)
            every = [{"group_id": f"cf-00000000-0-{number}", "topics": None} for number in range(500)]
            while any(each["error_code"] for each in client.request("OffsetFetch", 8, {"groups": every})["groups"]):
                assert time.monotonic() < deadline, f"coordinators are not loaded after {_WITHIN_S:.0f} s"
                time.sleep(0.05)

    def _wait_for_transaction_coordinators(self) -> None:
        deadline = time.monotonic() + _WITHIN_S
        with RawClient(self.port) as client:
            while client.request("FindCoordinator", 3, {"key": "any", "key_type": 1})["error_code"] != 0:
                assert time.monotonic() < deadline, f"no coordinator of transactions after {_WITHIN_S:.0f} s"
                time.sleep(0.05)
            every = {"transactional_ids": [f"cf-00000000-0-{number}" for number in range(500)]}
            while {each["error_code"] for each in _described(client, every)} != {_TRANSACTIONAL_ID_NOT_FOUND}:
                assert time.monotonic() < deadline, f"coordinators are not loaded after {_WITHIN_S:.0f} s"
                time.sleep(0.05)

    def _wait_for_producer_ids(self) -> None:
        """Kafka's broker fetches its first block of producer ids when it is first asked for one."""
        deadline = time.monotonic() + _WITHIN_S
        with RawClient(self.port) as client:
            asked = {"transactional_id": None, "transaction_timeout_ms": 1_000}
            while client.request("InitProducerId", 4, asked)["error_code"] != 0:
                assert time.monotonic() < deadline, f"no producer id after {_WITHIN_S:.0f} s"
                time.sleep(0.05)


def _described(client: RawClient, body: Body) -> list[Body]:
    states: list[Body] = client.request("DescribeTransactions", 0, body)["transaction_states"]
    return states


def _wanted(prefix: str, topic: Topic) -> Body:
    configs = [{"name": key, "value": value} for key, value in topic.configs.items()]
    made: Body = {"name": prefix + topic.name, "configs": configs}
    if not topic.replicas:
        return made | {"num_partitions": topic.partitions, "replication_factor": 1}
    kept = [{"partition_index": each, "broker_ids": list(topic.replicas)} for each in range(topic.partitions)]
    return made | {"num_partitions": -1, "replication_factor": -1, "assignments": kept}


def _wait_for_leaders(client: RawClient, name: str, partitions: int) -> None:
    """ListOffsets asks the log itself, which comes after the metadata."""
    asked = [{"partition_index": index, "timestamp": -1} for index in range(partitions)]
    body = {"replica_id": -1, "topics": [{"name": name, "partitions": asked}]}
    deadline = time.monotonic() + _WITHIN_S
    while time.monotonic() < deadline:
        answer = client.request("ListOffsets", 7, body)["topics"][0]["partitions"]
        if not any(each["error_code"] for each in answer):
            return
        time.sleep(0.02)
    raise AssertionError(f"{name} has no leaders after {_WITHIN_S:.0f} s")


def _wait_until_known(port: int, names: Sequence[str]) -> None:
    """Until the broker at `port` tells of these topics and of who leads them."""
    body = {"topics": [{"name": name} for name in names], "allow_auto_topic_creation": False}
    deadline = time.monotonic() + _WITHIN_S
    with RawClient(port, timeout_s=_WITHIN_S) as client:
        while time.monotonic() < deadline:
            topics = client.request("Metadata", 9, body)["topics"]
            if all(topic["partitions"] and not topic["error_code"] for topic in topics) and all(
                part["leader_id"] > 0 for topic in topics for part in topic["partitions"]
            ):
                return
            time.sleep(0.02)
    raise AssertionError(f"the broker at {port} does not know all topics after {_WITHIN_S:.0f} s")
