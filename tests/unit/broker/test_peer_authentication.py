"""Who is taken for a broker of the cluster, and who is not: proofs, replays, epochs."""

import base64

import pytest
from tests.support.callers import SECRET, a_lone_authenticator, an_authenticator

from penstock.broker.peer_authentication import NOBODY, Caller, PeerAuthenticator
from penstock.cluster import Secrets
from penstock.cluster.records import SecretRecord, encode
from penstock.errors import ClusterAuthorizationFailed, IllegalSaslState, SaslAuthenticationFailed
from penstock.model import BrokerId
from penstock.replication.proof import MECHANISM, Challenge, Exchange, Hello, require_any

NONCE = b"n" * 32
CLUSTER = "the-cluster"


def begin(
    authenticator: PeerAuthenticator, caller: Caller, *, broker: int = 2, epoch: int = 20
) -> tuple[Hello, Challenge]:
    authenticator.handshake(caller, mechanism=MECHANISM, listener="PLAINTEXT")
    hello = Hello(BrokerId(broker), epoch, NONCE)
    return hello, Challenge.decode(authenticator.authenticate(caller, hello.encode()))


def proof(hello: Hello, challenge: Challenge, *, secret: bytes = SECRET, said_to: int = 1) -> bytes:
    return Exchange(secret, CLUSTER, hello, BrokerId(said_to), challenge.nonce).callers_proof()


def introduce(authenticator: PeerAuthenticator, caller: Caller, *, broker: int = 2, epoch: int = 20) -> None:
    hello, challenge = begin(authenticator, caller, broker=broker, epoch=epoch)
    assert authenticator.authenticate(caller, proof(hello, challenge)) == b""


def test_a_broker_that_knows_the_secret_is_known_by_its_id_and_epoch() -> None:
    authenticator, caller = an_authenticator((2, 20)), Caller()
    with pytest.raises(ClusterAuthorizationFailed):
        authenticator.require_broker(caller)
    introduce(authenticator, caller)
    authenticator.require_broker(caller)
    assert (caller.broker_id, caller.broker_epoch) == (2, 20)


def test_the_answerer_proves_itself_first() -> None:
    hello, challenge = begin(an_authenticator((2, 20)), Caller())
    exchange = Exchange(SECRET, CLUSTER, hello, BrokerId(1), challenge.nonce)
    require_any(challenge.proof, [exchange.answerers_proof()])
    with pytest.raises(SaslAuthenticationFailed):
        require_any(challenge.proof, [exchange.callers_proof()])


@pytest.mark.parametrize(
    ("secret", "said_to"),
    [pytest.param(b"guessed", 1, id="a wrong secret"), pytest.param(SECRET, 3, id="what was said to another broker")],
)
def test_a_proof_that_is_not_for_this_exchange_leaves_nobody(secret: bytes, said_to: int) -> None:
    authenticator, caller = an_authenticator((2, 20)), Caller()
    hello, challenge = begin(authenticator, caller)
    with pytest.raises(SaslAuthenticationFailed):
        authenticator.authenticate(caller, proof(hello, challenge, secret=secret, said_to=said_to))
    assert caller.broker_id == NOBODY


def test_while_the_secret_is_exchanged_both_are_believed_and_then_one() -> None:
    secrets = Secrets(b"old", b"new")
    authenticator = an_authenticator((2, 20), secret=secrets)
    for known in (b"old", b"new"):
        caller = Caller()
        hello, challenge = begin(authenticator, caller)
        assert authenticator.authenticate(caller, proof(hello, challenge, secret=known)) == b""
    secrets.take(encode(SecretRecord(base64.b64encode(b"new").decode())))
    caller = Caller()
    hello, challenge = begin(authenticator, caller)
    with pytest.raises(SaslAuthenticationFailed):
        authenticator.authenticate(caller, proof(hello, challenge, secret=b"old"))
    assert caller.broker_id == NOBODY


