"""One client's connection: frames in, answers out, in order.

A channel on the event loop (`penstock.transport`). All connections receive into one shared scratch buffer; frames that
are whole in it are handled where they lie, and only what is left of an unfinished frame is moved to a buffer of its
own. Answers to all frames of one receive leave in one send.

Order: what a client sees is as if its requests were carried out one after the other (RULES 49, ADR 41). A handler's
ordered part runs before the next frame is looked at. What a handler leaves open (a long poll, acks=all) parks its
answer in a slot. Requests behind it wait until it is answered, except those that it lets pass: these are carried out,
and only their answers wait. Brokers of the cluster are trusted to know what they send: their requests do not wait.
Reading stops while
- an ordered coroutine runs, or a request waits its turn,
- more than `in_flight_max` answers are owed, or the peer does not take what it is sent, or what waits behind an answer
  that is not there yet has grown long (`OUTBOX_MAX`),
- the broker's request memory is used up,
- the peer has had more than its share (`mute`);
and starts again when that has passed; for a broker that stops it never does. Bytes already received then wait in
`_backlog`, which is at most one scratch long.
"""

import struct
from asyncio import AbstractEventLoop, Task, TimerHandle
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Protocol

import msgspec
import structlog

from penstock.broker.after_receive import AfterReceive
from penstock.broker.buffers import RequestMemory
from penstock.broker.outbox import Chunk, Outbox
from penstock.broker.owed_answers import Handled, OwedAnswers, Parked, release
from penstock.broker.peer_authentication import Caller
from penstock.broker.unfinished_frame import UnfinishedFrame
from penstock.errors import Fatal
from penstock.transport import Channel

SCRATCH_SIZE = 256 * 1024
OUTBOX_MAX = 1024 * 1024
LARGE_FRAME = 128 * 1024
HEAD_SIZE = 4096
"""After a large frame so much of the next is received first. It is enough to learn its size, so that a large one is
received where it stays; what comes into the scratch of it must be copied there, a quarter of each frame of 1 MB (574
instead of 626 us of CPU a produce request of 1 MB).
"""

_SIZE = struct.Struct(">i")
_API_KEY = struct.Struct(">h")
_TLS_HELLOS = frozenset((0x160300, 0x160301, 0x160302, 0x160303))
"""How a TLS handshake begins, taken for a frame's size: its first three bytes."""
_TLS_ALERT = bytes.fromhex("15 0301 0002 02 28")
"""Fatal: handshake_failure."""
_log = structlog.get_logger(__name__)


class FrameHandler(Protocol):
    def handle(self, frame: memoryview, connection: "Connection") -> Handled:
        """Answer one frame; raises BadFrame when the connection cannot go on."""

    def bad_frame(self, reason: str) -> "BadFrame":
        """Count bytes that are not even a frame."""


class BadFrame(Exception):
    """Bytes that no answer can be given to: the connection is closed, a counter goes up, one line is logged."""


class Limits(msgspec.Struct, frozen=True):
    """Bounds that hold for each connection."""

    frame_size_max: int
    in_flight_max: int
    encrypted_at: str = ""
    """Where to go, for a client that encrypts and came to a listener that does not."""
    is_for_strangers: bool = False
    """Nobody has logged in yet: a frame gets memory for what has arrived of it, not for what is announced."""


