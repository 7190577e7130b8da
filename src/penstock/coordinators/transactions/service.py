"""Transactions as handlers use them: which partition coordinates a transactional id, whether that is here, and what it
says; and what the machines order: markers to be written, producer ids to be fetched.

A transactional id is coordinated by the broker that leads its partition of `__transaction_state`; the topic is created
when a client first looks for a coordinator.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

import structlog

from penstock.cluster import CONSUMER_OFFSETS, TRANSACTION_STATE, ClusterImage, Controller, CreateTopic, ProducerIds
from penstock.coordinators.decision import Address, Command
from penstock.coordinators.patterns import compile_pattern
from penstock.coordinators.runtime import Runtime
from penstock.coordinators.service import CoordinatorService
from penstock.coordinators.shard import Shard
from penstock.coordinators.transactions import commands, metrics
from penstock.coordinators.transactions.add_or_verify import AddOrVerifyPartitions, Outcomes
from penstock.coordinators.transactions.commands import MarkersDue, NeedsProducerId, Producer, ProducerIdDue
from penstock.coordinators.transactions.machine import TransactionMachine
from penstock.coordinators.transactions.records import TransactionCodec
from penstock.coordinators.transactions.state import TransactionLimits, TransactionState, TransactionVersion
from penstock.errors import (
    CoordinatorLoadInProgress,
    InvalidRequest,
    InvalidTransactionTimeout,
    NotCoordinator,
    Refusal,
    TransactionAbortable,
)
from penstock.metrics import MetricsRegistry
from penstock.model import Clock, PartitionIndex, TopicPartition
from penstock.replication import Partitions
from penstock.settings import Config
from penstock.settings import broker as settings
from penstock.wire.messages.describe_transactions_response import TransactionState as Described
from penstock.wire.messages.list_transactions_response import TransactionState as Listed

RETRY_S = 0.1
LISTED_AT_ONCE = 2_000
"""Transactional ids between two turns of the loop: a millisecond or two."""

_log = structlog.get_logger(__name__)


class MarkerDelivery(Protocol):
    async def deliver(self, due: MarkersDue, *, is_wanted: Callable[[], bool]) -> bool:
        """Have every partition write its marker, for as long as it takes and is wanted. Whether all have it."""


class Transactions(CoordinatorService):
    def __init__(
        self,
        *,
        config: Config,
        image: ClusterImage,
        controller: Controller,
        partitions: Partitions,
        producer_ids: ProducerIds,
        delivery: MarkerDelivery,
        clock: Clock,
        spawn: Callable[[Coroutine[Any, Any, Any]], object],
        registry: MetricsRegistry,
        stands_alone: bool,
    ) -> None:
        super().__init__(TRANSACTION_STATE, image=image, controller=controller)
        self._config = config
        self._partitions = partitions
        self._producer_ids = producer_ids
        self._delivery = delivery
        self._clock = clock
        self._spawn = spawn
        self._stands_alone = stands_alone
        self._limits = limits_of(config)
        self._finishing: set[MarkersDue] = set()
        """Ends whose markers are on their way."""
        metrics.expose(registry, self._shards, unfinished=lambda: len(self._finishing))

    # Beginning and end ------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to coordinate, once it is settled which partitions this broker leads and under which epochs."""
        self._runtime = Runtime(
            TRANSACTION_STATE,
            new_machine=lambda partition: TransactionMachine(
                self._limits, coordinator_index=partition.index, coordinator_epoch=partition.leader_epoch
            ),
            codec=TransactionCodec(),
            partitions=self._partitions,
            clock=self._clock,
            spawn=self._spawn,
            on_order=self._ordered,
            on_loaded=self._loaded,
        )

    async def _loaded(self, shard: Shard) -> tuple[Command, ...]:
        """No id that is known here is given to another producer. Of one who has not written lately, or ever, this alone
        shows that the metadata store was taken back in time.
        """
        assert isinstance(shard.machine, TransactionMachine)
        known = shard.machine.transactions.values()
        await self._producer_ids.go_on_above(
            {pid for each in known for pid in (each.producer_id, each.next_producer_id)}
        )
        return ()

    # What machines order ----------------------------------------------------------------------------------------

    def _ordered(self, order: MarkersDue | ProducerIdDue) -> None:
        # No more of these than there are transactional ids: one with its end under way takes no requests.
        if isinstance(order, MarkersDue):
            # A coordinator that reads its log again, under the same epoch, orders what is under way: to have it done
            # twice could bring a marker to a partition where the producer's next transaction is open by then.
            if order not in self._finishing:
                self._finishing.add(order)
                self._spawn(self._finish(order))
        else:
            self._spawn(self._abort_under_new_id(order))

    async def _finish(self, due: MarkersDue) -> None:
        try:
            if await self._delivery.deliver(due, is_wanted=lambda: self._coordinates(due)):
                await self._complete(due)
        finally:
            self._finishing.discard(due)

    def _coordinates(self, due: MarkersDue) -> bool:
        """Whether it is still this coordinator's to end the transaction; whoever came after has ordered it anew."""
        try:
            shard = self._running.require_active(due.coordinator_index)
        except Refusal:
            return False
        return shard.partition.leader_epoch == due.coordinator_epoch

    async def _complete(self, due: MarkersDue) -> None:
        while self._coordinates(due):
            try:
                await self._running.ask(
                    due.coordinator_index, lambda address: commands.MarkersWritten(address=address, due=due)
                )
            except (NotCoordinator, CoordinatorLoadInProgress):
                return
            except Refusal as refusal:
                _log.warning("end not completed yet", transactional_id=due.transactional_id, reason=refusal.message)
                await asyncio.sleep(RETRY_S)
            else:
                return

    async def _abort_under_new_id(self, order: ProducerIdDue) -> None:
        try:
            new_id = await self._producer_ids.next()
        except Refusal as refusal:
            # The transaction is still open: the next look at timeouts orders this again.
            _log.warning("no producer id", transactional_id=order.transactional_id, reason=refusal.message)
            return
        if self._runtime is not None:
            self._runtime.tell(
                order.coordinator_index,
                commands.AbortTimedOut(
                    transactional_id=order.transactional_id,
                    producer_id=order.producer_id,
                    producer_epoch=order.producer_epoch,
                    new_producer_id=new_id,
                ),
            )

    # Whose id it is ---------------------------------------------------------------------------------------------

    def _topic_to_create(self) -> CreateTopic:
        config = self._config
        replicas = 1 if self._stands_alone else config[settings.TRANSACTION_STATE_LOG_REPLICATION_FACTOR]
        return CreateTopic(
            TRANSACTION_STATE,
            partitions=config[settings.TRANSACTION_STATE_LOG_NUM_PARTITIONS],
            replication_factor=replicas,
            settings=(
                ("cleanup.policy", "compact"),
                ("compression.type", "uncompressed"),
                ("min.insync.replicas", str(min(replicas, config[settings.TRANSACTION_STATE_LOG_MIN_ISR]))),
                ("segment.bytes", str(config[settings.TRANSACTION_STATE_LOG_SEGMENT_BYTES])),
                ("unclean.leader.election.enable", "false"),
            ),
        )

    async def _ask(self, transactional_id: str, make_command: Callable[[Address], Command]) -> Any:
        if not transactional_id:
            raise InvalidRequest("a transactional id cannot be empty")
        return await self._running.ask(self._index_of(transactional_id), make_command, within_s=self._timeout_s)

    @property
    def _timeout_s(self) -> float:
        return self._config[settings.REQUEST_TIMEOUT_MS] / 1000

    async def _ask_for_producer(
        self, transactional_id: str, make_command: Callable[[int | None, Address], Command]
    ) -> Producer:
        """Ids are fetched only for those who need one: most questions are answered without."""
        new_id: int | None = None
        while True:
            answer = await self._ask(transactional_id, partial(make_command, new_id))
            if not isinstance(answer, NeedsProducerId):
                producer: Producer = answer
                return producer
            # Whoever began this without a task has one from here on: the metadata store needs it.
            await asyncio.sleep(0)
            new_id = await self._producer_ids.next()

    # Producers --------------------------------------------------------------------------------------------------

    async def init_producer(
        self, transactional_id: str, *, timeout_ms: int, expected: tuple[int, int] | None
    ) -> Producer:
        """The id and epoch under which a producer may write from now on, and nobody else with its transactional id."""
        if not transactional_id:
            raise InvalidRequest("a transactional id cannot be empty")
        if not 0 < timeout_ms <= self._limits.timeout_max_ms:
            raise InvalidTransactionTimeout(f"between 1 and {self._limits.timeout_max_ms} ms")
        return await self._ask_for_producer(
            transactional_id,
            lambda new_id, address: commands.InitProducer(
                address=address,
                transactional_id=transactional_id,
                timeout_ms=timeout_ms,
                expected=expected,
                new_producer_id=new_id,
            ),
        )

    async def add_partitions(self, asked: AddOrVerifyPartitions) -> Outcomes:
        """Make partitions part of the open transaction, opening one if need be; or only say which of them are."""
        return _outcomes(await self._ask(asked.transactional_id, asked.command), asked)

    def add_partitions_at_once(self, asked: AddOrVerifyPartitions) -> Outcomes | None:
        """The same where it is known without waiting; None where it is not. Nothing is begun then that other brokers
        would have to replicate: whoever asks again would have it written twice.
        """
        if not asked.transactional_id or not (asked.verify_only or self._stands_alone):
            return None
        answer = self._running.send(self._index_of(asked.transactional_id), asked.command)
        if not answer.done():
            return None
        value = answer.result()
        if isinstance(value, Refusal):
            raise value
        return _outcomes(value, asked)

    async def add_offsets(self, transactional_id: str, *, producer_id: int, producer_epoch: int, group_id: str) -> None:
        """Make the partition where a group's offsets are kept part of the transaction."""
        offsets = self._image.topics.get(CONSUMER_OFFSETS)
        count = self._config[settings.OFFSETS_TOPIC_NUM_PARTITIONS] if offsets is None else len(offsets.partitions)
        index = PartitionIndex(self._running.partition_of(group_id, count))
        await self.add_partitions(
            AddOrVerifyPartitions(
                transactional_id=transactional_id,
                producer_id=producer_id,
                producer_epoch=producer_epoch,
                partitions=[TopicPartition(CONSUMER_OFFSETS, index)],
                version=TransactionVersion.TV0,
            )
        )

    async def end(
        self,
        transactional_id: str,
        *,
        producer_id: int,
        producer_epoch: int,
        commits: bool,
        version: TransactionVersion,
    ) -> Producer:
        """Settle the transaction's end. The answer is who the producer is from then on; markers follow."""
        return await self._ask_for_producer(
            transactional_id,
            lambda new_id, address: commands.EndTransaction(
                address=address,
                transactional_id=transactional_id,
                producer_id=producer_id,
                producer_epoch=producer_epoch,
                commits=commits,
                version=version,
                new_producer_id=new_id,
            ),
        )

    # Looking at them --------------------------------------------------------------------------------------------

    async def describe(self, transactional_id: str) -> Described:
        described: Described = await self._ask(
            transactional_id,
            lambda address: commands.Describe(address=address, transactional_id=transactional_id),
        )
        return described

    async def list(
        self,
        *,
        producer_ids: frozenset[int],
        states: frozenset[TransactionState] | None,
        duration_ms: int,
        pattern: str | None,
    ) -> "list[Listed]":
        """All transactional ids that this broker coordinates and that pass the filters."""
        runtime = self._running
        wanted = compile_pattern(pattern) if pattern else None
        listed: list[Listed] = []
        for shard in runtime.shards():
            assert isinstance(shard.machine, TransactionMachine)
            ids = list(shard.machine.transactions)
            for first in range(0, max(len(ids), 1), LISTED_AT_ONCE):
                command = partial(
                    commands.ListTransactions,
                    ids=ids[first : first + LISTED_AT_ONCE],
                    producer_ids=producer_ids,
                    states=states,
                    duration_ms=duration_ms,
                )
                with suppress(NotCoordinator):  # it has moved meanwhile, and whoever has it now tells of its ids
                    listed += await runtime.ask(
                        shard.partition.index,
                        lambda address: command(address=address),  # noqa: B023
                        within_s=self._timeout_s,
                    )
                await asyncio.sleep(0)
        if wanted is None:
            return listed
        # In a thread: ids are as long as their owners like, and there may be many.
        return await asyncio.to_thread(lambda: [each for each in listed if wanted.matches(each.transactional_id)])


def limits_of(config: Config) -> TransactionLimits:
    return TransactionLimits(
        timeout_max_ms=config[settings.TRANSACTION_MAX_TIMEOUT_MS],
        timeouts_interval_ms=config[settings.TRANSACTION_ABORT_TIMED_OUT_TRANSACTION_CLEANUP_INTERVAL_MS],
        id_expiration_ms=config[settings.TRANSACTIONAL_ID_EXPIRATION_MS],
        expiry_interval_ms=config[settings.TRANSACTION_REMOVE_EXPIRED_TRANSACTION_CLEANUP_INTERVAL_MS],
        ids_max=config[settings.PENSTOCK_TRANSACTIONAL_IDS_PER_PARTITION_MAX],
    )


def _outcomes(there: frozenset[TopicPartition] | None, asked: AddOrVerifyPartitions) -> Outcomes:
    """What the machine answers: to verifying, the partitions that are in; to adding, nothing but that they are."""
    if there is None:
        return dict.fromkeys(asked.partitions)
    return {partition: None if partition in there else TransactionAbortable() for partition in asked.partitions}
