"""The transaction coordinator of one partition of `__transaction_state`: all transactional ids that hash there.

A record says all there is to know of an id, so that the last one of each is enough to go on from. An end is two
records: Prepare*, after which the outcome is settled, and Complete*, once every partition has its marker. Between the
two the id takes no requests (CONCURRENT_TRANSACTIONS); a coordinator that loads such an id orders its markers again
(RULES 31), a few ids at a time.

What always holds
- under one producer id an epoch never falls, and an id is never given twice;
- an end that is prepared is completed as it was prepared;
- every open transaction ends, by its producer or by its timeout;
- a machine that replays the log equals the one that wrote it.
"""

from collections.abc import Iterator
from typing import Any

from penstock.coordinators.decision import ClockMoved, Decision, Loaded
from penstock.coordinators.transactions import commands, ending, expiry, listing, partitions, producers
from penstock.coordinators.transactions.ending import Ends
from penstock.coordinators.transactions.records import TransactionRecord
from penstock.coordinators.transactions.state import PREPARED, Transaction, TransactionLimits, TransactionState
from penstock.errors import PolicyViolation
from penstock.model import Millis


class TransactionMachine:
    def __init__(self, limits: TransactionLimits, *, coordinator_index: int, coordinator_epoch: int) -> None:
        self.transactions: dict[str, Transaction] = {}
        self.deadlines: dict[str, Millis] = {}
        """When open transactions have run out of time, by the clock that goes evenly."""
        self._limits = limits
        self._ends = Ends(coordinator_index, coordinator_epoch)
        self._wall_ahead_ms = 0

    # Deciding ---------------------------------------------------------------------------------------------------

    def decide(self, command: Any, now: Millis) -> Decision:
        wall = Millis(now + self._wall_ahead_ms)
        match command:
            case commands.AddPartitions():
                return partitions.add(command, self._known(command), wall)
            case commands.VerifyPartitions():
                return partitions.verify(command, self._known(command))
            case commands.EndTransaction():
                return ending.end(command, self._known(command), wall, self._ends)
            case commands.MarkersWritten(due=due):
                return ending.complete(command, self.transactions.get(due.transactional_id), wall, self._ends)
            case commands.InitProducer():
                return producers.init(command, self._known_or_room(command), wall, self._ends)
            case commands.Describe():
                return listing.describe(command, self._known(command))
            case commands.ListTransactions():
                return listing.list_all(command, self.transactions, wall)
            case commands.TimeoutsDue():
                return expiry.abort_timed_out(self._late(now), now, wall, self._limits, self._ends)
            case commands.AbortTimedOut():
                return expiry.abort_with_new_id(command, self._known(command), wall, self._ends)
            case commands.ResumeDue(left=left):
                return ending.resume(left, self.transactions, now, self._ends)
            case commands.ExpiryDue():
                return expiry.forget_unused(self.transactions, now, wall, self._limits)
            case Loaded():
                return self._begin(now)
            case _:
                raise TypeError(f"no such command: {command}")

    def _known(self, command: Any) -> Transaction | None:
        return self.transactions.get(command.transactional_id)

    def _known_or_room(self, command: commands.InitProducer) -> Transaction | None:
        transaction = self._known(command)
        if transaction is None and len(self.transactions) >= self._limits.ids_max:
            raise PolicyViolation(f"{self._limits.ids_max} transactional ids are in use here, which is the most")
        return transaction

    def _late(self, now: Millis) -> Iterator[Transaction]:
        return (self.transactions[name] for name, deadline in self.deadlines.items() if deadline < now)

    def _begin(self, now: Millis) -> Decision:
        unfinished = [name for name, each in self.transactions.items() if each.state in PREPARED]
        resumed = ending.resume(unfinished, self.transactions, now, self._ends)
        return Decision(
            notes=(commands.TimeoutsBounded(now),),
            timers=(
                *resumed.timers,
                expiry.timeouts_timer(Millis(now + self._limits.timeouts_interval_ms)),
                expiry.expiry_timer(Millis(now + self._limits.expiry_interval_ms)),
            ),
            replies=resumed.replies,
        )

    # Applying ---------------------------------------------------------------------------------------------------

    def apply(self, change: Any) -> None:
        match change:
            case TransactionRecord(name, None):
                self.transactions.pop(name, None)
                self.deadlines.pop(name, None)
            case TransactionRecord(name, transaction) if transaction is not None:
                self.transactions[name] = transaction
                if transaction.state is TransactionState.ONGOING:
                    end = transaction.started_at + transaction.timeout_ms
                    self.deadlines.setdefault(name, Millis(end - self._wall_ahead_ms))
                else:
                    self.deadlines.pop(name, None)
            case commands.TimeoutsBounded(now):
                for name, deadline in self.deadlines.items():
                    self.deadlines[name] = min(deadline, Millis(now + self.transactions[name].timeout_ms))
            case ClockMoved(wall_ahead_ms):
                self._wall_ahead_ms = wall_ahead_ms
