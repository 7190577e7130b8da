"""Ports kept for a broker that comes and goes."""

import gc
import re
import socket

import pytest

from penstock.processes.ports import keep_ports


class Owner:
    pass


def port_in(address: str) -> int:
    return int(address.rpartition(":")[2])


def listen(port: int) -> socket.socket:
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind(("127.0.0.1", port))
    sock.listen()
    return sock


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ("PLAINTEXT://127.0.0.1:0", r"PLAINTEXT://127\.0\.0\.1:\d+"),
        ("127.0.0.1:0", r"127\.0\.0\.1:\d+"),
        ("A://127.0.0.1:0,B://localhost:0", r"A://127\.0\.0\.1:\d+,B://localhost:\d+"),
        ("A://127.0.0.1:19092,B://:0", r"A://127\.0\.0\.1:19092,B://:\d+"),
        ("", ""),
    ],
)
def test_only_addresses_that_ask_for_any_port_get_one(asked: str, kept: str) -> None:
    found = keep_ports(Owner(), asked)
    assert re.fullmatch(kept, found) and not found.endswith(":0")


def test_a_kept_port_can_be_listened_on_again_and_again_and_goes_to_nobody_else() -> None:
    owner = Owner()
    port = port_in(keep_ports(owner, "127.0.0.1:0"))
    for _ in range(2):
        with listen(port):
            pass
    others = [port_in(keep_ports(owner, "127.0.0.1:0")) for _ in range(200)]
    assert port not in others and len(set(others)) == 200


def test_the_port_is_let_go_with_its_owner() -> None:
    owner = Owner()
    port = port_in(keep_ports(owner, "127.0.0.1:0"))
    del owner
    gc.collect()
    with socket.socket() as plain:  # without SO_REUSEADDR: a port that is still bound would be refused
        plain.bind(("127.0.0.1", port))
