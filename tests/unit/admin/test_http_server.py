"""The HTTP server before real sockets: pages, keep-alive, bounds, and what strangers send."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.tls import Certificates

from penstock.admin.http import HttpServer, Page, Request, Response


async def hello(request: Request) -> Response:
    return Response(f"hello {request.query}".encode())


async def broken(request: Request) -> Response:
    raise RuntimeError("a bug")


async def unwell(request: Request) -> Response:
    return Response(b"{}", "application/json", HTTPStatus.SERVICE_UNAVAILABLE)


PAGES: Mapping[str, Page] = {"/hello": hello, "/broken": broken, "/unwell": unwell}


@asynccontextmanager
async def serving(
    pages: Mapping[str, Page] = PAGES, *, connections_max: int = 8, timeout_seconds: float = 10.0
) -> AsyncIterator[HttpServer]:
    async with HttpServer(
        pages, host="127.0.0.1", port=0, connections_max=connections_max, timeout_seconds=timeout_seconds
    ) as server:
        yield server


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def ask(self, request: bytes, *, has_body: bool = True) -> tuple[int, dict[str, str], bytes]:
        self.writer.write(request)
        return await self.answer(has_body=has_body)

    async def answer(self, *, has_body: bool = True) -> tuple[int, dict[str, str], bytes]:
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
        body = await self.reader.readexactly(int(headers["content-length"])) if has_body else b""
        return int(head[0].split()[1]), headers, body


@asynccontextmanager
async def connected(server: HttpServer) -> AsyncIterator[Client]:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    try:
        yield Client(reader, writer)
    finally:
        writer.close()
        try:
            await writer.wait_closed()
        except OSError:
            pass  # the server hung up first


def get(path: str, more: str = "", method: str = "GET") -> bytes:
    return f"{method} {path} HTTP/1.1\r\nHost: here\r\n{more}\r\n".encode()


async def test_a_page_is_served() -> None:
    async with serving() as server, connected(server) as client:
        status, headers, body = await client.ask(get("/hello?a=1"))
    assert (status, body) == (200, b"hello a=1")
    assert headers["content-type"] == "text/plain; charset=utf-8"
    assert headers["cache-control"] == "no-store"


async def test_a_connection_serves_one_request_after_another() -> None:
    async with serving() as server, connected(server) as client:
        for number in range(3):
            assert (await client.ask(get(f"/hello?{number}")))[2] == f"hello {number}".encode()


async def test_requests_sent_at_once_are_answered_in_order() -> None:
    async with serving() as server, connected(server) as client:
        client.writer.write(get("/hello?1") + get("/hello?2"))
        assert [(await client.answer())[2] for _ in range(2)] == [b"hello 1", b"hello 2"]


async def test_head_gives_the_head_alone() -> None:
    async with serving() as server, connected(server) as client:
        status, headers, _ = await client.ask(get("/hello", method="HEAD"), has_body=False)
        assert (status, headers["content-length"]) == (200, "6")
        assert (await client.ask(get("/hello")))[0] == 200


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (get("/nothing"), 404),
        (get("/hello", method="POST"), 405),
        (get("/hello", method="DELETE"), 405),
        (get("/broken"), 500),
        (get("/unwell"), 503),
        (b"nonsense\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a TLS hello\r\n\r\n", 400),
        (b"GET /hello HTTP/1.1\r\n\r\n", 400),
        (get("http://[::1/hello"), 400),
        (get("/hello", "X: " + "y" * 24_000 + "\r\n"), 431),
        (get("/hello", "Content-Length: 70000\r\n") + b"x" * 70_000, 413),
    ],
)
async def test_everything_else_gets_its_proper_status(request_bytes: bytes, status: int) -> None:
    async with serving() as server, connected(server) as client:
        found, headers, _ = await client.ask(request_bytes)
        assert found == status
        if status == 405:
            assert headers["allow"] == "get, head"


async def test_a_page_that_fails_leaves_the_server_standing() -> None:
    async with serving() as server, connected(server) as client:
        assert (await client.ask(get("/broken")))[0] == 500
        assert (await client.ask(get("/hello")))[0] == 200


async def test_a_malformed_request_ends_its_connection() -> None:
    async with serving() as server, connected(server) as client:
        _, headers, _ = await client.ask(b"nonsense\r\n\r\n")
        assert headers["connection"] == "close"
        assert await client.reader.read() == b""


async def test_a_client_that_sends_too_slowly_is_let_go() -> None:
    async with serving(timeout_seconds=0.05) as server, connected(server) as client:
        client.writer.write(b"GET /hello HTT")
        assert await client.reader.read() == b""


async def test_one_connection_too_many_is_told_to_come_back() -> None:
    async with serving(connections_max=1) as server, connected(server) as first:
        assert (await first.ask(get("/hello")))[0] == 200
        async with connected(server) as second:
            assert (await second.answer())[0] == 503
        assert (await first.ask(get("/hello")))[0] == 200


async def test_old_clients_are_answered_and_let_go() -> None:
    async with serving() as server, connected(server) as client:
        assert (await client.ask(b"GET /hello HTTP/1.0\r\n\r\n"))[0] == 200
        assert await client.reader.read() == b""


async def test_stopping_ends_idle_and_busy_connections() -> None:
    reached = asyncio.Event()

    async def forever(request: Request) -> Response:
        reached.set()
        await asyncio.Event().wait()
        raise AssertionError

    server = HttpServer({"/forever": forever}, host="127.0.0.1", port=0)
    await server.start()
    async with connected(server) as idle, connected(server) as busy:
        busy.writer.write(get("/forever"))
        await reached.wait()
        await server.stop()
        await server.stop()
        assert await busy.reader.read() == b""
        assert await idle.reader.read() == b""
    with pytest.raises(RuntimeError):
        _ = server.port


async def test_the_address_is_one_a_person_can_use() -> None:
    async with serving() as server:
        assert server.address == f"127.0.0.1:{server.port}"
    async with HttpServer(PAGES, host="", port=0) as everywhere:
        assert everywhere.address == f"127.0.0.1:{everywhere.port}"


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(st.binary(max_size=300), st.binary(max_size=60).map(lambda tail: b"GET /hello HTTP/1.1\r\n" + tail)))
def test_no_bytes_bring_the_server_down(noise: bytes) -> None:
    async def scenario() -> None:
        async with serving() as server:
            async with connected(server) as stranger:
                stranger.writer.write(noise)
                stranger.writer.write_eof()
                await stranger.reader.read()
            async with connected(server) as client:
                assert (await client.ask(get("/hello")))[0] == 200

    asyncio.run(scenario())


async def test_an_address_that_is_taken_is_named() -> None:
    async with serving() as first:
        second = HttpServer(PAGES, host="127.0.0.1", port=first.port, connections_max=1, timeout_seconds=1)
        with pytest.raises(OSError, match=f"http://127.0.0.1:{first.port}: Address already in use"):
            await second.start()


@pytest.mark.parametrize("turns_of_the_loop", range(8))
async def test_a_connection_that_is_being_made_is_ended_by_a_stop_as_well(turns_of_the_loop: int) -> None:
    async with serving(timeout_seconds=600.0) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=60.0) as client:
            for _ in range(turns_of_the_loop):
                await asyncio.sleep(0)
            await asyncio.wait_for(server.stop(), 60.0)
            try:
                assert await asyncio.to_thread(client.recv, 1) == b""
            except ConnectionResetError:
                pass  # it had not been accepted


def _contexts(folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """The server's, and one of a client that believes it."""
    certificates = Certificates(folder)
    own = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    own.load_cert_chain(certificates.broker_file())
    return own, ssl.create_default_context(cafile=str(certificates.authority))


