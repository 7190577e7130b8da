"""The longest step of a rebalance, by kind: python -m benchmarks.group_steps [members] [partitions]

A step is what happens on the event loop without a pause: a machine decides, its records are written as a batch, it
applies them. Groups of both protocols get their members one by one, settle, lose a tenth of them and settle again; and
a classic group becomes one of the consumer protocol and changes back. Prints milliseconds of CPU time, the longest of
each kind, and asserts nothing about them. What runs in threads is listed apart.
"""

import gc
import sys
from collections import defaultdict
from collections.abc import Iterable
from time import thread_time
from typing import Any

from rich.console import Console
from rich.table import Table

from penstock.coordinators.decision import Address, Command, Decision, Loaded, Work
from penstock.coordinators.groups import commands
from penstock.coordinators.groups.assigned.environment import GroupSettings, NoTopics, TopicFacts
from penstock.coordinators.groups.consumer.commands import ConsumerHeartbeat
from penstock.coordinators.groups.machine import GroupMachine
from penstock.coordinators.groups.records import GroupCodec
from penstock.coordinators.groups.state import GroupLimits
from penstock.errors import Refusal
from penstock.model import Millis, TopicId
from penstock.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest, TopicPartitions
from penstock.wire.messages.consumer_protocol_assignment import ConsumerProtocolAssignment, TopicPartition
from penstock.wire.messages.consumer_protocol_subscription import ConsumerProtocolSubscription
from penstock.wire.messages.join_group_request import JoinGroupRequest, JoinGroupRequestProtocol
from penstock.wire.messages.leave_group_request import MemberIdentity
from penstock.wire.messages.sync_group_request import SyncGroupRequest, SyncGroupRequestAssignment
from penstock.wire.records import Record, build_batch

ORDERS = TopicId(b"orders".ljust(16))
SUBSCRIPTION = b"\x00\x00" + ConsumerProtocolSubscription(["orders"]).encode(0)
START = Millis(1_700_000_000_000)


class Around(NoTopics):
    def __init__(self, partitions: int) -> None:
        self._facts = TopicFacts("orders", ORDERS, partitions, (), b"1")

    def topic_named(self, name: str) -> TopicFacts | None:
        return self._facts

    def topic_with(self, topic_id: TopicId) -> TopicFacts | None:
        return self._facts

    def settings_of(self, group_id: str) -> GroupSettings:
        return GroupSettings()


class Bench:
    """What a shard does with a machine, timed."""

    def __init__(self, partitions: int) -> None:
        self.machine = GroupMachine(GroupLimits(initial_rebalance_delay_ms=1_000), None, Around(partitions))
        self.now = START
        self.longest: dict[str, tuple[float, int]] = {}
        self.counts: defaultdict[str, int] = defaultdict(int)
        self.replies: dict[int, Any] = {}
        self.work: list[Work] = []
        self._codec = GroupCodec()
        self._timers: dict[tuple[str, ...], tuple[Millis, Command]] = {}
        self._last_address = 0
        self.step(Loaded())

    def step(self, command: Command) -> None:
        began = thread_time()
        try:
            decision = self.machine.decide(command, self.now)
        except Refusal as refusal:
            self.replies[command.address] = refusal
            return
        if decision.records:
            encoded = [self._codec.encode(record) for record in decision.records]
            build_batch([Record(place, self.now, *each) for place, each in enumerate(encoded)])
        for change in (*decision.records, *decision.notes):
            self.machine.apply(change)
        self._time(type(command).__name__, thread_time() - began, len(decision.records))
        self._finish(decision)

    def _finish(self, decision: Decision) -> None:
        for timer in decision.timers:
            self._timers.pop(timer.name, None)
            if timer.at is not None and timer.command is not None:
                self._timers[timer.name] = (timer.at, timer.command)
        for reply in decision.replies:
            self.replies[reply.address] = reply.value
        self.work += decision.work

    def _time(self, kind: str, seconds: float, records: int) -> None:
        self.counts[kind] += 1
        self.longest[kind] = max(self.longest.get(kind, (0.0, 0)), (seconds * 1e3, records))

    def send(self, kind: type[Command], **facts: Any) -> int:
        self._last_address += 1
        self.step(kind(address=Address(self._last_address), **facts))
        return self._last_address

    def do_work(self) -> None:
        while self.work:
            work = self.work.pop(0)
            began = thread_time()
            command = work.run()
            self._time(f"{work.name[0]} (in a thread)", thread_time() - began, 0)
            self.step(command)

    def pass_time(self, by_ms: int) -> None:
        self.now = Millis(self.now + by_ms)
        while due := [name for name, (at, _) in self._timers.items() if at <= self.now]:
            _, command = self._timers.pop(due[0])
            self.step(command)


