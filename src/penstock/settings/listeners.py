"""Where the broker listens and which addresses it tells clients, from the four settings that say so.

A broker in a container or behind NAT listens on one address and is reached at another, and may be reached in several
ways at once: each listener has a name, and a client is told the address advertised under the name it came in on.
"""

import re
import socket
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from penstock.settings.broker import (
    ADVERTISED_LISTENERS,
    CONTROLLER_LISTENER_NAMES,
    INTER_BROKER_LISTENER_NAME,
    LISTENER_SECURITY_PROTOCOL_MAP,
    LISTENERS,
    PENSTOCK_HTTP_LISTENER,
    SECURITY_INTER_BROKER_PROTOCOL,
)
from penstock.settings.config import Config

PLAINTEXT = "PLAINTEXT"
_PROTOCOLS = frozenset((PLAINTEXT, "SSL", "SASL_PLAINTEXT", "SASL_SSL"))
WITH_TLS = frozenset(("SSL", "SASL_SSL"))
_WITH_SASL = frozenset(("SASL_PLAINTEXT", "SASL_SSL"))
_ADDRESS = re.compile(r"(?P<name>[^:/]+)://(?:\[(?P<v6>[0-9a-fA-F:.%\w]+)\]|(?P<host>[^:/\[\]]*)):(?P<port>[0-9]{1,5})")
_EVERY_INTERFACE = frozenset(("", "0.0.0.0", "::"))


class Listener(NamedTuple):
    name: str
    host: str
    """Empty is every interface."""
    port: int
    """0 is any free port."""
    protocol: str = PLAINTEXT
    """Kafka's name of it: PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL."""

    @property
    def has_tls(self) -> bool:
        return self.protocol in WITH_TLS

    @property
    def has_sasl(self) -> bool:
        return self.protocol in _WITH_SASL

    @property
    def is_everywhere(self) -> bool:
        return self.host in _EVERY_INTERFACE

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.name}://{host}:{self.port}"


class Endpoint(NamedTuple):
    """An address clients are told."""

    host: str
    port: int


def parse_listener(text: str) -> Listener:
    match = _ADDRESS.fullmatch(text.strip())
    if not match:
        raise ValueError(f"{text!r} is no listener: write NAME://HOST:PORT, such as PLAINTEXT://0.0.0.0:9092")
    port = int(match["port"])
    if port > 65535:
        raise ValueError(f"{text!r} has no possible port: it must be at most 65535")
    return Listener(match["name"].upper(), match["v6"] or match["host"] or "", port)


def listeners(config: Config) -> tuple[Listener, ...]:
    """The listeners to open. Raises ValueError, in words, for what cannot be."""
    wanted = config[LISTENERS]
    parsed = _parse_all(LISTENERS.name, wanted)
    for_controllers = {name.upper() for name in config[CONTROLLER_LISTENER_NAMES]}
    opened = tuple(listener for listener in parsed if listener.name not in for_controllers)
    if not opened:
        raise ValueError("listeners leaves no address for clients: name at least one, such as PLAINTEXT://0.0.0.0:9092")
    fixed = [(listener.host, listener.port) for listener in opened if listener.port]
    for address in fixed:
        if fixed.count(address) > 1:
            raise ValueError(f"listeners names {address[0]}:{address[1]} twice")
    protocols = protocol_map(config)
    return tuple(_with_protocol(listener, protocols) for listener in opened)


def _with_protocol(listener: Listener, protocols: Mapping[str, str]) -> Listener:
    protocol = protocols.get(listener.name)
    if protocol is None:
        raise ValueError(
            f"nothing says which protocol the listener {listener.name} speaks: "
            f"add {listener.name}:{PLAINTEXT} to {LISTENER_SECURITY_PROTOCOL_MAP.name}"
        )
    return listener._replace(protocol=protocol)


def protocol_map(config: Config) -> dict[str, str]:
    protocols = {}
    for entry in filter(None, (part.strip() for part in config[LISTENER_SECURITY_PROTOCOL_MAP].split(","))):
        name, _, protocol = (part.strip().upper() for part in entry.partition(":"))
        if protocol not in _PROTOCOLS:
            raise ValueError(
                f"{LISTENER_SECURITY_PROTOCOL_MAP.name}: {entry!r} must be NAME:PROTOCOL with a protocol from "
                f"{', '.join(sorted(_PROTOCOLS))}"
            )
        if name in protocols:
            raise ValueError(f"{LISTENER_SECURITY_PROTOCOL_MAP.name} names {name} twice")
        protocols[name] = protocol
    return protocols


def advertised_endpoints(
    config: Config,
    bound_ports: Mapping[str, int] | None = None,
    hostname: Callable[[], str] = socket.getfqdn,
) -> dict[str, Endpoint]:
    """The address told to clients of each listener, by name. `bound_ports` says what a port of 0 became."""
    opened = {listener.name: listener for listener in listeners(config)}
    given = config[ADVERTISED_LISTENERS]
    told = _parse_all(ADVERTISED_LISTENERS.name, given) if given else tuple(opened.values())
    for listener in told:
        if listener.name not in opened:
            raise ValueError(f"advertised.listeners names {listener.name}, which is not among listeners")
        if given and listener.is_everywhere and listener.host:
            raise ValueError(f"advertised.listeners cannot say {listener}: no client can connect to {listener.host}")
    endpoints = {}
    for listener in told:
        port = listener.port or (bound_ports or {}).get(listener.name, opened[listener.name].port)
        endpoints[listener.name] = Endpoint(hostname() if listener.is_everywhere else listener.host, port)
    return endpoints


def inter_broker_listener(config: Config) -> Listener:
    opened = listeners(config)
    named, protocol = config[INTER_BROKER_LISTENER_NAME], config[SECURITY_INTER_BROKER_PROTOCOL]
    if named is not None and protocol is not None:
        raise ValueError("inter.broker.listener.name and security.inter.broker.protocol exclude each other: set one")
    wanted = named or protocol
    if wanted is None:
        return opened[0]
    for listener in opened:
        if listener.name == wanted.upper():
            return listener
    row = INTER_BROKER_LISTENER_NAME if named else SECURITY_INTER_BROKER_PROTOCOL
    raise ValueError(f"{row.name} is {wanted}, which is not among listeners")


def http_listener(config: Config) -> Listener | None:
    """Where pages about the broker are served; None where they are not."""
    text = config[PENSTOCK_HTTP_LISTENER]
    if not text:
        return None
    scheme, _, address = text.rpartition("://")
    host, _, port = address.rpartition(":")
    protocol = "SSL" if scheme == "https" else PLAINTEXT
    return Listener(PENSTOCK_HTTP_LISTENER.name, host.strip("[]"), int(port), protocol)


def _parse_all(setting_name: str, texts: Iterable[str]) -> tuple[Listener, ...]:
    parsed = tuple(parse_listener(text) for text in texts)
    names = [listener.name for listener in parsed]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{setting_name} names {name} twice: give each listener a name of its own")
    return parsed
