"""The client and the command line over TLS, with a door before a broker that decrypts."""

from __future__ import annotations

import asyncio
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event, Thread

import pytest
from tests.support.command import Penstock
from tests.support.kafka import free_ports

import penstock.testing
from penstock.cli.exits import ExitCode
from penstock.client import AsyncClient, Client, NotConnected, place
from penstock.transport.tls import Stage, TlsChannel


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of localhost and 127.0.0.1, signed by itself, with its key in the same file."""
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(path), "-out", f"{path}.crt"],
        check=True, capture_output=True,
    )  # fmt: skip
    path.write_text(path.read_text() + Path(f"{path}.crt").read_text())
    return path


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


@asynccontextmanager
async def a_door(port: int, to: int, certificate: Path) -> AsyncIterator[None]:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)

    async def come_in(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", to)
        await asyncio.gather(_copy(reader, inner_writer), _copy(inner_reader, writer))

    server = await asyncio.start_server(come_in, "127.0.0.1", port, ssl=context)
    async with server:
        yield


@pytest.fixture
def bootstrap(certificate: Path) -> Iterator[str]:
    advertised, port = free_ports(2)
    settings = {
        "listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{advertised}",
    }
    is_open, loop = Event(), asyncio.new_event_loop()
    over = asyncio.Event()

    async def stay() -> None:
        async with a_door(advertised, port, certificate):
            is_open.set()
            await over.wait()

    with penstock.testing.broker(settings, mode="process"):
        thread = Thread(target=loop.run_until_complete, args=(stay(),))
        thread.start()
        is_open.wait()
        try:
            yield f"127.0.0.1:{advertised}"
        finally:
            loop.call_soon_threadsafe(over.set)
            thread.join()
            loop.run_until_complete(_end_all())
            loop.close()


async def _end_all() -> None:
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()
        await asyncio.wait([task])


def test_records_go_round_encrypted(bootstrap: str, certificate: Path) -> None:
    trusting = ssl.create_default_context(cafile=str(certificate))
    large = bytes(range(256)) * 4_000
    with Client(bootstrap, timeout_s=60, tls=trusting) as client:
        client.create_topics(["secret"]).all()
        with client.producer() as producer:
            for number in range(3):
                producer.send("secret", b"%d" % number + large[:700_000])
        with client.consumer() as consumer:
            consumer.assign([place("secret", 0)])
            seen: list[bytes | None] = []
            while len(seen) < 3:
                seen += [each.value for each in consumer.poll(60.0)]
    assert seen == [b"%d" % number + large[:700_000] for number in range(3)]

    async def topics() -> set[str]:
        async with AsyncClient(bootstrap, timeout_s=60, tls=trusting) as client:
            return set(await client.list_topics())

    assert "secret" in asyncio.run(topics())


def test_a_certificate_that_nobody_vouches_for_is_refused(bootstrap: str) -> None:
    with (
        Client(bootstrap, timeout_s=2, tls=ssl.create_default_context()) as client,
        pytest.raises(NotConnected) as told,
    ):
        client.list_topics()
    assert "certificate" in str(told.value).lower()


def test_commands_take_the_properties_that_librdkafka_takes(
    bootstrap: str, certificate: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    command = Penstock(bootstrap, monkeypatch, capfd)
    trusting = ("-X", "security.protocol=ssl", "-X", f"ssl.ca.location={certificate}")
    assert command("topic", "create", "by-tls", *trusting).code == ExitCode.OK
    assert "by-tls" in command("topic", "list", *trusting).out
    plain = command("topic", "list", "--timeout", "3")
    assert plain.code == ExitCode.UNREACHABLE
    missing = command("topic", "list", "-X", "security.protocol=ssl", "-X", "ssl.ca.location=/no/such/file")
    assert missing.code in (ExitCode.FAILED, ExitCode.USAGE)
    spoken = command("topic", "list", "-X", "security.protocol=sasl_ssl", "-X", "sasl.mechanism=GSSAPI")
    assert spoken.code in (ExitCode.FAILED, ExitCode.USAGE)


async def test_a_file_is_sent_encrypted(certificate: Path, tmp_path: Path) -> None:
    sent = bytes(range(256)) * 1_000
    (tmp_path / "file").write_bytes(b"before" + sent)
    server_side, client_side = socket.socketpair()
    client_side.setblocking(False)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)

    def receive() -> bytes:
        received = bytearray()
        with context.wrap_socket(server_side, server_side=True) as peer:
            while len(received) < len(sent) and (data := peer.recv(1 << 16)):
                received.extend(data)
        return bytes(received)

    trusting = ssl.create_default_context(cafile=f"{certificate}.crt")
    channel = TlsChannel.of_client(client_side, asyncio.get_running_loop(), Stage(), trusting, "localhost")
    done = 0
    with (tmp_path / "file").open("rb") as file:

        def go_on() -> None:
            nonlocal done
            try:
                while done < len(sent):
                    done += channel.sendfile(file.fileno(), len(b"before") + done, len(sent) - done)
                channel.stop_writing()
            except BlockingIOError:
                return

        channel.start_reading(go_on)  # the peer's part of the handshake
        channel.start_writing(go_on)
        go_on()
        assert await asyncio.to_thread(receive) == sent
    channel.stop_reading()
    channel.close()
