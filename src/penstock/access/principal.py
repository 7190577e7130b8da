"""As whom somebody asks, in Kafka's words."""

from typing import Final, NamedTuple


class Principal(NamedTuple):
    kind: str
    """`User` for all that log in, `Broker` for brokers of this cluster."""
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


USER: Final = "User"
BROKER: Final = "Broker"
"""The kind of principal that only a broker of this cluster has, which has proved to be one."""

ANONYMOUS: Final = Principal("User", "ANONYMOUS")
