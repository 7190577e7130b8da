"""A share machine alone, with its log in a list: what it decides is appended and applied at once, as a shard does."""

from collections.abc import Iterable
from typing import Any

from penstock.coordinators.decision import ClockMoved, Command, Decision, Loaded
from penstock.coordinators.shares import commands
from penstock.coordinators.shares.bugs import NO_BUGS, ShareBugs
from penstock.coordinators.shares.machine import ShareMachine
from penstock.coordinators.shares.progress import Progress
from penstock.coordinators.shares.records import ShareCodec
from penstock.coordinators.shares.state import ShareLimits
from penstock.coordinators.shares.states import SharePartitionKey, StateBatch
from penstock.model import Millis, TopicId

TOPIC, OTHER_TOPIC = TopicId(b"o" * 16), TopicId(b"x" * 16)
KEY = SharePartitionKey("workers", TOPIC, 0)
AVAILABLE, ACKNOWLEDGED, ARCHIVED = 0, 2, 4
START_MS = Millis(1_000_000)


def batch(first: int, last: int, state: int = ACKNOWLEDGED, count: int = 1, not_before_ms: int = 0) -> StateBatch:
    return StateBatch(first, last, state, count, not_before_ms)


def initialize(
    key: SharePartitionKey = KEY, *, state_epoch: int = 1, start: int = 0, **more: Any
) -> commands.Initialize:
    return commands.Initialize(key=key, state_epoch=state_epoch, start_offset=start, **more)


def write(
    *batches: StateBatch,
    key: SharePartitionKey = KEY,
    state_epoch: int = 1,
    leader_epoch: int = 0,
    start: int = -1,
    complete: int = -1,
    **more: Any,
) -> commands.Write:
    return commands.Write(
        key=key,
        state_epoch=state_epoch,
        leader_epoch=leader_epoch,
        progress=Progress(start, complete),
        batches=batches,
        **more,
    )


class ShareWorld:
    def __init__(self, limits: ShareLimits | None = None, *, bugs: ShareBugs = NO_BUGS) -> None:
        self.limits = limits or ShareLimits()
        self.bugs = bugs
        self.codec = ShareCodec()
        self.now = START_MS
        self.start_offset = 0
        self.log: list[tuple[int, bytes, bytes | None]] = []
        """The offset of the batch, key and value of each record."""
        self.machine = self._fresh()
        self.decided: Decision = self.do(Loaded())

    def _fresh(self) -> ShareMachine:
        return ShareMachine(self.limits, index=3, bugs=self.bugs)

    def do(self, command: Command) -> Decision:
        decision = self.machine.decide(command, self.now)
        base = len(self.log)
        if decision.records:
            self.machine.place(base)
        for record in decision.records:
            self.log.append((base, *self.codec.encode(record)))
            self.machine.apply(record)
        self.decided = decision
        return decision

    def ask(self, command: Command) -> Any:
        """The answer."""
        (reply,) = self.do(command).replies
        return reply.value

    def all(self, asked: Iterable[Command]) -> None:
        for command in asked:
            self.do(command)

    def cut(self) -> int:
        """As ordered, once all is replicated."""
        order = self.ask(commands.PruneDue())
        self.start_offset = max(self.start_offset, order.before)
        return self.start_offset

    def pass_ms(self, ms: int) -> None:
        self.now = Millis(self.now + ms)

    def set_clock_ahead(self, ms: int) -> None:
        self.machine.apply(ClockMoved(ms))

    def replayed(self) -> ShareMachine:
        """Another broker's machine, from what is left of the log."""
        machine = self._fresh()
        for offset, (base, key, value) in enumerate(self.log):
            if offset >= self.start_offset:
                machine.place(base)
                machine.apply(self.codec.decode(key, value))
        return machine


def known(machine: ShareMachine) -> dict[SharePartitionKey, tuple[Any, ...]]:
    """All that outlives a machine."""
    return {
        key: (
            state.snapshot_epoch,
            state.state_epoch,
            state.leader_epoch,
            state.progress,
            list(state.ranges),
            state.relay,
            state.create_timestamp,
            state.write_timestamp,
            state.updates,
            state.snapshot_at,
        )
        for key, state in machine.states.items()
    }
