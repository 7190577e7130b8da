"""A share session: what one broker lends to one member, and what the member says of it.

One request is under way at a time, since the requests of a session are numbered: a fetch, which carries what is to be
said of earlier records, or an acknowledgement alone. Epoch 0 opens the session, -1 closes it and gives back all that is
lent. It dies with its connection, and the broker then gives everything back by itself.
"""

from collections.abc import Coroutine, Iterable
from typing import Any, Final

from penstock.client.core import Core
from penstock.client.outcomes import outcome, place, refusal
from penstock.client.records.acknowledging import Ack, Acks, SharedRecord, ack_ranges, lent
from penstock.client.records.fetched import ConsumedRecord, Fetched
from penstock.client.records.settings import ShareConsumerSettings
from penstock.client.tasks import Task
from penstock.errors import (
    InvalidShareSessionEpoch,
    NetworkFailure,
    Refusal,
    RequestTimedOut,
    ShareSessionNotFound,
    UnknownServerError,
    UnknownTopicId,
    UnsupportedVersion,
)
from penstock.model import TopicPartition
from penstock.wire.messages import share_acknowledge_request, share_fetch_request
from penstock.wire.messages.share_acknowledge_request import (
    AcknowledgePartition,
    AcknowledgeTopic,
    ShareAcknowledgeRequest,
)
from penstock.wire.messages.share_acknowledge_response import ShareAcknowledgeResponse
from penstock.wire.messages.share_fetch_request import FetchPartition, FetchTopic, ForgottenTopic, ShareFetchRequest
from penstock.wire.messages.share_fetch_response import PartitionData, ShareFetchResponse

OPENING: Final = 0
CLOSING: Final = -1
EPOCH_MAX: Final = 0x7FFFFFFF
RENEW_FROM: Final = 2
STRICT_FROM: Final = 2
STRICT: Final = 1

_PASSING = (NetworkFailure, RequestTimedOut, UnknownServerError)
"""Apache Kafka 4.3 has no better word than the last for a session one of whose topics was deleted."""
_FORGOTTEN = (ShareSessionNotFound, InvalidShareSessionEpoch)
"""The session is opened anew at once."""


