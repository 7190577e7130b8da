"""OAUTHBEARER's one message (RFC 7628): a token. What it says of its bearer is found out elsewhere."""

import re
from typing import Final

from penstock.access.sasl.steps import TokenCheck
from penstock.errors import SaslAuthenticationFailed

TOKEN_BYTES_MAX: Final = 32 * 1024
_MESSAGE = re.compile(
    rb"n,(?:a=(?P<authzid>[^,]*))?,\x01(?:[A-Za-z]+=[\x20-\x7e\t\r\n]*\x01)*?"
    rb"auth=[Bb]earer +(?P<token>[A-Za-z0-9._~+/=-]+)\x01(?:[A-Za-z]+=[\x20-\x7e\t\r\n]*\x01)*\x01"
)


class BearerExchange:
    def __init__(self) -> None:
        self.user = ""

    def step(self, said: bytes) -> TokenCheck:
        if len(said) > TOKEN_BYTES_MAX:
            raise SaslAuthenticationFailed(f"a message of {len(said)} bytes")
        match = _MESSAGE.fullmatch(said)
        if match is None:
            raise SaslAuthenticationFailed("the message is none of OAUTHBEARER's")
        authzid = (match["authzid"] or b"").replace(b"=2C", b",").replace(b"=3D", b"=").decode("utf-8", "replace")
        return TokenCheck(match["token"].decode(), authzid)
