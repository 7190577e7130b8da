"""What a connection still has to send: bytes and file slices, in order.

Sends go short and sockets fill up, so what is left of each chunk is kept and taken up again when the socket can be
written.

What is small is gathered, since a send costs more than copying: answers of one receive become one run of bytes as they
are put, and a small slice is read into the run behind its header. A large slice goes out by sendfile, without copying,
and the bytes before it with MORE, so that header and records share a packet.

Slices whose pages are not in memory are read in a thread first: sendfile would stall every other connection meanwhile.

A slice that cannot be read, or whose file is too short, ends the connection: its size was promised. Before that its log
is told, so that whoever connects anew is refused those batches and nothing else (RULES 47).
"""

from asyncio import AbstractEventLoop, Future
from collections import deque
from collections.abc import Callable
from functools import partial

import structlog

from penstock.log import UNREADABLE, BadBatch, FileSlice, Suspect, examine, not_sent, suspect_slice
from penstock.transport import MORE, Channel

SLICE_COPIED_MAX = 32 * 1024
"""Slices up to this size are read and sent with the bytes around them, larger ones by sendfile.

Measured on loopback TCP, CPU of header, slice and the bytes after it: 7.6 against 14.7 us at 200 B, 9.7 against 14.3 at
16 KB, break-even between 30 and 60 KB, twice as dear at 256 KB.
"""
RUN_MAX = 128 * 1024
"""What is gathered for one send: a run is closed once it is this long."""
BYTES_COPIED_MAX = 16 * 1024
"""Larger chunks of bytes are sent from where they are."""

Chunk = bytes | bytearray | memoryview | FileSlice

_log = structlog.get_logger(__name__)


class _CannotBeRead(Exception):
    """The slice at the front; what says why is its cause."""


