"""How fast connections may come, in a time that the tests say."""

import asyncio
import socket

import pytest
from tests.support.quotas import SomeQuotas

from penstock.broker import connection_rates
from penstock.broker.connection_rates import ConnectionRates
from penstock.settings import Config


def rates(some: SomeQuotas, *, peer_listener: str | None = None, **config: str) -> ConnectionRates:
    settings = {name.replace("__", "-").replace("_", "."): value for name, value in config.items()}
    return ConnectionRates(Config.for_broker(settings), some.quotas, some.registry, peer_listener=peer_listener)


def test_without_limits_nobody_waits() -> None:
    some = SomeQuotas()
    one = rates(some)
    assert [one.pause_s("A") for _ in range(1_000)] == [0.0] * 1_000
    assert not one.is_too_fast("10.0.0.1")


def test_all_listeners_together_have_a_rate_but_that_of_brokers() -> None:
    some = SomeQuotas()
    one = rates(some, max_connection_creation_rate="2", peer_listener="BROKERS")
    assert [one.pause_s(each) for each in ("A", "B") * 10] == [0.0] * 20
    assert [one.pause_s("BROKERS") for _ in range(100)] == [0.0] * 100
    assert one.pause_s("A") == 0.5
    some.clock.advance(11_000)
    assert one.pause_s("A") == 0.0


def test_a_listener_has_a_rate_of_its_own() -> None:
    some = SomeQuotas()
    settings = {"listeners": "A://:1,B://:2", "listener.security.protocol.map": "A:PLAINTEXT,B:PLAINTEXT"}
    config = Config.for_broker(settings | {"listener.name.a.max.connection.creation.rate": "1"})
    one = ConnectionRates(config, some.quotas, some.registry, peer_listener=None)
    assert [one.pause_s("A") for _ in range(11)] == [0.0] * 10 + [1.0]
    assert [one.pause_s("B") for _ in range(100)] == [0.0] * 100


def test_an_address_that_is_too_fast_is_turned_away_and_others_are_not() -> None:
    some = SomeQuotas({"ip=10.0.0.1": {"connection_creation_rate": 1}})
    one = rates(some)
    assert [one.is_too_fast("10.0.0.1") for _ in range(12)] == [False] * 10 + [True] * 2
    assert not one.is_too_fast("10.0.0.2")
    some.clock.advance(11_000)
    assert not one.is_too_fast("10.0.0.1")


async def test_whoever_is_turned_away_hears_of_it_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_rates, "HELD_MAX", 2)
    one = rates(SomeQuotas())
    pairs = [socket.socketpair() for _ in range(3)]
    for ours, _ in pairs:
        one.turn_away_later(ours)
    assert [ours.fileno() < 0 for ours, _ in pairs] == [True, False, False]
    one.close()
    assert all(ours.fileno() < 0 for ours, _ in pairs)
    for _, theirs in pairs:
        theirs.close()
    await asyncio.sleep(0)
