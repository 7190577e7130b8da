"""OAUTHBEARER's one message (RFC 7628): a token. What it says of its bearer is found out elsewhere."""

import re
from typing import Final

from penstock.access.sasl.steps import TokenCheck
from penstock.errors import SaslAuthenticationFailed

TOKEN_BYTES_MAX: Final = 32 * 1024
_HEADER = re.compile(rb"n,(?:a=(?P<authzid>[^,]*))?,")
_PAIR = re.compile(rb"(?P<key>[A-Za-z]+)=(?P<value>[\x20-\x7e\t\r\n]*)")
_BEARER = re.compile(rb"[Bb]earer +(?P<token>[A-Za-z0-9._~+/=-]+)")
# Each piece is looked at once: one pattern for the whole message would look at some of them again and again, and a
# stranger could keep the loop busy with it.


class BearerExchange:
    def __init__(self) -> None:
        self.user = ""

    def step(self, said: bytes) -> TokenCheck:
        if len(said) > TOKEN_BYTES_MAX:
            raise SaslAuthenticationFailed(f"a message of {len(said)} bytes")
        first, *pairs = said.split(b"\x01")
        header = _HEADER.fullmatch(first)
        found = [_PAIR.fullmatch(pair) for pair in pairs[:-2]]
        values = [pair["value"] for pair in found if pair is not None and pair["key"] == b"auth"]
        bearer = _BEARER.fullmatch(values[0]) if len(values) == 1 else None
        if header is None or bearer is None or None in found or pairs[-2:] != [b"", b""]:
            raise SaslAuthenticationFailed("the message is none of OAUTHBEARER's")
        authzid = (header["authzid"] or b"").replace(b"=2C", b",").replace(b"=3D", b"=").decode("utf-8", "replace")
        return TokenCheck(bearer["token"].decode(), authzid)
