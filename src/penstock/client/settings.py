"""What a client is told once: where the cluster is, how long to wait, what to call itself."""

from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    import ssl

    from penstock.client.sasl import Sasl

DEFAULT_PORT: Final = 9092


class ClientSettings(msgspec.Struct, frozen=True, kw_only=True):
    bootstrap: tuple[tuple[str, int], ...]
    client_id: str = "penstock-client"
    timeout_s: float = 60.0
    """For a whole operation, with all its attempts."""
    request_timeout_s: float = 30.0
    """For one answer; a broker that takes longer is taken for gone."""
    connect_timeout_s: float = 10.0
    retry_pause_s: float = 0.1
    """Before the second attempt; doubled for each one after it."""
    retry_pause_s_max: float = 1.0
    metadata_age_s_max: float = 300.0
    tls: "ssl.SSLContext | None" = None
    """Encrypt, and trust whom this context trusts."""
    sasl: "Sasl | None" = None
    """Who to say that one is."""


def addresses(bootstrap: str) -> tuple[tuple[str, int], ...]:
    """`host:port,host:port` taken apart. ValueError where one of them is none."""
    found = []
    for address in filter(None, (each.strip() for each in bootstrap.split(","))):
        host, colon, port = address.rpartition(":")
        if not colon or address.endswith("]"):
            host, port = address, str(DEFAULT_PORT)
        if not host.strip("[]") or not port.isdecimal() or not 0 < int(port) < 65536:
            raise ValueError(f"{address!r} is no HOST:PORT")
        found.append((host.strip("[]"), int(port)))
    if not found:
        raise ValueError(f"{bootstrap!r} names no host")
    return tuple(found)
