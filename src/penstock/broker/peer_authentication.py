"""Who is at the other end of a connection: a broker of this cluster that has proved to be one, or anybody (RULES 25).

What only brokers may ask is refused to everybody else where there are other brokers. A broker that stands alone has
nobody to tell from a stranger and takes such requests from anyone, as Apache Kafka does without access rules.
"""

from collections.abc import Callable
from typing import Protocol

from penstock.access.principal import BROKER, Principal
from penstock.access.quotas.tenants import CountedAs
from penstock.access.subject import Subject
from penstock.broker.batch_samples import NO_SKIPS, BatchSamples
from penstock.cluster import ClusterImage, Secrets
from penstock.errors import ClusterAuthorizationFailed, IllegalSaslState, SaslAuthenticationFailed
from penstock.model import BrokerId, Dice
from penstock.replication.proof import MECHANISM, NONCE_BYTES, Challenge, Exchange, Hello, require_any
from penstock.wire.messages.sasl_handshake_response import SaslHandshakeResponse

NOBODY = -1


class Session(Protocol):
    """A login that ends, unless it is renewed before (KIP-368)."""

    def begin_again(self, mechanism: str, version: int) -> SaslHandshakeResponse:
        """The client wants to log in anew."""


class Line(Protocol):
    """The connection, for those who only know its caller."""

    def mute(self, seconds: float) -> None: ...

    def close(self, reason: str) -> None: ...


class Caller:
    """One for each connection, for as long as it lasts."""

    __slots__ = (
        "broker_epoch",
        "broker_id",
        "exchange",
        "is_introducing",
        "line",
        "on_closed",
        "on_gone",
        "on_proved",
        "samples",
        "session",
        "skips",
        "subject",
        "tenant",
    )

    def __init__(self, broker_id: int = NOBODY, broker_epoch: int = NOBODY, *, host: str = "") -> None:
        self.broker_id = broker_id
        """The broker that has proved to be at the other end; -1 for everybody else."""
        self.broker_epoch = broker_epoch
        """The registration under which it did."""
        self.subject = Subject(host=host)
        """As whom it asks. Each login puts another in its place."""
        self.session: Session | None = None
        """Its login, if that has an end."""
        self.on_closed: Callable[[], None] | None = None
        """Called when its connection is gone, for as long as a login is under way or has an end."""
        self.on_gone: Callable[[], None] | None = None
        """Called when its connection is gone, once it has had a share session."""
        self.line: Line | None = None
        """What it speaks over, until that is closed."""
        self.tenant: CountedAs | None = None
        """As whose connection it counts."""
        self.is_introducing = False
        self.exchange: Exchange | None = None
        """A handshake that awaits the caller's proof. It is good for one attempt."""
        self.on_proved: Callable[[], None] | None = None
        """Called when it has proved to be a broker."""
        self.samples: BatchSamples | None = None
        """Which of its batches are opened; made with the first that may be."""
        self.skips: bytes | bytearray = NO_SKIPS
        """Those of `samples`, at hand for the append."""

    @property
    def is_broker(self) -> bool:
        """Whether it has proved to be one; that it still is one, `PeerAuthenticator.require_broker` finds out."""
        return self.broker_id != NOBODY

    @property
    def principal(self) -> Principal:
        return self.subject.principal


class PeerAuthenticator:
    """Knows brokers of the cluster from strangers."""

    def __init__(
        self, image: ClusterImage, *, me: BrokerId, dice: Dice, secret: Secrets | None, peer_listener: str
    ) -> None:
        """Without a `secret` this broker stands alone."""
        self._image = image
        self._me = me
        self._dice = dice
        self._secret = secret
        self._peer_listener = peer_listener

    @property
    def tells_brokers_from_strangers(self) -> bool:
        return self._secret is not None

    def require_broker(self, caller: Caller) -> None:
        """Refuse what only brokers may ask, to whoever is none, or is one no longer."""
        if self._secret is None:
            return
        if not caller.is_broker:
            raise ClusterAuthorizationFailed("only brokers of this cluster may ask for this")
        if not self._is_registered(BrokerId(caller.broker_id), caller.broker_epoch):
            raise ClusterAuthorizationFailed(f"broker {caller.broker_id} has lost the registration it had, or has anew")

    def _is_registered(self, broker_id: BrokerId, epoch: int) -> bool:
        """A registration that is newer than all that this broker has seen is taken at its word, which was proved."""
        broker = self._image.brokers.get(broker_id)
        return (broker is not None and broker.epoch == epoch) or epoch > self._image.revision

    # Handshakes -------------------------------------------------------------------------------------------------

    def handshake(self, caller: Caller, *, mechanism: str, listener: str) -> None:
        """Begin, and forget who the caller was: a failed handshake leaves nobody."""
        if caller.is_broker:
            caller.subject = Subject(host=caller.subject.host)
        caller.broker_id = caller.broker_epoch = NOBODY
        caller.exchange = None
        caller.is_introducing = self._secret is not None and mechanism == MECHANISM and listener == self._peer_listener
        if not caller.is_introducing:
            raise IllegalSaslState("this listener asks nobody to authenticate")

    def authenticate(self, caller: Caller, said: bytes) -> bytes:
        exchange, caller.exchange = caller.exchange, None
        if exchange is not None:
            self._conclude(caller, exchange, said)
            return b""
        if not caller.is_introducing or self._secret is None:
            raise IllegalSaslState("SaslAuthenticate comes after a SaslHandshake that was accepted")
        caller.is_introducing = False
        hello = Hello.decode(said)
        nonce = self._dice.random_bytes(NONCE_BYTES)
        caller.exchange = Exchange(self._secret.current, self._image.cluster_id, hello, self._me, nonce)
        return Challenge(nonce, caller.exchange.answerers_proof()).encode()

    def _conclude(self, caller: Caller, exchange: Exchange, proof: bytes) -> None:
        hello = exchange.hello
        assert self._secret is not None
        require_any(proof, [exchange.by(secret).callers_proof() for secret in self._secret.believed])
        # Only after the proof: a stranger learns nothing of who is registered.
        if not self._is_registered(hello.broker_id, hello.broker_epoch):
            raise SaslAuthenticationFailed(
                f"broker {hello.broker_id} is not registered under the epoch {hello.broker_epoch}"
            )
        caller.broker_id, caller.broker_epoch = hello.broker_id, hello.broker_epoch
        caller.subject = Subject(Principal(BROKER, str(hello.broker_id)), host=caller.subject.host)
        if caller.on_proved is not None:
            caller.on_proved()
