"""Brokers that may be gone, and brokers that have just gone: what clients' metadata should know of them.

A client whose connection to a leader breaks asks another broker for metadata at once, mostly before the cluster has
elected anybody. Told of the old leader once more, librdkafka waits for up to a second before it asks again. So whoever
asks about a partition whose leader is under suspicion is answered when the verdict is there, which takes some ten
milliseconds, and at the latest after `VERDICT_S`. A leader that does not answer its followers is suspected too, for as
long as it takes to count its missed heartbeats: clients give up on it a little before the cluster does.

A broker whose process died, so that its address refuses connections, stays on the list of brokers for a while, though
it leads nothing. Taken off in the answer that names a partition's new leader, librdkafka (2.10 and up) closes that
broker's thread, which on its way out takes the partition back from its new leader, for another second. Apache Kafka
lists a dead broker as long, at its defaults. One that fell silent leaves the list at once (RULES 51): clients that find
it there ask it for metadata, and wait in vain. So does one that was stopped: its clients were told of others before.
"""

import asyncio
from collections.abc import Callable, Collection, Sequence
from typing import Final, NamedTuple

from penstock.cluster.image.changes import BrokerGone, BrokerRegistered, ImageChange, MarkChanged
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.image.shapes import BrokerImage
from penstock.cluster.image.subscribers import Subscriber
from penstock.metastore import Revision
from penstock.model import BrokerId

VERDICT_S: Final = 0.5
"""How long an answer waits for one."""
SILENCE_VERDICT_S: Final = 2.0
"""The same where the leader is silent. Followers notice after one or two seconds, and others lead after three."""
SUSPICION_AGAIN_S: Final = 30.0
"""A registration that is suspected again and again, and is still there, holds nobody up for the next while."""
LISTED_S: Final = 10.0
"""How long a broker that refuses connections stays on the list."""


class _Suspicion(NamedTuple):
    epoch: Revision
    """The registration that is suspected."""
    since_s: float
    until_s: float
    is_of_silence: bool


class BrokerAvailability:
    def __init__(self, image: ClusterImage) -> None:
        self._image = image
        self._suspected: dict[BrokerId, _Suspicion] = {}
        self._gone: dict[BrokerId, tuple[BrokerImage, float]] = {}
        self._news: set[asyncio.Future[None]] = set()
        image.subscribe(self._on_changes, Subscriber.AVAILABILITY)

    # Suspicions -------------------------------------------------------------------------------------------------

    def suspect(self, broker_id: BrokerId) -> None:
        """A connection to it was refused or broke, or another broker says so."""
        self._suspect(broker_id, VERDICT_S, is_of_silence=False)

    def fell_silent(self, broker_id: BrokerId) -> None:
        """It leads, and does not answer this broker."""
        self._suspect(broker_id, SILENCE_VERDICT_S, is_of_silence=True)

    def _suspect(self, broker_id: BrokerId, for_s: float, *, is_of_silence: bool) -> None:
        broker = self._image.brokers.get(broker_id)
        if broker is None:
            return
        before, now_s = self._suspected.get(broker_id), _now_s()
        if (
            before is None
            or before.epoch != broker.epoch
            or now_s - before.since_s > SUSPICION_AGAIN_S
            or (before.is_of_silence and not is_of_silence)
        ):
            self._suspected[broker_id] = _Suspicion(broker.epoch, now_s, now_s + for_s, is_of_silence)

    def acquit(self, broker_id: BrokerId) -> None:
        """It has answered. What was suspected stays known, so that it is not suspected again at once."""
        if broker_id in self._suspected:
            self._suspected[broker_id] = self._suspected[broker_id]._replace(until_s=_now_s())
            self._tell()

    def suspects(self) -> frozenset[BrokerId]:
        if not self._suspected:
            return frozenset()
        now_s = _now_s()
        return frozenset(broker_id for broker_id, each in self._suspected.items() if each.until_s > now_s)

    async def judged(self, concerns: Callable[[Collection[BrokerId]], bool]) -> None:
        """Return when none of the suspects `concerns` the caller any more: acquitted, replaced, or it took too long."""
        if len(self._image.brokers) > 1:
            await asyncio.sleep(0)  # what this turn of the loop brings may be the end of a connection to a leader
        while (suspects := self.suspects()) and concerns(suspects):
            news: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._news.add(news)
            # Most suspicions end with news, the others with time: looked at again often enough for that.
            await asyncio.wait((news,), timeout=VERDICT_S / 4)
            self._news.discard(news)

    # Brokers that went ------------------------------------------------------------------------------------------

    def just_gone(self) -> list[BrokerImage]:
        if not self._gone:
            return []
        since_s = _now_s() - LISTED_S
        self._gone = {broker_id: (broker, at_s) for broker_id, (broker, at_s) in self._gone.items() if at_s > since_s}
        return [broker for broker, _ in self._gone.values()]

    def _on_changes(self, changes: Sequence[ImageChange]) -> None:
        for change in changes:
            match change:
                case BrokerGone(broker):
                    if self._refused_connections(broker):
                        self._gone[broker.id] = broker, _now_s()
                case BrokerRegistered(broker):
                    self._gone.pop(broker.id, None)
                    if broker.id in self._suspected and self._suspected[broker.id].epoch != broker.epoch:
                        del self._suspected[broker.id]
                case MarkChanged("suspects", name):
                    self.suspect(BrokerId(int(name)))
        self._tell()

    def _refused_connections(self, broker: BrokerImage) -> bool:
        """Whoever declares a broker lost for that leaves it marked (`DutyMachine.fence`)."""
        mark = self._image.marks.suspects.get(broker.id)
        return mark is not None and mark.epoch == broker.epoch and not broker.is_stopping

    def _tell(self) -> None:
        waiting, self._news = self._news, set()
        for news in waiting:
            if not news.done():
                news.set_result(None)


def _now_s() -> float:
    return asyncio.get_running_loop().time()
