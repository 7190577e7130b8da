"""A channel that encrypts in user space: an SSLObject between two buffers in memory and a non-blocking socket.

Of the ways that Python has this costs least (ADR 63), with pieces of these sizes. A buffer in memory (MemoryBIO) never
shrinks, so all channels of a loop share one pair (`Stage`), and a channel at rest holds none. Whoever works with the
pair finds in it what its own channel left there: what another has not decrypted yet is put aside first. What TLS itself
has to say is sent before a call ends, however it ends: bytes that another channel sent would end that connection.

The handshake is made as bytes come, before anybody is told that something can be read or written. Bytes that came with
others count as readable: the socket itself will not say so again.

What `send` has taken was given to the kernel whole. Of a piece that is encrypted and only partly sent nothing counts as
taken yet; the caller, told to try again, offers the same bytes again, and learns that they went when they did.
"""

import mmap
import os
import socket
import ssl
from collections.abc import Callable
from typing import Final

from penstock.transport.channel import Bytes, Watcher, acknowledge_at_once, unsent_in_kernel

SEND_PIECE_BYTES: Final = 64 << 10
"""Encrypted at once: four TLS records."""
RECEIVE_PIECE_BYTES: Final = 128 << 10
"""Received at once."""
_RECORD_BYTES: Final = 16 << 10
SILENT_BYTES_MAX: Final = 4 * _RECORD_BYTES
"""Received in a row with nothing in them for whoever reads. The longest record is a quarter of it; a change of keys is
27 bytes, and costs us more than the peer.
"""
ANSWERS_BYTES_MAX: Final = 4 << 10
"""What TLS itself has to say and the peer does not take."""


class TlsFailed(ConnectionError):
    """What TLS says of a peer that does not keep to it, or is not believed."""


class Stage:
    """What the channels of one loop encrypt and decrypt in, one after the other."""

    def __init__(self) -> None:
        self.incoming = ssl.MemoryBIO()
        self.outgoing = ssl.MemoryBIO()
        self.received = memoryview(mmap.mmap(-1, RECEIVE_PIECE_BYTES, flags=mmap.MAP_PRIVATE))
        """The kernel gives a page of it when something is first received into that."""
        self.of_file = memoryview(mmap.mmap(-1, SEND_PIECE_BYTES, flags=mmap.MAP_PRIVATE))
        self.owner: TlsChannel | None = None
        """Whose bytes they hold."""

    def clear(self) -> None:
        """Give the owner what is its own, and nobody what is nobody's."""
        owner = self.owner
        rest = self.incoming.read()
        if owner is None:
            self.outgoing.read()
            return
        owner._rest = rest
        if self.outgoing.pending:  # each call sends its own: this is for the one that would not
            try:
                owner._post()
            except OSError:
                pass  # it is told when it reads


