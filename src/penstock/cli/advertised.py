"""Whether the addresses that a cluster tells its clients can be connected to from here.

A broker answers at the address that was named and then sends clients to the ones that it advertises. When those are
wrong, nothing but a time-out is seen. So a command that failed tries them, and so does one that was told none of those
that the person named.
"""

import queue
import socket
import threading
from collections.abc import Mapping

Address = tuple[str, int]

CONNECT_S = 2.0
SHOWN_MAX = 5
DEFAULT_PORT = 9092
_PORT_MAX = 65_535


def split_address(address: str) -> Address:
    """host, host:port or [v6]:port, after a protocol:// or not. ValueError where that makes no sense."""
    place = address.strip().rpartition("://")[2]
    host, colon, port = place.rpartition(":")
    if not colon or place.endswith("]"):
        host, port = place, str(DEFAULT_PORT)
    host = host.removeprefix("[").removesuffix("]")
    if not host:
        raise ValueError(f"{address!r} names no host")
    if not port.isascii() or not port.isdigit() or not 0 < int(port) <= _PORT_MAX:
        raise ValueError(f"{address!r} has no port from 1 to {_PORT_MAX}")
    return host, int(port)


def joined(address: Address) -> str:
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def none_answers(addresses: Mapping[int, Address]) -> dict[int, str]:
    """Why each cannot be connected to; nothing as soon as one can."""
    return _tried(addresses, until_one=True)


def unconnectable(addresses: Mapping[int, Address]) -> dict[int, str]:
    """Why, for those that cannot be connected to."""
    return _tried(addresses, until_one=False)


def _tried(addresses: Mapping[int, Address], *, until_one: bool) -> dict[int, str]:
    outcomes: queue.SimpleQueue[tuple[int, str | None]] = queue.SimpleQueue()

    def attempt(broker: int, address: Address) -> None:
        try:
            socket.create_connection(address, timeout=CONNECT_S).close()
        except (OSError, UnicodeError) as error:  # UnicodeError: a name that cannot be one
            outcomes.put((broker, getattr(error, "strerror", None) or str(error)))
        else:
            outcomes.put((broker, None))

    for broker, address in addresses.items():
        # At once, and not waited for at the end: one that is silent must not keep a command.
        threading.Thread(target=attempt, args=(broker, address), daemon=True).start()
    found: dict[int, str] = {}
    for _ in addresses:
        broker, problem = outcomes.get()
        if problem is not None:
            found[broker] = problem
        elif until_one:
            return {}
    return dict(sorted(found.items()))


def advice(connected_to: str, addresses: Mapping[int, Address], problems: Mapping[int, str]) -> str:
    """What was connected to, what it advertised, and what failed."""
    lines = [f"{connected_to} answered, and sends clients to addresses that cannot be connected to from here:"]
    shown = list(problems.items())[:SHOWN_MAX]
    lines += [f"  broker {broker} at {joined(addresses[broker])}: {problem}" for broker, problem in shown]
    if len(problems) > len(shown):
        lines.append(f"  and {len(problems) - len(shown)} more")
    lines.append("Either these brokers are down, or advertised.listeners in their settings is wrong for this machine.")
    return "\n".join(lines)
