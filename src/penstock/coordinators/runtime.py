"""The one loop for all coordinators: finds the shard of a key, hands it commands, gives back promises of the replies.

A coordinator belongs to the leader of its internal partition and moves with it: when this broker begins to lead one,
the shard loads; when it stops, or leads under a new epoch, the shard is discarded.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from functools import lru_cache
from typing import Any, Final

import structlog

from penstock.coordinators.decision import RUNNER, Address, Command, Machine, RecordCodec
from penstock.coordinators.shard import Shard
from penstock.errors import CoordinatorLoadInProgress, CoordinatorNotAvailable, NotCoordinator, Refusal
from penstock.model import Clock
from penstock.replication import Partition, Partitions, Promise

RELOAD_AFTER_S: Final = 2.0
"""Between looks at a log that took no record, or could not be read, whether that has passed."""

_log = structlog.get_logger(__name__)


@lru_cache(maxsize=10_000)
def java_hash(text: str) -> int:
    """Java's String.hashCode over UTF-16 code units: clients and tools compute it too (RULES 34)."""
    value = 0
    units = text.encode("utf-16-be")
    for position in range(0, len(units), 2):
        value = (31 * value + (units[position] << 8 | units[position + 1])) & 0xFFFFFFFF
    return value


def _give_up(promise: Promise[Any]) -> None:
    if not promise.done():
        promise.set_result(CoordinatorNotAvailable("not replicated in time"))


OnLoaded = Callable[[Shard], Awaitable[Iterable[Command]]]