class ShareSession:
    def __init__(self, core: Core, settings: ShareConsumerSettings, node_id: int, member_id: str) -> None:
        self.node_id = node_id
        self.epoch = OPENING
        self.kept: list[SharedRecord] = []
        """Lent, and not handed out yet."""
        self.held: dict[TopicPartition, set[int]] = {}
        """Handed out, and nothing final said of it yet."""
        self.acks: dict[TopicPartition, Acks] = {}
        """What is still to be told."""
        self.outcomes: dict[TopicPartition, Refusal | None] = {}
        """What became of what was told. Whoever reads it empties it."""
        self.problem: Exception | None = None
        """Why something is not to be had, where asking again does not help. Whoever raises it resets it."""
        self.lock_s = 30.0
        """How long a record is lent, as the broker said last."""
        self.task: Task[None] | None = None
        """The request under way."""
        self.is_telling = False
        """It says something of records."""
        self._core = core
        self._settings = settings
        self._member_id = member_id
        self._connection_name = f"share {member_id}"
        self._told: set[TopicPartition] = set()
        """The partitions that the broker knows of the session."""
        self._ids: dict[str, bytes] = {}

    @property
    def is_open(self) -> bool:
        return self.epoch > OPENING

    # Records --------------------------------------------------------------------------------------------------------

    def take(self, at_most: int) -> list[SharedRecord]:
        taken, self.kept = self.kept[:at_most], self.kept[at_most:]
        for record in taken:
            self.held.setdefault(place(record.topic, record.partition), set()).add(record.offset)
        return taken

    def holds(self, where: TopicPartition, offset: int) -> bool:
        return offset in self.held.get(where, ())

    def acknowledge(self, where: TopicPartition, offset: int, how: Ack) -> None:
        self.acks.setdefault(where, {})[offset] = how
        if how is not Ack.RENEW:
            self.held[where].discard(offset)

    def accept_all(self) -> None:
        for where, offsets in self.held.items():
            if offsets:
                self.acks.setdefault(where, {}).update(dict.fromkeys(offsets, Ack.ACCEPT))
        self.held = {}

    # Asking ---------------------------------------------------------------------------------------------------------

    def start(self, wanted: set[TopicPartition], at_most: int) -> None:
        """Ask for records of these partitions, or say what is to be said, unless a request is under way."""
        if self.task is not None:
            return
        is_renewing = any(Ack.RENEW in said.values() for said in self.acks.values())
        if self.acks and (is_renewing or self.kept or not wanted):
            self.task = self._core.scheduler.start(self._alone(self._acknowledge()))
        elif wanted and not self.kept:
            self.task = self._core.scheduler.start(self._alone(self._fetch(wanted, at_most)))

    def start_acknowledging(self) -> None:
        if self.task is None and self.acks:
            self.task = self._core.scheduler.start(self._alone(self._acknowledge()))

    async def _alone(self, request: Coroutine[Any, Any, None]) -> None:
        try:
            await request
        except Refusal as error:
            self._reset()
            if not error.retriable and not isinstance(error, _PASSING):
                self.problem = error
            if not isinstance(error, _FORGOTTEN):
                await self._core.scheduler.pause(self._core.settings.retry_pause_s)
        except Exception as error:
            self._reset()
            self.problem = error
        finally:
            self.task = None

    def _reset(self) -> None:
        """The session is opened anew. What it lent is the broker's again: of that nothing more is told."""
        self._learn_of(self.acks, ShareSessionNotFound("the broker has forgotten what it lent"))
        self.acks, self.kept, self.held = {}, [], {}
        self.epoch, self._told = OPENING, set()
        for topic in self._ids:
            self._core.metadata.doubt(topic)

    async def _ask(self, request: Any, acks: dict[TopicPartition, Acks], **how: Any) -> Any:
        """The answer. What was told and not answered counts as refused."""
        self.is_telling = bool(acks)
        try:
            answer = await self._core.ask(
                self._core.node(self.node_id), request, connection_name=self._connection_name, **how
            )
        except Refusal as error:
            self._learn_of(acks, error)
            raise
        finally:
            self.is_telling = False
        self.epoch = self.epoch + 1 if 0 <= self.epoch < EPOCH_MAX else 1
        if answer.acquisition_lock_timeout_ms > 0:
            self.lock_s = answer.acquisition_lock_timeout_ms / 1000
        return answer

    def _learn_of(self, places: Iterable[TopicPartition], outcome: Refusal | None) -> None:
        """A refusal is not forgotten for what is told well later."""
        for where in places:
            self.outcomes[where] = self.outcomes.get(where) or outcome

    # Fetching -------------------------------------------------------------------------------------------------------

    async def _fetch(self, wanted: set[TopicPartition], at_most: int) -> None:
        settings = self._settings
        acks, self.acks = self.acks, {}
        new, gone = wanted - self._told, self._told - wanted
        request = ShareFetchRequest(
            settings.group, self._member_id, self.epoch, int(settings.fetch_wait_s * 1000), settings.fetch_bytes_min,
            settings.fetch_bytes, at_most, at_most, STRICT if settings.is_strict else 0,
            topics=[
                FetchTopic(topic_id, [
                    FetchPartition(index, _batches(acks.get(where), share_fetch_request)) for where, index in places
                ])
                for topic_id, places in self._by_id(new | acks.keys()).items()
            ],
            forgotten_topics_data=[
                ForgottenTopic(topic_id, [index for _, index in places])
                for topic_id, places in self._by_id(gone).items()
            ],
        )  # fmt: skip
        answer: ShareFetchResponse = await self._ask(
            request, acks, at_least=STRICT_FROM if settings.is_strict else 1,
            timeout_s=self._core.settings.request_timeout_s + settings.fetch_wait_s,
        )  # fmt: skip
        self._told = set(wanted)
        self._learn_of(acks, None)
        for where, each in self._answered(answer):
            if each.acknowledge_error_code:
                self._learn_of([where], refusal(each.acknowledge_error_code, each.acknowledge_error_message))
            if each.error_code:
                self._refused(where, each, answer)
            elif each.acquired_records:
                self._came(where, each)

    def _refused(self, where: TopicPartition, told: PartitionData, answer: ShareFetchResponse) -> None:
        leader, problem = told.current_leader, refusal(told.error_code, told.error_message)
        if not self._core.metadata.learn_leader(where, leader.leader_id, leader.leader_epoch, answer.node_endpoints):
            self._core.metadata.doubt(where.topic)
        if isinstance(problem, UnknownTopicId):  # deleted; one that is made anew under its name has another id
            self._ids.pop(where.topic, None)
            self._told.discard(where)
            self.held.pop(where, None)
            if self.acks.pop(where, None):
                self._learn_of([where], problem)
        if not problem.retriable:
            self.problem = refusal(told.error_code, f"{where}: {problem.message}")

    def _came(self, where: TopicPartition, told: PartitionData) -> None:
        ranges = [(each.first_offset, each.last_offset, each.delivery_count) for each in told.acquired_records]
        fetched = Fetched(where.topic, where.partition, told.records, ranges[0][0], None)
        records: list[ConsumedRecord] = []
        problem: Refusal | None = None
        try:
            while some := fetched.take(1):  # one by one: what comes before a batch that cannot be read is good
                records += some
        except Refusal as error:
            problem = error
        shown, acks = lent(records, ranges, read_to=fetched.position)
        self.kept += shown
        if acks:
            self.acks.setdefault(where, {}).update(acks)
        self.problem = self.problem or problem

    # Acknowledging --------------------------------------------------------------------------------------------------

    async def _acknowledge(self) -> None:
        acks, self.acks = self.acks, {}
        try:
            await self._send(acks, self.epoch)
        except UnsupportedVersion:  # it cannot renew, and nothing was sent
            self._say_the_rest(acks)

    def _say_the_rest(self, acks: dict[TopicPartition, Acks]) -> None:
        for where, said in acks.items():
            if rest := {offset: how for offset, how in said.items() if how != Ack.RENEW}:
                self.acks[where] = rest | self.acks.get(where, {})

    async def _send(self, acks: dict[TopicPartition, Acks], epoch: int) -> None:
        is_renewing = any(Ack.RENEW in said.values() for said in acks.values())
        request = ShareAcknowledgeRequest(
            self._settings.group, self._member_id, epoch, is_renewing,
            [
                AcknowledgeTopic(topic_id, [
                    AcknowledgePartition(index, _batches(acks[where], share_acknowledge_request))
                    for where, index in places
                ])
                for topic_id, places in self._by_id(acks).items()
            ],
        )  # fmt: skip
        answer: ShareAcknowledgeResponse = await self._ask(request, acks, at_least=RENEW_FROM if is_renewing else 1)
        for where, each in self._answered(answer):
            self._learn_of([where], outcome(each.error_code, None, each.error_message))

    async def close(self) -> None:
        """Tell what is to be told, and give back the rest."""
        if self.task is not None:
            self.task.cancel()
            self.task = None
        acks, self.acks, self.kept, self.held = self.acks, {}, [], {}
        if self.is_open:
            try:
                await self._send(acks, CLOSING)
            except Refusal:
                pass  # its connection is gone, or goes: the broker gives back all by itself
        self._core.network.hang_up(self._connection_name)
        self.epoch, self._told = OPENING, set()

    # Names and ids --------------------------------------------------------------------------------------------------

    def _by_id(self, places: Iterable[TopicPartition]) -> dict[bytes, list[tuple[TopicPartition, int]]]:
        found: dict[bytes, list[tuple[TopicPartition, int]]] = {}
        for where in sorted(places):
            topic_id = self._ids.setdefault(where.topic, self._core.metadata.id_of(where.topic))
            found.setdefault(topic_id, []).append((where, where.partition))
        return found

    def _answered(self, answer: Any) -> Iterable[tuple[TopicPartition, Any]]:
        names = {topic_id: name for name, topic_id in self._ids.items()}
        for topic in answer.responses:
            for each in topic.partitions:
                if topic.topic_id in names:
                    yield place(names[topic.topic_id], each.partition_index), each


def _batches(acks: Acks | None, messages: Any) -> list[Any]:
    return [messages.AcknowledgementBatch(*each) for each in ack_ranges(acks or {})]
