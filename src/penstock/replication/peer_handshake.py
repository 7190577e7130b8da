"""The caller's side of a handshake: before a broker asks another anything, both prove that they are of the cluster.

What is said and why it proves anything is in `proof`.
"""

from collections.abc import Callable

from penstock.cluster import Secrets
from penstock.errors import NetworkFailure, SaslAuthenticationFailed, refusal_for
from penstock.model import BrokerId, Dice
from penstock.replication.conversation import Conversation
from penstock.replication.peer_connection import PeerConnection
from penstock.replication.proof import MECHANISM, NONCE_BYTES, Challenge, Exchange, Hello, require_any
from penstock.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from penstock.wire.messages.sasl_authenticate_response import SaslAuthenticateResponse
from penstock.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from penstock.wire.messages.sasl_handshake_response import SaslHandshakeResponse

HANDSHAKE_VERSION = 1
AUTHENTICATE_VERSION = 2
TIMEOUT_S = 5.0


class PeerHandshake:
    def __init__(
        self, *, me: BrokerId, secret: Secrets, cluster_id: str, own_epoch: Callable[[], int], dice: Dice
    ) -> None:
        self._me = me
        self._secret = secret
        self._cluster_id = cluster_id
        self._own_epoch = own_epoch
        self._dice = dice

    async def authenticate_on(self, connection: PeerConnection, whom: BrokerId) -> None:
        """Make this broker known on a connection whose frames go elsewhere otherwise."""
        conversation = Conversation(connection)
        try:
            await self.authenticate(conversation, whom)
        finally:
            conversation.give_back()

    async def authenticate(self, conversation: Conversation, whom: BrokerId) -> int:
        """Answers the broker epoch under which it was done. Refused: SaslAuthenticationFailed, for instance."""
        own_epoch = self._own_epoch()
        if own_epoch <= 0:
            raise NetworkFailure("this broker is not registered: nobody would know it")
        offered: SaslHandshakeResponse = await conversation.ask(
            SaslHandshakeRequest(MECHANISM), version=HANDSHAKE_VERSION, timeout_s=TIMEOUT_S
        )
        if offered.error_code:
            raise refusal_for(offered.error_code)(f"broker {whom} takes no handshakes here")
        hello = Hello(self._me, own_epoch, self._dice.random_bytes(NONCE_BYTES))
        challenge = Challenge.decode(await _say(conversation, hello.encode(), whom))
        exchanges = [
            Exchange(secret, self._cluster_id, hello, whom, challenge.nonce) for secret in self._secret.believed
        ]
        # Or whoever listens there is not of the cluster. What it proved itself by it will believe.
        which = require_any(challenge.proof, [exchange.answerers_proof() for exchange in exchanges])
        exchange = exchanges[which]
        await _say(conversation, exchange.callers_proof(), whom)
        conversation.other_is_known()
        return own_epoch


async def _say(conversation: Conversation, said: bytes, whom: BrokerId) -> bytes:
    answer: SaslAuthenticateResponse = await conversation.ask(
        SaslAuthenticateRequest(said), version=AUTHENTICATE_VERSION, timeout_s=TIMEOUT_S
    )
    if answer.error_code == SaslAuthenticationFailed.code:
        raise SaslAuthenticationFailed(f"broker {whom} does not take this one for its peer: {answer.error_message}")
    if answer.error_code:
        raise refusal_for(answer.error_code)(answer.error_message or f"broker {whom} refuses a handshake")
    return answer.auth_bytes
