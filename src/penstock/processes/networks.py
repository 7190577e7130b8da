"""A network of its own for each of several processes on this machine, so that any two of them can be cut apart.

    with Networks("demo", ["broker-1", "broker-2"]) as networks:
        subprocess.Popen([*networks.under("broker-1"), ...])      # reached at networks.address("broker-1")
        networks.cut("broker-1", "broker-2")
        networks.heal()

Each name gets a network namespace with one interface on a bridge that this machine is on too. A cut is a wrong hardware
address for the other side: packets leave and arrive nowhere, silently, as behind a broken switch; connections neither
refuse nor reset. It takes iproute2 and the right to make namespaces, which is root's, and no firewall.
"""

import contextlib
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Self

NOWHERE = "02:00:00:00:00:00"
"""A hardware address that nobody has."""
CLIENTS = "clients"
"""The machine itself: what runs in no namespace of ours, as clients do."""
TAG_LENGTH_MAX = 8
"""An interface's name has at most 15 letters, and ours is the tag, one letter and a number."""
FIRST_HOST = 11
SUBNET_TRIES = 50
_REFUSED = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], 1), timeout=3)
except ConnectionRefusedError:
    pass
except OSError:
    sys.exit(1)
"""
"""Nobody listens there: to be refused is to be heard."""


class NetworksImpossible(Exception):
    """This machine or this user cannot make network namespaces; in words."""


class Networks:
    def __init__(self, tag: str, names: Sequence[str], *, subnet: str | None = None) -> None:
        """`subnet` ("10.7.8") for networks that exist already; a free one is taken otherwise."""
        if len(tag) > TAG_LENGTH_MAX:
            raise ValueError(f"a tag has at most {TAG_LENGTH_MAX} letters: {tag}")
        self.tag = tag
        self.names = list(names)
        self.subnet = subnet or ""

    # Where what is ----------------------------------------------------------------------------------------------

    def address(self, name: str) -> str:
        return f"{self.subnet}.{1 if name == CLIENTS else FIRST_HOST + self.names.index(name)}"

    def under(self, name: str) -> tuple[str, ...]:
        """The command that what is to run there is started with; it turns into what it starts."""
        return ("ip", "netns", "exec", self._namespace(name))

    def _namespace(self, name: str) -> str:
        return f"{self.tag}-{name}"

    def _port(self, name: str) -> str:
        """The bridge's end of the cable."""
        return f"{self.tag}v{self.names.index(name)}"

    @property
    def _bridge(self) -> str:
        return f"{self.tag}b"

    # Made and removed -------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Raises NetworksImpossible."""
        if os.geteuid() != 0:
            raise NetworksImpossible("network namespaces are root's to make: run this as root")
        if shutil.which("ip") is None:
            raise NetworksImpossible("there is no `ip` here: install iproute2")
        self.close()  # what a run before this one left behind
        self.subnet = self.subnet or _free_subnet()
        try:
            _ip("link", "add", self._bridge, "type", "bridge")
            _ip("addr", "add", f"{self.address(CLIENTS)}/24", "dev", self._bridge)
            _ip("link", "set", self._bridge, "up")
            for name in self.names:
                self._add(name)
            self._require_passage()
        except subprocess.CalledProcessError as error:
            self.close()
            raise NetworksImpossible(
                f"`{' '.join(error.cmd)}` failed: {error.stderr.strip()}. Network namespaces need root with"
                " CAP_NET_ADMIN and CAP_SYS_ADMIN; a container gets them when it is started so (docker --privileged)"
            ) from error

    def _add(self, name: str) -> None:
        namespace, port = self._namespace(name), self._port(name)
        _ip("netns", "add", namespace)
        _ip("link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", namespace)
        _ip("link", "set", port, "master", self._bridge, "up")
        _ip("-n", namespace, "addr", "add", f"{self.address(name)}/24", "dev", "eth0")
        _ip("-n", namespace, "link", "set", "eth0", "up")
        _ip("-n", namespace, "link", "set", "lo", "up")

    def _require_passage(self) -> None:
        """A firewall may drop what passes over a bridge, as on machines that run Docker; so ask now."""
        for name in self.names[1:2]:
            command = [*self.under(self.names[0]), sys.executable, "-S", "-c", _REFUSED, self.address(name)]
            if subprocess.run(command, check=False).returncode:
                self.close()
                raise NetworksImpossible(
                    "a firewall drops what passes between network namespaces:"
                    " `sysctl net.bridge.bridge-nf-call-iptables=0` lets it through"
                )

    def close(self) -> None:
        """What runs there goes on without a network."""
        for name in self.names:
            for leftover in (("link", "del", self._port(name)), ("netns", "del", self._namespace(name))):
                with contextlib.suppress(subprocess.CalledProcessError):
                    _ip(*leftover)
        with contextlib.suppress(subprocess.CalledProcessError):
            _ip("link", "del", self._bridge)

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Cut and healed ---------------------------------------------------------------------------------------------

    def cut(self, name: str, *others: str, one_way: bool = False) -> None:
        """From now on nothing passes between it and the others; one way: nothing from it to them."""
        for other in others:
            self._mislead(name, other)
            if not one_way:
                self._mislead(other, name)

    def heal(self, names: Iterable[str] | None = None) -> None:
        """Undo every cut that one of these has a part in, or all."""
        chosen = set(self.names if names is None else names)
        for name, other in self.cuts():
            if chosen & {name, other}:
                _ip(*self._inside(name), "neigh", "del", self.address(other), "dev", self._interface(name))

    def cuts(self) -> list[tuple[str, str]]:
        """(from, to): what the one sends does not reach the other."""
        by_address = {self.address(name): name for name in (*self.names, CLIENTS)}
        found = []
        for name in (*self.names, CLIENTS):
            shown = _ip(*self._inside(name), "neigh", "show", "nud", "permanent", "dev", self._interface(name))
            for line in shown.splitlines():
                words = line.split()
                if NOWHERE in words and words[0] in by_address:
                    found.append((name, by_address[words[0]]))
        return found

    def _mislead(self, name: str, other: str) -> None:
        entry = (self.address(other), "lladdr", NOWHERE, "nud", "permanent", "dev", self._interface(name))
        _ip(*self._inside(name), "neigh", "replace", *entry)

    def _inside(self, name: str) -> tuple[str, ...]:
        return () if name == CLIENTS else ("-n", self._namespace(name))

    def _interface(self, name: str) -> str:
        return self._bridge if name == CLIENTS else "eth0"


def _free_subnet() -> str:
    taken = _ip("route", "show", "table", "all")
    for _ in range(SUBNET_TRIES):
        subnet = f"10.{200 + secrets.randbelow(50)}.{secrets.randbelow(255)}"
        if f"{subnet}." not in taken:
            return subnet
    raise NetworksImpossible("no free network was found between 10.200.0.0 and 10.249.255.0")


def _ip(*arguments: str) -> str:
    return subprocess.run(["ip", *arguments], capture_output=True, text=True, check=True).stdout