def test_the_answerers_own_proof_sent_back_proves_nothing() -> None:
    authenticator, caller = an_authenticator((2, 20)), Caller()
    _, challenge = begin(authenticator, caller)
    with pytest.raises(SaslAuthenticationFailed):
        authenticator.authenticate(caller, challenge.proof)


def test_an_overheard_answer_proves_nothing_a_second_time() -> None:
    authenticator, honest, stranger = an_authenticator((2, 20)), Caller(), Caller()
    hello, challenge = begin(authenticator, honest)
    overheard = proof(hello, challenge)
    authenticator.authenticate(honest, overheard)
    _, another = begin(authenticator, stranger)
    assert another.nonce != challenge.nonce
    with pytest.raises(SaslAuthenticationFailed):
        authenticator.authenticate(stranger, overheard)


def test_a_challenge_is_good_for_one_attempt() -> None:
    authenticator, caller = an_authenticator((2, 20)), Caller()
    hello, challenge = begin(authenticator, caller)
    with pytest.raises(SaslAuthenticationFailed):
        authenticator.authenticate(caller, bytes(32))
    with pytest.raises(IllegalSaslState):
        authenticator.authenticate(caller, proof(hello, challenge))


@pytest.mark.parametrize(
    ("broker", "epoch"),
    [pytest.param(2, 19, id="its former registration"), pytest.param(9, 50, id="a broker that is not registered")],
)
def test_a_registration_that_does_not_count_any_more_is_refused(broker: int, epoch: int) -> None:
    authenticator, caller = an_authenticator((2, 20), revision=60), Caller()
    hello, challenge = begin(authenticator, caller, broker=broker, epoch=epoch)
    with pytest.raises(SaslAuthenticationFailed, match="not registered"):
        authenticator.authenticate(caller, proof(hello, challenge))


def test_a_registration_newer_than_what_this_broker_has_seen_is_taken_at_its_word() -> None:
    authenticator, caller = an_authenticator((2, 20), revision=60), Caller()
    introduce(authenticator, caller, epoch=61)
    authenticator.require_broker(caller)


def test_who_registered_anew_is_introduced_anew() -> None:
    caller = Caller()
    introduce(an_authenticator((2, 20)), caller)
    later = an_authenticator((2, 45))
    with pytest.raises(ClusterAuthorizationFailed):
        later.require_broker(caller)
    introduce(later, caller, epoch=45)
    later.require_broker(caller)


def test_a_handshake_makes_a_known_caller_unknown_until_it_has_proved_itself_again() -> None:
    authenticator, caller = an_authenticator((2, 20)), Caller()
    introduce(authenticator, caller)
    begin(authenticator, caller, broker=3)
    with pytest.raises(ClusterAuthorizationFailed):
        authenticator.require_broker(caller)


@pytest.mark.parametrize(("mechanism", "listener"), [("PLAIN", "PLAINTEXT"), (MECHANISM, "OUTSIDE")])
def test_clients_hear_what_apache_kafka_says_where_nobody_authenticates(mechanism: str, listener: str) -> None:
    authenticator, caller = an_authenticator((2, 20)), Caller()
    with pytest.raises(IllegalSaslState):
        authenticator.handshake(caller, mechanism=mechanism, listener=listener)
    with pytest.raises(IllegalSaslState):
        authenticator.authenticate(caller, b"\0user\0password")


@pytest.mark.parametrize("said", [b"", b"\x01" + bytes(43), b"\x02" + bytes(44), bytes(1_000)])
def test_a_hello_that_says_nothing_is_refused(said: bytes) -> None:
    authenticator, caller = an_authenticator((2, 20)), Caller()
    authenticator.handshake(caller, mechanism=MECHANISM, listener="PLAINTEXT")
    with pytest.raises(SaslAuthenticationFailed):
        authenticator.authenticate(caller, said)


def test_a_broker_that_stands_alone_knows_no_strangers() -> None:
    authenticator = a_lone_authenticator()
    authenticator.require_broker(Caller())
    assert not authenticator.tells_brokers_from_strangers
    with pytest.raises(IllegalSaslState):
        authenticator.handshake(Caller(), mechanism=MECHANISM, listener="PLAINTEXT")
