"""Addresses as people write them, and whether those that a cluster tells can be connected to."""

import socket

import pytest

from penstock.cli.advertised import advice, joined, none_answers, split_address, unconnectable

REFUSED = ("127.0.0.1", 1)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("queue.example:19092", ("queue.example", 19092)),
        (" 127.0.0.1:65535 ", ("127.0.0.1", 65535)),
        ("localhost", ("localhost", 9092)),
        ("[::1]:9093", ("::1", 9093)),
        ("[::1]", ("::1", 9092)),
        ("SASL_SSL://queue.example:9093", ("queue.example", 9093)),
    ],
)
def test_an_address_has_a_host_and_perhaps_a_port(text: str, address: tuple[str, int]) -> None:
    assert split_address(text) == address


@pytest.mark.parametrize(
    "text", ["127.0.0.1:99999", "127.0.0.1:65536", "a:0", "a:-1", "a:", "a:x", ":9092", "", "a:\u0663"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"port from 1 to 65535|names no host"):
        split_address(text)


def test_one_that_can_be_connected_to_is_enough() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        there = listening.getsockname()
        assert none_answers({1: REFUSED, 2: there}) == {}
        assert unconnectable({1: REFUSED, 2: there}) == {1: "Connection refused"}
    assert none_answers({1: REFUSED, 2: REFUSED}) == dict.fromkeys((1, 2), "Connection refused")
    assert none_answers({}) == {}


def test_a_name_that_is_none_is_told_as_such() -> None:
    (problem,) = unconnectable({1: (f"{'x' * 64}.invalid", 9092)}).values()
    assert problem


def test_advice_names_what_was_connected_to_what_was_told_and_what_failed() -> None:
    words = advice("near:9092", {1: ("far", 9092), 2: ("::1", 9092)}, {1: "Connection refused", 2: "timed out"})
    assert words.splitlines()[:3] == [
        "near:9092 answered, and sends clients to addresses that cannot be connected to from here:",
        "  broker 1 at far:9092: Connection refused",
        "  broker 2 at [::1]:9092: timed out",
    ]
    assert joined(("::1", 1)) == "[::1]:1"
