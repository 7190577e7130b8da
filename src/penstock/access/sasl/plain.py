"""PLAIN (RFC 4616): the password as it is. It is checked against SCRAM's keys, so that nobody keeps passwords."""

from collections.abc import Callable

from penstock.access.sasl.scram import Account
from penstock.access.sasl.steps import PasswordCheck, Proved
from penstock.errors import SaslAuthenticationFailed

PASSWORD_BYTES_MAX = 4096


class PlainExchange:
    def __init__(self, account: Callable[[str], Account]) -> None:
        self._find = account
        self.user = ""

    def step(self, said: bytes) -> PasswordCheck:
        parts = said.split(b"\0")
        if len(parts) != 3:
            raise SaslAuthenticationFailed(f"{len(parts)} parts, where PLAIN has three")
        try:
            authzid, user = parts[0].decode(), parts[1].decode()
            parts[2].decode()
        except UnicodeDecodeError:
            raise SaslAuthenticationFailed("not UTF-8") from None
        password = parts[2]
        if not user or not password or len(password) > PASSWORD_BYTES_MAX:
            raise SaslAuthenticationFailed("no user, or no password, or an endless one")
        if authzid not in ("", user):
            raise SaslAuthenticationFailed(f"{user!r} cannot log in as {authzid!r}")
        self.user = user
        account = self._find(user)
        return PasswordCheck(Proved(account.user, groups=account.groups), password, account.keys)