class Connection:
    __slots__ = (
        "_afterwards",
        "_awaits_turn",
        "_backlog",
        "_channel",
        "_handler",
        "_is_finishing",
        "_is_paused",
        "_is_reading",
        "_lent",
        "_limits",
        "_loop",
        "_memory",
        "_muted",
        "_on_closed",
        "_ordered",
        "_outbox",
        "_owed",
        "_receive_into",
        "_scratch",
        "_slots",
        "_spawn",
        "_unfinished",
        "_unsent_seen",
        "caller",
        "context_cache",
        "is_closed",
        "last_active",
        "listener",
        "peer",
    )

    def __init__(
        self,
        channel: Channel,
        *,
        listener: str,
        peer: str,
        loop: AbstractEventLoop,
        handler: FrameHandler,
        memory: RequestMemory,
        scratch: memoryview,
        afterwards: AfterReceive,
        limits: Limits,
        spawn: Callable[[Coroutine[Any, Any, Any]], "Task[Any]"],
        on_closed: "Callable[[Connection], None]",
    ) -> None:
        self.listener = listener
        self.peer = peer
        self.caller = Caller(host=peer.rpartition(":")[0])
        self.caller.line = self
        self.context_cache: dict[Any, Any] = {}
        self.is_closed = False
        self.last_active = loop.time()
        self._channel = channel
        self._receive_into = channel.receive_into
        self._loop = loop
        self._handler = handler
        self._memory = memory
        self._scratch = scratch
        self._afterwards = afterwards
        self._limits = limits
        self._spawn = spawn
        self._on_closed = on_closed
        self._outbox = Outbox(channel, loop, on_drained=self._resume, on_broken=self._broken)
        self._owed = OwedAnswers(self._outbox, afterwards, on_sent=self._answered)
        self._slots = self._owed.slots
        self._unfinished = UnfinishedFrame(memory, loop, on_memory=self._memory_came)
        self._awaits_turn = False
        """Whether the first request of the backlog waits for answers before it."""
        self._lent: bytearray | None = None
        """What the request that is being carried out came in: it counts, as the copy that the request may have of it
        does not.
        """
        self._ordered: Task[Any] | None = None
        self._unsent_seen = 0
        self._backlog: bytes | memoryview = b""
        self._is_reading = True
        self._is_finishing = False
        self._muted: TimerHandle | None = None
        self._is_paused = False
        """Finishing or muted: one look for both, with each frame."""
        channel.start_reading(self._on_readable)

    def hand_to(self, handler: FrameHandler, limits: Limits | None = None) -> None:
        """From the next frame on another answers, and perhaps within other bounds."""
        self._handler = handler
        if limits is not None:
            self._limits = limits

    # Reading ----------------------------------------------------------------------------------------------------

    def _on_readable(self) -> None:
        if self._ordered is not None or self._awaits_turn:
            self._stop_reading()
            return
        self._afterwards.begin()
        try:
            if self._unfinished.buffer is None:
                self._receive_frames()
            else:
                self._receive_rest()
        except BlockingIOError:
            pass
        except BadFrame as error:
            self._refuse(str(error))
        except OSError as error:
            self._broken(error)
        finally:
            self._afterwards.settle()

    def _receive_frames(self) -> None:
        scratch, kept = self._scratch, len(self._backlog)
        asked = SCRATCH_SIZE - kept
        if kept:
            scratch[:kept] = self._backlog
            received = self._receive_into(scratch[kept:])
            self._backlog = b""
        elif self._unfinished.size >= LARGE_FRAME:
            asked = HEAD_SIZE
            received = self._receive_into(scratch, asked)
            self._unfinished.size = 0
        else:
            received = self._receive_into(scratch)
        if received == 0:
            self.close("end of stream")
            return
        self.last_active = self._loop.time()
        self._handle_frames(scratch, kept + received)
        self._afterwards.settle_single()
        self._outbox.flush()
        if received == asked and self._unfinished.buffer is not None:
            self._receive_rest()  # more is here: it need not wait for a turn of the loop, one for each large frame

    def _receive_rest(self) -> None:
        frame = self._unfinished
        buffer = frame.buffer
        assert buffer is not None
        end = min(frame.size, len(buffer))
        received = self._receive_into(memoryview(buffer)[frame.filled : end])
        if received == 0:
            self.close("end of stream within a frame")
            return
        self.last_active = self._loop.time()
        frame.filled += received
        if frame.filled == frame.size:
            self._finish_frame(buffer)
        elif frame.filled == len(buffer):
            self._grow(buffer)

    def _finish_frame(self, buffer: bytearray) -> None:
        self._unfinished.buffer = None
        try:
            self._handle(memoryview(buffer)[: self._unfinished.size])
        finally:
            if self._ordered is None:
                self._memory.give_back(buffer)
            else:
                self._lent = buffer
        self._afterwards.settle_single()
        self._outbox.flush()
        self._stop_unless_it_goes_on()

    def _grow(self, buffer: bytearray) -> None:
        if not self._unfinished.grow(buffer, for_broker=self.caller.is_broker):
            self._stop_reading()

    def _handle_frames(self, view: memoryview, end: int) -> None:
        """Handle the frames that are whole in `view`; keep the rest."""
        position = 0
        while end - position >= 4 and self._goes_on():
            (size,) = _SIZE.unpack_from(view, position)
            if not 0 <= size <= self._limits.frame_size_max:
                raise self._handler.bad_frame(self._why_too_large(size))
            if self._slots and not self._is_its_turn(view, position + 4, end):
                break
            if end - position - 4 < size:
                if not self._begin_frame(size, view[position + 4 : end]):
                    self._keep(view, position, end)
                return
            self._handle(view[position + 4 : position + 4 + size])
            if self.is_closed:
                return
            position += 4 + size
        if self.is_closed:
            return
        self._keep(view, position, end)
        self._stop_unless_it_goes_on()

    def _why_too_large(self, size: int) -> str:
        if size >> 8 not in _TLS_HELLOS:
            return f"a frame of {size} bytes; at most {self._limits.frame_size_max} are taken"
        with suppress(OSError):
            self._channel.send(_TLS_ALERT, 0)  # so that the client's own message is about TLS
        return f"it encrypts, and this listener does not: {self._limits.encrypted_at or 'none here does'}"

    def _is_its_turn(self, view: memoryview, start: int, end: int) -> bool:
        """Whether a request may begin though answers are owed. It is asked before memory is taken for a large one, and
        is not its turn for as long as the bytes that tell have not come.
        """
        if end - start < _API_KEY.size:
            return False
        api_key = _API_KEY.unpack_from(view, start)[0]
        self._awaits_turn = api_key not in self._owed.may_pass and not self.caller.is_broker
        return not self._awaits_turn

    def _keep(self, view: memoryview, position: int, end: int) -> None:
        """Keep what is not handled yet. What was kept before is not copied again: each of many small requests may wait
        its turn.
        """
        rest = view[position:end]
        self._backlog = bytes(rest) if view is self._scratch else rest

    def _begin_frame(self, size: int, start: memoryview) -> bool:
        is_begun = self._unfinished.begin(
            size, start, for_broker=self.caller.is_broker, for_stranger=self._limits.is_for_strangers
        )
        if not is_begun:
            self._stop_reading()
        return is_begun

    def _memory_came(self) -> None:
        if self.is_closed:
            return
        frame = self._unfinished
        self.last_active = frame.began_at = self._loop.time()  # the peer is not to blame for the wait
        if frame.buffer is not None and frame.filled == len(frame.buffer):
            self._grow(frame.buffer)
        self._resume()

    # Flow control -----------------------------------------------------------------------------------------------

    def _may_read(self) -> bool:
        return (
            self._ordered is None
            and not self._awaits_turn
            and len(self._slots) < self._limits.in_flight_max
            and self._outbox.size + self._owed.held_bytes < OUTBOX_MAX
            and not self._unfinished.wants_memory
            and not self._is_paused
        )

    def _goes_on(self) -> bool:
        """Whether the next frame may be looked at, now that all that can be sent is: a full outbox that empties at once
        is no reason to stop, and once it is empty nobody would call to go on.
        """
        if self._may_read():
            return True
        self._outbox.flush()
        return not self.is_closed and self._may_read()

    def _stop_unless_it_goes_on(self) -> None:
        # A request that is being carried out is mostly answered before the peer sends another: reading stops only if
        # one comes, as stopping and going on are two system calls.
        if not self._goes_on() and not self.is_closed and self._ordered is None and not self._awaits_turn:
            self._stop_reading()

    def _stop_reading(self) -> None:
        if self._is_reading:
            self._is_reading = False
            self._channel.stop_reading()

    def _resume(self) -> None:
        """Something that held reading back has passed: first what was received already, then the socket."""
        if self.is_closed or not self._may_read():
            return
        if self._backlog and self._unfinished.buffer is None:
            backlog, self._backlog = self._backlog, b""
            # A copy of its own: the scratch may hold another connection's bytes by now, and appends patch in place.
            view = memoryview(bytearray(backlog)) if isinstance(backlog, bytes) else backlog
            try:
                self._handle_frames(view, len(view))
            except BadFrame as error:
                self._refuse(str(error))
                return
            self._outbox.flush()
        if not self.is_closed and not self._is_reading and self._may_read():
            self._is_reading = True
            self._channel.start_reading(self._on_readable)

    def mute(self, seconds: float) -> None:
        """Read nothing for so long. What is being carried out is answered; a timer is all that it costs meanwhile. That
        the peer has gone is noticed when the time is over, or when it counts as idle.
        """
        until = self._loop.time() + seconds
        if self.is_closed or self._is_finishing or (self._muted is not None and until <= self._muted.when()):
            return
        if self._muted is not None:
            self._muted.cancel()
        self._muted = self._loop.call_at(until, self._unmute)
        self._is_paused = True
        self._stop_reading()

    def _unmute(self) -> None:
        self._muted = None
        self._is_paused = self._is_finishing
        self.last_active = self._unfinished.began_at = self._loop.time()  # the peer is not to blame for the wait
        self._resume()

    # Answering --------------------------------------------------------------------------------------------------

    def _handle(self, frame: memoryview) -> None:
        try:
            handled = self._handler.handle(frame, self)
        except BadFrame:
            raise
        except Exception as bug:
            # The frames behind this one would be lost and the stream out of step: better no connection than a mute one.
            _log.error("frame not handled", peer=self.peer, exc_info=bug)
            raise BadFrame("a bug of the broker") from bug
        if type(handled) is list:
            if self._slots:
                self._owed.put(handled)
            else:
                self._outbox.put(handled)
        elif handled is None:
            return
        elif isinstance(handled, Parked):
            self._owed.park(handled)
        else:
            assert not isinstance(handled, list)
            self._ordered = task = self._spawn(handled)
            task.add_done_callback(self._ordered_done)

    def _ordered_done(self, task: "Task[list[Chunk] | Parked | None]") -> None:
        self._ordered = None
        if self._lent is not None:
            lent, self._lent = self._lent, None
            self._memory.give_back(lent)
        if task.cancelled():
            self.close("stopping")
            return
        result = task.result()
        if isinstance(result, Parked):
            self._owed.park(result)
            if self.is_closed:
                result.promise.cancel()
                return
        elif self.is_closed:
            release(result)
            return
        elif result is not None:
            self._owed.put(result)
        self._owed.send()

    def _answered(self) -> None:
        self._awaits_turn = False  # it is looked at again
        self._resume()

    # Ending -----------------------------------------------------------------------------------------------------

    @property
    def owes_answers(self) -> bool:
        return self._ordered is not None or bool(self._slots) or self._outbox.size > 0

    @property
    def is_working(self) -> bool:
        """Whether a request is being carried out; long polls do not count, they wait for what may never come."""
        return self._ordered is not None

    @property
    def unsent_bytes(self) -> int:
        return self._outbox.size

    def take_no_more(self) -> None:
        """The broker stops: what was asked is answered, nothing new is read."""
        self._is_finishing = self._is_paused = True
        self._stop_reading()

    @property
    def is_within_frame(self) -> bool:
        """Whether the rest of a frame is for the peer to send; one that waits for our memory, or is not read, does not
        dawdle.
        """
        frame = self._unfinished
        return frame.buffer is not None and not frame.wants_memory and self._muted is None

    @property
    def is_waited_for(self) -> bool:
        """Whether the peer waits for us, and not we for the peer to take what it is sent."""
        return (self._ordered is not None or bool(self._slots)) and not self._outbox.size

    def idle_s(self, now: float) -> float:
        """For how long nothing has moved. That a slow peer takes its answer shows in what is left of it, here and in
        the kernel's buffer.
        """
        unsent = self._outbox.size
        if unsent:
            unsent += self._channel.unsent_bytes()
        if unsent != self._unsent_seen:
            self._unsent_seen = unsent
            self.last_active = now
        return now - self.last_active

    def is_frame_late(self, now: float, stall_s: float) -> bool:
        return self.is_within_frame and self._unfinished.is_late(now, self.last_active, stall_s)

    def end_broker(self, fatal: Fatal) -> None:
        """Going on could harm data: a task that fails ends the process."""
        self._spawn(_fail(fatal))

    def _refuse(self, reason: str) -> None:
        _log.warning("connection refused", peer=self.peer, listener=self.listener, reason=reason)
        self._outbox.flush()  # what came before is answered
        self.close(reason)

    def _broken(self, error: BaseException) -> None:
        _log.debug("connection broken", peer=self.peer, error=str(error))
        self.close(str(error))

    def close(self, reason: str) -> None:
        if self.is_closed:
            return
        self.is_closed = True
        self.caller.line = None
        if self._muted is not None:
            self._muted.cancel()
        self._stop_reading()
        self._outbox.close()
        self._unfinished.close()
        self._owed.close()
        self._channel.close()
        _log.debug("connection closed", peer=self.peer, reason=reason)
        self._on_closed(self)


async def _fail(fatal: Fatal) -> None:
    raise fatal
