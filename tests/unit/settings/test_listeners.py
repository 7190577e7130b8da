"""Listeners and the addresses that clients are told."""

import pytest

from penstock.settings import (
    Config,
    Endpoint,
    Listener,
    advertised_endpoints,
    inter_broker_listener,
    listeners,
)


def with_listeners(text: str, **more: str) -> Config:
    return Config.for_broker({"listeners": text} | {name.replace("_", "."): value for name, value in more.items()})


MAP = "INTERNAL:PLAINTEXT,EXTERNAL:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_SSL:SASL_SSL"


def test_the_default_is_the_loopback_address() -> None:
    assert listeners(Config.for_broker()) == (Listener("PLAINTEXT", "127.0.0.1", 9092),)


@pytest.mark.parametrize(
    ("text", "listener"),
    [
        ("PLAINTEXT://:9092", Listener("PLAINTEXT", "", 9092)),
        ("plaintext://0.0.0.0:0", Listener("PLAINTEXT", "0.0.0.0", 0)),
        ("PLAINTEXT://[::1]:9092", Listener("PLAINTEXT", "::1", 9092)),
        ("PLAINTEXT://kafka-1.example.com:1", Listener("PLAINTEXT", "kafka-1.example.com", 1)),
    ],
)
def test_listeners_are_read(text: str, listener: Listener) -> None:
    assert listeners(with_listeners(text)) == (listener,)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("localhost:9092", "is no listener"),
        ("PLAINTEXT://localhost", "is no listener"),
        ("PLAINTEXT://localhost:99999", "at most 65535"),
        ("PLAINTEXT://a:1,PLAINTEXT://b:2", "names PLAINTEXT twice"),
        ("INTERNAL://a:1,EXTERNAL://a:1", "a:1 twice"),
        ("OTHER://a:1", "which protocol the listener OTHER speaks"),
        ("", "no address for clients"),
    ],
)
def test_what_cannot_be_listened_on_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        listeners(with_listeners(text, listener_security_protocol_map=MAP))


def test_controller_listeners_of_a_kafka_configuration_are_left_out() -> None:
    config = with_listeners("PLAINTEXT://:9092,CONTROLLER://:9093", controller_listener_names="controller")
    assert [listener.name for listener in listeners(config)] == ["PLAINTEXT"]


def test_what_is_listened_on_is_advertised_unless_something_else_is_said() -> None:
    config = with_listeners("PLAINTEXT://127.0.0.1:0")
    assert advertised_endpoints(config, {"PLAINTEXT": 40001}) == {"PLAINTEXT": Endpoint("127.0.0.1", 40001)}


def test_a_listener_on_every_interface_is_advertised_by_host_name() -> None:
    for host in ("", "0.0.0.0", "[::]"):
        config = with_listeners(f"PLAINTEXT://{host}:9092")
        assert advertised_endpoints(config, hostname=lambda: "me.example") == {
            "PLAINTEXT": Endpoint("me.example", 9092)
        }


def test_several_listeners_have_addresses_of_their_own() -> None:
    config = with_listeners(
        "INTERNAL://0.0.0.0:9092,EXTERNAL://0.0.0.0:9094",
        advertised_listeners="INTERNAL://broker:9092,EXTERNAL://queue.example.com:19094",
        listener_security_protocol_map=MAP,
        inter_broker_listener_name="internal",
    )
    assert advertised_endpoints(config) == {
        "INTERNAL": Endpoint("broker", 9092),
        "EXTERNAL": Endpoint("queue.example.com", 19094),
    }
    assert inter_broker_listener(config).name == "INTERNAL"


def test_an_advertised_port_of_zero_is_the_port_that_was_bound() -> None:
    config = with_listeners("PLAINTEXT://0.0.0.0:0", advertised_listeners="PLAINTEXT://host:0")
    assert advertised_endpoints(config, {"PLAINTEXT": 5}) == {"PLAINTEXT": Endpoint("host", 5)}


@pytest.mark.parametrize(
    ("advertised", "words"),
    [
        ("PLAINTEXT://0.0.0.0:9092", "no client can connect to 0.0.0.0"),
        ("OTHER://host:9092", "not among listeners"),
        ("PLAINTEXT://a:1,PLAINTEXT://b:1", "twice"),
    ],
)
def test_addresses_that_no_client_could_use_are_refused(advertised: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        advertised_endpoints(with_listeners("PLAINTEXT://:9092", advertised_listeners=advertised))


def test_an_inter_broker_listener_must_exist() -> None:
    with pytest.raises(ValueError, match="not among listeners"):
        inter_broker_listener(with_listeners("PLAINTEXT://:9092", inter_broker_listener_name="X"))
    assert inter_broker_listener(with_listeners("PLAINTEXT://:9092")).port == 9092


def test_a_listener_knows_its_protocol() -> None:
    config = with_listeners("OUT://:9093,SSL://:9094", listener_security_protocol_map="OUT:PLAINTEXT,SSL:SSL")
    assert [(each.protocol, each.has_tls, each.has_sasl) for each in listeners(config)] == [
        ("PLAINTEXT", False, False),
        ("SSL", True, False),
    ]


def test_the_inter_broker_listener_may_be_named_by_its_protocol() -> None:
    config = with_listeners("PLAINTEXT://:9092,SSL://:9093", security_inter_broker_protocol="SSL")
    assert inter_broker_listener(config).name == "SSL"
    both = with_listeners("PLAINTEXT://:1", security_inter_broker_protocol="SSL", inter_broker_listener_name="X")
    with pytest.raises(ValueError, match="exclude each other"):
        inter_broker_listener(both)
