"""Whether a token is good, and who its bearer is then.

The algorithm is one of ours, the key is one of the issuer's for that algorithm, and everything else that a token's head
says of keys (jwk, jku, x5c) is not looked at. A head that says that something must be understood (crit) is refused.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from penstock.access.oauth.keys import ALGORITHMS, SigningKey
from penstock.access.sasl.steps import Proved
from penstock.errors import SaslAuthenticationFailed

LIFETIME_MS_MAX: Final = 366 * 24 * 3_600_000
"""A token that is good for longer counts for so long."""
GROUPS_MAX: Final = 1000
KID_MAX: Final = 1024


class TokenRules(msgspec.Struct, frozen=True, kw_only=True):
    issuer: str | None
    """None: any, which somebody has allowed."""
    audiences: tuple[str, ...]
    """One of these; empty: any, which somebody has allowed."""
    skew_s: int = 30
    user_claim: str = "sub"
    scope_claim: str = "scope"
    scopes: tuple[str, ...] = ()
    """All of them."""
    groups_claim: str | None = None


class Head(msgspec.Struct, frozen=True):
    algorithm: str
    kid: str | None


def read_head(token: str) -> Head:
    """What is looked at before anything is verified: which key it wants."""
    import jwt  # noqa: PLC0415 - only where tokens are taken

    try:
        head = jwt.get_unverified_header(token)
    except Exception as error:  # anything at all may be in there
        raise SaslAuthenticationFailed(f"not a token: {error}") from None
    algorithm, kid = head.get("alg"), head.get("kid")
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        raise SaslAuthenticationFailed(f"signed by {algorithm!r:.50}")
    if "crit" in head:
        raise SaslAuthenticationFailed("its head has crit")
    if kid is not None and (not isinstance(kid, str) or len(kid) > KID_MAX):
        raise SaslAuthenticationFailed("its key's id is none")
    return Head(algorithm, kid)


def key_for(head: Head, keys: Sequence[SigningKey]) -> SigningKey | None:
    """The issuer's key of that id; where the token names none, the only one that there is for the algorithm."""
    fit = [key for key in keys if head.algorithm in key.algorithms and (head.kid is None or key.kid == head.kid)]
    return fit[0] if fit and (head.kid is not None or len(fit) == 1) else None


def check(token: str, head: Head, key: SigningKey, rules: TokenRules, *, authzid: str, now_ms: int) -> Proved:
    import jwt  # noqa: PLC0415

    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            key.public,
            algorithms=[head.algorithm],
            issuer=rules.issuer,
            audience=list(rules.audiences) or None,
            leeway=rules.skew_s,
            options={
                "require": ["exp"],
                "verify_aud": bool(rules.audiences),
                "verify_iss": rules.issuer is not None,
                "verify_sub": False,  # the claim that counts is looked at below
                "verify_jti": False,
            },
        )
        ends_at_ms = min(int(claims["exp"]) * 1000, now_ms + LIFETIME_MS_MAX)
    except Exception as error:  # anything at all may be in there
        raise SaslAuthenticationFailed(f"the token is not good: {error}"[:500]) from None
    if ends_at_ms <= now_ms:
        # Within the skew of its end it would be good, and its session would end at once.
        ends_at_ms = now_ms + 1
    user = claims.get(rules.user_claim)
    if not isinstance(user, str) or not user.strip():
        raise SaslAuthenticationFailed(f"the token has no {rules.user_claim}")
    if authzid not in ("", user):
        raise SaslAuthenticationFailed(f"{user[:100]!r} cannot log in as {authzid[:100]!r}")
    missing = set(rules.scopes) - set(_texts(claims.get(rules.scope_claim), split=True))
    if missing:
        raise SaslAuthenticationFailed(f"the token has not the scope {min(missing)}")
    groups = () if rules.groups_claim is None else _texts(claims.get(rules.groups_claim))
    return Proved(user, groups=groups[:GROUPS_MAX], ends_at_ms=ends_at_ms)


def _texts(claim: Any, *, split: bool = False) -> tuple[str, ...]:
    """A list of texts, or one text: of scopes several with spaces between."""
    if isinstance(claim, str):
        return tuple(claim.split()) if split else (claim,)
    return tuple(each for each in claim if isinstance(each, str)) if isinstance(claim, list) else ()
