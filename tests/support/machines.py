"""A coordinator's machine with a clock and timers in memory: commands in, replies by address, timers in their time."""

from typing import Any

from penstock.coordinators.decision import Address, ClockMoved, Command, Decision, InTransaction, Machine
from penstock.errors import Refusal
from penstock.model import Millis

START = Millis(1_700_000_000_000)


class MachineWorld:
    """What a shard does, without a disk; replies are released at once."""

    machine: Machine

    def __init__(self) -> None:
        self.now = START
        self.replies: dict[int, Any] = {}
        self.timers: dict[tuple[str, ...], tuple[Millis, Command]] = {}
        self._last_address = 0

    def carry_out(self, command: Command) -> None:
        try:
            decision = self.machine.decide(command, self.now)
        except Refusal as refusal:
            self._answer(command.address, refusal)
            return
        if decision.records:
            self._append(decision)
        self._finish(decision)

    def _append(self, decision: Decision) -> None:
        raise NotImplementedError

    def _finish(self, decision: Decision) -> None:
        for record in decision.records:
            producer = decision.producer
            self.machine.apply(record if producer is None else InTransaction(producer[0], record))
        for note in decision.notes:
            self.machine.apply(note)
        for timer in decision.timers:
            self.timers.pop(timer.name, None)
            if timer.at is not None and timer.command is not None:
                self.timers[timer.name] = (timer.at, timer.command)
        for reply in decision.replies:
            self._answer(reply.address, reply.value)

    def _answer(self, address: int, value: Any) -> None:
        if address:
            assert address not in self.replies, "answered twice"
            self.replies[address] = value

    def send(self, kind: type[Command], **facts: Any) -> int:
        self._last_address += 1
        address = self._last_address
        self.carry_out(kind(address=Address(address), **facts))
        return address

    def pass_time(self, by_ms: int) -> None:
        end = self.now + by_ms
        while self.timers:
            name = min(self.timers, key=lambda name: self.timers[name][0])
            at, command = self.timers[name]
            if at > end:
                break
            del self.timers[name]
            self.now = Millis(max(self.now, at))
            self.carry_out(command)
        self.now = Millis(end)

    def set_clock(self, *, ahead_ms: int) -> None:
        """The wall clock is set, so far ahead of where it would be; sessions do not notice."""
        self.machine.apply(ClockMoved(ahead_ms))