class TlsChannel:
    __slots__ = (
        "_call_pending",
        "_fd",
        "_is_ready",
        "_owed",
        "_read",
        "_rest",
        "_silent_bytes",
        "_sock",
        "_stage",
        "_tls",
        "_unsent",
        "_watcher",
        "_watches",
        "_write",
    )

    def __init__(self, sock: socket.socket, watcher: Watcher, stage: Stage, tls: ssl.SSLObject) -> None:
        self._sock = sock
        self._fd = sock.fileno()
        self._watcher = watcher
        self._stage = stage
        self._tls = tls
        self._is_ready = False
        self._rest = b""
        """Received and not decrypted, while another channel uses the stage."""
        self._silent_bytes = 0
        """Received since the last byte for whoever reads."""
        self._unsent: memoryview | None = None
        """Encrypted and not sent."""
        self._owed = 0
        """How many bytes of the caller's are in it."""
        self._read: Callable[[], None] | None = None
        self._write: Callable[[], None] | None = None
        self._watches = False
        self._call_pending = False

    @classmethod
    def of_server(cls, sock: socket.socket, watcher: Watcher, stage: Stage, context: ssl.SSLContext) -> "TlsChannel":
        return cls(sock, watcher, stage, context.wrap_bio(stage.incoming, stage.outgoing, server_side=True))

    @classmethod
    def of_client(
        cls, sock: socket.socket, watcher: Watcher, stage: Stage, context: ssl.SSLContext, host: str
    ) -> "TlsChannel":
        """`host`: whom the peer's certificate has to name."""
        tls = context.wrap_bio(stage.incoming, stage.outgoing, server_hostname=host)
        return cls(sock, watcher, stage, tls)

    # Receiving ------------------------------------------------------------------------------------------------------

    def receive_into(self, buffer: memoryview, at_most: int = 0) -> int:
        if not self._is_ready:
            self.shake_hands()
        stage = self._take_stage()
        wanted = at_most or len(buffer)
        try:
            filled = self._decrypt(buffer, 0, wanted)
            while filled < wanted:
                asked = min(RECEIVE_PIECE_BYTES, wanted - filled + _RECORD_BYTES)
                try:
                    received = self._sock.recv_into(stage.received, asked)
                except BlockingIOError:
                    if filled:
                        break
                    raise
                if not received:
                    break
                stage.incoming.write(stage.received[:received])
                before, filled = filled, self._decrypt(buffer, filled, wanted)
                if filled == before:
                    self._count_silence(received)
                    if not filled:
                        raise BlockingIOError  # others have their turn before the next piece
                    break
                self._silent_bytes = 0
                if received < asked:
                    break  # there is no more for now
        except ssl.SSLZeroReturnError:
            return 0
        except ssl.SSLError as error:
            self._say_why()
            raise TlsFailed(reason_of(error)) from error
        finally:
            if stage.outgoing.pending:  # a change of keys is answered
                self._answer()
        return filled

    def _count_silence(self, received: int) -> None:
        self._silent_bytes += received
        if self._silent_bytes > SILENT_BYTES_MAX:
            raise TlsFailed(f"{self._silent_bytes} bytes in a row with nothing in them")

    def _decrypt(self, buffer: memoryview, filled: int, wanted: int) -> int:
        """As much of what has come as there is room for; how much of the buffer is filled then."""
        incoming, read = self._stage.incoming, self._tls.read
        if not incoming.pending and not self._tls.pending():
            return filled
        try:
            while filled < wanted:
                # One record a call: this loop is where small ones cost what they do.
                count = int(read(wanted - filled, buffer[filled:]))
                if not count:
                    if filled:
                        break
                    raise ssl.SSLZeroReturnError  # the peer has said that it ends
                filled += count
                if not incoming.pending:
                    break  # no exception has to say so; what was decrypted of a record is not left behind
        except ssl.SSLWantReadError:
            pass  # the rest of a record
        return filled

    @property
    def _has_more(self) -> bool:
        stage = self._stage
        return bool(self._rest or (stage.owner is self and stage.incoming.pending) or self._tls.pending())

    def _take_stage(self) -> Stage:
        stage = self._stage
        if stage.owner is not self:
            if stage.incoming.pending or stage.outgoing.pending:
                stage.clear()
            stage.owner = self
            if self._rest:
                stage.incoming.write(self._rest)
                self._rest = b""
        return stage

    # Sending --------------------------------------------------------------------------------------------------------

    def send(self, data: Bytes, flags: int = 0) -> int:
        if not self._is_ready:
            self.shake_hands()
        if self._unsent is not None and (went := self._send_rest()):
            return went
        size, taken = len(data), 0
        view = data if size <= SEND_PIECE_BYTES else memoryview(data)
        while taken < size:
            piece = view if size <= SEND_PIECE_BYTES else view[taken : taken + SEND_PIECE_BYTES]
            count = self._encrypt(piece)
            if not self._send_encrypted(flags):
                self._owed = count
                if not taken:
                    raise BlockingIOError
                break
            taken += count
        return taken

    def send_many(self, pieces: list[memoryview]) -> int:
        return self.send(b"".join(pieces))

    def sendfile(self, file: int, position: int, count: int) -> int:
        """Read into one piece of memory, again and again: it stays in the processor's cache. Not mapped: a bad sector
        would end the process (RULES 47).
        """
        if not self._is_ready:
            self.shake_hands()
        if self._unsent is not None and (went := self._send_rest()):
            return went
        room, taken = self._stage.of_file, 0
        while taken < count:
            read = os.preadv(file, [room[: min(count - taken, SEND_PIECE_BYTES)]], position + taken)
            if not read:
                break
            size = self._encrypt(room[:read])
            if not self._send_encrypted(0):
                self._owed = size
                if not taken:
                    raise BlockingIOError
                break
            taken += size
        return taken

    def _encrypt(self, piece: Bytes) -> int:
        self._take_stage()
        try:
            return self._tls.write(piece)
        except ssl.SSLError as error:
            self._say_why()
            raise TlsFailed(reason_of(error)) from error

    def _send_encrypted(self, flags: int) -> bool:
        """Whether all of what is encrypted went. What did not is kept."""
        data = self._stage.outgoing.read()
        if self._unsent is not None:
            self._unsent = memoryview(bytes(self._unsent) + data)
            return False
        try:
            sent = self._sock.send(data, flags)
        except BlockingIOError:
            sent = 0
        if sent == len(data):
            return True
        self._unsent = memoryview(data)[sent:]
        return False

    def _send_rest(self) -> int:
        """Send what is encrypted; how many of the caller's bytes went with it. Raises BlockingIOError until all has."""
        assert self._unsent is not None
        sent = self._sock.send(self._unsent)
        if sent < len(self._unsent):
            self._unsent = self._unsent[sent:]
            raise BlockingIOError
        self._unsent = None
        owed, self._owed = self._owed, 0
        return owed

    def _post(self) -> None:
        """Send what TLS itself has to say; as soon as it can be, where it cannot be at once."""
        if not self._send_encrypted(0) and not self._watches:
            self._watches = True
            self._watcher.add_writer(self._fd, self._writable)

    def _answer(self) -> None:
        self._post()
        if len(self._unsent or b"") > SEND_PIECE_BYTES + ANSWERS_BYTES_MAX:
            raise TlsFailed("it asks for answers and does not take them")

    def _say_why(self) -> None:
        """An alert, if it can be sent at once."""
        try:
            self._send_encrypted(0)
        except OSError:
            pass

    def unsent_bytes(self) -> int:
        return len(self._unsent or b"") + unsent_in_kernel(self._fd)

    # The handshake --------------------------------------------------------------------------------------------------

    def shake_hands(self) -> None:
        """As far as what has come allows. Raises BlockingIOError until it is made, and TlsFailed where it fails."""
        stage = self._take_stage()
        while not self._is_ready:
            try:
                self._tls.do_handshake()
                self._is_ready = True
            except ssl.SSLWantReadError:
                pass
            except ssl.SSLError as error:
                self._say_why()
                raise TlsFailed(reason_of(error)) from error
            if stage.outgoing.pending:
                self._post()
            if not self._is_ready:
                received = self._sock.recv_into(stage.received)
                if not received:
                    raise TlsFailed("closed within the handshake")
                stage.incoming.write(stage.received[:received])
        if self._tls.server_side:
            acknowledge_at_once(self._sock)
        if self._write is not None:
            self._watch_writing()

    @property
    def peer_certificate(self) -> bytes | None:
        """DER; None where it has shown none."""
        return self._tls.getpeercert(binary_form=True)

    # When to try again ----------------------------------------------------------------------------------------------

    def start_reading(self, call: Callable[[], None]) -> None:
        self._read = call
        self._watcher.add_reader(self._fd, self._readable)
        if self._is_ready:
            self._look_for_more()

    def stop_reading(self) -> None:
        self._read = None
        self._watcher.remove_reader(self._fd)

    def _had_more(self) -> None:
        self._call_pending = False
        if self._read is not None and self._has_more:
            self._readable()

    def _readable(self) -> None:
        if self._read is not None:
            self._read()
            if self._read is not None:
                self._look_for_more()

    def _look_for_more(self) -> None:
        """What is here already is read in the next turn of the loop: others get theirs before."""
        if self._has_more and not self._call_pending:
            self._call_pending = True
            self._watcher.call_soon(self._had_more)

    def start_writing(self, call: Callable[[], None]) -> None:
        """Not before the handshake is made: until then only the peer's bytes help, and the socket takes any."""
        self._write = call
        if self._is_ready:
            self._watch_writing()

    def stop_writing(self) -> None:
        self._write = None
        if self._watches and (self._unsent is None or self._owed):
            self._watches = False
            self._watcher.remove_writer(self._fd)

    def _watch_writing(self) -> None:
        if not self._watches:
            self._watches = True
            self._watcher.add_writer(self._fd, self._writable)

    def _writable(self) -> None:
        if self._write is not None and self._is_ready:
            self._write()
            return
        try:
            if self._unsent is not None:
                self._send_rest()
        except BlockingIOError:
            return
        except OSError:
            pass  # whoever reads is told
        self._watches = False
        self._watcher.remove_writer(self._fd)

    def close(self) -> None:
        stage = self._stage
        if stage.owner is self:
            stage.incoming.read()
            stage.outgoing.read()
            stage.owner = None
        if self._watches:
            self._watches = False
            self._watcher.remove_writer(self._fd)
        self._sock.close()


def reason_of(error: ssl.SSLError) -> str:
    """OpenSSL's own words, without the place in Python's source."""
    return str(error).partition(" (_ssl.c")[0]
