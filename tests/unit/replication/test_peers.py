"""Asking another broker, over real sockets: kept connections, handshakes, failures and what follows from them."""

import asyncio
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.support.clusters import SeededDice
from tests.support.logs import StillClock

from penstock.broker.peer_authentication import Caller, PeerAuthenticator
from penstock.cluster import BrokerImage, Endpoint, Secrets
from penstock.errors import NetworkFailure, Refusal, RequestTimedOut
from penstock.metastore import Revision
from penstock.model import BrokerId
from penstock.replication import PeerHandshake, Peers, conversation
from penstock.wire.api import ApiKey
from penstock.wire.framing import RequestHeader, response_frame
from penstock.wire.messages.api_versions_response import ApiVersionsResponse
from penstock.wire.messages.describe_groups_request import DescribeGroupsRequest
from penstock.wire.messages.describe_groups_response import DescribedGroup, DescribeGroupsResponse
from penstock.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from penstock.wire.messages.sasl_authenticate_response import SaslAuthenticateResponse
from penstock.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from penstock.wire.messages.sasl_handshake_response import SaslHandshakeResponse

ME, OTHER = BrokerId(1), BrokerId(2)
SECRET = b"secret"
VERSION = 5
WITHIN_S = 60.0


class OtherBroker:
    """Knows its peers, and answers DescribeGroups with the names it was asked for, when it may."""

    def __init__(self, image: Any, *, secret: bytes = SECRET) -> None:
        self._keeper = PeerAuthenticator(
            image, me=OTHER, dice=SeededDice(7), secret=Secrets(secret), peer_listener="PLAINTEXT"
        )
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.callers: list[Caller] = []
        self.asked: list[str] = []
        self.writers: list[asyncio.StreamWriter] = []
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, port: int = 0) -> Endpoint:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        host, port = self._server.sockets[0].getsockname()[:2]
        return Endpoint(host, port)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        caller = Caller()
        self.callers.append(caller)
        self.writers.append(writer)
        try:
            while True:
                (size,) = struct.unpack(">i", await reader.readexactly(4))
                frame = await reader.readexactly(size)
                header, position = RequestHeader.decode(frame)
                if header.api_key == ApiKey.DESCRIBE_GROUPS:
                    task = asyncio.ensure_future(self._later(writer, header, frame, position))
                    self._tasks.add(task)
                else:
                    self._send(writer, header, self._introduce(caller, header, frame, position))
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def _introduce(self, caller: Caller, header: RequestHeader, frame: bytes, position: int) -> Any:
        try:
            if header.api_key == ApiKey.SASL_HANDSHAKE:
                asked = SaslHandshakeRequest.decode(frame, header.api_version, position)
                self._keeper.handshake(caller, mechanism=asked.mechanism, listener="PLAINTEXT")
                return SaslHandshakeResponse(mechanisms=["PENSTOCK"])
            said = SaslAuthenticateRequest.decode(frame, header.api_version, position)
            return SaslAuthenticateResponse(auth_bytes=self._keeper.authenticate(caller, said.auth_bytes))
        except Refusal as refusal:
            return SaslAuthenticateResponse(error_code=refusal.code, error_message=refusal.message)

    async def _later(self, writer: asyncio.StreamWriter, header: RequestHeader, frame: bytes, position: int) -> None:
        (group,) = DescribeGroupsRequest.decode(frame, header.api_version, position).groups
        self.asked.append(group)
        if not group.startswith("at once"):
            await self.may_answer.wait()
        self._send(writer, header, DescribeGroupsResponse(groups=[DescribedGroup(group_id=group)]))

    def _send(self, writer: asyncio.StreamWriter, header: RequestHeader, response: Any) -> None:
        body = response.encode(header.api_version)
        writer.write(response_frame(header.api_key, header.api_version, header.correlation_id, body))

    def hang_up(self) -> None:
        for writer in self.writers:
            writer.transport.abort()

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        self.hang_up()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.sleep(0)


