"""The keys that somebody signs tokens with, as its JWKS tells them. Only what can be meant for signatures counts."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec
import structlog

KEYS_MAX: Final = 100
RSA_BITS_MIN: Final = 2048
CURVES: Final[Mapping[str, str]] = {"P-256": "ES256", "P-384": "ES384", "P-521": "ES512"}
OF_RSA: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
ALGORITHMS: Final = frozenset((*OF_RSA, *CURVES.values()))
"""All that are taken, whatever a token says: never `none`, and nothing for which a public key would be the secret."""

_log = structlog.get_logger(__name__)


class SigningKey(NamedTuple):
    kid: str | None
    algorithms: frozenset[str]
    public: Any


class _Set(msgspec.Struct):
    keys: list[dict[str, Any]]


def read_keys(document: bytes) -> list[SigningKey]:
    """ValueError where it is no set of keys at all. A key that makes no sense is left out."""
    try:
        found = msgspec.json.decode(document, type=_Set).keys
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"not a set of keys: {error}") from None
    if len(found) > KEYS_MAX:
        raise ValueError(f"{len(found)} keys, at most {KEYS_MAX} are taken")
    return [key for jwk in found if (key := _key(jwk)) is not None]


def _key(jwk: dict[str, Any]) -> SigningKey | None:
    import jwt  # noqa: PLC0415 - only where tokens are taken

    if jwk.get("use") != "sig" or "d" in jwk:
        return None
    algorithms: tuple[str, ...]
    match jwk.get("kty"):
        case "RSA":
            algorithms = OF_RSA
        case "EC" if str(jwk.get("crv")) in CURVES:
            algorithms = (CURVES[jwk["crv"]],)
        case _:
            return None
    said = jwk.get("alg")
    if said is not None:
        algorithms = tuple(each for each in algorithms if each == said)
    kid = jwk.get("kid")
    if not algorithms or not (kid is None or isinstance(kid, str)):
        return None
    try:
        public = jwt.PyJWK(jwk, algorithm=algorithms[0]).key
    except Exception as error:  # whatever a stranger's key makes of a library
        _log.warning("key of tokens left out", kid=kid, reason=str(error))
        return None
    if jwk["kty"] == "RSA" and public.key_size < RSA_BITS_MIN:
        return None
    return SigningKey(kid, frozenset(algorithms), public)