class Outbox:
    __slots__ = (
        "_channel",
        "_chunks",
        "_is_closed",
        "_is_warming",
        "_is_watching",
        "_loop",
        "_on_broken",
        "_on_drained",
        "_send",
        "_sendfile",
        "size",
    )

    def __init__(
        self,
        channel: Channel,
        loop: AbstractEventLoop,
        *,
        on_drained: Callable[[], None],
        on_broken: Callable[[BaseException], None],
    ) -> None:
        self._channel = channel
        self._send = channel.send
        self._sendfile = channel.sendfile
        self._loop = loop
        self._on_drained = on_drained
        self._on_broken = on_broken
        # A bytearray is a run of our own, which grows at its end; a memoryview is a large chunk that somebody made.
        self._chunks: deque[bytearray | memoryview | FileSlice] = deque()
        self._is_watching = False
        self._is_warming = False
        self._is_closed = False
        self.size = 0

    def put(self, chunks: list[Chunk]) -> None:
        """Queue chunks; `flush` sends them. Queueing all answers to one receive first makes them one send."""
        queue = self._chunks
        for chunk in chunks:
            if isinstance(chunk, FileSlice):
                self.size += chunk.size
                queue.append(chunk)
                continue
            size = len(chunk)
            self.size += size
            if size > BYTES_COPIED_MAX:
                queue.append(memoryview(chunk))
            elif queue and type(run := queue[-1]) is bytearray and len(run) < RUN_MAX:
                run += chunk
            else:
                queue.append(bytearray(chunk))

    def flush(self) -> None:
        if not self._chunks or self._is_watching or self._is_warming:
            return
        try:
            self._send_all()
        except BlockingIOError:
            self._is_watching = True
            self._channel.start_writing(self._on_writable)
        except OSError as error:
            self._on_broken(error)
        except _CannotBeRead as failure:
            self._look_into(failure.__cause__)

    def _on_writable(self) -> None:
        try:
            self._send_all()
        except BlockingIOError:
            return
        except OSError as error:
            self._on_broken(error)
            return
        except _CannotBeRead as failure:
            self._look_into(failure.__cause__)
            return
        self._stop_watching()
        if not self._chunks:
            self._on_drained()

    def _stop_watching(self) -> None:
        if self._is_watching:
            self._is_watching = False
            self._channel.stop_writing()

    # Sending ----------------------------------------------------------------------------------------------------

    def _send_all(self) -> None:
        """Send until all is gone, the socket is full (BlockingIOError) or a slice must be warmed first."""
        chunks = self._chunks
        while chunks:
            chunk = chunks[0]
            if not isinstance(chunk, FileSlice):
                self._send_bytes(chunk if len(chunks) == 1 else self._gather())
            elif not chunk.is_hot():
                self._warm(chunk)
                return
            elif chunk.size > SLICE_COPIED_MAX:
                self._send_slice(chunk)
            else:
                self._send_bytes(self._gather())

    def _gather(self) -> bytearray | memoryview:
        """Make one run of what is at the front: bytes, and small slices that are in memory. Leaves it at the front."""
        chunks = self._chunks
        first = chunks[0]
        if isinstance(first, memoryview):
            return first
        run = bytearray() if isinstance(first, FileSlice) else first
        if run is first:
            chunks.popleft()
        while chunks and len(run) < RUN_MAX:
            chunk = chunks[0]
            if isinstance(chunk, FileSlice):
                if chunk.size > SLICE_COPIED_MAX or not chunk.is_hot():
                    break
                try:
                    run += chunk.read()
                except OSError as error:
                    raise _CannotBeRead from error
                chunk.release()
            elif isinstance(chunk, bytearray):
                run += chunk
            else:
                break
            chunks.popleft()
        chunks.appendleft(run)
        return run

    def _send_bytes(self, data: bytearray | memoryview) -> None:
        """Send what is at the front, and keep what did not go."""
        chunks = self._chunks
        sent = self._send(data, MORE if len(chunks) > 1 else 0)
        self.size -= sent
        if sent == len(data):
            chunks.popleft()
        elif isinstance(data, bytearray):
            del data[:sent]
        else:
            chunks[0] = data[sent:]

    def _send_slice(self, chunk: FileSlice) -> None:
        """As far as its pages are known to be in memory."""
        end = chunk.part_end
        while chunk.position < end:
            try:
                sent = self._sendfile(chunk.fd, chunk.position, end - chunk.position)
            except OSError as error:
                if error.errno not in UNREADABLE:
                    raise  # the socket's
                raise _CannotBeRead from error
            if sent == 0:
                raise _CannotBeRead from chunk.ends_early()
            self.size -= sent
            chunk.position += sent
            chunk.size -= sent
        if not chunk.size:
            self._chunks.popleft()
            chunk.release()

    # Cold slices ------------------------------------------------------------------------------------------------

    def _warm(self, chunk: FileSlice) -> None:
        self._stop_watching()
        self._is_warming = True
        self._loop.run_in_executor(None, chunk.warm).add_done_callback(self._warmed)

    def _warmed(self, done: "Future[None]") -> None:
        self._is_warming = False
        error = None if done.cancelled() else done.exception()
        if error is not None:
            self._look_into(error)
        elif self._is_closed:
            self._release()
        else:
            self.flush()
            if not self._chunks:
                self._on_drained()

    # Slices that cannot be read -----------------------------------------------------------------------------------

    def _look_into(self, error: BaseException | None) -> None:
        """The connection ends when it is known what is bad; until then whoever is at the other end waits."""
        self._stop_watching()
        chunk = self._chunks[0]
        suspected = suspect_slice(chunk) if isinstance(chunk, FileSlice) else None
        if suspected is None:
            self._end(error)
            return
        self._is_warming = True
        looking = self._loop.run_in_executor(None, examine, suspected)
        looking.add_done_callback(partial(self._looked_into, suspected, error))

    def _looked_into(self, suspected: Suspect, error: BaseException | None, done: "Future[list[BadBatch]]") -> None:
        self._is_warming = False
        try:
            if not done.cancelled():
                not_sent(suspected, done.result(), str(error))
        except OSError as failure:
            _log.warning("log not looked into", file=suspected.segment.file.path, reason=str(failure))
        finally:
            self._end(error)

    def _end(self, error: BaseException | None) -> None:
        if self._is_closed:
            self._release()
        else:
            self._on_broken(error or OSError("a slice cannot be read"))

    # Ending -----------------------------------------------------------------------------------------------------

    def close(self) -> None:
        self._is_closed = True
        self._stop_watching()
        if not self._is_warming:  # a thread still reads from a slice's descriptor: let go of it afterwards
            self._release()

    def _release(self) -> None:
        for chunk in self._chunks:
            if isinstance(chunk, FileSlice):
                chunk.release()
        self._chunks.clear()
        self.size = 0