class Bench:
    def __init__(self, *, others_secret: bytes = SECRET) -> None:
        self.image = cast(Any, SimpleNamespace(brokers={}, revision=100, cluster_id="c"))
        self.clock = StillClock()
        self.own_epoch = 20
        self.unreachable: list[BrokerId] = []
        self.other = OtherBroker(self.image, secret=others_secret)
        self.peers = Peers(
            self.image,
            clock=self.clock,
            own_epoch=lambda: self.own_epoch,
            handshake=PeerHandshake(
                me=ME, secret=Secrets(SECRET), cluster_id="c", own_epoch=lambda: self.own_epoch, dice=SeededDice(3)
            ),
            on_unreachable=self.unreachable.append,
        )
        self.register(ME, 20, Endpoint("127.0.0.1", 1))

    def register(self, broker_id: BrokerId, epoch: int, endpoint: Endpoint) -> None:
        self.image.brokers[broker_id] = BrokerImage(
            broker_id, {"PLAINTEXT": endpoint}, "m", None, "f", "i", "b", Revision(epoch), peer_listener="PLAINTEXT"
        )

    async def ask(self, name: str = "at once", *, timeout_s: float = WITHIN_S, connection_name: str = "") -> str:
        request = DescribeGroupsRequest(groups=[name])
        answer: DescribeGroupsResponse = await self.peers.ask(
            OTHER, request, version=VERSION, timeout_s=timeout_s, connection_name=connection_name
        )
        return answer.groups[0].group_id


@asynccontextmanager
async def running(bench: Bench) -> AsyncIterator[Bench]:
    bench.register(OTHER, 30, await bench.other.start())
    try:
        yield bench
    finally:
        bench.peers.close()
        await bench.other.stop()


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    async with running(Bench()) as made:
        yield made


async def until(holds: Any) -> None:
    async with asyncio.timeout(WITHIN_S):
        while not holds():
            await asyncio.sleep(0.002)


async def test_one_introduction_serves_many_questions(bench: Bench) -> None:
    assert [await bench.ask("at once a"), await bench.ask("at once b")] == ["at once a", "at once b"]
    (caller,) = bench.other.callers
    assert (caller.broker_id, caller.broker_epoch) == (1, 20)


async def test_first_questions_at_the_same_time_share_a_connection(bench: Bench) -> None:
    names = [f"at once {number}" for number in range(20)]
    assert await asyncio.gather(*map(bench.ask, names)) == names
    assert len(bench.other.callers) == 1


async def test_a_broker_that_accepts_and_says_nothing_is_given_up_in_time() -> None:
    bench = Bench()
    silent = await asyncio.start_server(lambda _reader, _writer: None, "127.0.0.1", 0)
    bench.register(OTHER, 30, Endpoint("127.0.0.1", silent.sockets[0].getsockname()[1]))
    with pytest.raises(RequestTimedOut, match="takes no connection"):
        await bench.ask(timeout_s=0.05)
    bench.peers.close()
    silent.close()


async def test_several_questions_are_under_way_and_each_finds_its_answer(bench: Bench) -> None:
    bench.other.may_answer.clear()
    slow = [asyncio.ensure_future(bench.ask(name)) for name in ("slow 1", "slow 2")]
    assert await bench.ask("at once") == "at once"
    bench.other.may_answer.set()
    assert await asyncio.gather(*slow) == ["slow 1", "slow 2"]


async def test_a_lane_is_a_connection(bench: Bench) -> None:
    await bench.ask()
    await bench.ask(connection_name="markers")
    await bench.ask(connection_name="markers")
    assert len(bench.other.callers) == 2


async def test_a_broker_that_hangs_up_fails_what_is_under_way_and_is_suspected(bench: Bench) -> None:
    bench.other.may_answer.clear()
    slow = asyncio.ensure_future(bench.ask("slow"))
    await until(lambda: bench.other.asked == ["slow"])
    bench.other.hang_up()
    with pytest.raises(NetworkFailure):
        await slow
    assert bench.unreachable == [OTHER]
    assert await bench.ask() == "at once"
    assert len(bench.other.callers) == 2


async def test_a_connection_that_breaks_while_nobody_asks_makes_a_suspect_too(bench: Bench) -> None:
    await bench.ask()
    bench.other.hang_up()
    await until(lambda: bench.unreachable == [OTHER])


