"""Carries admin requests out: decide, write, answer once this broker's own image holds the result.

Any broker does so, straight against the store: every write compares what it was decided from, and one that lost to
another is decided anew (RULES 36, ADR 21). What only one may do, the duties, is the elected controller's.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import islice
from typing import Any, TypeVar

import msgspec
import structlog

from penstock.cluster import schedule_topics
from penstock.cluster.commands import (
    AllocateProducerIds,
    AlterSettings,
    AnyDecision,
    BeginAnew,
    ChangeEntries,
    Command,
    CreatedTopic,
    CreateTopic,
    DeleteTopic,
    ElectLeader,
    EntryChange,
    FeatureUpdate,
    GrowTopic,
    Reassign,
    ReplaceSettings,
    SweepLeftovers,
    UnregisterBroker,
    UpdateFeatures,
)
from penstock.cluster.creation import PLACED_AT_ONCE_MAX, large_placement, partitions_asked_for, require_moderate
from penstock.cluster.creation_marks import CreationMarks
from penstock.cluster.duties.partition_writes import NO_EPOCHS, PartitionRef
from penstock.cluster.elections import ElectedFrom
from penstock.cluster.image.entries import Entry, EntryKind
from penstock.cluster.image.feed import ImageFeed
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.image.shapes import TopicImage
from penstock.cluster.keyed_lock import KeyedLock
from penstock.cluster.machine import ControllerMachine
from penstock.cluster.metrics import ControllerMetrics
from penstock.cluster.names import collision_key
from penstock.cluster.resources import ResourceType
from penstock.cluster.schedule_topics import needed_first
from penstock.errors import Refusal, RequestTimedOut
from penstock.metastore import NO_REVISION, Conflict, Metastore, MetastoreError, Revision, Transaction, Unavailable
from penstock.model import BrokerId, Dice, TopicId, topic_id_text
from penstock.settings.config import Config

ATTEMPTS_MAX = 5
"""How often a decision that lost to another write is made anew before the client is told to come again."""

COMMITS_MAX = 64
"""Transactions under way at a time; a request about thousands of partitions makes thousands of them."""

ON_DEMAND_MAX = 1_000
"""Topics being made because a client asked about them; more are not begun, and those clients ask again."""

ON_DEMAND_TIMEOUT_MS = 30_000

STOP_WITHIN_S = 10.0
"""How long a stop waits for what was begun."""

_T = TypeVar("_T")
_log = structlog.get_logger(__name__)


class Controller:
    def __init__(
        self,
        metastore: Metastore,
        machine: ControllerMachine,
        feed: ImageFeed,
        image: ClusterImage,
        *,
        broker_id: BrokerId,
        config: Config,
        dice: Dice,
    ) -> None:
        self._metastore = metastore
        self._machine = machine
        self._feed = feed
        self._image = image
        self.broker_id = broker_id
        self._config = config
        self._dice = dice
        self._turns = KeyedLock()
        self._commits = asyncio.Semaphore(COMMITS_MAX)
        self.settled: Callable[[], Awaitable[None]] = _at_once
        """Waits until this broker has acted on its image: a topic is answered for when its logs are there."""
        self.metrics = ControllerMetrics()
        self.marks: CreationMarks | None = None
        """Given once this broker has a lease."""
        self._at_work: set[asyncio.Task[Any]] = set()
        self._on_demand: set[str] = set()

    async def create_topics(
        self, topics: Sequence[CreateTopic], *, timeout_ms: int, validate_only: bool = False
    ) -> list[CreatedTopic | Refusal]:
        """One outcome for each topic, in order: what was created, or why it was not. The service gives the ids."""
        commands = [
            msgspec.structs.replace(topic, topic_id=self._new_topic_id(), start=self._somewhere()) for topic in topics
        ]
        try:
            require_moderate(sum(map(self.partitions_of, commands)))
        except Refusal as refusal:
            return [refusal] * len(commands)
        return await self._all(commands, timeout_ms=timeout_ms, validate_only=validate_only)

    def partitions_of(self, topic: CreateTopic) -> int:
        """How many it would have of its own."""
        return partitions_asked_for(schedule_topics.completed(topic, self._image, self._config), self._config)

    def create_on_demand(self, names: Sequence[str]) -> None:
        """Begin to make these topics in the default shape, unless that is under way: nobody waits for the outcome."""
        new = [name for name in names if name not in self._on_demand][: ON_DEMAND_MAX - len(self._on_demand)]
        if new:
            self._on_demand.update(new)
            self._start(self._create_on_demand(new))

    async def _create_on_demand(self, names: Sequence[str]) -> None:
        try:
            first = needed_first(names, self._image, self._config)
            if first:
                await self.create_topics(list(map(CreateTopic, first)), timeout_ms=ON_DEMAND_TIMEOUT_MS)
            outcomes = await self.create_topics(list(map(CreateTopic, names)), timeout_ms=ON_DEMAND_TIMEOUT_MS)
        finally:
            self._on_demand.difference_update(names)
        for name, outcome in zip(names, outcomes, strict=True):
            if isinstance(outcome, Refusal) and name not in self._image.topics:
                _log.warning("topic not created on demand", topic=name, reason=outcome.message)

    async def create_partitions(
        self, topics: Sequence[GrowTopic], *, timeout_ms: int, validate_only: bool = False
    ) -> list[int | Refusal]:
        """For each topic the count that it has now, or why it has no more than before."""
        commands = [msgspec.structs.replace(topic, start=self._somewhere()) for topic in topics]
        return await self._all(commands, timeout_ms=timeout_ms, validate_only=validate_only)

    async def delete_topics(self, topic_ids: Sequence[TopicId], *, timeout_ms: int) -> list[TopicImage | Refusal]:
        return await self._all([DeleteTopic(topic_id) for topic_id in topic_ids], timeout_ms=timeout_ms)

    async def alter_settings(
        self, changes: Sequence[AlterSettings | ReplaceSettings], *, validate_only: bool = False
    ) -> list[Refusal | None]:
        """For each resource None, or why nothing of it was changed."""
        return await self._all(changes, validate_only=validate_only)

    async def change_entries(
        self,
        kind: EntryKind,
        decide: Callable[[Mapping[str, Entry]], EntryChange[_T]],
        *,
        timeout_ms: int | None = None,
    ) -> _T:
        """The reply of what `decide` came to, once it is written and shows here. Its Refusal is raised."""
        (outcome,) = await self._all([ChangeEntries(kind, decide)], timeout_ms=timeout_ms)
        if isinstance(outcome, Refusal):
            raise outcome
        reply: _T = outcome
        return reply

    async def update_features(self, updates: Sequence[FeatureUpdate], *, validate_only: bool = False) -> None:
        (outcome,) = await self._all([UpdateFeatures(tuple(updates))], validate_only=validate_only)
        if isinstance(outcome, Refusal):
            raise outcome

    async def reassign(self, partitions: Sequence[Reassign], *, timeout_ms: int) -> list[Refusal | None]:
        """For each partition None, or why it stays where it is. The moves go on after the answer."""
        return await self._all(partitions, timeout_ms=timeout_ms)

    async def elect_leaders(self, partitions: Sequence[ElectLeader], *, timeout_ms: int) -> list[ElectedFrom | Refusal]:
        return await self._all(partitions, timeout_ms=timeout_ms)

    async def unregister_broker(self, broker_id: BrokerId) -> None:
        (outcome,) = await self._all([UnregisterBroker(broker_id)])
        if isinstance(outcome, Refusal):
            raise outcome

    async def allocate_producer_ids(self, count: int) -> int:
        """The first of so many ids that nobody else will be given."""
        first: int = await self._carry_out(AllocateProducerIds(count))
        return first

    async def sweep_leftovers(self) -> None:
        swept = await self._carry_out(SweepLeftovers())
        if swept:
            _log.info("leftovers of unfinished topics swept", partitions=swept)

    async def begin_anew(self, broker_id: BrokerId, epochs: Mapping[PartitionRef, int] = NO_EPOCHS) -> None:
        raised = await self._carry_out(BeginAnew(broker_id, epochs))
        _log.info("leader epochs raised for a new incarnation", broker=broker_id, partitions=raised)

    async def stop(self) -> None:
        """Let what was begun come to its end, unless the store is away: then it comes to none."""
        if self._at_work:
            _, late = await asyncio.wait(self._at_work, timeout=STOP_WITHIN_S)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late)

    async def _all(
        self, commands: Sequence[Command], *, timeout_ms: int | None = None, validate_only: bool = False
    ) -> list[Any]:
        if timeout_ms is not None and timeout_ms <= 0:
            return [RequestTimedOut() for _ in commands]
        if validate_only:
            return [self._would_be(await self._placed(command)) for command in commands]
        try:
            return await self._within(timeout_ms, self._each(commands))
        except RequestTimedOut as late:
            return [late for _ in commands]

    async def _each(self, commands: Sequence[Command]) -> list[Any]:
        return await asyncio.gather(*(self._outcome(command) for command in commands))

    async def _within(self, timeout_ms: int | None, work: Coroutine[Any, Any, _T]) -> _T:
        """Wait so long for it. What was begun goes on though nobody waits any more: half a topic helps no one."""
        task = self._start(work)
        done, _ = await asyncio.wait([task], timeout=None if timeout_ms is None else timeout_ms / 1000)
        if not done:
            raise RequestTimedOut(f"not done within {timeout_ms} ms; it may still be")
        return task.result()

    def _start(self, work: Coroutine[Any, Any, _T]) -> asyncio.Task[_T]:
        task = asyncio.create_task(work, name="controller")
        self._at_work.add(task)
        task.add_done_callback(self._at_work.discard)
        return task

    def _would_be(self, command: Command) -> Any:
        try:
            return self._machine.decide(command).reply
        except Refusal as refusal:
            return refusal

    async def _outcome(self, command: Command) -> Any:
        try:
            reply = await self._carry_out(command)
        except Refusal as refusal:
            return refusal
        _tell(command, reply)
        if isinstance(command, ElectLeader):
            self.metrics.leaderelections += 1
            self.metrics.uncleanleaderelections += reply is ElectedFrom.UNCLEAN
        return reply

    async def _carry_out(self, command: Command) -> Any:
        """A command that several transactions carry out must not meet another for the same topic half way."""
        async with self._turns.of(self._subject(command)), self._marked(command):
            return await self._decide_and_write(await self._placed(command))

    async def _placed(self, command: Command) -> Command:
        """Thousands of partitions are placed in turns, with others served in between."""
        if not isinstance(command, CreateTopic | GrowTopic):
            return command
        places = large_placement(command, self._image, self._config)
        if places is None:
            return command
        placed: list[tuple[BrokerId, ...]] = []
        while some := list(islice(places, PLACED_AT_ONCE_MAX)):
            placed += some
            await asyncio.sleep(0)
        return msgspec.structs.replace(command, placed=tuple(placed))

    async def _decide_and_write(self, command: Command) -> Any:
        for _ in range(ATTEMPTS_MAX):
            decision = self._machine.decide(command)
            try:
                if await self._is_written(decision):
                    return decision.reply
            except Unavailable as failure:
                # Written or not, nobody knows: the client asks again and then sees which.
                raise RequestTimedOut(f"the metadata store does not answer: {failure}") from failure
        raise RequestTimedOut(f"lost to other changes {ATTEMPTS_MAX} times")

    @asynccontextmanager
    async def _marked(self, command: Command) -> AsyncIterator[None]:
        """Keep the controller from sweeping what several transactions write before they are all there (RULES 14).

        The mark lies under this broker's lease, and goes with the last transaction; it is taken away here if there was
        none.
        """
        topic_id = self._machine.needs_mark(command)
        if topic_id is None or self.marks is None:
            yield
            return
        try:
            await self.marks.put(topic_id)
        except Conflict as busy:
            raise RequestTimedOut("another broker is adding partitions to this topic") from busy
        except MetastoreError as failure:
            await self.marks.take_away(topic_id)
            raise RequestTimedOut(f"the metadata store does not answer: {failure}") from failure
        try:
            yield
        finally:
            await self.marks.take_away(topic_id)

    async def _is_written(self, decision: AnyDecision) -> bool:
        """Write it and wait until it shows here; False where it lost to another write, which then shows here."""
        try:
            revision = await self._commit(decision)
        except Conflict:
            await self._feed.catch_up()
            return False
        if decision.transactions:
            await self._feed.reached(revision)
            await self.settled()
        return True

    async def _commit(self, decision: AnyDecision) -> Revision:
        """The revision that the last of its transactions made."""
        if decision.in_any_order:
            commits = (self._commit_one(transaction) for transaction in decision.transactions)
            outcomes = await asyncio.gather(*commits, return_exceptions=True)
            for outcome in outcomes:
                if isinstance(outcome, BaseException):
                    raise outcome
            return max((outcome for outcome in outcomes if isinstance(outcome, int)), default=NO_REVISION)
        revision = NO_REVISION
        for transaction in decision.transactions:
            revision = await self._commit_one(transaction)
        return revision

    async def _commit_one(self, transaction: Transaction) -> Revision:
        async with self._commits:
            return await self._metastore.commit(transaction)

    def _subject(self, command: Command) -> object:
        match command:
            # Names that collide take turns too: the second to be created must see the first.
            case CreateTopic(name=name) | GrowTopic(name=name):
                return "topic", collision_key(name)
            case DeleteTopic(topic_id=topic_id):
                topic = self._image.topics_by_id.get(topic_id)
                return "topic", collision_key(topic.name) if topic else topic_id
            case Reassign(topic=name, index=index) | ElectLeader(topic=name, index=index):
                return "partition", name, index
            case AlterSettings(resource=resource) | ReplaceSettings(resource=resource):
                # A topic's settings and its count are in one key.
                return ("topic", collision_key(resource.name)) if resource.type is ResourceType.TOPIC else resource
            case ChangeEntries(kind=kind):
                return kind
            case _:
                return type(command)

    def _new_topic_id(self) -> TopicId:
        """A random UUID whose text does not begin with a dash, which command lines take for an option."""
        while True:
            raw = bytearray(self._dice.random_bytes(16))
            raw[6] = raw[6] & 0x0F | 0x40
            raw[8] = raw[8] & 0x3F | 0x80
            topic_id = TopicId(bytes(raw))
            if not topic_id_text(topic_id).startswith("-"):
                return topic_id

    def _somewhere(self) -> int:
        return int.from_bytes(self._dice.random_bytes(4), "big")


def _tell(command: Command, reply: Any) -> None:
    """What somebody changed belongs into the log: it is what people look for when something is suddenly otherwise."""
    match command, reply:
        case CreateTopic(name=name, topic_id=topic_id), CreatedTopic(partitions=partitions):
            _log.info("topic created", topic=name, topic_id=topic_id_text(topic_id), partitions=partitions)
        case GrowTopic(name=name), int(count):
            _log.info("partitions added", topic=name, partitions=count)
        case DeleteTopic(), TopicImage(name=name, topic_id=topic_id):
            _log.info("topic deleted", topic=name, topic_id=topic_id_text(topic_id))
        case AlterSettings(resource=resource) | ReplaceSettings(resource=resource), _:
            _log.info("settings changed", resource=resource.type.name.lower(), name=resource.name)
        case Reassign(topic=name, index=index, replicas=None), _:
            _log.info("reassignment cancelled", partition=f"{name}-{index}")
        case Reassign(topic=name, index=index, replicas=replicas), _:
            _log.info("partition reassigned", partition=f"{name}-{index}", replicas=replicas)
        case ElectLeader(topic=name, index=index), ElectedFrom.UNCLEAN:
            _log.error("UNCLEAN leader elected: acknowledged records may be lost", partition=f"{name}-{index}")
        case UnregisterBroker(broker_id=broker_id), _:
            _log.warning("broker unregistered", broker=broker_id)
        case _:
            pass


async def _at_once() -> None:
    pass
