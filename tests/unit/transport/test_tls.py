"""A channel that encrypts: what goes in at one end comes out at the other, however the sockets cut it."""

import asyncio
import contextlib
import os
import socket
import ssl
import struct
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from tests.support.tls import Certificates

from penstock.transport.channel import MORE
from penstock.transport.contexts import Pem, TlsSettings, client_context, server_context
from penstock.transport.tls import ANSWERS_BYTES_MAX, SEND_PIECE_BYTES, SILENT_BYTES_MAX, Stage, TlsChannel, TlsFailed

LARGE = os.urandom(3 << 20)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def contexts(certificates: Certificates) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    return contexts_of(certificates)


def contexts_of(certificates: Certificates, **more: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    own = Pem("own", file=str(certificates.broker_file()))
    trusted = Pem("trusted", file=str(certificates.authority))
    now = datetime.now(UTC)
    server = server_context(TlsSettings(own, trusted=trusted, **more), now=now)  # type: ignore[arg-type]
    return server.ssl, client_context(TlsSettings(trusted=trusted), now=now).ssl


class Ends:
    """Both ends of connections, on one loop. The brokers' ends share a stage, as they do in a broker."""

    def __init__(self, contexts: tuple[ssl.SSLContext, ssl.SSLContext]) -> None:
        self._server, self._client = contexts
        self._stages = Stage(), Stage()
        self._open: list[TlsChannel] = []

    async def connect(self, *, shakes_hands: bool = True) -> tuple[TlsChannel, TlsChannel]:
        loop = asyncio.get_running_loop()
        left, right = socket.socketpair()
        for sock in (left, right):
            sock.setblocking(False)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 32 << 10)
        ours = TlsChannel.of_server(left, loop, self._stages[0], self._server)
        theirs = TlsChannel.of_client(right, loop, self._stages[1], self._client, "localhost")
        self._open += [ours, theirs]
        if shakes_hands:
            await asyncio.gather(done(ours, ours.shake_hands), done(theirs, theirs.shake_hands))
        return ours, theirs

    def close(self) -> None:
        for channel in self._open:
            channel.stop_reading()
            channel.stop_writing()
            channel.close()


@pytest.fixture
def ends(contexts: tuple[ssl.SSLContext, ssl.SSLContext]) -> Iterator[Ends]:
    ends = Ends(contexts)
    yield ends
    ends.close()


async def done(channel: TlsChannel, attempt: Callable[[], None]) -> None:
    """Attempt it whenever something comes, until it does not ask to be tried again."""
    is_done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def go_on() -> None:
        try:
            attempt()
        except BlockingIOError:
            return
        except Exception as error:
            channel.stop_reading()
            is_done.set_exception(error)
            return
        channel.stop_reading()
        is_done.set_result(None)

    channel.start_reading(go_on)
    if not is_done.done():
        go_on()
    async with asyncio.timeout(60):
        await is_done


async def received(channel: TlsChannel, count: int, *, room: int = 256 << 10, at_most: int = 0) -> bytes:
    data, buffer = bytearray(), memoryview(bytearray(room))

    def receive() -> None:
        while len(data) < count:
            got = channel.receive_into(buffer, at_most)
            assert got, "the end of the stream"
            data.extend(buffer[:got])

    await done(channel, receive)
    return bytes(data)


async def sent(channel: TlsChannel, send: Callable[[int], int], count: int) -> None:
    """`send` from a position on, until so many bytes went."""
    is_done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    position = 0

    def go_on() -> None:
        nonlocal position
        with contextlib.suppress(BlockingIOError):
            while position < count:
                position += send(position)
            is_done.set_result(None)
            channel.stop_writing()

    channel.start_writing(go_on)
    async with asyncio.timeout(60):
        await is_done
    assert position == count


async def test_bytes_come_out_as_they_went_in(ends: Ends) -> None:
    ours, theirs = await ends.connect()
    assert ours.send(b"head ", MORE) + ours.send(b"tail", 0) == 9
    assert await received(theirs, 9) == b"head tail"
    went = sent(theirs, lambda position: theirs.send(memoryview(LARGE)[position:]), len(LARGE))
    _, came = await asyncio.gather(went, received(ours, len(LARGE)))
    assert came == LARGE


@pytest.mark.parametrize(("room", "at_most"), [(256 << 10, 4096), (1 << 20, 0), (5, 0), (17 << 10, 0)])
async def test_bytes_are_received_into_any_room(ends: Ends, room: int, at_most: int) -> None:
    ours, theirs = await ends.connect()
    data = LARGE[: 20_000 if room == 5 else len(LARGE)]
    went = sent(theirs, lambda position: theirs.send(memoryview(data)[position:]), len(data))
    _, came = await asyncio.gather(went, received(ours, len(data), room=room, at_most=at_most))
    assert came == data