async def test_pages_are_served_over_tls(tmp_path: Path) -> None:
    own, theirs = _contexts(tmp_path)
    async with HttpServer(PAGES, host="127.0.0.1", port=0, tls=own) as server:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", server.port, ssl=theirs, server_hostname="localhost"
        )
        client = Client(reader, writer)
        for _ in range(2):
            assert (await client.ask(get("/hello?there")))[2] == b"hello there"
        writer.close()


async def test_who_does_not_shake_hands_counts_among_the_connections(tmp_path: Path) -> None:
    own, _ = _contexts(tmp_path)
    async with (
        HttpServer(PAGES, host="127.0.0.1", port=0, connections_max=2, timeout_seconds=600, tls=own) as server,
        connected(server) as _silent,
        connected(server) as hello,
    ):
        hello.writer.write(b"\x16\x03\x01")  # the beginning of one
        async with connected(server) as third:
            assert await third.reader.read() == b""


async def test_who_shakes_hands_too_slowly_over_tls_is_let_go(tmp_path: Path) -> None:
    own, _ = _contexts(tmp_path)
    async with (
        HttpServer(PAGES, host="127.0.0.1", port=0, timeout_seconds=0.05, tls=own) as server,
        connected(server) as client,
    ):
        assert await client.reader.read() == b""
