"""The issuer's keys, from a server that does well, or does not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from tests.support.issuers import Answer, Issuer, tell

from penstock.access.oauth.checking import read_head
from penstock.access.oauth.fetching import NotFetched, fetch
from penstock.access.oauth.key_source import UNKNOWN_KEY_PAUSE_S, KeySource, Pace, Where
from penstock.model import Millis
from penstock.settings.sasl import why_not_fetched

PACE = Pace(refresh_s=100, backoff_s=1, backoff_s_max=4, timeout_s=20)


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with Issuer() as issuer:
        yield issuer


class Clock:
    def __init__(self) -> None:
        self.s = 0.0

    def now(self) -> Millis:
        return Millis(int(self.s * 1000))

    def monotonic(self) -> float:
        return self.s


class Source:
    def __init__(self, issuer: Issuer, *, by_discovery: bool = False) -> None:
        self.issuer = issuer
        self.clock = Clock()
        where = Where(None, issuer.url) if by_discovery else Where(issuer.jwks_url, None)
        self._source = KeySource(where, PACE, trust=None, clock=self.clock, spawn=asyncio.create_task)

    async def finds(self, token: str) -> bool:
        return await self._source.key(read_head(token)) is not None


async def test_keys_are_fetched_once_however_many_ask(issuer: Issuer) -> None:
    source, token = Source(issuer), issuer.token()
    assert all(await asyncio.gather(*(source.finds(token) for _ in range(20))))
    assert await source.finds(token)
    assert len(issuer.asked) == 1


async def test_an_issuer_tells_where_they_are(issuer: Issuer) -> None:
    assert await Source(issuer, by_discovery=True).finds(issuer.token())
    assert issuer.asked == ["/realm/.well-known/openid-configuration", "/realm/keys"]


async def test_an_issuer_that_says_it_is_another_is_not_believed(issuer: Issuer) -> None:
    issuer.misbehave(lambda handler: tell(handler, {"issuer": "http://else", "jwks_uri": issuer.jwks_url}))
    assert not await Source(issuer, by_discovery=True).finds(issuer.token())
    issuer.misbehave(lambda handler: tell(handler, {"issuer": issuer.url, "jwks_uri": "http://192.0.2.1/keys"}))
    assert not await Source(issuer, by_discovery=True).finds(issuer.token())


async def test_keys_are_changed_under_way(issuer: Issuer) -> None:
    source, old = Source(issuer), issuer.token()
    assert await source.finds(old)
    issuer.rotate()
    assert not await source.finds(issuer.token())  # they were fetched just now
    source.clock.s += UNKNOWN_KEY_PAUSE_S
    assert await source.finds(issuer.token())
    assert not await source.finds(old)


async def test_made_up_ids_do_not_make_the_broker_ask_and_ask(issuer: Issuer) -> None:
    source = Source(issuer)
    assert await source.finds(issuer.token())
    for number in range(50):
        assert not await source.finds(issuer.token(head={"kid": f"made up {number}"}))
    assert len(issuer.asked) == 1


async def test_an_issuer_that_is_away_is_asked_at_longer_and_longer_intervals(issuer: Issuer) -> None:
    source, token = Source(issuer), issuer.token()
    issuer.misbehave(lambda handler: handler.send_error(503))
    asked = []
    for _ in range(12):
        assert not await source.finds(token)
        asked.append(len(issuer.asked))
        source.clock.s += 1
    assert asked == [1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5]
    issuer.misbehave(None)
    source.clock.s += 4
    assert await source.finds(token)


async def test_old_keys_are_good_while_the_issuer_is_away(issuer: Issuer) -> None:
    source, token = Source(issuer), issuer.token()
    assert await source.finds(token)
    issuer.misbehave(lambda handler: handler.send_error(500))
    source.clock.s += 1_000
    assert await source.finds(token)
    while len(issuer.asked) < 2:
        await asyncio.sleep(0)
    assert await source.finds(token)


def says(data: bytes) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(data)
        handler.close_connection = True

    return answer


def redirecting(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(302)
    handler.send_header("Location", "/realm/elsewhere")
    handler.end_headers()


def endless(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", str(1 << 30))
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(bytes(1 << 16))
    except OSError:
        pass


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (redirecting, "answered 302"),
        (endless, "more than 262144 bytes"),
        (says(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000), "does not speak HTTP"),
        (says(b"\x16\x03\x01\x02\x00\x01"), "does not speak HTTP"),
        (says(b""), "does not speak HTTP|hung up"),
        (says(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort"), "does not speak HTTP"),
    ],
    ids=["a redirect", "a gigabyte", "an endless header", "TLS", "nothing", "less than it said"],
)
async def test_a_server_that_misbehaves_is_not_waited_for(issuer: Issuer, answer: Answer, words: str) -> None:
    issuer.misbehave(answer)
    with pytest.raises(NotFetched, match=words):
        await fetch(issuer.jwks_url, trust=None, timeout_s=60)
    assert issuer.asked == ["/realm/keys"]


async def test_a_server_that_hangs_is_given_up(issuer: Issuer) -> None:
    def hang(_: Any) -> None:
        issuer.is_over.wait()

    issuer.misbehave(hang)
    with pytest.raises(NotFetched, match="did not answer within"):
        await fetch(issuer.jwks_url, trust=None, timeout_s=0.2)


async def test_nobody_there_is_said(issuer: Issuer) -> None:
    url = issuer.jwks_url
    issuer._server.server_close()
    with pytest.raises(NotFetched):
        await fetch(url, trust=None, timeout_s=60)


@pytest.mark.parametrize(
    "url",
    [
        "http://issuer.example/keys", "file:///etc/passwd", "ftp://127.0.0.1/", "https://", "https://me:secret@h/",
        "keys",        "http://127.0.0.1.evil.example/", "http://[::1/keys", "http://h:99999/", "http://169.254.169.254/latest",
    ],
)  # fmt: skip
async def test_keys_come_encrypted_or_from_this_machine(url: str) -> None:
    assert why_not_fetched(url) is not None
    with pytest.raises(NotFetched):
        await fetch(url, trust=None, timeout_s=60)


@pytest.mark.parametrize(
    "url", ["https://issuer.example/keys", "http://127.0.0.1:80/", "http://[::1]/", "http://localhost/"]
)
def test_addresses_that_are_taken(url: str) -> None:
    assert why_not_fetched(url) is None
