"""The producer and the consumer for asyncio: batches, fetches and heartbeats go on between calls."""

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from penstock.client.admin.groups import CommittedOffset
from penstock.client.clock import SystemDice
from penstock.client.outcomes import Outcomes
from penstock.client.records.acknowledging import SharedRecord
from penstock.client.records.batches import Sent, Written
from penstock.client.records.consumer import ConsumerCore
from penstock.client.records.fetched import ConsumedRecord
from penstock.client.records.producer import Headers, ProducerCore
from penstock.client.records.settings import ConsumerSettings, ProducerSettings, ShareConsumerSettings
from penstock.client.records.share_consumer import ShareConsumerCore
from penstock.client.tasks import all_of, first_of
from penstock.model import TopicPartition

if TYPE_CHECKING:
    from penstock.client.aio import AsyncClient


class AsyncProducer:
    """Writes records. As a context manager it flushes at the end of the block."""

    def __init__(self, client: "AsyncClient", **settings: Any) -> None:
        self._client = client
        self.core = ProducerCore(client.core, ProducerSettings(**settings), SystemDice())

    async def send(
        self,
        topic: str,
        value: bytes | None,
        *,
        key: bytes | None = None,
        headers: Headers = (),
        partition: int | None = None,
        timestamp_ms: int | None = None,
    ) -> Sent:
        """Take a record, which is written soon; `wait` tells what became of it. Waits only while the buffer is full."""
        given: dict[str, Any] = {
            "key": key, "headers": headers, "partition": partition, "timestamp_ms": timestamp_ms,
        }  # fmt: skip
        is_idle = not self.core.buffered_bytes
        sent = self.core.offer(topic, value, **given)
        if sent is None:
            return await self._client.run(self.core.send(topic, value, **given))
        if is_idle:
            self._client.turn()  # begins the time that a batch waits for more
        return sent

    async def wait(self, sent: Sent) -> Written:
        """Where a record was written, as soon as it is; raises what it was refused with."""
        if not sent.is_done:
            await self._client.run(first_of([sent.future]))
        return sent.value()

    async def send_apart(self, topic: str, records: Sequence[Mapping[str, Any]]) -> list[Sent] | None:
        """See ProducerCore.offer_apart. Returns when all of them are done, whichever way."""
        sents = self.core.offer_apart(topic, records)
        if sents is not None:
            await self._client.run(all_of({each.future for each in sents}))
        return sents

    async def flush(self) -> None:
        """Until all that was sent is written. Raises the first failure since the last flush."""
        await self._client.run(self.core.flush())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            await self.flush()


class AsyncConsumer:
    """Reads records. As a context manager it leaves its group at the end of the block."""

    def __init__(self, client: "AsyncClient", **settings: Any) -> None:
        self._client = client
        self.core = ConsumerCore(client.core, ConsumerSettings(**settings), SystemDice())
        self.assign, self.seek, self.position = self.core.assign, self.core.seek, self.core.position
        self.assignment, self.pause, self.resume = self.core.assignment, self.core.pause, self.core.resume

    async def poll(self, timeout_s: float = 1.0, *, at_most: int = 500) -> list[ConsumedRecord]:
        """Records, as soon as there are some; an empty list when the time is over."""
        return await self._client.run(self.core.poll(timeout_s, at_most=at_most))

    async def commit(self, offsets: Mapping[TopicPartition, int | CommittedOffset] | None = None) -> None:
        """Write down these offsets for the group, or those of all that `poll` handed out."""
        await self._client.run(self.core.commit(offsets))

    def wakeup(self) -> None:
        """Let the poll that another task awaits return what it has."""
        self.core.wakeup()
        self._client.turn()

    async def close(self) -> None:
        """Commit what is due, and leave the group."""
        await self._client.run(self.core.close())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class AsyncShareConsumer:
    """Reads records that are lent to it. As a context manager it gives back what is not acknowledged at the end."""

    def __init__(self, client: "AsyncClient", **settings: Any) -> None:
        self._client = client
        self.core = ShareConsumerCore(client.core, ShareConsumerSettings(**settings), SystemDice())
        self.acknowledge, self.outcomes = self.core.acknowledge, self.core.outcomes
        self.assignment = self.core.assignment

    @property
    def member_id(self) -> str:
        return self.core.member_id

    @property
    def lock_s(self) -> float:
        """How long a record is lent, as the brokers told last."""
        return self.core.lock_s

    async def poll(self, timeout_s: float = 1.0, *, at_most: int | None = None) -> list[SharedRecord]:
        """Records, as soon as some are lent; an empty list when the time is over."""
        return await self._client.run(self.core.poll(timeout_s, at_most=at_most))

    async def commit(self) -> Outcomes[TopicPartition, None]:
        """Tell what was acknowledged, and wait until it is written: the outcome by partition, since the last commit."""
        return await self._client.run(self.core.commit())

    def wakeup(self) -> None:
        """Let the poll that another task awaits return what it has."""
        self.core.wakeup()
        self._client.turn()

    async def close(self, *, give_back: bool = False) -> None:
        """Tell what was acknowledged, give back the rest at once, and leave the group.

        `give_back`: also what would be accepted by itself; so ends a block that raises.
        """
        await self._client.run(self.core.close(give_back=give_back))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close(give_back=kind is not None)
