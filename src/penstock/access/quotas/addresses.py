"""How many connections a second may come from an address."""

from ipaddress import IPv6Address, ip_address

from penstock.access.quotas.altering import Quotas
from penstock.access.quotas.entities import CONNECTION_CREATION_RATE


class AddressQuotas:
    def __init__(self) -> None:
        self._limits: dict[str | None, float] = {}

    def __bool__(self) -> bool:
        return bool(self._limits)

    def put(self, address: str | None, limits: Quotas) -> None:
        """None: every address that has no own limit."""
        name = None if address is None else _plain(address)
        if CONNECTION_CREATION_RATE in limits:
            self._limits[name] = limits[CONNECTION_CREATION_RATE]
        else:
            self._limits.pop(name, None)

    def limit(self, address: str) -> float | None:
        if not self._limits:
            return None
        own = self._limits.get(_plain(address))
        return self._limits.get(None) if own is None else own


def _plain(address: str) -> str:
    """One text for each address, however it is written; IPv4 as it is called by those who speak it."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(parsed)
