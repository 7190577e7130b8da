"""The cluster that the web process stands in front of, and how whoever asks it is made known there."""

import base64
import binascii
import ssl

import msgspec

from penstock.client import Sasl
from penstock.web.problems import CHALLENGE, Problem

NOBODY = ""


class Cluster(msgspec.Struct, frozen=True, kw_only=True):
    bootstrap: str
    has_logins: bool = False
    """Its listener asks who is there (SASL)."""
    mechanism: str = "SCRAM-SHA-512"
    """By which names and passwords go on to it."""
    tls: ssl.SSLContext | None = None
    own: Sasl | None = None
    """The web process's own login."""
    is_own_shared: bool = False
    """Whoever brings no credentials has the web process's own rights."""

    def login(self, authorization: str) -> Sasl | None:
        """Who a request is from, by its Authorization header. None: the cluster does not ask.

        Problem 401: nobody, or nothing that can be understood. The cluster decides whether it is true.
        """
        if not self.has_logins:
            return None
        if not authorization:
            if self.is_own_shared:
                return self.own
            raise Problem(401, "login-needed", "The cluster asks who is there: bring a name and a password, or a token")
        scheme, _, rest = authorization.partition(" ")
        if scheme.lower() == "bearer" and rest.strip():
            return Sasl("", rest.strip(), "OAUTHBEARER")
        if scheme.lower() == "basic":
            return self._basic(rest)
        raise Problem(401, "login-unknown", "Authorization is Basic or Bearer here", headers=CHALLENGE)

    def _basic(self, encoded: str) -> Sasl:
        try:
            user, colon, password = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            colon = ""
        if not colon or "\0" in user + password:
            raise Problem(401, "login-unreadable", "Authorization: Basic takes NAME:PASSWORD in base64")
        return Sasl(user, password, self.mechanism)
