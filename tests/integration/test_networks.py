"""Namespaces of this machine's network, cut apart and healed: what passes and what does not, as sockets see it."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from penstock.processes.networks import CLIENTS, Networks, NetworksImpossible

ECHO = """
import socket, sys
server = socket.create_server((sys.argv[1], 7000))
print("ready", flush=True)
while True:
    connection, _ = server.accept()
    connection.sendall(connection.recv(100))
"""
REACH = """
import socket, sys
try:
    with socket.create_connection((sys.argv[1], 7000), timeout=float(sys.argv[2])) as connection:
        connection.sendall(b"hello")
        print(connection.recv(100).decode())
except TimeoutError:
    print("silence")
"""


@pytest.fixture
def networks() -> Iterator[Networks]:
    made = Networks(f"pt{os.getpid() % 100_000}", ["a", "b", "c"])
    try:
        made.open()
    except NetworksImpossible as reason:
        pytest.fail(f"partitions cannot be tried here: {reason}")
    servers = []
    try:
        for name in made.names:
            command = [*made.under(name), sys.executable, "-c", ECHO, made.address(name)]
            servers.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
            assert servers[-1].stdout is not None and servers[-1].stdout.readline() == "ready\n"
        yield made
    finally:
        for server in servers:
            server.kill()
            server.communicate()
        made.close()


def reach(networks: Networks, name: str, other: str, *, timeout_s: float = 30.0) -> str:
    """What comes back when the one connects to the other and says hello."""
    under = () if name == CLIENTS else networks.under(name)
    command = [*under, sys.executable, "-c", REACH, networks.address(other), str(timeout_s)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_a_cut_silences_both_ways_between_two_and_nothing_else(networks: Networks) -> None:
    networks.cut("a", "b")
    assert reach(networks, "a", "b", timeout_s=1) == reach(networks, "b", "a", timeout_s=1) == "silence"
    assert reach(networks, "a", "c") == reach(networks, "c", "b") == "hello"
    assert reach(networks, CLIENTS, "a") == "hello"
    assert set(networks.cuts()) == {("a", "b"), ("b", "a")}


def test_a_connection_that_was_open_goes_on_when_the_cut_heals(networks: Networks) -> None:
    with socket.create_connection((networks.address("a"), 7000), timeout=30) as connection:
        networks.cut("a", CLIENTS)
        connection.sendall(b"late")
        connection.settimeout(1)
        with pytest.raises(TimeoutError):
            connection.recv(100)
        networks.heal(["a"])
        connection.settimeout(30)
        assert connection.recv(100) == b"late"
    assert networks.cuts() == []


def test_a_one_way_cut_lets_packets_through_the_other_way(networks: Networks) -> None:
    networks.cut("a", "b", one_way=True)
    assert networks.cuts() == [("a", "b")]
    assert reach(networks, "b", "a", timeout_s=1) == "silence"  # its packets arrive, the answers do not
    networks.heal()
    assert reach(networks, "b", "a") == "hello"


def test_closing_leaves_nothing_behind() -> None:
    with Networks(f"pu{os.getpid() % 100_000}", ["x"]) as networks:
        assert networks.tag in subprocess.run(["ip", "link"], capture_output=True, text=True, check=True).stdout
    for what in (["ip", "link"], ["ip", "netns"]):
        assert networks.tag not in subprocess.run(what, capture_output=True, text=True, check=True).stdout