async def test_channels_that_share_a_stage_keep_their_bytes_apart(ends: Ends) -> None:
    pairs = [await ends.connect() for _ in range(5)]
    parts = [bytes([number]) * 700_000 for number in range(len(pairs))]

    async def there_and_back(ours: TlsChannel, theirs: TlsChannel, part: bytes) -> None:
        came, back, _, _ = await asyncio.gather(
            received(ours, len(part), at_most=1000),
            received(theirs, len(part)),
            sent(theirs, lambda position: theirs.send(part[position : position + 100_000]), len(part)),
            sent(ours, lambda position: ours.send(memoryview(part)[position:]), len(part)),
        )
        assert came == part
        assert back == part

    await asyncio.gather(*(there_and_back(*pair, part) for pair, part in zip(pairs, parts, strict=True)))


async def test_parts_of_a_file_are_sent(ends: Ends, tmp_path: Path) -> None:
    ours, theirs = await ends.connect()
    (tmp_path / "file").write_bytes(b"before" + LARGE)
    with (tmp_path / "file").open("rb") as file:
        went = sent(ours, lambda at: ours.sendfile(file.fileno(), 6 + at, len(LARGE) - at), len(LARGE))
        _, came = await asyncio.gather(went, received(theirs, len(LARGE)))
        assert ours.sendfile(file.fileno(), 6 + len(LARGE), 5) == 0, "the file is too short"
    assert came == LARGE


async def test_nothing_counts_as_taken_before_it_went(ends: Ends) -> None:
    ours, theirs = await ends.connect()
    taken = 0
    with pytest.raises(BlockingIOError):
        while True:
            taken += ours.send(LARGE[taken:], 0)
    with pytest.raises(BlockingIOError):
        ours.send(LARGE[taken:], 0)
    assert ours.unsent_bytes() > 0
    assert await received(theirs, taken) == LARGE[:taken]


async def test_what_came_with_the_handshake_is_read_without_another_byte(ends: Ends) -> None:
    ours, theirs = await ends.connect(shakes_hands=False)

    def greet() -> None:
        theirs.shake_hands()
        theirs.send(b"at once")

    await asyncio.gather(done(ours, ours.shake_hands), done(theirs, greet))
    assert await received(ours, 2, at_most=2) == b"at"
    assert await received(ours, 5) == b" once", "it is decrypted already, and the socket says nothing"


async def test_an_end_is_told(ends: Ends) -> None:
    ours, theirs = await ends.connect()
    theirs.send(b"last")
    theirs.close()
    assert await received(ours, 4) == b"last"
    assert ours.receive_into(memoryview(bytearray(8))) == 0


async def test_bytes_that_are_not_tls_end_the_channel(ends: Ends) -> None:
    ours, _ = await ends.connect(shakes_hands=False)
    _, theirs = await ends.connect(shakes_hands=False)
    stranger = socket.socket(fileno=os.dup(theirs._fd))
    with stranger:
        other = ends._open[2]
        stranger.send(b"\x16\x03\x01\x00\x05hello")
        with pytest.raises(TlsFailed):
            await done(other, other.shake_hands)
    with pytest.raises(BlockingIOError):
        ours.shake_hands()


async def test_an_untrusted_certificate_is_refused_in_words(
    certificates: Certificates, tmp_path: Path, contexts: tuple[ssl.SSLContext, ssl.SSLContext]
) -> None:
    strangers = contexts_of(Certificates(tmp_path))
    ends = Ends((contexts[0], strangers[1]))
    ours, theirs = await ends.connect(shakes_hands=False)
    outcomes = await asyncio.gather(
        done(ours, ours.shake_hands), done(theirs, theirs.shake_hands), return_exceptions=True
    )
    ends.close()
    assert all(isinstance(outcome, TlsFailed) for outcome in outcomes)
    assert "certificate verify failed" in str(outcomes[1])
    assert "unknown ca" in str(outcomes[0]).replace("_", " ").lower(), "the client's alert"


