"""The gate in front of a transaction's first append to a partition: its coordinator must know of the partition.

Whoever appends takes the partition's guard first (`Partition.begin_transaction_check`), asks here, and appends under
the guard (RULES 30). A client of transaction version 2 need not have told the coordinator: asking adds the partition.
For older ones asking only verifies.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from penstock.coordinators.transactions import TransactionVersion
from penstock.errors import (
    ConcurrentTransactions,
    InvalidProducerEpoch,
    ProducerFenced,
    Refusal,
)
from penstock.model import TopicPartition
from penstock.settings import Config
from penstock.settings.broker import ADD_PARTITIONS_TO_TXN_RETRY_BACKOFF_MAX_MS, ADD_PARTITIONS_TO_TXN_RETRY_BACKOFF_MS

BRISK_RETRIES: Final = 10
"""So often it is asked again in the loop's next turn: markers of a transaction here are mostly written within a few."""
FIRST_PAUSE_S: Final = 0.001

Outcomes = Mapping[TopicPartition, Refusal | None]


class TransactionGate(Protocol):
    async def admit(
        self,
        transactional_id: str,
        *,
        producer_id: int,
        producer_epoch: int,
        partitions: Sequence[TopicPartition],
        adds: bool,
        again: Callable[[], None],
        holds: Callable[[TopicPartition], bool],
    ) -> Outcomes:
        """Which partitions may take records of the transaction, and why the others may not. Raises nothing itself.

        While the former transaction's markers are on their way it may ask several times, and calls `again` before each
        further one: its marker has ended guards that were taken before it, and new ones must be taken. `holds` tells
        whether a partition's guard has not been ended: a marker may have come before a question that was on its way to
        another broker, and was answered when all markers were written.
        """

    def admit_at_once(
        self,
        transactional_id: str,
        *,
        producer_id: int,
        producer_epoch: int,
        partitions: Sequence[TopicPartition],
        adds: bool,
    ) -> Outcomes | None:
        """The same where nobody has to be waited for, as for most producers of a broker that coordinates their
        transactions itself; None: ask.
        """


class TransactionCoordinator(Protocol):
    async def add_partitions(
        self,
        transactional_id: str,
        *,
        producer_id: int,
        producer_epoch: int,
        partitions: Sequence[TopicPartition],
        verify_only: bool,
        version: TransactionVersion,
    ) -> Outcomes: ...

    def add_partitions_at_once(
        self,
        transactional_id: str,
        *,
        producer_id: int,
        producer_epoch: int,
        partitions: Sequence[TopicPartition],
        verify_only: bool,
        version: TransactionVersion,
    ) -> Outcomes | None: ...


class CoordinatorGate(TransactionGate):
    """Asks the coordinator of this broker."""

    def __init__(self, coordinator: TransactionCoordinator, config: Config) -> None:
        self._coordinator = coordinator
        self._config = config

    async def admit(
        self,
        transactional_id: str,
        *,
        producer_id: int,
        producer_epoch: int,
        partitions: Sequence[TopicPartition],
        adds: bool,
        again: Callable[[], None],
        holds: Callable[[TopicPartition], bool],
    ) -> Outcomes:
        def must_ask_again() -> bool:
            return _is_busy(outcomes) or any(
                outcome is None and not holds(partition) for partition, outcome in outcomes.items()
            )

        async def ask() -> Outcomes:
            try:
                outcomes = await self._coordinator.add_partitions(
                    transactional_id,
                    producer_id=producer_id,
                    producer_epoch=producer_epoch,
                    partitions=partitions,
                    verify_only=not adds,
                    version=TransactionVersion.TV2 if adds else TransactionVersion.TV1,
                )
            except Refusal as refusal:
                outcomes = dict.fromkeys(partitions, refusal)
            return {partition: _as_producers_know(outcomes.get(partition)) for partition in partitions}

        outcomes = await ask()
        if not adds:
            return outcomes
        # The former transaction's markers are still on their way: a moment later they will be there (KIP-890).
        for _ in range(BRISK_RETRIES):
            if not must_ask_again():
                return outcomes
            await asyncio.sleep(0)
            again()
            outcomes = await ask()
        pause_s, pause_s_max = FIRST_PAUSE_S, self._config[ADD_PARTITIONS_TO_TXN_RETRY_BACKOFF_MS] / 1000
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._config[ADD_PARTITIONS_TO_TXN_RETRY_BACKOFF_MAX_MS] / 1000
        while must_ask_again() and loop.time() + pause_s <= deadline:
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, pause_s_max)
            again()
            outcomes = await ask()
        return outcomes

    def admit_at_once(
        self,
        transactional_id: str,
        *,
        producer_id: int,
        producer_epoch: int,
        partitions: Sequence[TopicPartition],
        adds: bool,
    ) -> Outcomes | None:
        try:
            outcomes = self._coordinator.add_partitions_at_once(
                transactional_id,
                producer_id=producer_id,
                producer_epoch=producer_epoch,
                partitions=partitions,
                verify_only=not adds,
                version=TransactionVersion.TV2 if adds else TransactionVersion.TV1,
            )
        except Refusal as refusal:
            outcomes = dict.fromkeys(partitions, refusal)
        if outcomes is None or (adds and _is_busy(outcomes)):
            return None
        return {partition: _as_producers_know(outcomes.get(partition)) for partition in partitions}


def _is_busy(outcomes: Outcomes) -> bool:
    return any(isinstance(outcome, ConcurrentTransactions) for outcome in outcomes.values())


def _as_producers_know(outcome: Refusal | None) -> Refusal | None:
    """A producer that is told of a newer epoch may abort and go on; PRODUCER_FENCED, to it, is the end."""
    return InvalidProducerEpoch(outcome.message) if isinstance(outcome, ProducerFenced) else outcome
