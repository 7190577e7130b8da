"""Who calls, for tests of handlers that ask: anybody, or a broker that has proved to be one."""

from typing import Any, cast

from tests.support.clusters import SeededDice

from penstock.broker.peer_authentication import Caller, PeerAuthenticator
from penstock.broker.registry import RequestContext
from penstock.cluster import ClusterImage, Keys, Secrets
from penstock.model import BrokerId

SECRET = b"known to brokers only"


def a_context(*, version: int = 0, caller: Caller | None = None, listener: str = "PLAINTEXT") -> RequestContext:
    """Of a request by anybody, or by the caller that is given."""
    return RequestContext(version, "me", listener, "10.0.0.1:5", caller=caller or Caller())


def an_authenticator(
    *brokers: tuple[int, int], me: int = 1, secret: bytes | Secrets = SECRET, revision: int = 100
) -> PeerAuthenticator:
    """One of a cluster in which these brokers are registered, each with its epoch."""
    return PeerAuthenticator(
        cast(Any, _Image(dict(brokers), revision)),
        me=BrokerId(me),
        dice=SeededDice(me),
        secret=Secrets(secret) if isinstance(secret, bytes) else secret,
        peer_listener="PLAINTEXT",
    )


def a_lone_authenticator() -> PeerAuthenticator:
    image = ClusterImage(Keys("main"))
    return PeerAuthenticator(image, me=BrokerId(1), dice=SeededDice(), secret=None, peer_listener="PLAINTEXT")


class _Broker:
    def __init__(self, epoch: int) -> None:
        self.epoch = epoch


class _Image:
    def __init__(self, epochs: dict[int, int], revision: int) -> None:
        self.brokers = {broker: _Broker(epoch) for broker, epoch in epochs.items()}
        self.revision = revision
        self.cluster_id = "the-cluster"
