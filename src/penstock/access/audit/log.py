"""A broker's audit log at work: events come in, lines go to disk in their order, and whoever waits for one is told.

The queue is bounded. What changes the cluster waits for its event to be on disk, so it is refused beforehand where the
queue is full or the disk takes nothing (`require_room`). Logins and refusals never wait: they are folded, and where
there is no room they are lost and counted.
"""

import asyncio
from asyncio import wait_for
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
import structlog

from penstock.access.audit.chain import Chain, Head
from penstock.access.audit.events import (
    Asker,
    Event,
    LogActivity,
    Resource,
    Severity,
    about_log,
    access_denied,
    login,
    shortened,
)
from penstock.access.audit.files import AuditFiles
from penstock.access.audit.folding import Folding
from penstock.access.authorizer import REFUSALS
from penstock.access.login_event import LoginEvent
from penstock.access.rights import Right
from penstock.access.subject import Subject
from penstock.cluster import ClusterImage, Controller, EntryChange, EntryKind
from penstock.errors import Fatal, KafkaStorageError, Refusal, SaslAuthenticationFailed
from penstock.metrics import Metrics, counter, gauge
from penstock.model import BrokerId, Clock, Millis
from penstock.replication import Promise
from penstock.settings import Config
from penstock.settings import broker as settings

BATCH_MAX: Final = 500
"""Events linked between two turns of the loop, some 5 µs each."""
TICK_S: Final = 0.5
"""How often it is looked after counted events and heads."""
RETRY_S: Final = 1.0
STOP_WITHIN_S: Final = 5.0
"""How long a stop tries to write what is left."""
HEAD_TIMEOUT_MS: Final = 3_000

T = TypeVar("T")

_log = structlog.get_logger(__name__)


class AuditMetrics(Metrics, prefix="penstock_audit"):
    events = counter("Lines written to the audit log.")
    lost = counter("Logins and refusals that were not written, because the queue was full.")
    refused = counter("Admin requests that were refused, because the audit log took nothing.")
    failures = counter("Writes of the audit log that failed. They are tried again.")
    sent = counter("Lines brought to the topic __penstock_audit.")
    unsent = counter("Lines that were not brought there, because it took none for too long. The files have them.")
    queued = gauge("Events that wait to be written.")


class KnownHead(msgspec.Struct, frozen=True):
    """What the metadata store holds of a broker's chain."""

    sequence: int
    hash: str
    time: Millis

    @property
    def head(self) -> Head:
        return Head(self.sequence, self.hash)


class _Waiting:
    __slots__ = ("event", "written")

    def __init__(self, event: Event, written: Promise[None] | None = None) -> None:
        self.event = event
        self.written = written


