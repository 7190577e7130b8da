"""The gate in front of a transaction's first append to a partition: its coordinator must know of the partition.

Whoever appends takes the partition's guard first (`Partition.transactions.begin_check`), asks here, and appends under
the guard (RULES 30). A client of transaction version 2 need not have told the coordinator: asking adds the partition.
For older ones asking only verifies.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from itertools import repeat
from typing import Final, Protocol

from penstock.coordinators.transactions import AddOrVerifyPartitions, Outcomes
from penstock.errors import ConcurrentTransactions, InvalidProducerEpoch, ProducerFenced, Refusal
from penstock.model import TopicPartition
from penstock.settings import Config
from penstock.settings.broker import ADD_PARTITIONS_TO_TXN_RETRY_BACKOFF_MAX_MS, ADD_PARTITIONS_TO_TXN_RETRY_BACKOFF_MS

BRISK_RETRIES: Final = 10
"""So often it is asked again in the loop's next turn: markers of a transaction here are mostly written within a few."""
FIRST_PAUSE_S: Final = 0.001


class TransactionGate(Protocol):
    async def admit(
        self, asked: AddOrVerifyPartitions, *, again: Callable[[], None], holds: Callable[[TopicPartition], bool]
    ) -> Outcomes:
        """Which partitions may take records of the transaction, and why the others may not. Raises nothing itself.

        While the former transaction's markers are on their way it may ask several times, and calls `again` before each
        further one: its marker has ended guards that were taken before it, and new ones must be taken. `holds` tells
        whether a partition's guard has not been ended: a marker may have come before a question that was on its way to
        another broker, and was answered when all markers were written.
        """

    def admit_at_once(self, asked: AddOrVerifyPartitions) -> Outcomes | None:
        """The same where nobody has to be waited for, as for most producers of a broker that coordinates their
        transactions itself; None: ask.
        """


class TransactionCoordinator(Protocol):
    async def add_partitions(self, asked: AddOrVerifyPartitions) -> Outcomes: ...

    def add_partitions_at_once(self, asked: AddOrVerifyPartitions) -> Outcomes | None: ...


class CoordinatorGate(TransactionGate):
    """Asks the coordinator of this broker."""

    def __init__(self, coordinator: TransactionCoordinator, config: Config) -> None:
        self._coordinator = coordinator
        self._config = config

    async def admit(
        self, asked: AddOrVerifyPartitions, *, again: Callable[[], None], holds: Callable[[TopicPartition], bool]
    ) -> Outcomes:
        ask = self._coordinator.add_partitions
        pauses_s = () if asked.verify_only else self._pauses_s()
        return _as_producers_know(await ask_until_free(ask, asked, pauses_s, again=again, holds=holds))

    def _pauses_s(self) -> Iterator[float]:
        yield from repeat(0, BRISK_RETRIES)
        pause_s, pause_s_max = FIRST_PAUSE_S, self._config[ADD_PARTITIONS_TO_TXN_RETRY_BACKOFF_MS] / 1000
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._config[ADD_PARTITIONS_TO_TXN_RETRY_BACKOFF_MAX_MS] / 1000
        while loop.time() + pause_s <= deadline:
            yield pause_s
            pause_s = min(2 * pause_s, pause_s_max)

    def admit_at_once(self, asked: AddOrVerifyPartitions) -> Outcomes | None:
        try:
            outcomes = self._coordinator.add_partitions_at_once(asked)
        except Refusal as refusal:
            outcomes = dict.fromkeys(asked.partitions, refusal)
        if outcomes is None or (not asked.verify_only and _is_busy(outcomes)):
            return None
        return _as_producers_know(outcomes)


async def ask_until_free(
    ask: Callable[[AddOrVerifyPartitions], Awaitable[Outcomes]],
    asked: AddOrVerifyPartitions,
    pauses_s: Iterable[float],
    *,
    again: Callable[[], None] = lambda: None,
    holds: Callable[[TopicPartition], bool] = lambda _: True,
) -> Outcomes:
    """Ask, and once more after each pause while the former transaction's markers are still on their way: a moment later
    they will be there (KIP-890). A refusal of the whole is every partition's. `again` and `holds` as with the gate.
    """
    outcomes = await _ask(ask, asked)
    for pause_s in pauses_s:
        if not _is_busy(outcomes) and all(holds(at) for at, outcome in outcomes.items() if outcome is None):
            break
        await asyncio.sleep(pause_s)
        again()
        outcomes = await _ask(ask, asked)
    return outcomes


async def _ask(ask: Callable[[AddOrVerifyPartitions], Awaitable[Outcomes]], asked: AddOrVerifyPartitions) -> Outcomes:
    try:
        return await ask(asked)
    except Refusal as refusal:
        return dict.fromkeys(asked.partitions, refusal)


def _is_busy(outcomes: Outcomes) -> bool:
    return any(isinstance(outcome, ConcurrentTransactions) for outcome in outcomes.values())


def _as_producers_know(outcomes: Outcomes) -> Outcomes:
    """A producer that is told of a newer epoch may abort and go on; PRODUCER_FENCED, to it, is the end."""
    return {
        partition: InvalidProducerEpoch(outcome.message) if isinstance(outcome, ProducerFenced) else outcome
        for partition, outcome in outcomes.items()
    }