async def test_a_refused_connection_is_told_at_once_and_not_tried_again_for_a_moment(bench: Bench) -> None:
    endpoint = bench.image.brokers[OTHER].peer_endpoint
    await bench.other.stop()
    for _ in range(3):
        with pytest.raises(NetworkFailure, match="cannot be reached"):
            await bench.ask()
    assert bench.unreachable == [OTHER]
    bench.clock.time += 1_000
    with pytest.raises(NetworkFailure):
        await bench.ask()
    assert bench.unreachable == [OTHER, OTHER]
    await bench.other.start(endpoint.port)
    with pytest.raises(NetworkFailure):
        await bench.ask()  # the pause is not over
    bench.clock.time += 1_000
    assert await bench.ask() == "at once"


async def test_a_broker_that_registered_anew_is_tried_at_once_where_it_is_now(bench: Bench) -> None:
    await bench.other.stop()
    with pytest.raises(NetworkFailure):
        await bench.ask()
    bench.register(OTHER, 40, await bench.other.start())
    assert await bench.ask() == "at once"


async def test_a_broker_that_registers_anew_itself_introduces_itself_anew(bench: Bench) -> None:
    bench.other.may_answer.clear()
    under_way = asyncio.ensure_future(bench.ask("slow"))
    await until(lambda: bench.other.asked == ["slow"])
    bench.own_epoch = 50
    bench.register(ME, 50, Endpoint("127.0.0.1", 1))
    assert await bench.ask() == "at once"
    assert [caller.broker_epoch for caller in bench.other.callers] == [20, 50]
    bench.other.may_answer.set()
    assert await under_way == "slow"
    await until(bench.other.writers[0].is_closing)
    assert bench.unreachable == []


async def test_who_is_not_registered_asks_nobody_and_is_not_asked(bench: Bench) -> None:
    bench.own_epoch = 0
    with pytest.raises(NetworkFailure, match="not registered"):
        await bench.ask()
    bench.own_epoch = 20
    del bench.image.brokers[OTHER]
    with pytest.raises(NetworkFailure):
        await bench.ask()
    assert bench.other.asked == []


async def test_a_broker_that_does_not_answer_is_given_up(bench: Bench) -> None:
    bench.other.may_answer.clear()
    with pytest.raises(RequestTimedOut):
        await bench.ask("slow", timeout_s=0.05)
    await until(bench.other.writers[0].is_closing)
    assert await bench.ask() == "at once"


async def test_one_late_answer_among_others_costs_nobody_the_connection(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    long_s, times, timeout = 1_234.0, [], asyncio.timeout

    def noted(delay_s: float | None) -> asyncio.Timeout:
        if delay_s != long_s:
            return timeout(delay_s)
        times.append(timeout(delay_s))
        return times[-1]

    monkeypatch.setattr(asyncio, "timeout", noted)
    bench.other.may_answer.clear()
    late = asyncio.ensure_future(bench.ask("slow", timeout_s=long_s))
    await until(lambda: bench.other.asked == ["slow"])
    await bench.ask()
    times[-1].reschedule(asyncio.get_running_loop().time())  # over, and not before the other answer came
    with pytest.raises(RequestTimedOut):
        await late
    bench.other.may_answer.set()
    await bench.ask()
    assert len(bench.other.callers) == 1


async def test_brokers_of_different_secrets_do_not_know_each_other() -> None:
    async with running(Bench(others_secret=b"another")) as bench:
        with pytest.raises(NetworkFailure, match="proof"):
            await bench.ask()
        assert bench.other.asked == []
        assert bench.unreachable == []  # it is there; it is only not one of ours


async def test_an_answer_that_cannot_be_read_ends_the_connection(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    await bench.ask()
    monkeypatch.setattr(conversation, "response_type", lambda _key: ApiVersionsResponse)
    with pytest.raises(NetworkFailure):
        await bench.ask()


async def test_nobody_is_asked_after_the_end(bench: Bench) -> None:
    await bench.ask()
    bench.peers.close()
    with pytest.raises(NetworkFailure):
        await bench.ask()
    assert bench.unreachable == []