class Runtime:
    def __init__(
        self,
        topic: str,
        *,
        new_machine: Callable[[Partition], Machine],
        codec: RecordCodec,
        partitions: Partitions,
        clock: Clock,
        spawn: Callable[[Coroutine[Any, Any, Any]], object],
        compression: int = 0,
        on_order: Callable[[Any], None] = lambda _order: None,
        on_loaded: OnLoaded | None = None,
    ) -> None:
        """`on_loaded` may look at what a shard has read, at its leisure, and says which commands to begin with."""
        self.topic = topic
        self._on_order = on_order
        self._on_loaded = on_loaded
        self._loading = asyncio.Lock()
        self._new_machine = new_machine
        self._codec = codec
        self._clock = clock
        self._spawn = spawn
        self._compression = compression
        self._shards: dict[int, Shard] = {}
        self._pending: dict[Address, Promise[Any]] = {}
        self._patience: dict[Address, float] = {}
        self._last_address = 0
        self._is_discarded = False
        partitions.subscribe(self._partition_changed)

    def shards(self) -> list[Shard]:
        return [self._shards[index] for index in sorted(self._shards)]

    def partition_of(self, key: str, partition_count: int) -> int:
        return (java_hash(key) & 0x7FFFFFFF) % partition_count

    async def ask(
        self, index: int, make_command: Callable[[Address], Command], *, within_s: float | None = None
    ) -> Any:
        """Send a command to a shard and wait for its reply; a Refusal is raised."""
        value = await self.send(index, make_command, within_s=within_s)
        if isinstance(value, Refusal):
            raise value
        return value

    def send(
        self,
        index: int,
        make_command: Callable[[Address], Command],
        *,
        within_s: float | None = None,
        replicated_within_s: float | None = None,
    ) -> Promise[Any]:
        """The same in two stages: the command is carried out now; the promise is of the reply, be it a Refusal.

        A deadline passes without harm: what was written stays, and the client asks again (RULES 32). Where the answer
        rests with others, who may take their time, `replicated_within_s` counts from when it is decided.
        """
        shard = self.require_active(index)
        self._last_address += 1
        address = Address(self._last_address)
        promise = self._pending[address] = Promise[Any]()
        if replicated_within_s is not None:
            self._patience[address] = replicated_within_s
        shard.submit(make_command(address))
        if not promise.done():  # most are: then nothing is left to be called
            promise.add_done_callback(lambda _: self._forget(shard, address))
            if within_s is not None:
                self._give_up_after(within_s, promise)
        return promise

    def _forget(self, shard: Shard, address: Address) -> None:
        self._pending.pop(address, None)
        self._patience.pop(address, None)
        shard.forget(address)

    def _give_up_after(self, seconds: float, promise: Promise[Any]) -> None:
        timer = asyncio.get_running_loop().call_later(seconds, _give_up, promise)
        promise.add_done_callback(lambda _: timer.cancel())

    def _held(self, address: Address) -> None:
        patience_s = self._patience.pop(address, None)
        if patience_s is not None and address in self._pending:
            self._give_up_after(patience_s, self._pending[address])

    def require_active(self, index: int) -> Shard:
        shard = self._shards.get(index)
        if shard is None or shard.is_gone:
            raise NotCoordinator(f"{self.topic}-{index} is not led here")
        if not shard.is_active:
            raise CoordinatorLoadInProgress(f"{self.topic}-{index} is loading")
        return shard

    def tell(self, index: int, command: Command) -> None:
        """Send a command that nobody waits for, to a shard that may be gone."""
        shard = self._shards.get(index)
        if shard is not None and shard.is_active:
            shard.submit(command)

    def discard(self) -> None:
        """Stop coordinating, for good: whoever waits is told to look elsewhere."""
        self._is_discarded = True
        for shard in self._shards.values():
            shard.discard()
        self._shards.clear()

    def _reply(self, address: Address, value: Any) -> None:
        if address == RUNNER:
            self._on_order(value)
            return
        promise = self._pending.pop(address, None)
        self._patience.pop(address, None)
        if promise is not None and not promise.done():
            promise.set_result(value)

    def _partition_changed(self, partition: Partition) -> None:
        """Partitions tells of every change of who leads what."""
        if partition.topic != self.topic or self._is_discarded:
            return
        shard = self._shards.get(partition.index)
        if shard is not None and not shard.serves(partition):
            shard.discard()
            del self._shards[partition.index]
            shard = None
        if partition.is_leader and shard is None:
            self._begin(partition)

    def _begin(self, partition: Partition) -> None:
        shard = self._shards[partition.index] = Shard(
            partition,
            self._new_machine(partition),
            self._codec,
            clock=self._clock,
            answer=self._reply,
            held=self._held,
            failed=self._reload_later,
            compression=self._compression,
        )
        self._spawn(self._load(shard))

    def _reload_later(self, shard: Shard) -> None:
        """It is discarded, though this broker leads on: a full disk, for one, moves no leadership where there is nobody
        else. Without a look at the log again its keys would have no coordinator until there is another leader (RULES
        32).
        """
        asyncio.get_running_loop().call_later(RELOAD_AFTER_S, self._reload, shard)

    def _reload(self, shard: Shard) -> None:
        partition = shard.partition
        if self._shards.get(partition.index) is not shard or not partition.is_leader:
            return  # another leads, or it was begun anew with a new epoch
        if partition.trouble is not None:
            self._reload_later(shard)
        else:
            self._begin(partition)

    async def _load(self, shard: Shard) -> None:
        try:
            if shard.partition.start_offset < shard.partition.end_offset:
                # One after the other: all at once would take as long until the last is ready, and the first as well.
                async with self._loading:
                    await shard.load()
            else:
                await shard.load()
            shard.begin(() if self._on_loaded is None else await self._on_loaded(shard))
        except Refusal as refusal:
            _log.error("coordinator not loaded", partition=str(shard.partition.topic_partition), reason=refusal.message)
            shard.fail()
            return
        except Exception as error:
            _log.error("coordinator not loaded", partition=str(shard.partition.topic_partition), exc_info=error)
            shard.fail()
            return
        _log.log(
            logging.INFO if shard.loaded_records else logging.DEBUG,
            "coordinator loaded",
            partition=str(shard.partition.topic_partition),
            records=shard.loaded_records,
            seconds=round(shard.load_seconds, 3),
        )


__all__ = ["CoordinatorNotAvailable", "Runtime", "java_hash"]