class AuditLog:
    def __init__(
        self,
        *,
        config: Config,
        image: ClusterImage,
        controller: Controller,
        me: BrokerId,
        clock: Clock,
        metrics: AuditMetrics,
    ) -> None:
        self._config = config
        self._image = image
        self._controller = controller
        self._me = me
        self._clock = clock
        self.metrics = metrics
        self._files = AuditFiles(Path(config[settings.PENSTOCK_AUDIT_DIR]), me)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="audit")
        self._chain = Chain(f"audit-{me}", Head())
        self._queue: deque[_Waiting] = deque()
        self._folding = Folding()
        self._wake = asyncio.Event()
        self._lost = 0
        self.trouble = ""
        """Why it cannot be written to, if it cannot."""
        self._head_put_at = self._now_ms()
        self._is_stopping = False
        self._task: asyncio.Task[None] | None = None
        self.on_written: Callable[[list[bytes]], None] = lambda _lines: None
        """Told of lines once they are on disk."""

    # Coming in --------------------------------------------------------------------------------------------------

    def require_room(self) -> None:
        """Refuse what would change something without leaving a trace."""
        if self.trouble or len(self._queue) >= self._config[settings.PENSTOCK_AUDIT_QUEUE_MAX]:
            self.metrics.refused += 1
            why = "it cannot be written to" if self.trouble else "too much waits to be written"
            raise KafkaStorageError(f"nothing may be changed without the audit log, and {why}: try again later")

    def record(self, event: Event) -> Promise[None]:
        """A promise of its being on disk."""
        written: Promise[None] = Promise()
        self._put(_Waiting(event, written))
        return written

    def record_folded(self, event: Event) -> None:
        """Of what may come in masses. Nobody waits for it."""
        for told in self._folding.add(event, self._now_ms()):
            self._put_if_room(told)

    def denied(self, subject: Subject, right: Right, name: str) -> None:
        """The authorizer refused a right on something."""
        event = access_denied(
            Asker(str(subject.principal), subject.host),
            right=str(right),
            resource=Resource(right.on.name.lower().replace("_", " "), shortened(name)),
            error_code=REFUSALS[right.on].code,
            time_ms=self._clock.now(),
        )
        self.record_folded(event)

    def logged_in(self, event: LoginEvent) -> None:
        """Somebody logged in, or failed to."""
        self.record_folded(
            login(
                Asker(str(event.principal), event.host),
                mechanism=event.mechanism,
                error_code=0 if event.is_success else SaslAuthenticationFailed.code,
                reason=event.reason,
                time_ms=self._clock.now(),
            )
        )

    def _put_if_room(self, event: Event) -> None:
        if self.trouble or len(self._queue) >= self._config[settings.PENSTOCK_AUDIT_QUEUE_MAX] // 2:
            self._lost += event.count
            self.metrics.lost += event.count
            return
        self._put(_Waiting(event))

    def _put(self, waiting: _Waiting) -> None:
        self._queue.append(waiting)
        self.metrics.queued = len(self._queue)
        self._wake.set()

    # A start and a stop -----------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Find where the log ended. It goes on from there; where lines are gone, from what the store knows of them."""
        try:
            found = await self._in_thread(self._files.open)
        except OSError as error:
            raise Fatal(f"the audit log (penstock.audit.dir) cannot be opened: {error}") from error
        known = self._known_head()
        facts: dict[str, Any] = {"torn_bytes": found.torn_bytes} if found.torn_bytes else {}
        head, severity, message = found.head, Severity.INFORMATIONAL, "the broker starts"
        if found.torn_bytes:
            message = f"the broker starts; the last line broke off after {found.torn_bytes} bytes and is taken away"
        if found.damaged or known.sequence > found.head.sequence:
            head = max(known, Head(found.head.sequence + found.damaged, found.head.hash), key=lambda one: one.sequence)
            facts["begins_after"] = found.head.sequence
            severity = Severity.HIGH
            message = f"the broker starts; lines {found.head.sequence + 1} to {head.sequence} are gone, or were changed"
            _log.error("audit log damaged", ends_at=found.head.sequence, known_to=head.sequence)
        self._chain.head = head
        self._put(
            _Waiting(about_log(LogActivity.START, message, time_ms=self._clock.now(), severity=severity, **facts))
        )

    def start(self, spawn: Callable[[Coroutine[Any, Any, None]], "asyncio.Task[None]"]) -> None:
        self._task = spawn(self._run())

    async def _run(self) -> None:
        """Write, until the broker stops."""
        while not self._is_stopping:
            with suppress(TimeoutError):
                await wait_for(self._wake.wait(), TICK_S)
            self._wake.clear()
            for event in self._folding.due(self._now_ms(), within_ms=self._config[settings.PENSTOCK_AUDIT_FOLD_MS]):
                self._put_if_room(event)
            await self._write_all()
            if self._now_ms() - self._head_put_at >= self._config[settings.PENSTOCK_AUDIT_HEAD_INTERVAL_MS]:
                await self._put_head()
        await self._write_all()
        await self._put_head()

    async def stop(self) -> None:
        """Write what is left, and tell the store how far the log reaches."""
        for event in self._folding.all():
            self._put_if_room(event)
        told = about_log(
            LogActivity.STOP, "the broker stops", time_ms=self._clock.now(), severity=Severity.INFORMATIONAL
        )
        self._put(_Waiting(told))
        self._is_stopping = True
        if self._task is not None:
            _, late = await asyncio.wait([self._task], timeout=STOP_WITHIN_S)
            for task in late:
                _log.error("audit log not finished", events=len(self._queue))
                task.cancel()
                await asyncio.wait([task])
        await self._in_thread(self._files.close)
        self._thread.shutdown()

    # Writing ----------------------------------------------------------------------------------------------------

    async def _write_all(self) -> None:
        while self._queue or self._lost:
            await self._write_some()

    async def _write_some(self) -> None:
        """The next lines, until they are on disk: what was linked keeps its place, whatever the disk does."""
        first = self._chain.head.sequence + 1
        lines: list[bytes] = []
        batch: list[_Waiting] = []
        rotation = await self._rotation()
        now = self._clock.now()
        if rotation is not None:
            lines.append(self._chain.link(rotation.event(now)))
        if self._lost:
            lost, self._lost = self._lost, 0
            message = f"{lost} events about logins and refusals are lost: there was no room for them"
            told = about_log(LogActivity.OTHER, message, time_ms=now, severity=Severity.HIGH, lost=lost)
            lines.append(self._chain.link(told))
        while self._queue and len(batch) < BATCH_MAX:
            waiting = self._queue.popleft()
            batch.append(waiting)
            lines.append(self._chain.link(waiting.event))
        self.metrics.queued = len(self._queue)
        await self._append(lines, first=first, begins_file=rotation is not None)
        self.metrics.events += len(lines)
        for waiting in batch:
            if waiting.written is not None and not waiting.written.done():
                waiting.written.set_result(None)
        self.on_written(lines)
        if rotation is not None:
            await self._delete(rotation.paths)

    async def _rotation(self) -> "_Rotation | None":
        if self._files.size < self._config[settings.PENSTOCK_AUDIT_FILE_MAX_BYTES]:
            return None
        kept = await self._in_thread(self._files.kept)
        surplus = max(0, len(kept) + 1 - self._config[settings.PENSTOCK_AUDIT_FILES_MAX])
        return _Rotation([each.path for each in kept[:surplus]], kept[surplus].first - 1 if surplus else 0)

    async def _delete(self, paths: list[Path]) -> None:
        """After the log has said so. What cannot be deleted is a surplus of the next rotation."""
        try:
            await self._in_thread(lambda: self._files.delete(paths))
        except OSError as error:
            _log.warning("old audit files not deleted", reason=str(error))

    async def _append(self, lines: list[bytes], *, first: int, begins_file: bool) -> None:
        while True:
            try:
                await self._in_thread(lambda: self._files.append(lines, first=first, begins_file=begins_file))
            except OSError as error:
                self.metrics.failures += 1
                if not self.trouble:
                    _log.error("audit log cannot be written: admin requests are refused", reason=str(error))
                self.trouble = str(error)
                await asyncio.sleep(RETRY_S)
                continue
            if self.trouble:
                _log.info("audit log written again")
            self.trouble = ""
            return

    # Heads ------------------------------------------------------------------------------------------------------

    def _known_head(self) -> Head:
        """How far the store knows that this broker's log reaches."""
        known = known_heads(self._image).get(str(self._me))
        return Head() if known is None else known.head

    async def _put_head(self) -> None:
        """Have the store know it. Where the store is away, the next time will do."""
        self._head_put_at = self._now_ms()
        head = self._chain.head
        if head == self._known_head():
            return
        value = msgspec.json.encode(KnownHead(head.sequence, head.hash, self._clock.now()))
        change = EntryChange(reply=None, puts={str(self._me): value})
        try:
            await self._controller.change_entries(EntryKind.AUDIT, lambda _there: change, timeout_ms=HEAD_TIMEOUT_MS)
        except Refusal as refusal:
            _log.warning("audit log's head not noted", reason=refusal.message)

    def _now_ms(self) -> Millis:
        return Millis(int(self._clock.monotonic() * 1000))

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


def known_heads(image: ClusterImage) -> dict[str, KnownHead]:
    """Of all brokers, as the metadata store has them, by the brokers' numbers."""
    entries = image.entries.of(EntryKind.AUDIT)
    return {name: msgspec.json.decode(entry.value, type=KnownHead) for name, entry in entries.items()}


class _Rotation(NamedTuple):
    paths: list[Path]
    """What is deleted."""
    deleted_through: int

    def event(self, now: Millis) -> Event:
        if not self.paths:
            return about_log(LogActivity.ROTATE, "a new file begins", time_ms=now, severity=Severity.INFORMATIONAL)
        message = f"a new file begins; lines up to {self.deleted_through} are deleted to make room"
        return about_log(
            LogActivity.ROTATE,
            message,
            time_ms=now,
            severity=Severity.INFORMATIONAL,
            deleted_through=self.deleted_through,
        )