class KeyChanges:
    """Records of a client's that change its keys (RFC 8446, 4.6.3), which Python's ssl has no call for."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._number = 0

    def records(self, count: int, *, wants_answers: bool = True) -> bytes:
        message = b"\x18\x00\x00\x01" + bytes([wants_answers])
        return b"".join(self._record(message) for _ in range(count))

    def _record(self, message: bytes) -> bytes:
        head = struct.pack(">BHH", 23, 0x0303, len(message) + 1 + 16)
        cipher = AESGCM(self._expand(b"key", 32))
        record = head + cipher.encrypt(self._expand(b"iv", 12), message + b"\x16", head)
        self._secret = self._expand(b"traffic upd", 48)
        return record

    def _expand(self, label: bytes, size: int) -> bytes:
        label = b"tls13 " + label
        info = struct.pack(">HB", size, len(label)) + label + b"\x00"
        return HKDFExpand(hashes.SHA384(), size, info).derive(self._secret)


class Stranger:
    """A client that shakes hands and then sends what it likes."""

    def __init__(self, ours: TlsChannel, sock: socket.socket, changes: KeyChanges) -> None:
        self.ours = ours
        self.sock = sock
        self._changes = changes

    def change_keys(self, count: int, *, wants_answers: bool = True) -> None:
        self.sock.sendall(self._changes.records(count, wants_answers=wants_answers))

    def is_heard(self) -> None:
        """All that it has sent is read, and there is nothing for a reader in it."""
        with pytest.raises(BlockingIOError):
            self.ours.receive_into(memoryview(bytearray(256 << 10)))


@pytest.fixture
def strange_ends(
    contexts: tuple[ssl.SSLContext, ssl.SSLContext], certificates: Certificates, tmp_path: Path
) -> Iterator[Ends]:
    _, client = contexts_of(certificates)
    client.keylog_filename = str(tmp_path / "keys")
    ends = Ends((contexts[0], client))
    yield ends
    ends.close()


async def stranger_among(ends: Ends) -> Stranger:
    """Its first record on the application's keys is a change of them."""
    ours, theirs = await ends.connect()
    keys = Path(ends._client.keylog_filename).read_text().split()
    assert theirs._tls.cipher()[0] == "TLS_AES_256_GCM_SHA384"  # type: ignore[index]
    secret = bytes.fromhex(keys[len(keys) - keys[::-1].index("CLIENT_TRAFFIC_SECRET_0") + 1])
    theirs._sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
    return Stranger(ours, theirs._sock, KeyChanges(secret))


async def test_an_answer_to_a_change_of_keys_goes_to_whom_it_is_for(strange_ends: Ends) -> None:
    ours, theirs = await strange_ends.connect()
    stranger = await stranger_among(strange_ends)
    drain(stranger.sock)
    stranger.change_keys(3)
    stranger.is_heard()
    assert len(drain(stranger.sock)) == 2 * 27, "OpenSSL says the last answer with what it says next"
    ours.send(b"for another")
    assert await received(theirs, 11) == b"for another"


async def test_an_answer_is_sent_though_the_peer_ends(strange_ends: Ends) -> None:
    ours, theirs = await strange_ends.connect()
    stranger = await stranger_among(strange_ends)
    stranger.change_keys(3)
    stranger.sock.shutdown(socket.SHUT_WR)
    stranger.is_heard()
    assert stranger.ours.receive_into(memoryview(bytearray(8))) == 0
    ours.send(b"for another")
    assert await received(theirs, 11) == b"for another"


async def test_what_a_channel_left_behind_is_its_own(ends: Ends) -> None:
    (ours, theirs), (left, lefts_peer) = await ends.connect(), await ends.connect()
    left._encrypt(b"left behind")
    ours.send(b"for another")
    assert await received(theirs, 11) == b"for another"
    assert await received(lefts_peer, 11) == b"left behind"


async def test_what_a_closed_channel_left_behind_is_nobodys(ends: Ends) -> None:
    (ours, theirs), (left, _) = await ends.connect(), await ends.connect()
    left._encrypt(b"left behind")
    left.close()
    ours.send(b"for another")
    assert await received(theirs, 11) == b"for another"


@pytest.mark.parametrize("wants_answers", [True, False])
async def test_who_only_changes_keys_is_closed(strange_ends: Ends, wants_answers: bool) -> None:
    stranger = await stranger_among(strange_ends)
    with pytest.raises(TlsFailed, match="nothing in them"):
        for _ in range(SILENT_BYTES_MAX // (100 * 27) + 1):
            drain(stranger.sock)
            stranger.change_keys(100, wants_answers=wants_answers)
            stranger.is_heard()


async def test_a_call_receives_once_where_nothing_comes_of_it(strange_ends: Ends) -> None:
    stranger = await stranger_among(strange_ends)
    drain(stranger.sock)
    stranger.change_keys(800)
    with pytest.raises(BlockingIOError):
        stranger.ours.receive_into(memoryview(bytearray(10)))
    assert 0 < len(drain(stranger.sock)) < 800 * 27, "the others are for the next turn"


async def test_who_does_not_take_answers_is_closed(strange_ends: Ends) -> None:
    stranger = await stranger_among(strange_ends)
    with pytest.raises(BlockingIOError):
        while True:
            stranger.ours.send(LARGE)
    stranger.ours._silent_bytes = -1 << 30
    with pytest.raises(TlsFailed, match="does not take them"):
        for _ in range(2 * (SEND_PIECE_BYTES + ANSWERS_BYTES_MAX) // (100 * 27)):
            stranger.change_keys(100)
            stranger.is_heard()
    assert len(stranger.ours._unsent or b"") < SEND_PIECE_BYTES + 2 * ANSWERS_BYTES_MAX


def drain(sock: socket.socket) -> bytes:
    data = b""
    with contextlib.suppress(BlockingIOError):
        while more := sock.recv(1 << 20):
            data += more
    return data