class Member:
    def __init__(self, bench: Bench, number: int) -> None:
        self.bench = bench
        self.member_id = f"{number:08}-0123-4567-89ab-cdef01234567"
        self.epoch = 0
        self.owned: list[TopicPartitions] = []

    def beat(self, epoch: int | None = None) -> None:
        joins = self.epoch == 0
        request = ConsumerGroupHeartbeatRequest(
            group_id="g",
            member_id=self.member_id,
            member_epoch=self.epoch if epoch is None else epoch,
            rebalance_timeout_ms=300_000 if joins else -1,
            subscribed_topic_names=["orders"] if joins else None,
            topic_partitions=self.owned,
        )
        facts = {"client_id": "reader", "client_host": "/127.0.0.1", "new_member_id": ""}
        answer = self.bench.replies.pop(self.bench.send(ConsumerHeartbeat, request=request, **facts))
        self.epoch = answer.member_epoch
        if answer.assignment is not None:
            self.owned = [
                TopicPartitions(each.topic_id, each.partitions) for each in answer.assignment.topic_partitions
            ]


def consumer_protocol(members: int, partitions: int) -> Bench:
    bench = Bench(partitions)
    clients = [Member(bench, number) for number in range(members)]
    for client in clients:
        client.beat()
    _settle(bench, clients)
    for client in clients[: members // 10]:
        client.beat(epoch=-1)
    _settle(bench, clients[members // 10 :])
    bench.pass_time(60_000)  # all fall silent
    return bench


def _settle(bench: Bench, clients: Iterable[Member]) -> None:
    for _ in range(6):
        bench.do_work()
        bench.pass_time(1_100)
        for client in clients:
            client.beat()


def change_of_protocol(members: int, partitions: int) -> Bench:
    """A classic group gets its first member of the consumer protocol, which leaves it again."""
    bench = Bench(partitions)
    _join(bench, [""] * members, partitions)
    newcomer = Member(bench, 0)
    changes = []
    for epoch in (0, -1):
        bench.longest.clear()
        newcomer.beat(epoch)
        changes.append(bench.longest["ConsumerHeartbeat"])
        bench.do_work()
    bench.longest = dict(zip(("classic to consumer", "consumer to classic"), changes, strict=True))
    bench.counts = defaultdict(lambda: 1)
    return bench


def classic_protocol(members: int, partitions: int) -> Bench:
    bench = Bench(partitions)
    ids = _join(bench, [""] * members)
    bench.send(commands.Leave, group_id="g", members=[MemberIdentity(name) for name in ids[: members // 10]])
    _join(bench, ids[members // 10 :])
    bench.pass_time(60_000)
    return bench


def _join(bench: Bench, ids: list[str], partitions: int = 0) -> list[str]:
    """With `partitions`, shares are what clients write; else so many bytes, which nobody reads."""
    joins = []
    for number, member_id in enumerate(ids):
        request = JoinGroupRequest(
            "g", 45_000, 300_000, member_id, None, "consumer", [JoinGroupRequestProtocol("range", SUBSCRIPTION)]
        )
        facts = {"client_id": "reader", "client_host": "/127.0.0.1", "new_member_id": f"reader-{number:036}"}
        joins.append(bench.send(commands.Join, request=request, api_version=3, **facts))
    for _ in range(10):
        bench.pass_time(1_000)
    answers = [bench.replies.pop(address) for address in joins]
    everyone = [answer.member_id for answer in answers]
    shares = [
        SyncGroupRequestAssignment(
            member_id, _share(place, len(everyone), partitions) if partitions else b"share of thirty bytes or so...."
        )
        for place, member_id in enumerate(everyone)
    ]
    for answer in answers:
        is_leader = answer.leader == answer.member_id
        synced = SyncGroupRequest("g", answer.generation_id, answer.member_id, assignments=shares if is_leader else [])
        bench.send(commands.Sync, request=synced, api_version=3)
    return everyone


def _share(place: int, members: int, partitions: int) -> bytes:
    share = TopicPartition("orders", list(range(place, partitions, members)))
    return b"\x00\x00" + ConsumerProtocolAssignment([share]).encode(0)


def main() -> None:
    gc.collect()
    gc.freeze()  # as a broker does when it has started: what was imported is not looked through again
    members, partitions = (int(each) for each in (sys.argv[1:] + ["1000", "1000"][len(sys.argv) - 1 :]))
    table = Table("protocol", "step", title=f"{members:,} members, {partitions:,} partitions: longest step in CPU ms")
    for column in ("steps", "longest", "records in it"):
        table.add_column(column, justify="right")
    for name, bench in (
        ("consumer", consumer_protocol(members, partitions)),
        ("classic", classic_protocol(members, partitions)),
        ("change", change_of_protocol(members, partitions)),
    ):
        for kind, (milliseconds, records) in sorted(bench.longest.items(), key=lambda each: -each[1][0]):
            table.add_row(name, kind, f"{bench.counts[kind]:,}", f"{milliseconds:.1f}", str(records))
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
